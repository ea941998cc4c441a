"""Random hard problems: ties, far shifts, extreme scales, geometric spacing, bounds at the edge."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def values(rng: np.random.Generator, n: int) -> Floats:
    """Data of a random kind, in random order."""
    return DATA[rng.integers(len(DATA))](rng, n)


def small_integers(rng: np.random.Generator, n: int) -> Floats:
    return rng.integers(0, max(3, n // 2), n).astype(np.float64)


def heavy_ties(rng: np.random.Generator, n: int) -> Floats:
    few = rng.normal(0, 1, max(2, n // 5))
    return np.asarray(few[rng.integers(len(few), size=n)])


def rounded(rng: np.random.Generator, n: int) -> Floats:
    return np.round(rng.normal(0, 2, n), 1)


def plain(rng: np.random.Generator, n: int) -> Floats:
    return rng.normal(0, 3, n)


def clumps(rng: np.random.Generator, n: int) -> Floats:
    """Clumps far wider apart than they are wide."""
    return rng.integers(0, 4, n) * 10.0 ** rng.integers(1, 10) + rng.normal(0, 1, n)


def geometric(rng: np.random.Generator, n: int) -> Floats:
    # To 1e100 at most.
    ratio = min(rng.uniform(1.01, 3.0), 1e100 ** (1 / n))
    return np.asarray(ratio ** rng.permutation(n) * rng.choice([-1.0, 1.0]))


def far(rng: np.random.Generator, n: int) -> Floats:
    """Shifted by up to 1e15, where doubles are an eighth apart."""
    return np.asarray(rng.normal(0, 10, n) + rng.choice([-1, 1]) * 10.0 ** rng.uniform(3, 15))


def scaled(rng: np.random.Generator, n: int) -> Floats:
    return np.asarray(rng.normal(0, 1, n) * 10.0 ** rng.uniform(-100, 100))


def even(rng: np.random.Generator, n: int) -> Floats:
    """Evenly spaced: many partitions share a cost, and gaps sit on their bounds."""
    return np.asarray(rng.permutation(n) * rng.choice([1.0, 0.1, 0.3]))


def with_outlier(rng: np.random.Generator, n: int) -> Floats:
    x = rng.normal(0, 1, n)
    x[rng.integers(n)] = 10.0 ** rng.uniform(1, 7)
    return x


DATA = (small_integers, heavy_ties, rounded, plain, plain, clumps, geometric, far, scaled, even, with_outlier)


def weights(rng: np.random.Generator, n: int) -> Floats | None:
    """No weights, whole ones, real ones, ones over twelve orders of magnitude, or all of them huge or tiny."""
    kind = rng.integers(7)
    if kind < 3:
        return None
    if kind == 3:
        return rng.integers(1, 5, n).astype(np.float64)
    if kind == 4:
        return rng.uniform(0.1, 3, n)
    if kind == 5:
        return np.asarray(10.0 ** rng.uniform(-6, 6, n))
    return np.asarray(rng.uniform(0.5, 2, n) * 10.0 ** rng.choice([-90, 90]))


def clusters(rng: np.random.Generator, x: Floats, most: int) -> int:
    """A number of clusters that the data can have."""
    return int(rng.integers(1, min(most, len(np.unique(x))) + 1))


def bounds(rng: np.random.Generator, x: Floats, k: int) -> tuple[Floats, Floats]:
    """Bounds for k-1 gaps: one for all or each, two-sided or not, some equal, zero, huge or at gaps of the data."""
    unit = float(np.ptp(x)) / max(k - 1, 1)
    kind = rng.integers(7)
    none = np.full(k - 1, np.inf)
    if kind == 0:
        return np.full(k - 1, rng.uniform(0, 1.1) * unit), none
    if kind == 1:
        low = rng.uniform(0, 0.8) * unit
        return np.full(k - 1, low), np.full(k - 1, low + rng.uniform(0, 1) * unit)
    if kind == 2:
        lower = rng.uniform(0, 0.8, k - 1) * unit
        return lower, lower + np.where(rng.random(k - 1) < 0.3, np.inf, rng.uniform(0, 1, k - 1) * unit)
    if kind == 3:
        equal = rng.uniform(0, 1, k - 1) * unit
        return equal, equal.copy()
    if kind == 4:
        lower = np.where(rng.random(k - 1) < 0.5, 0.0, rng.uniform(0, 1, k - 1) * unit)
        return lower, np.where(rng.random(k - 1) < 0.5, 1e3 * unit + lower, np.inf)
    if kind == 5:
        # At differences of the data, which rounding must not decide.
        lower = np.abs(rng.choice(x, k - 1) - rng.choice(x, k - 1))
        return lower, np.where(rng.random(k - 1) < 0.5, lower, np.inf)
    return np.zeros(k - 1), np.where(rng.random(k - 1) < 0.5, 0.0, rng.uniform(0, 1, k - 1) * unit)
