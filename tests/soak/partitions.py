"""The cost of labels, and the best partitions by dynamic programs in O(K N²) of plain numpy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from soak.draw import Floats

Extended: TypeAlias = npt.NDArray[np.longdouble]
Labels: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.int32]


def cost_of(x: Floats, w: Floats | None, labels: Labels, k: int) -> float:
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


class Runs:
    """Mean and cost of every run of sorted points, in extended precision about the run's own first point."""

    def __init__(self, x: Floats, w: Floats | None) -> None:
        self.x = x
        self.mass = np.ones(len(x), np.longdouble) if w is None else w.astype(np.longdouble) / np.longdouble(w.max())

    def of(self, start: int) -> tuple[Extended, Extended]:
        """The means (from the first point of all) and costs of start..end for each end > start (exclusive)."""
        z = (self.x[start:] - self.x[start]).astype(np.longdouble)
        mass = self.mass[start:]
        weight, first, second = np.cumsum(mass), np.cumsum(mass * z), np.cumsum(mass * z * z)
        offset = np.longdouble(self.x[start]) - np.longdouble(self.x[0])
        return offset + first / weight, np.maximum(second - first * first / weight, 0)


def unconstrained(x: Floats, w: Floats | None, k: int) -> list[int]:
    """Where the clusters of sorted points end (exclusive) in the best partition."""
    n = len(x)
    runs = Runs(x, w)
    best = np.full((k + 1, n + 1), np.inf, np.longdouble)
    came = np.zeros((k + 1, n + 1), np.int64)
    best[0, 0] = 0
    for start in range(n):
        ends = np.arange(start + 1, n + 1)
        _, cost = runs.of(start)
        for m in range(1, k + 1):
            through = best[m - 1, start] + cost
            better = through < best[m, ends]
            best[m, ends[better]] = through[better]
            came[m, ends[better]] = start
    cuts = [n]
    for m in range(k, 1, -1):
        cuts.append(int(came[m, cuts[-1]]))
    return cuts[::-1]


def separated(x: Floats, w: Floats | None, k: int, lower: Floats, upper: Floats, slack: float) -> float | None:
    """The least cost of sorted points in k runs whose means hold the bounds; None if no partition does."""
    n = len(x)
    runs = Runs(x, w)
    mean = np.full((n, n + 1), np.nan, np.longdouble)
    cost = np.full((n, n + 1), np.inf, np.longdouble)
    for start in range(n):
        ends = np.arange(start + 1, n + 1)
        mean[start, ends], cost[start, ends] = runs.of(start)
    best = np.full((n, n + 1), np.inf, np.longdouble)
    best[0] = cost[0]
    for gap in range(k - 1):
        after = np.full_like(best, np.inf)
        for start in range(1, n):
            ends = np.arange(start + 1, n + 1)
            distance = mean[start, ends][:, None] - mean[:start, start][None, :]
            allowed = (distance >= lower[gap] - slack) & (distance <= upper[gap] + slack)
            before = np.where(allowed, best[:start, start][None, :], np.inf).min(axis=1)
            after[start, ends] = before + cost[start, ends]
        best = after
    least = float(best[:, n].min())
    return None if np.isinf(least) else least * (1.0 if w is None else float(w.max()))


def labels_of(cuts: list[int]) -> Labels:
    """The label of each sorted point."""
    return np.repeat(np.arange(len(cuts)), np.diff([0, *cuts]))
