"""Check the proof of a mixture's certificate: ``python -m mindgap.inference.check_certificate PROOF.json [DATA.txt]``.

Shares no code with the solver and imports nothing of mindgap; the theorem is in docs/mathematics.md. The whole space of
parameters is walked through from its root, so that a proof that leaves something out is refused. Regions are exact
fractions; all else is interval arithmetic, rounded outward, which takes for granted that numpy's + - * / are those of
IEEE 754 and that its exp and log are right to 8 units in the last place.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

#: What one operation can be off by, relatively.
UNIT = 2.0**-53

#: How far above the claimed bound (in log units) the checked one may be; and for bounds on weights, used by others.
TOLERANCE, FACT = 0.01, 0.0005

#: Cells of one box at most.
CELLS = 200_000


class Refused(ValueError):  # noqa: N818
    """The proof does not show what it claims."""


def require(holds: Any, reason: str) -> None:
    """Refuse the proof unless this holds, everywhere."""
    if not np.all(holds):
        raise Refused(reason)


class Interval:
    """Arrays of numbers that are only known to lie between others, moved outward by so many units in the last place."""

    low: Any
    high: Any

    def __init__(self, low: Any, high: Any = None, units: int = 0) -> None:
        self.low, self.high = (low.low, low.high) if isinstance(low, Interval) else (low, low if high is None else high)
        if units:
            self.low = np.nextafter(self.low - 2 * units * UNIT * np.abs(self.low), -np.inf)
            self.high = np.nextafter(self.high + 2 * units * UNIT * np.abs(self.high), np.inf)

    def __add__(self, other: Any) -> Interval:
        return Interval(self.low + Interval(other).low, self.high + Interval(other).high, 1)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Any) -> Interval:
        return self + -Interval(other)

    def __mul__(self, other: Any) -> Interval:
        ends = [a * b for a in (self.low, self.high) for b in (Interval(other).low, Interval(other).high)]
        return Interval(np.minimum.reduce(ends), np.maximum.reduce(ends), 1)

    def __truediv__(self, other: Any) -> Interval:
        require(Interval(other).low > 0, "a divisor is not positive")
        return self * Interval(1 / Interval(other).high, 1 / Interval(other).low, 1)

    def exp(self) -> Interval:
        """Return the exponentials."""
        return Interval(np.exp(self.low), np.exp(self.high), 8)

    def log(self) -> Interval:
        """Return the logarithms of what must be positive."""
        require(self.low > 0, "a logarithm of what may be zero")
        return Interval(np.log(self.low), np.log(self.high), 8)

    def sum(self) -> Interval:
        """Sum along the last axis, in whatever order: n additions are off by n units of the sizes at most."""
        off = 2 * self.low.shape[-1] * UNIT * np.maximum(np.abs(self.low), np.abs(self.high)).sum(axis=-1)
        return Interval(self.low.sum(axis=-1) - off, self.high.sum(axis=-1) + off, 2)


TWO_PI = Interval(2 * np.pi, units=1)


class Checker:
    """The problem of a proof, and what is needed to check its tree."""

    def __init__(self, proof: dict[str, Any]) -> None:
        self.x, self.w = (np.array(proof[name], dtype=float) for name in ("values", "weights"))
        self.lower, self.ratio = [Fraction(gap) for gap in proof["lower"]], Fraction(proof["variance_ratio"])
        self.upper: list[Any] = [np.inf if gap is None else Fraction(gap) for gap in proof["upper"]]
        self.k, least, self.bound = len(self.lower) + 1, proof["root"][0][2], float(proof["upper_bound"])
        sound = len(self.upper) + 1 == self.k and self.ratio >= 1 and least > 0 and self.x.shape == self.w.shape
        ordered = np.all(self.w > 0) and np.all(np.diff(self.x) >= 0)
        require(sound and ordered and all(gap >= 0 for gap in self.lower), "bad problem")
        self.tree, self.total = iter(proof["tree"]), Interval(self.w).sum()
        first, last = Fraction(self.x[0]), Fraction(self.x[-1])
        means: list[Any] = [[first - sum(self.lower[c:]), last + sum(self.lower[:c])] for c in range(self.k)]
        reach = max(max(last - low, high - first) for low, high in means)
        # What a value lost when the shift was taken off, and what that can do to the likelihood.
        lost = float(2 * UNIT * np.abs(self.x).max())
        self.loss = self.total * (Interval(float(reach), units=1) + lost) * lost / least
        if least > proof["least_variance"]:
            cost = Interval(k_means(self.x, self.w, self.k, lost)) / float(self.ratio)
            ceiling = -(self.total * (TWO_PI * least).log() * 0.5) - cost / least * 0.5
            require(least <= (cost / self.total).low and ceiling.high <= self.bound, "small variances are not excluded")
        self.root = [[*mean, Fraction(least), max(Fraction(least), reach**2)] for mean in means]

    def node(self, region: list[list[Any]], ranges: list[list[float]]) -> None:
        """Check the next node of the tree and those below it, about a region with weights within ranges."""
        node: Any = next(self.tree, None)
        require(node is not None, "the tree ends too early")
        region = [list(cell) for cell in region]
        empty = not self.propagate(region)
        for facts in () if empty else node["weights"]:
            shown = [list(limits) for limits in ranges]
            for fact in facts:
                sign, c, strength = (1 if fact["upper"] else -1), fact["component"], float(fact["strength"])
                require(c in range(self.k) and 0 < strength < np.inf, "a weight's bound is about nothing")
                target = (Interval(strength) * (sign * fact["limit"]) + self.bound + FACT).low
                self.bounded(fact, region, ranges, target, (c, sign * strength))
                limit = Interval(sign * FACT) / strength + fact["limit"]
                if sign > 0:
                    shown[c][1] = min(shown[c][1], limit.high)
                else:
                    shown[c][0] = max(shown[c][0], limit.low)
            ranges = shown
        if "leaf" not in node:
            c, side, at = node["component"], 0 if node["axis"] == "mean" else 2, Fraction(node["at"])
            below, above = ([list(cell) for cell in region] for _ in range(2))
            below[c][side + 1], above[c][side] = min(below[c][side + 1], at), max(above[c][side], at)
            self.node(below, ranges)
            self.node(above, ranges)
        elif node["leaf"] == "bound" and not empty:
            self.bounded(node, region, ranges, self.bound + TOLERANCE, (0, 0.0))
        else:
            contradict = any(least > most for least, most in ranges)
            require(empty or (node["leaf"] == "weights" and contradict), f"a region is left, called {node['leaf']}")

    def propagate(self, region: list[list[Any]]) -> bool:
        """Shrink a region to what the constraints leave of it, exactly; whether that is something."""
        gaps = list(zip(pairwise(region), self.lower, self.upper, strict=True))
        for (one, two), lower, upper in gaps + gaps[::-1]:
            two[:2] = max(two[0], one[0] + lower), min(two[1], one[1] + upper)
            one[:2] = max(one[0], two[0] - upper), min(one[1], two[1] - lower)
        least, most = max(cell[2] for cell in region) / self.ratio, min(cell[3] for cell in region) * self.ratio
        for cell in region:
            cell[2:] = max(cell[2], least), min(cell[3], most)
        return all(cell[0] <= cell[1] and cell[2] <= cell[3] for cell in region)

    def bounded(self, node: Any, region: Any, ranges: Any, target: float, extra: tuple[int, float]) -> None:
        """Check that log-likelihood + extra weight is at most the target in the region."""
        terms, (m, v, w, group) = node["terms"], np.array(node["atoms"], dtype=float).T
        slopes, precisions, zeros = ([Fraction(term[i]) for term in terms] for i in range(3))
        given, taken = (sum(b for b in precisions if sign * b > 0) for sign in (-1, 1))
        sound = len(terms) == self.k and sum(slopes) == 0 and -given * self.ratio <= taken
        require(sound, "the multipliers are not those of constraints")
        multiplier, constant = Fraction(0), sum(zeros)
        for slope, lower, upper in zip(slopes[:-1], self.lower, self.upper, strict=True):
            multiplier -= slope
            require(multiplier >= 0 or upper < np.inf, "a multiplier of a bound that is not there")
            constant -= multiplier * (lower if multiplier >= 0 else upper)
        coupled = [bool(a or b) for a, b, _ in terms]
        require([ranges[c][0] > 0 for c in range(self.k) if coupled[c]], "a weight may be zero")

        def bonus(c: int, mean: Any, variance: Any) -> Any:
            """Return T, rounded up: it rises with tau."""
            a, b, zero = terms[c]
            tau = (Interval(mean) * a + Interval(1.0) / variance * b - zero).high
            scaled = tau / np.where(tau > 0, *ranges[c]) if coupled[c] else 0.0 * mean
            top = Interval(float(constant), units=1) + (extra[1] if extra[0] == c else 0.0)
            return (Interval(scaled, units=1) + top).high

        # Any numbers will do for the logarithms of the mixture and for the average, so their rounding does not matter.
        parts = np.log(w) - 0.5 * np.log(2 * np.pi * v) - (self.x[:, None] - m) ** 2 / (2 * v)
        log_f = np.logaddexp.reduce(parts, axis=1)
        average = np.average([bonus(int(c), *atom) for *atom, c in zip(m, v, group, strict=True)], weights=w)
        require([*np.isfinite(log_f), np.isfinite(average)], "a mixture is none")
        level = ((Interval(target) - (Interval(log_f) * self.w).sum() - average) / self.total).low
        for c, cell in enumerate(region):
            low, least = (np.nextafter(float(side), -np.inf) for side in cell[::2])
            high, most = (np.nextafter(float(side), np.inf) for side in cell[1::2])
            if not coupled[c]:  # farther out every density is lower
                low, high = max(low, min(self.x[0], high)), min(high, max(self.x[-1], low))
            self.below(lambda *at, c=c: Interval(average) - bonus(c, *at), log_f, [low, high, least, most], level)

    def below(self, slack: Any, log_f: Any, box: list[float], level: float) -> None:
        """Check by corners that D/(1 + slack/N) <= e^level in a box: log D + A is convex in the natural parameters."""
        cells, seen = np.array([box]), 0
        while len(cells):
            seen += len(cells)
            require(seen <= CELLS, "a bound needs too many cells")
            a, b, v, u = cells.T
            tops = np.max([self.log_ratio(slack, log_f, *at) for at in ((a, v), (b, v), (a, u), (b, u))], axis=0)
            require(tops <= level, "a point is above the bound")
            width, spread = Interval(b) - a, Interval(u) - v
            arch, rise = (width * width / (Interval(v) * 8.0)).high, (spread * spread / (Interval(u) * v * 16.0)).high
            left = ~((Interval(tops) + arch + rise).high <= level)
            cells, by_mean = cells[left], (arch >= rise)[left]
            side, rows = np.where(by_mean, 0, 2), np.arange(len(cells))
            middle = np.where(by_mean, cells[:, :2].mean(axis=1), np.sqrt(cells[:, 2] * cells[:, 3]))
            one, two = cells.copy(), cells.copy()
            one[rows, side + 1] = two[rows, side] = middle
            cells = np.concatenate([one, two])

    def log_ratio(self, slack: Any, log_f: Any, mean: Any, variance: Any) -> Any:
        """Return log(D/(1 + slack/N)), rounded up."""
        tops = np.empty(len(mean))
        for i in range(0, len(mean), 64):  # in pieces, for memory
            distance = Interval(self.x) - mean[i : i + 64, None]
            exponents = -(distance * distance / (2 * variance[i : i + 64, None])) - log_f
            tops[i : i + 64] = (exponents.exp() * self.w).sum().high
        density = (Interval(tops) / self.total + 1e-300).log() - (TWO_PI * variance).log() * 0.5
        return (density - (slack(mean, variance) / self.total + 1.0).log()).high


def k_means(x: Any, w: Any, k: int, lost: float) -> float:
    """Return less than the least cost of k clusters of any values within `lost` of x: the plain dynamic program.

    Squares about a cluster's first point have positive sums, so that their rounding is relative to them.
    """
    best = np.append(0.0, np.full(len(x), np.inf))
    for _ in range(k):
        next_best = best.copy()
        for start in np.flatnonzero(np.isfinite(best[:-1])):
            z = x[start:] - x[start]
            n, s, q = (np.cumsum(w[start:] * z**p) for p in (0, 1, 2))
            cost = np.maximum(q - s * s / n - 8 * (len(x) + 8) * UNIT * q, 0.0)
            next_best[start + 1 :] = np.minimum(next_best[start + 1 :], best[start] + cost)
        best = next_best
    root = np.sqrt(best[-1]) * (1 - 1e-12) - lost * np.sqrt(w.sum()) * (1 + 1e-12)
    return max(float(root), 0.0) ** 2 * (1 - 1e-12)


def check(proof: dict[str, Any], data: Any = None) -> float:
    """Return the bound that a proof shows, in the units of the data, or raise Refused.

    The bound is the proof's own, `TOLERANCE`, and what values lost to rounding. With `data`, unweighted, the proof must
    be about them.
    """
    try:
        checker = Checker(proof)
        scale, shift = float(proof["scale"]), float(proof["shift"])
        require(scale > 0 and np.frexp(scale)[0] == 0.5, "the scale is no power of two")
        if data is not None:
            values, counts = np.unique(np.asarray(data, dtype=float), return_counts=True)
            require(len(values) == len(checker.x), "it is about other data")
            same = (counts == checker.w) & (values * scale - shift * scale == checker.x)
            require(same, "it is about other data")
        with np.errstate(all="ignore"):
            checker.node(checker.root, [[0.0, 1.0]] * checker.k)
        require(next(checker.tree, None) is None, "the tree has nodes that belong nowhere")
    except Refused:
        raise
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as fault:
        raise Refused(f"the proof is malformed: {fault!r}") from fault
    return float((checker.total * Interval(scale).log() + checker.bound + TOLERANCE + checker.loss).high)


if __name__ == "__main__":
    about = np.loadtxt(sys.argv[2]) if len(sys.argv) > 2 else None
    shown = check(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), about)
    print(f"no admissible mixture has a log-likelihood above {shown!r}")
