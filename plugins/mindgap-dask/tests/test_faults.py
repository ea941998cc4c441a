"""Faults of chunks, workers and the scheduler: the same result, or a clear error soon."""

import logging
import os
import signal
import threading
import time

import dask.array as da
import mindgap_dask
import numpy as np
import pytest
from distributed import Client, LocalCluster
from fitting import bits, fit

import mindgap as mg

FITS = [
    lambda x, **more: mg.mixture(x, 2, engine="dask", **more),
    lambda x, **more: mg.kmeans(x, 2, engine="dask", **more),
]


@pytest.fixture(params=["threads", "cluster"])
def anywhere(request):
    if request.param == "cluster":
        request.getfixturevalue("client")


@pytest.mark.parametrize("run", FITS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_value_that_is_none_is_named_with_its_chunk(anywhere, run, bad, values):
    x = values[:5000].copy()
    x[3 * 1000 + 17] = bad
    with pytest.raises(mg.InvalidInputError, match=r"in chunk 3, the data hold (NaN|inf) at index 17"):
        run(da.from_array(x, chunks=1000))


@pytest.mark.parametrize("run", FITS)
def test_a_bad_weight_is_named_with_its_chunk(anywhere, run, values):
    weights = np.ones(5000)
    weights[4 * 1000 + 3] = -1
    with pytest.raises(mg.InvalidInputError, match="in chunk 4, the weight at index 3 is -1"):
        run(da.from_array(values[:5000], chunks=1000), sample_weight=da.from_array(weights, chunks=1000))


def refuse(block, block_id, kind=RuntimeError):
    if block_id == (2,):
        raise kind("the disk is gone")
    return block


@pytest.mark.parametrize("run", FITS)
def test_a_chunk_that_raises_is_named(anywhere, run, values):
    x = da.from_array(values[:5000], chunks=1000).map_blocks(refuse, dtype=float)
    with pytest.raises(mg.PluginError, match="chunk 2 raised RuntimeError: the disk is gone"):
        run(x)


@pytest.mark.parametrize("run", FITS)
@pytest.mark.parametrize("kind", [RuntimeError, FileNotFoundError, TimeoutError])
def test_a_persisted_chunk_that_raised_says_so(client, run, values, kind):
    x = da.from_array(values[:5000], chunks=1000).map_blocks(refuse, kind=kind, dtype=float).persist()
    with pytest.raises(mg.PluginError, match=f"raised {kind.__name__} in load: the disk is gone"):
        run(x)


def gnaw(block, folder, spoil):
    """Give the block as it is the first time, and spoilt from then on."""
    first = not (folder / "seen").exists()
    (folder / "seen").touch()
    return block if first else spoil(block)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda block: np.where(np.arange(len(block)) == 701, np.nan, block),
            "there are other values than the first pass had",
        ),
        (lambda block: block[1:], "there are 28999 points, where the first pass had 29000"),
    ],
)
def test_a_chunk_that_changes_is_found_out(values, start, tmp_path, spoil, message):
    parts = da.from_array(values, chunks=((1000, len(values) - 1000),)).blocks
    changing = parts[1].map_blocks(gnaw, folder=tmp_path, spoil=spoil, dtype=float, meta=np.empty(0))
    with pytest.raises(mg.ChangedDataError, match=f"in chunk 1, {message}"):
        fit(da.concatenate([parts[0], changing]), start)


@pytest.mark.parametrize("run", FITS)
def test_no_points_at_all(anywhere, run):
    with pytest.raises(mg.InvalidInputError, match="the 3 chunks hold no points"):
        run(da.from_array(np.empty(0), chunks=((0, 0, 0),)))
    with pytest.raises(mg.InvalidInputError, match=r"hold no point of positive weight|weights sum to zero"):
        run(da.ones(4, chunks=2), sample_weight=da.zeros(4, chunks=2))


@pytest.mark.parametrize("run", FITS)
def test_chunks_of_one_point_and_of_none(anywhere, run):
    x = np.array([1.0, 5.0, 1.1, 4.9, 0.9, 5.2])
    found = run(da.from_array(x, chunks=((0, 1, 1, 0, 1, 1, 1, 1, 0),)))
    np.testing.assert_array_equal(found.labels.compute(), [0, 1, 0, 1, 0, 1])


class Disturbed(mindgap_dask.DaskEngine):
    """Does something shortly after a pass over the data has begun."""

    name = "disturbed"

    def __init__(self, disturb, **settings):
        super().__init__(**settings)
        self.disturb = disturb

    def moments(self, weights, means, variances):
        if len(self.passes) == 3:
            threading.Timer(0.1, self.disturb).start()
        return super().moments(weights, means, variances)


def slow(block):
    time.sleep(0.05)
    return block


@pytest.mark.parametrize("persisted", [False, True])
def test_a_worker_killed_in_the_middle_changes_nothing(client, values, start, persisted):
    x = da.from_array(values, chunks=2000).map_blocks(slow)
    expected = bits(fit(values, start, max_iter=6))
    x = x.persist() if persisted else x
    victim = min(client.run(os.getpid).values())
    found = fit(x, start, Disturbed(lambda: os.kill(victim, signal.SIGKILL)), max_iter=6)
    assert bits(found) == expected
    assert victim not in client.run(os.getpid).values()


@pytest.mark.parametrize(
    ("victim", "message"),
    [(0, "the connection to Dask's scheduler is lost|Dask cancelled the pass"), (1, "no worker for 2 seconds")],
)
def test_a_scheduler_or_all_workers_that_go_away_end_the_fit(processes, values, start, victim, message):
    x = da.from_array(values, chunks=5000).map_blocks(slow)
    began = time.monotonic()
    with pytest.raises(mg.PluginError, match=message):
        fit(x, start, Disturbed(processes[victim].kill, patience=2.0), max_iter=100)
    assert time.monotonic() - began < 30


def test_a_scheduler_that_is_gone_before_kmeans(processes, values):
    processes[0].kill()
    processes[0].wait()
    time.sleep(0.5)
    with pytest.raises(mg.PluginError, match=r"scheduler is lost|Dask cancelled"):
        mg.kmeans(da.from_array(values, chunks=5000), 5, engine="dask")


def die(block, block_id):
    if block_id == (1,):
        os.kill(os.getpid(), signal.SIGKILL)
    return block


def test_a_chunk_that_kills_every_worker_is_given_up(values, start):
    x = da.from_array(values, chunks=10_000).map_blocks(die, dtype=float, meta=np.empty(0))
    size = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    # Or their nannies gave up before the scheduler did.
    message = "several workers died|no worker for 10 seconds"
    with (
        LocalCluster(**size, silence_logs=logging.CRITICAL) as cluster,
        Client(cluster),
        pytest.raises(mg.PluginError, match=message),
    ):
        fit(x, start, mindgap_dask.DaskEngine(patience=10))


def test_a_pass_that_takes_too_long(client, values, start):
    x = da.from_array(values, chunks=1000).map_blocks(slow).map_blocks(slow)
    with pytest.raises(mg.PluginError, match=r"a pass over the data has taken more than 0\.5 seconds"):
        fit(x, start, mindgap_dask.DaskEngine(timeout=0.5))
