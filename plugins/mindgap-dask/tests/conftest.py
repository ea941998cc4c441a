"""A cluster of two worker processes for all tests, and shared data."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from distributed import Client, LocalCluster

import mindgap as mg


@pytest.fixture(scope="session")
def cluster():
    # Workers that are killed on purpose leave their complaints otherwise.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    size = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with LocalCluster(**size, dashboard_address=":0", silence_logs=logging.CRITICAL) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture
def processes(tmp_path):
    """A scheduler and one worker in processes of their own, and nobody to start them again; the client is active."""
    file = str(tmp_path / "scheduler.json")
    path = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": variables}

    def start(program, *options):
        command = [sys.executable, "-m", f"distributed.cli.{program}", "--scheduler-file", file, "--no-dashboard"]
        return subprocess.Popen([*command, *options], **quiet)

    scheduler = start("dask_scheduler", "--port", "0")
    worker = start("dask_worker", "--no-nanny", "--nthreads", "1")
    try:
        with Client(scheduler_file=file, timeout=30) as client:
            client.wait_for_workers(1, timeout=30)
            yield scheduler, worker
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def values():
    """Five groups that overlap, in no order."""
    rng = np.random.default_rng(5)
    return rng.normal(size=30_000) + 2.0 * rng.integers(0, 5, 30_000)


@pytest.fixture(scope="session")
def start():
    return mg.Parameters(np.full(5, 0.2), 2.0 * np.arange(5) + 0.3, np.ones(5))
