"""One iteration of EM written out, with the means' quadratic program by trying every set of rows at every bound."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from soak.draw import Floats


class Rows(NamedTuple):
    """Linear rows ``lower <= matrix @ means <= upper``."""

    matrix: Floats
    lower: Floats
    upper: Floats

    def about(self, shift: float) -> Rows:
        """The same rows for means measured from `shift`, without rounding on the way."""
        origin = [sum(map(Fraction, row), Fraction(0)) * Fraction(shift) for row in self.matrix.tolist()]

        def moved(bounds: Floats) -> Floats:
            pairs = zip(bounds.tolist(), origin, strict=True)
            return np.array([float(Fraction(b) - offset) if np.isfinite(b) else b for b, offset in pairs])

        return Rows(self.matrix, moved(self.lower), moved(self.upper))

    def ascending(self) -> Rows:
        """These rows, and the order of the means."""
        k = self.matrix.shape[1]
        order = np.diff(np.eye(k), axis=0)
        return Rows(
            np.vstack([self.matrix, order]),
            np.concatenate([self.lower, np.zeros(k - 1)]),
            np.concatenate([self.upper, np.full(k - 1, np.inf)]),
        )

    def misses(self, means: Floats) -> Floats:
        """By how much each row is missed."""
        value = self.matrix @ means
        return np.maximum(np.maximum(self.lower - value, value - self.upper), 0.0)


def best_means(targets: Floats, stiffness: Floats, rows: Rows, slack: Floats) -> Floats | None:
    """The means that minimise Σ stiffness (mean - target)² under the rows, each held to its slack; None if none do."""
    soft = 1 / np.sqrt(stiffness / stiffness.max())
    levels = [
        [level for level in {low, high} if np.isfinite(level)] for low, high in zip(rows.lower, rows.upper, strict=True)
    ]
    best, least = None, np.inf
    for held in product(*([None, *level] for level in levels)):
        active = [row for row, level in enumerate(held) if level is not None]
        if len(active) > len(targets):
            continue
        a = rows.matrix[active]
        wanted = np.array([held[row] for row in active], dtype=np.float64) - a @ targets
        b = a * soft
        size = np.linalg.norm(b, axis=1, keepdims=True)
        way = np.linalg.pinv(b / size) @ (wanted / size[:, 0]) if active else np.zeros(len(targets))
        means = targets + soft * way
        if np.all(rows.misses(means) <= slack) and (cost := float(way @ way)) < least:
            best, least = means, cost
    return best


class Step(NamedTuple):
    """What an E step gives: the share of each component, its mean, and the squares about any new mean."""

    shares: Floats
    means: Floats
    stiffness: Floats
    spread: Floats


def expectation(x: Floats, w: Floats, start: tuple[Floats, Floats, Floats]) -> Step:
    """The moments of the components of `start` at data measured from anywhere near them."""
    weights, means, variances = start
    with np.errstate(divide="ignore"):
        log = np.log(weights) - 0.5 * np.log(variances) - (x[:, None] - means) ** 2 / (2 * variances)
    share = np.exp(log - log.max(axis=1, keepdims=True))
    share *= (w / w.max() / share.sum(axis=1))[:, None]
    mass = share.sum(axis=0)
    centre = (share * x[:, None]).sum(axis=0) / mass
    spread = (share * (x[:, None] - centre) ** 2).sum(axis=0) / mass
    return Step(mass / mass.sum(), centre, mass / variances, spread)
