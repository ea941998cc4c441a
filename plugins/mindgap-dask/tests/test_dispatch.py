"""Dask collections reach the engine without `engine=`, and predictions of them are lazy."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import mindgap as mg


class Uncomputed(da.Array):
    """Raises where somebody collects it."""

    def __array__(self, *arguments, **more):
        raise AssertionError("collected")


@pytest.fixture
def lazy(values):
    array = da.from_array(values, chunks=7_000)
    return Uncomputed(array.dask, array.name, array.chunks, array.dtype)


def test_fits_without_engine_are_those_with_it(client, values, lazy, start):
    fits = [mg.mixture(lazy, 5, mg.LowerOnly(1.9), init=start, max_iter=4, **more) for more in ({}, {"engine": "dask"})]
    assert fits[0].means.tobytes() == fits[1].means.tobytes()
    assert isinstance(fits[0].labels, da.Array)
    assert mg.kmeans(lazy, 5).inertia == pytest.approx(mg.kmeans(values, 5).inertia, rel=1e-12)
    assert mg.select(lazy, [1, 2], max_iter=3).ks == (1, 2)


@pytest.mark.parametrize("form", ["array", "series", "column"])
def test_predictions_are_lazy_and_those_of_the_array(client, values, lazy, form):
    series = dd.from_pandas(pd.Series(values, name="x"), npartitions=3)
    x = {"array": lazy, "series": series, "column": series.to_frame()}[form]
    clusters, fit = mg.kmeans(values, 5), mg.mixture(values, 5)
    for ask in (clusters.predict, fit.predict, fit.predict_proba, fit.score_samples):
        found = ask(x)
        assert isinstance(found, da.Array)
        expected = ask(values)
        assert found.dtype == expected.dtype
        assert found.ndim == expected.ndim
        np.testing.assert_array_equal(found.compute(), expected)
    assert fit.score(x) == pytest.approx(fit.score(values), rel=1e-12)


def test_a_prediction_carries_no_data_along(values, lazy):
    fit = mg.mixture(values, 5)
    graph = dict(fit.predict(lazy).dask)
    assert not any(isinstance(part, mg.MixtureResult) for task in graph.values() for part in getattr(task, "args", ()))


def test_nan_in_a_chunk_is_an_error_of_its_task(values):
    fit = mg.mixture(values, 2)
    bad = da.from_array(np.append(values, np.nan), chunks=7_000)
    with pytest.raises(mg.InvalidInputError, match="x holds nan"):
        fit.predict(bad).compute()


def test_a_chunk_that_changes_is_a_public_error(values):
    calls = []

    def noisy(block):
        calls.append(len(block))
        return block + len(calls)

    x = da.from_array(values, chunks=15_000).map_blocks(noisy, dtype=float, meta=np.empty(0))
    for fit in (mg.kmeans, mg.mixture):
        with pytest.raises(mg.ChangedDataError, match=r"in chunk .* other values than the first pass.*persist"):
            fit(x, 3)
