"""The histogram in a result: no point is lost, grids are kept, outliers do no harm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import a_kmeans, a_mixture
from mindgap import InvalidInputError
from mindgap.results.histogram import MOST_BINS, Histogram, histogram_of
from mindgap.results.kmeans import KMeansResult
from mindgap.results.mixture import MixtureResult

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(FINITE, min_size=1, max_size=60))
def test_every_point_is_in_some_bin(values: list[float]) -> None:
    x = np.array(values)
    histogram = histogram_of(x)
    assert histogram.counts.sum() == len(x)
    assert len(histogram.counts) <= MOST_BINS
    assert histogram.edges[0] <= x.min()
    assert x.max() <= histogram.edges[-1]


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=200), st.integers(0, 2**32 - 1))
def test_the_order_of_the_points_does_not_matter(values: list[float], seed: int) -> None:
    x = np.array(values)
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 5, len(x)).astype(float)
    order = rng.permutation(len(x))
    first, second = histogram_of(x, weights), histogram_of(x[order], weights[order])
    np.testing.assert_array_equal(first.edges, second.edges)
    np.testing.assert_array_equal(first.counts, second.counts)


def test_values_that_all_but_vanish_have_bars_of_finite_height() -> None:
    for x in ([0.0, 2.2250738585e-313], [0.0, 5e-324], [0.0, 3e-308, 9e-308]):
        histogram = histogram_of(np.array(x))
        assert np.isfinite(histogram.density()).all()
        assert histogram.counts.sum() == len(x)


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_are_those_of_the_bins(weighted: bool) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=5000)
    weights = rng.random(5000) if weighted else None
    histogram = histogram_of(x, weights)
    expected, _ = np.histogram(x, histogram.edges, weights=weights)
    np.testing.assert_allclose(histogram.counts, expected, rtol=1e-12)
    assert float((histogram.density() * np.diff(histogram.edges)).sum()) == pytest.approx(1)


@pytest.mark.parametrize(("step", "shift"), [(1.0, 0.0), (0.01, 170.0), (0.0254, 0.0), (0.5, 1e8), (1e-9, 0.0)])
def test_bins_of_data_on_a_grid_are_centred_on_it(step: float, shift: float) -> None:
    grid = np.random.default_rng(2).poisson(9, 2000)
    histogram = histogram_of(np.array(shift + step * grid, dtype=np.float64))
    middles = (histogram.edges[1:] + histogram.edges[:-1]) / 2
    filled = histogram.counts > 0
    np.testing.assert_array_equal(histogram.counts[filled], np.unique(grid, return_counts=True)[1])
    np.testing.assert_allclose((middles[filled] - shift) / step, np.unique(grid), atol=1e-5)


def test_an_outlier_takes_no_detail_from_the_rest() -> None:
    x = np.random.default_rng(3).normal(size=1000)
    alone, beside = histogram_of(x), histogram_of(np.append(x, 1e9))
    assert np.count_nonzero(beside.counts) > np.count_nonzero(alone.counts) / 2


def test_filled_bins_are_equally_wide() -> None:
    histogram = histogram_of(np.random.default_rng(4).standard_cauchy(5000))
    widths = np.diff(histogram.edges)[histogram.counts > 0]
    np.testing.assert_allclose(widths, widths[0], rtol=1e-9)


def test_no_values_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="no values"):
        histogram_of(np.array([]))


@pytest.mark.parametrize(
    ("counts", "edges", "fault"),
    [([1.0], [0.0], "1 counts and 1 edges"), ([1.0], [1.0, 1.0], "ascending"), ([-1.0], [0.0, 1.0], "not negative")],
)
def test_a_bad_histogram_is_refused(counts: list[float], edges: list[float], fault: str) -> None:
    with pytest.raises(InvalidInputError, match=fault):
        Histogram(np.array(counts), np.array(edges))


@pytest.mark.parametrize("result", [a_mixture(3), a_kmeans(3), a_mixture(1), a_kmeans(1)])
def test_it_is_stored_with_the_result(result: MixtureResult | KMeansResult) -> None:
    back = type(result).from_json(result.to_json())
    assert back.histogram is not None
    assert result.histogram is not None
    np.testing.assert_array_equal(back.histogram.counts, result.histogram.counts)
    np.testing.assert_array_equal(back.histogram.edges, result.histogram.edges)
    assert back.to_json() == result.to_json()


def test_a_tampered_histogram_is_refused() -> None:
    text = a_mixture(2).to_json().replace('"edges": [', '"edges": [1e300, ')
    with pytest.raises(InvalidInputError, match="histogram"):
        MixtureResult.from_json(text)
