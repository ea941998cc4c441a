"""A real cluster of two worker processes for all tests, and the data that they share."""

import logging

import numpy as np
import pytest
from distributed import Client, LocalCluster

import mindgap as mg


@pytest.fixture(scope="session")
def cluster():
    # Workers that are killed on purpose leave their complaints otherwise.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    kept = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**kept, silence_logs=logging.CRITICAL) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(scope="session")
def values():
    """Five groups that overlap, in no order."""
    rng = np.random.default_rng(5)
    return rng.normal(size=30_000) + 2.0 * rng.integers(0, 5, 30_000)


@pytest.fixture(scope="session")
def start():
    return mg.Start(np.full(5, 0.2), 2.0 * np.arange(5) + 0.3, np.ones(5))
