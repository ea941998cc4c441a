"""Natural breaks against every division of sorted data."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import mindgap as mg


def best_breaks(x: Any, k: int) -> list[float]:
    """The breaks of the cheapest division of the distinct values into k runs."""
    values, counts = np.unique(x, return_counts=True)

    def cost(cut: tuple[int, ...]) -> float:
        runs = zip((0, *cut), (*cut, len(values)), strict=True)
        return sum(
            float(counts[a:b] @ (values[a:b] - np.average(values[a:b], weights=counts[a:b])) ** 2) for a, b in runs
        )

    best = min(combinations(range(1, len(values)), k - 1), key=cost)
    return [values[0], *(values[end - 1] for end in (*best, len(values)))]


@pytest.mark.parametrize("seed", range(12))
def test_breaks_are_those_of_the_cheapest_division(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=13).round(1 if seed % 2 else 6)
    for k in (1, 2, 3, 5):
        assert mg.breaks(x, k).tolist() == best_breaks(x, k)


@pytest.mark.parametrize("n", [2000, 50_000])
def test_every_value_is_in_the_class_of_its_label(n: int) -> None:
    x = np.random.default_rng(0).lognormal(size=n)
    found = mg.breaks(x, 6)
    assert np.array_equal(np.searchsorted(found[1:], x), mg.kmeans(x, 6).labels)
    assert np.isin(found, x).all()
    assert not found.flags.writeable
    assert np.array_equal(mg.breaks(mg.Sample(x), 6), found)


def test_points_of_no_weight_do_not_count() -> None:
    weights = [1.0, 1.0, 2.0, 1.0, 0.0]
    assert mg.breaks([1, 2, 8, 9, 100], 2, sample_weight=weights).tolist() == [1.0, 2.0, 9.0]


def test_bad_input() -> None:
    with pytest.raises(mg.InvalidInputError, match="the number of distinct values is 2"):
        mg.breaks([1, 1, 2, 2], 3)
    summary = mg.Summary()
    summary.add([1.0, 2.0, 3.0])
    with pytest.raises(mg.InvalidInputError, match="give the data"):
        mg.breaks(summary, 2)  # type: ignore[arg-type]
