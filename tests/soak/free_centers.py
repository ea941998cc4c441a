"""Free centres by trying every partition and every set of gaps at their bounds; for ten points or so."""

from __future__ import annotations

from itertools import product

import numpy as np

from soak import partitions
from soak.draw import Floats


def least_cost(x: Floats, w: Floats, k: int, lower: Floats, upper: Floats, slack: float) -> float:
    """The least cost of any k centres that hold the bounds, each with a point of sorted `x` at least."""
    best = np.inf
    for runs in partitions.runs(len(x), k):
        mass = np.array([w[run].sum() for run in runs])
        mean = np.array([np.sum(w[run] * (x[run] - x[0])) for run in runs]) / mass
        within = sum(float(np.sum(w[run] * (x[run] - x[0] - m) ** 2)) for run, m in zip(runs, mean, strict=True))
        if within < best:
            best = min(best, within + _pull(mass, mean, lower, upper, slack))
    return best


def _pull(mass: Floats, mean: Floats, lower: Floats, upper: Floats, slack: float) -> float:
    """The least Σ mass (centre - mean)² under the bounds."""
    levels = [[level for level in {low, high} if np.isfinite(level)] for low, high in zip(lower, upper, strict=True)]
    best = np.inf
    for held in product(*([None, *level] for level in levels)):
        centers = _blocks(mass, mean, held)
        gaps = np.diff(centers)
        if np.all(gaps >= lower - slack) and np.all(gaps <= upper + slack):
            best = min(best, float(np.sum(mass * (centers - mean) ** 2)))
    return best


def _blocks(mass: Floats, mean: Floats, held: tuple[float | None, ...]) -> Floats:
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
