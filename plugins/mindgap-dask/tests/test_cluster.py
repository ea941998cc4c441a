"""Two worker processes: the bits do not depend on scheduling, and little is sent."""

import time

import dask.array as da
import mindgap_dask
import numpy as np
import pytest
from distributed import Client
from fitting import assert_close, bits, fit

import mindgap as mg


def dawdle(block):
    """Keep a chunk back for a while that nobody can foresee."""
    time.sleep(np.random.default_rng().uniform(0, 0.02))
    return block


def test_workers_and_cuttings_do_not_show(client, values, start):
    here = fit(values, start, max_iter=5)
    assert_close(here, fit(values, start, "local", max_iter=5))
    cut = [da.from_array(values, chunks=chunk).map_blocks(dawdle) for chunk in (7001, 7001, 2048, 1999)]
    found = [fit(x.persist(), start, max_iter=5) for x in cut]
    assert {bits(one) for one in found} == {bits(here)}
    assert bits(fit(cut[0], start, max_iter=5)) == bits(here)


def test_one_worker_gives_the_bits_of_two(processes, cluster, values, start):
    x = da.from_array(values, chunks=3001).map_blocks(dawdle)
    alone = fit(x, start, max_iter=4)
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        assert bits(fit(x, start, mindgap_dask.DaskEngine(client), max_iter=4)) == bits(alone)


def test_kmeans_and_lazy_labels(client, values):
    local = mg.kmeans(values, 5, mg.LowerOnly(2.02))
    x = da.from_array(values, chunks=7001).map_blocks(dawdle).persist()
    first, second = (mg.kmeans(x, 5, mg.LowerOnly(2.02), engine="dask") for _ in range(2))
    assert first.optimal
    assert (first.inertia, first.centers.tobytes()) == (second.inertia, second.centers.tobytes())
    np.testing.assert_allclose(first.inertia, local.inertia, rtol=1e-12)
    assert isinstance(first.labels, da.Array)
    assert first.labels.chunks == x.chunks
    np.testing.assert_array_equal(first.labels.compute(), local.labels)


def test_data_of_this_process_are_handed_out_once(client, values, start):
    engine = mindgap_dask.DaskEngine()
    assert_close(fit(values, start, engine, max_iter=3), fit(values, start, "local", max_iter=3))
    assert max(done.sent for done in engine.passes) < 5000


def test_data_of_this_process_go_to_the_client_that_was_given(cluster, processes, values, start):
    """Another client is active; labels need none."""
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        engine = mindgap_dask.DaskEngine(client)
        found = fit(values, start, engine, max_iter=3)
        assert bits(found) == bits(fit(da.from_array(values, chunks=7001), start, max_iter=3))
        assert max(done.sent for done in engine.passes) < 5000
        wait_until(lambda: not client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)))
    np.testing.assert_array_equal(found.labels.compute(scheduler="sync"), found.predict(values))


def wait_until(true, seconds=10):
    """Wait for what Dask does when it finds the time."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def draw(block, block_id):
    rng = np.random.default_rng(block_id[0])
    return rng.normal(size=len(block)) + 2.0 * rng.integers(0, 5, len(block))


@pytest.mark.parametrize("persisted", [False, True])
def test_what_is_sent_does_not_grow_with_the_points(client, start, persisted):
    costs = []
    for size in (2_000, 200_000):
        x = da.zeros(8 * size, chunks=size).map_blocks(draw, dtype=float)
        engine = mindgap_dask.DaskEngine()
        fit(x.persist() if persisted else x, start, engine, max_iter=3)
        costs.append([done for done in engine.passes if done.kind == "moments"][-1])
    small, large = costs
    assert small.tasks == large.tasks
    # A few bytes more for larger numbers, and for the digits that sums keep.
    assert abs(large.sent - small.sent) < 300
    assert abs(large.received - small.received) < 300
    assert large.sent < 2000 * large.tasks
    assert large.received < 2000
