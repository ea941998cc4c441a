"""The Rand index against its definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mindgap.datasets.measures import rand_index


def by_definition(one: list[int], two: list[int]) -> float:
    pairs = list(combinations(range(len(one)), 2))
    return sum((one[i] == one[j]) == (two[i] == two[j]) for i, j in pairs) / len(pairs)


def test_agrees_with_its_definition() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = int(rng.integers(2, 30))
        one, two = rng.integers(0, 4, n).tolist(), rng.integers(-2, 3, n).tolist()
        assert rand_index(one, two) == pytest.approx(by_definition(one, two), abs=1e-15)


def test_one_point_agrees_with_itself() -> None:
    assert rand_index([3], [5]) == 1.0


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 and 3 points"):
        rand_index([1, 2], [1, 2, 3])
