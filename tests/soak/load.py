"""Stress tests of the process: many threads, many fits, forks and spawns, Ctrl-C in the command line."""

from __future__ import annotations

import multiprocessing
import resource
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import mindgap as mg

#: What a child must answer to its parent.
X = np.random.default_rng(0).normal(0, 3, 400)


def fingerprint(seed: int) -> str:
    """The bits of three small fits."""
    x = np.random.default_rng(seed).normal(0, 3, 300)
    means = mg.kmeans(x, 4, mg.LowerOnly(0.5))
    free = mg.kmeans(x, 4, mg.LowerOnly(3.0), centers="free")
    mixture = mg.mixture(x, 3, mg.LowerOnly(1.0), max_iter=20)
    return "".join(part.tobytes().hex() for part in (means.centers, free.centers, mixture.means, mixture.variances))


def threads(count: int) -> None:
    """Many threads fit at once, and each gets the bits that it gets alone."""
    alone = [fingerprint(seed) for seed in range(count)]
    with ThreadPoolExecutor(count) as pool:
        assert list(pool.map(fingerprint, range(count))) == alone, "threads change the result"


def memory(fits: int) -> None:
    """Many small fits in a row leave nothing behind."""
    fit_many(fits // 10)
    before = resident()
    fit_many(fits)
    grown = resident() - before
    assert grown < 8 << 20, f"{fits} fits left {grown} bytes"


def fit_many(count: int) -> None:
    """Small fits of every kind."""
    for fit in range(count // 4):
        x = X[fit % 300 : fit % 300 + 40]
        mg.kmeans(x, 3)
        mg.kmeans(x, 3, mg.LowerOnly(0.5))
        mg.kmeans(x, 3, mg.LowerOnly(2.5), centers="free")
        mg.mixture(x, 2, mg.LowerOnly(1.0), max_iter=5)


def resident() -> int:
    """The bytes of memory that this process has."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def processes() -> None:
    """Forked and spawned children fit what their parent fits, also where the parent has used its threads."""
    expected = [fingerprint(seed) for seed in range(4)]
    big = np.random.default_rng(1).normal(0, 3, 300_000)
    mg.mixture(big, 3, max_iter=2)
    for method in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context(method).Pool(2) as pool:
            answers = pool.map_async(fingerprint, range(4)).get(timeout=300)
        assert answers == expected, f"{method} changes the result"


def command_line(times: int) -> None:
    """Ctrl-C in the command line at random moments is exit code 130 and no traceback."""
    with tempfile.TemporaryDirectory() as directory:
        values = Path(directory) / "values.npy"
        np.save(values, np.random.default_rng(0).normal(0, 3, 200_000))
        arguments = ["mixture", str(values), "-k", "20", "--method", "paper", "--tol", "0", "--max-iter", "1000000"]
        for delay in np.random.default_rng().uniform(1.5, 5.0, times):
            command = [sys.executable, "-c", STARTED, *arguments]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
                assert child.stderr is not None
                # While Python imports numpy there is nobody yet who could catch it.
                assert child.stderr.readline() == "started\n"
                time.sleep(float(delay))
                assert child.poll() is None, f"ended early: {child.communicate()}"
                child.send_signal(signal.SIGINT)
                _, errors = child.communicate(timeout=60)
            assert child.returncode == 130, f"exit code {child.returncode} after {delay} s: {errors}"
            assert "Traceback" not in errors, errors


#: What `python -m mindgap` does, and a word when it begins.
STARTED = """
import runpy, sys
print("started", file=sys.stderr, flush=True)
runpy.run_module("mindgap", run_name="__main__", alter_sys=True)
"""
