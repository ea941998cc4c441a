"""Check the proof of a mixture's certificate: ``python -m mindgap.inference.check_certificate PROOF.json``.

Shares no code with the solver and imports nothing of mindgap; the theorem is in docs/mathematics.md. The whole space of
parameters is walked through from its root, so that a proof that leaves something out is refused. Regions are exact
fractions; all else is interval arithmetic, rounded outward, which takes for granted that numpy's + - * / and sqrt are
those of IEEE 754 and that its exp and log are right to 8 units in the last place.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

#: Half the distance from 1 to the next number: what one operation can be off by, relatively.
UNIT = 2.0**-53

#: How far above the claimed bound (in log units) the checked one may be: with more, coarser cells suffice.
TOLERANCE = 0.01

#: The same for bounds on weights, on which others rest.
FACT = TOLERANCE / 20

#: Cells of one box at most.
CELLS = 200_000


class Refused(ValueError):  # noqa: N818
    """The proof does not show what it claims."""


class Interval:
    """Arrays of numbers that are only known to lie between others."""

    def __init__(self, low: Any, high: Any = None) -> None:
        self.low, self.high = low, low if high is None else high

    @staticmethod
    def outward(low: Any, high: Any, units: int = 1) -> Interval:
        """Return what is between, after an operation that is off by so many units at most."""
        low, high = low - units * 2 * UNIT * np.abs(low), high + units * 2 * UNIT * np.abs(high)
        return Interval(np.nextafter(low, -np.inf), np.nextafter(high, np.inf))

    def __add__(self, other: Any) -> Interval:
        other = as_interval(other)
        return Interval.outward(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Any) -> Interval:
        return self + -as_interval(other)

    def __mul__(self, other: Any) -> Interval:
        other = as_interval(other)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval.outward(np.minimum.reduce(ends), np.maximum.reduce(ends))

    def over(self, other: Any) -> Interval:
        """Divide by what is positive."""
        other = as_interval(other)
        require(bool(np.all(other.low > 0)), "a divisor is not positive")
        return self * Interval.outward(1 / other.high, 1 / other.low)

    def exp(self) -> Interval:
        """Return the exponentials."""
        bounds = Interval.outward(np.exp(self.low), np.exp(self.high), 8)
        return Interval(np.maximum(bounds.low, 0.0), bounds.high)

    def log(self) -> Interval:
        """Return the logarithms of what must be positive."""
        require(bool(np.all(self.low > 0)), "a logarithm of what may be zero")
        return Interval.outward(np.log(self.low), np.log(self.high), 8)

    def sum(self) -> Interval:
        """Sum along the last axis, in whatever order: n additions are off by n units of the sizes at most."""
        low, high, n = self.low.sum(axis=-1), self.high.sum(axis=-1), self.low.shape[-1]
        off = 2 * n * UNIT * np.maximum(np.abs(self.low), np.abs(self.high)).sum(axis=-1)
        return Interval.outward(low - off, high + off)


def as_interval(value: Any) -> Interval:
    """Return a number as an interval."""
    return value if isinstance(value, Interval) else Interval(value)


TWO_PI = Interval(np.nextafter(2 * np.pi, 0), np.nextafter(2 * np.pi, 7))


class Checker:
    """The problem of a proof, and what is needed to check its tree."""

    def __init__(self, proof: dict[str, Any]) -> None:
        self.x, self.w = (np.array(proof[name], dtype=float) for name in ("values", "weights"))
        self.lower, self.ratio = [Fraction(bound) for bound in proof["lower"]], Fraction(proof["variance_ratio"])
        self.upper: list[Any] = [None if bound is None else Fraction(bound) for bound in proof["upper"]]
        self.bound, self.tree, self.total = float(proof["upper_bound"]), iter(proof["tree"]), Interval(self.w).sum()
        sound = bool((self.w > 0).all() and (np.diff(self.x) >= 0).all())
        require(sound and all(bound >= 0 for bound in self.lower), "bad problem")
        k, first, last = len(self.lower) + 1, Fraction(self.x[0]), Fraction(self.x[-1])
        self.root: list[list[Any]] = [[first - sum(self.lower[c:]), last + sum(self.lower[:c])] for c in range(k)]
        most = max(max(last - low, high - first) for low, high in self.root) ** 2
        least = Fraction(proof["root"][0][2])
        require(least > 0, "small variances are not excluded")
        if least > Fraction(proof["least_variance"]):
            cost = Interval(k_means(self.x, self.w, k)).over(float(proof["variance_ratio"])).low
            require(least <= Fraction(float((Interval(cost).over(self.total)).low)), "small variances are not excluded")
            logarithm = (TWO_PI * float(proof["root"][0][2])).log() * 0.5
            ceiling = -(self.total * logarithm) - Interval(0.5 * cost).over(float(proof["root"][0][2]))
            require(bool(ceiling.high <= self.bound), "small variances are not excluded")
        self.root = [[*cell, least, max(least, most)] for cell in self.root]

    def run(self) -> None:
        """Check the tree, or raise Refused."""
        left = [([list(cell) for cell in self.root], [[0.0, 1.0] for _ in self.root])]
        while left:
            left += reversed(self.node(*left.pop()))
        require(next(self.tree, None) is None, "the tree has nodes that belong nowhere")

    def node(self, region: list[list[Any]], ranges: list[list[float]]) -> list[tuple[Any, Any]]:
        """Check the next node, about a region with weights within ranges; return its parts, to be checked next."""
        node: Any = next(self.tree, None)
        require(node is not None, "the tree ends too early")
        empty = not self.propagate(region)
        if node.get("leaf") == "empty":
            require(empty, "a region is not empty")
            return []
        for facts in node["weights"]:
            shown = [list(limits) for limits in ranges]
            for fact in facts:
                sign, c, strength = (1 if fact["upper"] else -1), fact["component"], fact["strength"]
                require(strength > 0, "a weight's bound has no strength")
                target = self.bound + sign * strength * fact["limit"] + FACT
                if not empty:
                    self.bounded(fact, region, ranges, target, (c, sign * strength))
                limit = fact["limit"] + sign * (FACT + 1e-9) / strength
                shown[c] = (
                    [shown[c][0], min(shown[c][1], limit)] if sign > 0 else [max(shown[c][0], limit), shown[c][1]]
                )
            ranges = shown
        parts: list[tuple[Any, Any]] = []
        if "leaf" not in node:
            for above in (False, True):
                part, c, side = [list(cell) for cell in region], node["component"], 0 if node["axis"] == "mean" else 2
                at = Fraction(node["at"])
                part[c][side + (not above)] = (max if above else min)(part[c][side + (not above)], at)
                parts.append((part, [list(limits) for limits in ranges]))
        elif node["leaf"] == "weights":
            require(empty or any(least > most for least, most in ranges), "the weights do not contradict")
        else:
            require(node["leaf"] == "bound", "a region is left open")
            if not empty:
                self.bounded(node, region, ranges, self.bound + TOLERANCE, (0, 0.0))
        return parts

    def propagate(self, region: list[list[Any]]) -> bool:
        """Shrink a region to what the constraints leave of it, exactly; whether that is something."""
        for g, (one, two) in enumerate(pairwise(region)):
            two[0] = max(two[0], one[0] + self.lower[g])
            two[1] = two[1] if self.upper[g] is None else min(two[1], one[1] + self.upper[g])
        for g, (one, two) in reversed(list(enumerate(pairwise(region)))):
            one[1] = min(one[1], two[1] - self.lower[g])
            one[0] = one[0] if self.upper[g] is None else max(one[0], two[0] - self.upper[g])
        least, most = max(cell[2] for cell in region) / self.ratio, min(cell[3] for cell in region) * self.ratio
        for cell in region:
            cell[2:] = max(cell[2], least), min(cell[3], most)
        return all(cell[0] <= cell[1] and cell[2] <= cell[3] for cell in region)

    def bounded(self, node: Any, region: Any, ranges: Any, target: float, extra: tuple[int, float]) -> None:
        """Check that log-likelihood + extra weight is at most the target in the region."""
        terms, atoms = node["terms"], np.array(node["atoms"], dtype=float)
        slopes, precisions = [Fraction(a) for a, _, _ in terms], [Fraction(b) for _, b, _ in terms]
        given, taken = (sum(b for b in precisions if sign * b > 0) for sign in (-1, 1))
        require(sum(slopes) == 0 and -given * self.ratio <= taken, "the multipliers are not those of constraints")
        multiplier = Fraction(0)
        constant: Any = sum(Fraction(zero) for _, _, zero in terms)
        for g, slope in enumerate(slopes[:-1]):
            multiplier -= slope
            side: Any = self.lower[g] if multiplier > 0 else self.upper[g]
            require(multiplier == 0 or side is not None, "a multiplier of a bound that is not there")
            constant -= multiplier * side if multiplier else 0
        # Any positive numbers will do for the mixture, so its rounding does not matter.
        density = sum(w * np.exp(-0.5 * (self.x - m) ** 2 / v) / np.sqrt(2 * np.pi * v) for m, v, w, _ in atoms)
        require(bool((density > 1e-290).all()), "a mixture vanishes at a point")
        height = (Interval(density).log() * self.w).sum()

        def bonus(c: int, mean: Any, variance: Any) -> Any:
            """Return T, rounded up: it rises with tau."""
            (a, b, zero), top = terms[c], float(np.nextafter(float(constant), np.inf))
            tau = (Interval(mean) * a + Interval(b * np.ones_like(mean)).over(variance) - zero).high
            scaled = tau / np.where(tau > 0, *ranges[c]) if a or b else 0.0 * mean
            return (Interval.outward(scaled, scaled) + top + (extra[1] if extra[0] == c else 0.0)).high

        require(all(not (a or b) or ranges[c][0] > 0 for c, (a, b, _) in enumerate(terms)), "a weight may be zero")
        average = float(sum(w * bonus(int(c), m, v) for m, v, w, c in atoms) / atoms[:, 2].sum())
        level = (Interval(target) - height - average).over(self.total).low
        for c, cell in enumerate(region):
            low, high, least, most = (float(side) for side in cell)
            low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
            if not (terms[c][0] or terms[c][1]):  # farther out every density is lower
                low, high = max(low, min(self.x[0], high)), min(high, max(self.x[-1], low))

            def divisor(mean: Any, variance: Any, c: int = c) -> Any:
                return (Interval(average) - bonus(c, mean, variance)).over(self.total) + 1.0

            self.below(divisor, density, low, high, least, most, level)

    def below(
        self, divisor: Any, density: Any, low: float, high: float, least: float, most: float, level: float
    ) -> None:
        """Check by corners that D/divisor <= e^level in a box: log D + A is convex in the natural parameters."""
        cells = np.array([[low, high, np.nextafter(least, 0), np.nextafter(most, np.inf)]])
        seen = 0
        while len(cells):
            seen += len(cells)
            require(seen <= CELLS, "a bound needs too many cells")
            a, b, v, u = cells.T
            values = [self.log_ratio(divisor, density, mean, var) for mean, var in ((a, v), (b, v), (a, u), (b, u))]
            require(bool((np.max(values, axis=0) <= level).all()), "a point is above the bound")
            up = 1 + 32 * UNIT
            width, spread = (b - a) ** 2 / (2 * v) * up, (u - v) ** 2 / (16 * u * v) * up
            top = np.maximum(edge(values[0], values[1], width), edge(values[2], values[3], width)) + spread * up
            cells, by_mean = cells[top > level], (width / 4 >= spread)[top > level]
            one, two = cells.copy(), cells.copy()
            middle = np.where(by_mean, (cells[:, 0] + cells[:, 1]) / 2, np.sqrt(cells[:, 2] * cells[:, 3]))
            one[by_mean, 1] = two[by_mean, 0] = middle[by_mean]
            one[~by_mean, 3] = two[~by_mean, 2] = middle[~by_mean]
            cells = np.concatenate([one, two])

    def log_ratio(self, divisor: Any, density: Any, mean: Any, variance: Any) -> Any:
        """Return log(D/divisor), rounded up."""
        under, tops = divisor(mean, variance).log(), np.empty(len(mean))
        share = Interval(self.w).over(density)
        for i in range(0, len(mean), 64):  # in pieces, for memory
            m, v = mean[i : i + 64, None], variance[i : i + 64, None]
            distance = Interval(self.x) - m
            terms = (-(distance * distance * 0.5).over(v)).exp() * share
            height = terms.sum().over(self.total) + 1e-300
            tops[i : i + 64] = (height.log() - (TWO_PI * variance[i : i + 64]).log() * 0.5).high
        return (Interval(tops) - under).high


def edge(a: Any, b: Any, h: Any) -> Any:
    """Return the largest (1-s) a + s b + s (1-s) h for s from 0 to 1."""
    inside = np.abs(b - a) < h
    arch = (a + b) / 2 + h / 4 + (b - a) ** 2 / (4 * np.where(inside, h, 1.0))
    return np.where(inside, arch + 32 * UNIT * (np.abs(a) + np.abs(b) + h), np.maximum(a, b))


def k_means(x: Any, w: Any, k: int) -> float:
    """Return less than the least cost of k clusters: the plain dynamic program, less what rounding can do to it."""
    z = x - np.average(x, weights=w)
    n, s, q = (np.concatenate([[0.0], np.cumsum(w * z**p)]) for p in (0, 1, 2))
    best = np.where(np.arange(len(n)) == 0, 0.0, np.inf)
    for _ in range(k):
        rows = [0.0]
        for end in range(1, len(n)):
            weight, first = n[end] - n[:end], s[end] - s[:end]
            rows.append(float((best[:end] + np.maximum(q[end] - q[:end] - first**2 / weight, 0)).min()))
        best = np.minimum(best, rows)
    off = 32 * (len(x) + 8) * UNIT * k * q[-1]
    moved = 4 * UNIT * np.abs(x).max() * np.sqrt(n[-1])  # by taking off the mean
    return max(float(np.sqrt(max(best[-1] - off, 0.0)) - moved), 0.0) ** 2 * (1 - 1e-12)


def require(holds: bool, reason: str) -> None:
    """Refuse the proof unless this holds."""
    if not holds:
        raise Refused(reason)


def check(proof: dict[str, Any], data: Any = None) -> float:
    """Return the bound that a proof shows, in the units of the data, or raise Refused.

    The bound is the proof's own and `TOLERANCE`. With `data`, unweighted, the proof must be about them.
    """
    checker = Checker(proof)
    scale, shift = float(proof["scale"]), float(proof["shift"])
    require(scale > 0 and np.frexp(scale)[0] == 0.5, "the scale is no power of two")
    if data is not None:
        values, counts = np.unique(np.asarray(data, dtype=float), return_counts=True)
        same = len(values) == len(checker.x) and (counts == checker.w).all()
        require(bool(same and (values * scale - shift * scale == checker.x).all()), "it is about other data")
    checker.run()
    units = checker.total * Interval(scale).log()
    return float((units + checker.bound + TOLERANCE).high)


if __name__ == "__main__":
    about = np.loadtxt(sys.argv[2]) if len(sys.argv) > 2 else None
    shown = check(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), about)
    print(f"no admissible mixture has a log-likelihood above {shown!r}")
