"""Slow, obvious solvers for small data."""

from __future__ import annotations

from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

#: Gap bounds are held to this fraction of the data's range.
TOLERANCE = 1e-12


class Best(NamedTuple):
    cost: float
    ends: tuple[int, ...]


def best_partition(
    x: Floats,
    w: Floats,
    k: int,
    lower: Floats,
    upper: Floats,
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


def largest_lower_bound(x: Floats, w: Floats, k: int) -> float:
    """The largest separation that some partition holds."""
    n = len(x)
    mean, _ = _blocks(x, w)
    return max(
        float(np.diff([mean[a, b] for a, b in zip((0, *inner), (*inner, n), strict=True)]).min())
        for inner in combinations(range(1, n), k - 1)
    )


def _blocks(x: Floats, w: Floats) -> tuple[Floats, Floats]:
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


def cost_of(x: Floats, w: Floats | None, labels: npt.NDArray[np.integer], k: int) -> float:
    """The sum of squares about the means of the labelled clusters, in two passes and the data's own units."""
    weights = np.ones(len(x)) if w is None else w
    total = 0.0
    for cluster in range(k):
        inside = labels == cluster
        run, weight = x[inside] - x[inside][0], weights[inside] / weights.max()
        mean = np.sum(run * weight) / np.sum(weight)
        mean += np.sum((run - mean) * weight) / np.sum(weight)
        total += float(np.sum(weight * (run - mean) ** 2))
    return total * float(weights.max())


def runs(n: int, k: int) -> Iterator[list[slice]]:
    """All ways to cut n sorted points into k runs."""
    for inner in combinations(range(1, n), k - 1):
        yield [slice(a, b) for a, b in pairwise((0, *inner, n))]


def least_free_cost(
    x: Floats,
    w: Floats,
    k: int,
    lower: Floats,
    upper: Floats,
    slack: float,
) -> float:
    """The least cost of any k centres that hold the bounds, each with a point of sorted `x` at least."""
    best = np.inf
    for split in runs(len(x), k):
        mass = np.array([w[run].sum() for run in split])
        mean = np.array([np.sum(w[run] * (x[run] - x[0])) for run in split]) / mass
        within = sum(float(np.sum(w[run] * (x[run] - x[0] - m) ** 2)) for run, m in zip(split, mean, strict=True))
        if within < best:
            best = min(best, within + _pull(mass, mean, lower, upper, slack))
    return best


def _pull(mass: Floats, mean: Floats, lower: Floats, upper: Floats, slack: float) -> float:
    """The least Σ mass (centre - mean)² under the bounds."""
    levels = [[level for level in {low, high} if np.isfinite(level)] for low, high in zip(lower, upper, strict=True)]
    best = np.inf
    for held in product(*([None, *level] for level in levels)):
        centers = _on_levels(mass, mean, held)
        gaps = np.diff(centers)
        if np.all(gaps >= lower - slack) and np.all(gaps <= upper + slack):
            best = min(best, float(np.sum(mass * (centers - mean) ** 2)))
    return best


def _on_levels(mass: Floats, mean: Floats, held: tuple[float | None, ...]) -> Floats:
    """Centres where the gaps that are held are at their levels, and nothing else pulls."""
    centers = np.empty(len(mean))
    start = 0
    for end in range(1, len(mean) + 1):
        if end < len(mean) and held[end - 1] is not None:
            continue
        offsets = np.concatenate([[0.0], np.cumsum(np.array(held[start : end - 1], dtype=np.float64))])
        block = slice(start, end)
        centers[block] = offsets + np.sum(mass[block] * (mean[block] - offsets)) / np.sum(mass[block])
        start = end
    return centers
