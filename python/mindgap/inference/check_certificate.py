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

#: What one operation can be off by, relatively; and how many cells a box is cut into at most.
UNIT, CELLS = 2.0**-53, 200_000

#: How far above the claimed bound (in log units) the checked one may be; and bounds on weights, on which others rest.
TOLERANCE, FACT = 0.01, 0.0005


class Refused(ValueError):  # noqa: N818
    """The proof does not show what it claims."""


def require(holds: Any, reason: str) -> None:
    """Refuse the proof unless this holds, everywhere."""
    if not np.all(holds):
        raise Refused(reason)


class Interval:
    """Arrays of numbers that are only known to lie between others, moved outward by so many units in the last place."""

    def __init__(self, low: Any, high: Any = None, units: int = 0) -> None:
        ends = (low.low, low.high) if isinstance(low, Interval) else (low, low if high is None else high)
        self.low: Any = ends[0]
        self.high: Any = ends[1]
        if units:
            self.low = np.nextafter(self.low - 2 * units * UNIT * np.abs(self.low), -np.inf)
            self.high = np.nextafter(self.high + 2 * units * UNIT * np.abs(self.high), np.inf)

    def __add__(self, other: Any) -> Interval:
        return Interval(self.low + Interval(other).low, self.high + Interval(other).high, 1)

    def __sub__(self, other: Any) -> Interval:
        return self + Interval(-Interval(other).high, -Interval(other).low)

    def __mul__(self, other: Any) -> Interval:
        ends = [a * b for a in (self.low, self.high) for b in (Interval(other).low, Interval(other).high)]
        return Interval(np.minimum.reduce(ends), np.maximum.reduce(ends), 1)

    def __truediv__(self, other: Any) -> Interval:
        require(Interval(other).low > 0, "a divisor is not positive")
        return self * Interval(1 / Interval(other).high, 1 / Interval(other).low, 1)

    def map(self, function: Any) -> Interval:
        """Return exponentials or logarithms, which both rise; the logarithm of a negative end is NaN, below nothing."""
        return Interval(function(self.low), function(self.high), 8)

    def sum(self) -> Interval:
        """Sum along the last axis, in whatever order: n additions are off by n units of the sizes at most."""
        off = 2 * self.low.shape[-1] * UNIT * np.maximum(np.abs(self.low), np.abs(self.high)).sum(axis=-1)
        return Interval(self.low.sum(axis=-1) - off, self.high.sum(axis=-1) + off, 2)


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
        self.root = [[*mean, Fraction(least), max(Fraction(least), reach**2)] for mean in means]
        # What a value lost when the shift was taken off, and what that can do to the likelihood.
        lost = float(2 * UNIT * np.abs(self.x).max())
        self.loss = self.total * (Interval(float(reach), units=1) + lost) * lost / least
        if least > Fraction(proof["least_variance"]):
            cost = Interval(k_means(self.x, self.w, self.k, lost)) / Interval(float(self.ratio), units=1)
            ceiling = (self.total * log_two_pi(least) + cost / least) * -0.5
            require(least <= (cost / self.total).low and ceiling.high <= self.bound, "small variances are not excluded")

    def node(self, region: list[list[Any]], ranges: list[list[float]]) -> None:
        """Check the next node of the tree and those below it, about a region with weights within ranges."""
        node: Any = next(self.tree, None)
        require(node is not None, "the tree ends too early")
        region, shown = [list(cell) for cell in region], [list(limits) for limits in ranges]
        void = not self.propagate(region) or any(least > most for least, most in ranges)
        if "facts" in node:  # L + strength * weight is bounded: so is the weight, where L is above the bound
            for fact in () if void else node["facts"]:
                c, strength, limit = fact["component"], float(fact["strength"]), Interval(float(fact["limit"]))
                require(c in range(self.k) and 0 < abs(strength) < np.inf, "a weight's bound is about nothing")
                self.bounded(fact, region, ranges, (limit * strength + self.bound + FACT).low, (c, strength))
                off = Interval(FACT) / abs(strength)
                if strength > 0:
                    shown[c][1] = min(shown[c][1], (limit + off).high)
                else:
                    shown[c][0] = max(shown[c][0], (limit - off).low)
            self.node(region, shown)
        elif "at" in node:
            c, side, at = node["component"], 0 if node["axis"] == "mean" else 2, Fraction(node["at"])
            below, above = ([list(cell) for cell in region] for _ in range(2))
            below[c][side + 1], above[c][side] = min(below[c][side + 1], at), max(above[c][side], at)
            self.node(below, ranges)
            self.node(above, ranges)
        elif not void:
            require("atoms" in node, "a region is left out")
            self.bounded(node, region, ranges, self.bound + TOLERANCE, (0, 0.0))

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
        slopes, precisions = ([Fraction(term[i]) for term in terms] for i in range(2))
        given, taken = (sum(b for b in precisions if sign * b > 0) for sign in (-1, 1))
        sound = len(terms) == self.k and sum(slopes) == 0 and -given * self.ratio <= taken
        coupled = [bool(a or b) for a, b, _ in terms]
        multiplier, constant = Fraction(0), sum(Fraction(zero) for a, b, zero in terms if a or b)
        for slope, lower, upper in zip(slopes[:-1], self.lower, self.upper, strict=True):
            multiplier -= slope
            sound = sound and (multiplier >= 0 or upper < np.inf)
            constant -= multiplier * (lower if multiplier >= 0 else upper)
        require(sound, "the multipliers are not those of constraints")
        require([ranges[c][0] > 0 for c in range(self.k) if coupled[c]], "a weight may be zero")

        def bonus(c: int, mean: Any, variance: Any) -> Any:
            """Return T, rounded up: it rises with tau."""
            a, b, zero = terms[c]
            tau = (Interval(mean) * a + Interval(1.0) / variance * b - zero).high
            scaled = tau / np.where(tau > 0, *ranges[c]) if coupled[c] else 0.0 * mean
            return (Interval(scaled, units=1) + Interval(float(constant), units=1) + extra[1] * (c == extra[0])).high

        # Any numbers will do for the logarithms of the mixture and for the average, so their rounding does not matter.
        parts = np.log(w) - 0.5 * np.log(2 * np.pi * v) - (self.x[:, None] - m) ** 2 / (2 * v)
        log_f = np.logaddexp.reduce(parts, axis=1)
        average = np.average([bonus(int(c), *atom) for *atom, c in zip(m, v, group, strict=True)], weights=w)
        level = ((Interval(target) - (Interval(log_f) * self.w).sum() - average) / self.total).low

        def log_ratio(c: int, mean: Any, variance: Any) -> Any:
            """Return log(D/(1 + (average - T)/N)), rounded up."""
            distance = Interval(self.x) - mean[:, None]
            exponents = Interval(0.0) - distance * distance / (2 * variance[:, None]) - log_f
            density = ((exponents.map(np.exp) * self.w).sum() / self.total).map(np.log) - log_two_pi(variance) * 0.5
            divisor = (Interval(average) - bonus(c, mean, variance)) / self.total + 1.0
            return (density - divisor.map(np.log)).high

        require([*np.isfinite(log_f), np.isfinite(average)], "a mixture is none")
        for c, cell in enumerate(region):
            box = [np.nextafter(float(side), (-np.inf, np.inf)[i % 2]) for i, side in enumerate(cell)]
            below(lambda *at, c=c: log_ratio(c, *at), box, level)


def below(log_ratio: Any, box: list[float], level: float) -> None:
    """Check by corners that a ratio is at most e^level in a box: log D + A is convex in the natural parameters."""
    cells, seen = np.array([box]), 0
    while len(cells):
        seen += len(cells)
        require(seen <= CELLS, "a bound needs too many cells")
        corners = np.array_split(cells[:, [0, 2, 1, 2, 0, 3, 1, 3]].reshape(-1, 2), len(cells) // 16 + 1)  # for memory
        tops = np.concatenate([log_ratio(*part.T) for part in corners]).reshape(-1, 4).max(axis=1)
        require(tops <= level, "a point is above the bound")
        (a, b, v, u), unit = cells.T, Interval(1.0)
        width, spread = Interval(b) - a, Interval(u) - v
        arch, rise = (width * width / (unit * v * 8.0)).high, (spread * spread / (unit * u * v * 16.0)).high
        left = ~((Interval(tops) + arch + rise).high <= level)
        cells, side, rows = cells[left], np.where(arch >= rise, 0, 2)[left], np.arange(left.sum())
        middle = np.where(side == 0, cells[:, :2].mean(axis=1), np.sqrt(cells[:, 2] * cells[:, 3]))
        one, two = cells.copy(), cells.copy()
        one[rows, side + 1] = two[rows, side] = middle
        cells = np.concatenate([one, two])


def log_two_pi(variance: Any) -> Interval:
    """Return log(2 pi variance)."""
    return Interval(Interval(2 * np.pi, units=1) * variance).map(np.log)


def k_means(x: Any, w: Any, k: int, lost: float) -> float:
    """Return less than the least cost of k clusters of any values within `lost` of x: the plain dynamic program.

    Squares about a cluster's first point have positive sums, so that their rounding is relative to them.
    """
    best = np.append(0.0, np.full(len(x), np.inf))
    for _ in range(k):
        before, best = best, best.copy()
        for start in range(len(x)):
            z = x[start:] - x[start]
            n, s, q = (np.cumsum(w[start:] * z**p) for p in (0, 1, 2))
            cost = np.maximum(q - s * s / n - 8 * (len(x) + 8) * UNIT * q, 0.0)
            best[start + 1 :] = np.minimum(best[start + 1 :], before[start] + cost)
    root = np.sqrt(best[-1]) * (1 - 1e-12) - lost * np.sqrt(w.sum()) * (1 + 1e-12)
    return max(float(root), 0.0) ** 2 * (1 - 1e-12)


def check(proof: dict[str, Any], data: Any = None) -> float:
    """Return the bound that a proof shows, in the units of the data, or raise Refused.

    The bound is the proof's own, `TOLERANCE`, and what values lost to rounding. With `data`, unweighted, the proof must
    be about them.
    """
    try:
        checker, scale, shift = Checker(proof), float(proof["scale"]), float(proof["shift"])
        require(scale > 0 and np.frexp(scale)[0] == 0.5, "the scale is no power of two")
        if data is not None:
            values, counts = np.unique(np.asarray(data, dtype=float), return_counts=True)
            same = np.array_equal(counts, checker.w) and np.array_equal(values * scale - shift * scale, checker.x)
            require(same, "it is about other data")
        with np.errstate(all="ignore"):
            checker.node(checker.root, [[0.0, 1.0]] * checker.k)
        require(next(checker.tree, None) is None, "the tree has nodes that belong nowhere")
        return float((checker.total * Interval(scale).map(np.log) + checker.bound + TOLERANCE + checker.loss).high)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as fault:
        raise Refused(str(fault) if isinstance(fault, Refused) else f"the proof is malformed: {fault!r}") from fault


def statement(proof: dict[str, Any], bound: float) -> str:
    """Return what a checked proof shows, with its constraints in the units of the data."""
    scale, n, total = proof["scale"], len(proof["values"]), sum(proof["weights"])
    gaps = ", ".join(
        f"{lower / scale:.10g} to {'any' if upper is None else f'{upper / scale:.10g}'}"
        for lower, upper in zip(proof["lower"], proof["upper"], strict=True)
    )
    return (
        f"{n} distinct values, weight {total:.10g}, {len(proof['lower']) + 1} components, gaps of neighbouring means: "
        f"{gaps or 'none'}, variances: at least {proof['least_variance'] / scale**2:.10g}, "
        f"ratio at most {proof['variance_ratio']:.10g}\nno such mixture has a log-likelihood above {bound!r}"
    )


if __name__ == "__main__":
    about = np.loadtxt(sys.argv[2]) if len(sys.argv) > 2 else None
    text = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(statement(text, check(text, about)))
