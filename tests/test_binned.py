"""Binned counts: which are valid, where open bins end, and draws from them."""

from __future__ import annotations

import numpy as np
import pytest

import mindgap as mg


@pytest.mark.parametrize("counts", [[1, -1], [1, np.inf], [1, np.nan], [0, 0]])
def test_counts_that_are_none(counts: list[float]) -> None:
    with pytest.raises(mg.InvalidInputError, match="counts"):
        mg.Binned([0, 1, 2], counts)


def test_an_open_bin_is_as_wide_as_its_neighbour() -> None:
    both = mg.Binned([-np.inf, 1, 3, 7, np.inf], [1, 2, 3, 4])
    assert both.closed_edges.tolist() == [-1, 1, 3, 7, 11]
    assert both.sample.values.tolist() == [0, 2, 5, 9]
    assert mg.Binned([-np.inf, 5, np.inf], [1, 1]).closed_edges.tolist() == [3, 5, 7]


def test_other_values_are_counted_in_the_same_bins() -> None:
    binned = mg.Binned([0, 1, 2, 4], [1, 1, 1])
    assert binned.redrawn(np.array([-3, 0, 0.5, 1, 3.9, 4, 99])).counts.tolist() == [3, 1, 3]
    assert binned.redrawn(np.array([0.1, 1.1, 2.1])) == binned
    assert binned != mg.Binned([0, 1, 2, 5], [1, 1, 1])


def test_draws_stay_in_the_support() -> None:
    x = np.random.default_rng(0).normal(0, 1, 400)
    fit = mg.mixture(x[np.abs(x) < 1.5], 1, support=(-1.5, 1.5))
    drawn, _ = fit.sample(2000, rng=1)
    assert -1.5 <= drawn.min() < -1.4
    assert 1.4 < drawn.max() <= 1.5
