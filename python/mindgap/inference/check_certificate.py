"""Check the proof of a mixture's certificate: ``python -m mindgap.inference.check_certificate PROOF.json [DATA.txt]``.

The theorem is in docs/mathematics.md, "A certificate for mixtures". This file imports nothing of mindgap. A region is a
box of means, variances and weights: six fractions for each component. The proof is a tree of regions that starts with
all admissible parameters, so a proof that leaves something out is refused. All else is interval arithmetic. It takes
for granted that numpy's + - * / are those of IEEE 754, and that its exp and log are right to 8 units in the last place.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

#: The relative error of one operation; how many cells a box is cut into at most; and how far (in log units) the checked
#: bound is above the claimed one, so that coarse cells suffice.
UNIT, CELLS, TOLERANCE = 2.0**-53, 200_000, 0.01


class Refused(ValueError):  # noqa: N818
    """The proof does not show what it claims."""


def require(holds: Any, reason: str) -> None:
    """Refuse the proof unless this holds, everywhere."""
    if not np.all(holds):
        raise Refused(reason)


class Interval:
    """Numbers between two bounds, or arrays of them; each operation moves the bounds outward by 8 units.

    Nothing is shown about infinite numbers: one of their bounds is NaN or useless, and no number is below NaN.
    """

    def __init__(self, low: Any, high: Any = None) -> None:
        low, high = (np.asarray(end, dtype=float) for end in (low, low if high is None else high))
        self.low: Any = np.nextafter(low - 16 * UNIT * np.abs(low), -np.inf)
        self.high: Any = np.nextafter(high + 16 * UNIT * np.abs(high), np.inf)

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        ends = [one * two for one in (self.low, self.high) for two in (other.low, other.high)]
        return Interval(np.minimum.reduce(ends), np.maximum.reduce(ends))

    def __truediv__(self, other: Interval) -> Interval:
        """Divide by a positive number; else the quotient is NaN, which is below nothing."""
        return self * Interval(1 / other.high, np.where(other.low > 0, 1 / other.low, np.nan))

    def map(self, function: Any) -> Interval:
        """Return exponentials or logarithms, which rise; the logarithm of a negative number is NaN."""
        return Interval(function(self.low), function(self.high))

    def sum(self) -> Interval:
        """Sum along the last axis, in any order: n additions are off by n units of the sizes at most."""
        off = 2 * self.low.shape[-1] * UNIT * np.maximum(np.abs(self.low), np.abs(self.high)).sum(axis=-1)
        return Interval(self.low.sum(axis=-1) - off, self.high.sum(axis=-1) + off)


class Checker:
    """The problem of a proof, and what is needed to check its tree."""

    def __init__(self, proof: dict[str, Any]) -> None:
        self.x, self.w = (np.array(proof[name], dtype=float) for name in ("values", "weights"))
        self.total, self.ratio = Interval(self.w).sum(), Fraction(proof["variance_ratio"])
        self.lower = [Fraction(gap) for gap in proof["lower"]]
        self.upper = [np.inf if gap is None else Fraction(gap) for gap in proof["upper"]]
        self.bound, self.tree = proof["upper_bound"] + TOLERANCE, proof["tree"][::-1]
        require(self.x.shape == self.w.shape == (len(proof["values"]),) and np.all(self.w > 0), "bad weights")
        require(np.all(np.diff(self.x) >= 0) and self.ratio >= 1 and all(gap >= 0 for gap in self.lower), "bad problem")

    def root(self, v: float, least: float) -> list[list[Any]]:
        """Return a region with a best mixture: variances below v are not admissible, or k-means excludes them."""
        if not v <= least:
            cost = Interval(k_means(self.x, self.w, len(self.lower) + 1)) / Interval(self.ratio)
            highest = (self.total * Interval(2 * np.pi * v).map(np.log) + cost / Interval(v)) * Interval(-0.5)
            require(v <= (cost / self.total).low and highest.high <= self.bound, "small variances are possible")
        # Means farther out, and larger variances, make the densities at all points smaller.
        low, high, smallest = Fraction(self.x[0]) - sum(self.lower), Fraction(self.x[-1]) + sum(self.lower), Fraction(v)
        return [[low, high, smallest, max(smallest, (high - Fraction(self.x[0])) ** 2), 0, 1] for _ in [0, *self.lower]]

    def walk(self, region: list[list[Any]]) -> None:
        """Check the next node of the tree, which is about a region, and those below it."""
        node, region = self.tree.pop(), self.shrink(region)
        if "at" in node:
            for end in (1, 0):
                half, side = [[*cell] for cell in region], {"mean": 0, "variance": 2, "weight": 4}[node["axis"]] + end
                half[node["component"]][side] = (max, min)[end](half[node["component"]][side], Fraction(node["at"]))
                self.walk(half)
        elif all(cell[side] <= cell[side + 1] for cell in region for side in (0, 2, 4)):
            self.leaf(region, node)

    def shrink(self, region: list[list[Any]]) -> list[list[Any]]:
        """Return what the constraints leave of a region, exactly; this changes the region."""
        gaps = list(zip(pairwise(region), self.lower, self.upper, strict=True))
        for (one, two), lower, upper in gaps + gaps[::-1]:
            two[:2] = max(two[0], one[0] + lower), min(two[1], one[1] + upper)
            one[:2] = max(one[0], two[0] - upper), min(one[1], two[1] - lower)
        least, most = max(cell[2] for cell in region) / self.ratio, min(cell[3] for cell in region) * self.ratio
        return [[low, high, max(v, least), min(u, most), *weight] for low, high, v, u, *weight in region]

    def leaf(self, region: list[list[Any]], node: dict[str, Any]) -> None:
        """Check that no mixture of a region has a log-likelihood above the bound."""
        multipliers = (node["gaps"], node["precisions"], node["weights"], node["zeros"])
        prices, slopes, rewards, zeros = ([Fraction(number) for number in numbers] for numbers in multipliers)
        scales = [[Fraction(scale) for scale in pair] for pair in node["scales"]]
        tilts = [one - two for one, two in pairwise([Fraction(0), *prices, Fraction(0)])]
        # The lagrangian adds what is never negative: price * (gap - its bound), reward * (weight - its bound), and the
        # sum of slope / variance. To component k it adds T: its part tau of these over its weight, and a constant.
        gaps = zip(prices, self.lower, self.upper, strict=True)
        constant = sum(zeros) - sum(price * (low if price >= 0 else high) for price, low, high in gaps)
        constant -= sum(reward * cell[4 if reward >= 0 else 5] for reward, cell in zip(rewards, region, strict=True))
        terms = zip(tilts, slopes, zeros, scales, region, strict=True)
        known = [up >= 0 and (not any(tau) or up * cell[4] >= 1 >= down * cell[5]) for *tau, (up, down), cell in terms]
        sound = abs(constant) < np.inf and sum(min(slope, self.ratio * slope) for slope in slopes) >= 0
        require([sound, *known], "the multipliers are not those of constraints")
        # Any positive numbers will do for the densities f of the mixture, and any number for the average of T.
        (m, v, p), average = np.array(node["atoms"], dtype=float).T, Interval(node["average"])
        log_f = np.logaddexp.reduce(np.log(p / np.sqrt(2 * np.pi * v)) - (self.x[:, None] - m) ** 2 / (2 * v), axis=1)
        level = ((Interval(self.bound) - (Interval(log_f) * Interval(self.w)).sum() - average) / self.total).low

        def log_ratio(k: int, mean: Any, variance: Any) -> Any:
            """Return log(D/(1 + (average - T)/N)), rounded up."""
            distance = Interval(self.x) - Interval(mean[:, None])
            exponents = Interval(-log_f) - distance * distance / Interval(2 * variance[:, None])
            ratio = (exponents.map(np.exp) * Interval(self.w)).sum() / self.total
            a, b, zero, reward = (Interval(terms[k]) for terms in (tilts, slopes, zeros, rewards))
            tau = (Interval(mean) * a + b / Interval(variance) - zero).high
            share = Interval(tau * np.where(tau > 0, *map(float, scales[k])))  # T rises with tau
            divisor = Interval(1.0) + (average - share - Interval(constant) - reward) / self.total
            return (ratio.map(np.log) - divisor.map(np.log) - Interval(np.sqrt(2 * np.pi * variance)).map(np.log)).high

        for k, cell in enumerate(region):
            box = [np.nextafter(float(side), (-np.inf, np.inf)[i % 2]) for i, side in enumerate(cell[:4])]
            below(lambda *at, k=k: log_ratio(k, *at), np.array([box]), level)


def below(log_ratio: Any, cells: Any, level: float, most: int = CELLS) -> None:
    """Check that a ratio is at most e^level in cells, by their corners: log D + mean^2/(2 v) + log(v)/2 is convex."""
    require(len(cells) <= most, "a bound needs too many cells")
    corners = np.array_split(cells[:, [0, 2, 1, 2, 0, 3, 1, 3]].reshape(-1, 2), len(cells) // 16 + 1)  # for memory
    tops = np.concatenate([log_ratio(*part.T) for part in corners]).reshape(-1, 4).max(axis=1)
    require(tops <= level, "a point is above the bound")
    low, high, v, u = map(Interval, cells.T)
    of_mean, of_variance = (high - low) * (high - low) / v, (u - v) * (u - v) / (u * v)
    left = cells[~((of_mean * Interval(1 / 8) + of_variance * Interval(1 / 16) + Interval(tops)).high <= level)]
    if len(left):
        axis, halves = 0 if of_mean.high.max() > 0.5 * of_variance.high.max() else 2, np.concatenate([left, left])
        halves[: len(left), axis + 1] = halves[len(left) :, axis] = left[:, axis : axis + 2].mean(axis=1)
        below(log_ratio, halves, level, most - len(cells))


def k_means(x: Any, w: Any, k: int) -> float:
    """Return less than the least cost of k clusters: the plain dynamic program.

    Squares about a cluster's first point have positive sums, so that their rounding is relative to them.
    """
    best = np.append(0.0, np.full(len(x), np.inf))
    for _ in range(k):
        for start in reversed(range(len(x))):
            n, s, q = (np.cumsum(w[start:] * (x[start:] - x[start]) ** p) for p in (0, 1, 2))
            cost = np.maximum(q - s * s / n - 8 * (len(x) + 8) * UNIT * q, 0.0)
            best[start + 1 :] = np.minimum(best[start + 1 :], best[start] + cost)
    return float(best[-1]) * (1 - 1e-12)


def check(proof: dict[str, Any], data: Any = None) -> float:
    """Return the bound that a proof shows, `TOLERANCE` above the claimed one, or raise Refused.

    With `data`, unweighted, the proof must be about them.
    """
    try:
        checker = Checker(proof)
        if data is not None:
            counted = np.unique(np.asarray(data, dtype=float), return_counts=True)
            require([*map(np.array_equal, counted, (checker.x, checker.w))], "it is about other data")
        with np.errstate(all="ignore"):
            checker.walk(checker.root(proof["smallest_variance"], proof["least_variance"]))
        require(not checker.tree, "the tree has nodes that belong nowhere")
        return float(checker.bound)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as fault:
        raise Refused(str(fault) if isinstance(fault, Refused) else f"the proof is malformed: {fault!r}") from fault


def statement(proof: dict[str, Any], bound: float) -> str:
    """Return what a checked proof shows."""
    problem = {name: proof[name] for name in ("lower", "upper", "variance_ratio", "least_variance")}
    size = f"{len(proof['values'])} distinct values, weight {sum(proof['weights'])}, {len(proof['lower']) + 1} means"
    return f"{size}, {problem}\nno such mixture has a log-likelihood above {bound!r}"


if __name__ == "__main__":
    claimed = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(statement(claimed, check(claimed, np.loadtxt(sys.argv[2]) if len(sys.argv) > 2 else None)))
