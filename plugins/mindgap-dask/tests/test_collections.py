"""Every kind of data that the engine takes gives the local fit; other data are refused with a reason."""

import dask.array as da
import mindgap_dask
import numpy as np
import pytest
from fitting import assert_close, bits, fit

import mindgap as mg


def test_it_is_found_by_its_entry_point():
    [record] = [record for record in mg.plugins() if record.package == "mindgap-dask"]
    assert (record.kind, record.name, record.status) == ("engine", "dask", "loaded")


def cuttings(x):
    yield da.from_array(x, chunks=len(x))
    yield da.from_array(x, chunks=4096)
    yield da.from_array(x, chunks=7001)
    yield da.from_array(x, chunks=100)
    yield da.from_array(x, chunks=(0, 1, 0, 1, 1, 511, 512, 513, 0, len(x) - 1539, 0))
    yield da.from_array(x, chunks=7001)[da.from_array(np.ones(len(x), bool), chunks=7001)]  # of unknown sizes
    yield da.from_array(x[:, None], chunks=(9000, 1))


def test_every_cutting_gives_the_same_bits_and_the_local_fit(values, start):
    local = fit(values, start, "local")
    fits = [fit(cut, start) for cut in cuttings(values)]
    assert len({bits(found) for found in fits}) == 1
    assert_close(fits[0], local)
    np.testing.assert_array_equal(fits[1].labels.compute(), local.labels)


def test_the_default_start_comes_from_the_chunks(values):
    local = mg.mixture(values, 5, mg.LowerOnly(1.95), method="paper", max_iter=12, tol=0)
    for cut in cuttings(values):
        assert_close(mg.mixture(cut, 5, mg.LowerOnly(1.95), method="paper", max_iter=12, tol=0, engine="dask"), local)


@pytest.mark.parametrize("centers", ["means", "free"])
def test_kmeans_is_as_exact_as_here(values, centers):
    local = mg.kmeans(values, 5, mg.LowerOnly(2.02), centers=centers)
    for cut in cuttings(values):
        found = mg.kmeans(cut, 5, mg.LowerOnly(2.02), centers=centers, engine="dask")
        np.testing.assert_allclose(found.inertia, local.inertia, rtol=1e-12)
        np.testing.assert_allclose(found.centers, local.centers, rtol=1e-12)
        assert found.optimal == local.optimal
        assert found.lower_bound <= found.inertia * (1 + 1e-12)
        np.testing.assert_array_equal(found.labels.compute(), local.labels)


def test_weights_go_with_their_points(values, start):
    weights = np.random.default_rng(1).integers(0, 4, len(values)).astype(float)
    local = fit(values, start, "local", sample_weight=weights)
    found = [
        fit(da.from_array(values, chunks=chunk), start, sample_weight=da.from_array(weights, chunks=other))
        for chunk, other in [(5000, 5000), (777, 777), (5000, 4999)]
    ]
    assert len({bits(one) for one in found}) == 1
    assert_close(found[0], local)


def test_integers_and_arrays_of_this_process(values, start):
    whole = np.round(values * 8).astype(np.int16)
    scaled = mg.Parameters(start.weights, start.means * 8, start.variances * 64)
    local = mg.mixture(whole, 5, init=scaled, method="paper", max_iter=5, tol=0)
    assert_close(
        mg.mixture(da.from_array(whole, chunks=999), 5, init=scaled, method="paper", max_iter=5, tol=0, engine="dask"),
        local,
    )
    assert_close(mg.mixture(whole.tolist(), 5, init=scaled, method="paper", max_iter=5, tol=0, engine="dask"), local)


def test_series_and_frames(values, start):
    frames = pytest.importorskip("dask.dataframe")
    import pandas as pd

    frame = frames.from_pandas(pd.DataFrame({"height": values, "other": 1.0}), npartitions=4)
    expected = bits(fit(da.from_array(values, chunks=7001), start))
    assert bits(fit(frame["height"], start)) == expected
    found = fit(frame[["height"]], start, sample_weight=frame["other"])
    assert_close(found, fit(values, start, "local"))
    assert len(found.labels.compute()) == len(values)
    with pytest.raises(mg.InvalidInputError, match="x has 2 columns"):
        fit(frame, start)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (da.ones((4, 2), chunks=2), r"x has shape \(4, 2\)"),
        (da.from_array(np.array(["a", "b"]), chunks=1), "x has dtype <U1"),
        (da.from_array(np.array([1 + 2j]), chunks=1), "x has dtype complex128"),
        (mg.Sample([1.0, 2.0]), "x is a Sample"),
        (mg.Summary.of([1.0, 2.0]), "x is a Summary"),
    ],
)
def test_what_is_no_column_of_numbers_is_refused(x, message):
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.mixture(x, 1, engine="dask")


def test_weights_of_another_length_are_refused():
    x = da.ones(10, chunks=5)
    with pytest.raises(mg.InvalidInputError, match="9 weights were given for 10 points"):
        mg.mixture(x, 1, sample_weight=da.ones(9, chunks=3), engine="dask")
    unknown = x[x > 0]
    with pytest.raises(mg.InvalidInputError, match="3 chunks of unknown size for 2"):
        mg.mixture(unknown, 1, sample_weight=da.ones(9, chunks=3), engine="dask")
    with pytest.raises(mg.InvalidInputError, match="in chunk 1, 4 weights were given for 5 points"):
        mg.mixture(unknown, 1, sample_weight=da.ones(9, chunks=5), engine="dask")


def test_without_a_cluster_the_threads_of_this_process_do_it(values, start):
    engine = mindgap_dask.DaskEngine()
    fit(da.from_array(values, chunks=7001), start, engine, max_iter=2)
    assert [done.kind for done in engine.passes] == ["load", "moments", "moments", "finish"]
    assert {done.sent for done in engine.passes} == {0}
