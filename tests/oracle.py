"""Slow, obvious solvers that cannot be wrong, for small data."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

#: Gap bounds are held to this fraction of the data's range.
TOLERANCE = 1e-12


class Best(NamedTuple):
    cost: float
    ends: tuple[int, ...]


def best_partition(
    x: npt.NDArray[np.float64],
    w: npt.NDArray[np.float64],
    k: int,
    lower: npt.NDArray[np.float64],
    upper: npt.NDArray[np.float64],
) -> Best | None:
    """The cheapest split of sorted points into k runs whose means hold the bounds; None if none does."""
    n = len(x)
    slack = TOLERANCE * (x[-1] - x[0])
    mean, cost = _blocks(x, w)
    best: Best | None = None
    for inner in combinations(range(1, n), k - 1):
        ends = (*inner, n)
        starts = (0, *inner)
        means = [mean[start, end] for start, end in zip(starts, ends, strict=True)]
        gaps = np.diff(means)
        if np.all(gaps >= lower - slack) and np.all(gaps <= upper + slack):
            total = sum(cost[start, end] for start, end in zip(starts, ends, strict=True))
            if best is None or total < best.cost:
                best = Best(total, ends)
    return best


def largest_lower_bound(x: npt.NDArray[np.float64], w: npt.NDArray[np.float64], k: int) -> float:
    """The largest separation that some partition holds."""
    n = len(x)
    mean, _ = _blocks(x, w)
    return max(
        float(np.diff([mean[a, b] for a, b in zip((0, *inner), (*inner, n), strict=True)]).min())
        for inner in combinations(range(1, n), k - 1)
    )


def _blocks(
    x: npt.NDArray[np.float64], w: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Mean (from the first point, so that far data lose nothing) and sum of squares of every run start..end."""
    n = len(x)
    x = x - x[0]
    mean = np.zeros((n + 1, n + 1))
    cost = np.zeros((n + 1, n + 1))
    for start in range(n):
        for end in range(start + 1, n + 1):
            run, weight = x[start:end], w[start:end]
            mean[start, end] = np.sum(run * weight) / np.sum(weight)
            cost[start, end] = np.sum(weight * (run - mean[start, end]) ** 2)
    return mean, cost
