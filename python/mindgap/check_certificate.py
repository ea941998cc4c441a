"""Check the proof of a mixture's certificate: ``python -m mindgap.check_certificate PROOF.json``.

Shares no code with the solver and imports nothing of mindgap; the theorem is in docs/mathematics.md. Regions are exact
fractions. Sums over the data are bounded outward: `SLACK` is ten thousand times what rounding can do to them. The whole
space of parameters is walked through from its root, so that a proof that leaves something out is refused.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

#: Relative allowance for the rounding of sums and logarithms.
SLACK = 1e-11

#: How far above the claimed bound (in log units) the checked one may be: with more, coarser cells suffice.
TOLERANCE = 0.01

#: Cells of one box at most.
CELLS = 200_000


class Refused(ValueError):  # noqa: N818
    """The proof does not show what it claims."""


class Checker:
    """The problem of a proof, and what is needed to check its tree."""

    def __init__(self, proof: dict[str, Any]) -> None:
        self.x, self.w = (np.array(proof[name], dtype=float) for name in ("values", "weights"))
        self.lower, self.ratio = [Fraction(bound) for bound in proof["lower"]], Fraction(proof["variance_ratio"])
        self.upper: list[Any] = [None if bound is None else Fraction(bound) for bound in proof["upper"]]
        self.bound, self.tree, self.total = float(proof["upper_bound"]), iter(proof["tree"]), float(self.w.sum())
        sound = bool((self.w > 0).all() and (np.diff(self.x) >= 0).all())
        require(sound and all(bound >= 0 for bound in self.lower), "bad problem")
        k, first, last = len(self.lower) + 1, Fraction(self.x[0]), Fraction(self.x[-1])
        self.root: list[list[Any]] = [[first - sum(self.lower[c:]), last + sum(self.lower[:c])] for c in range(k)]
        most = max(max(last - low, high - first) for low, high in self.root) ** 2
        least = Fraction(proof["root"][0][2])
        cost = k_means(self.x, self.w, k) / float(self.ratio)
        ceiling = -self.total / 2 * np.log(2 * np.pi * float(least)) - cost / (2 * float(least))
        require(0 < least <= Fraction(cost / self.total) and ceiling <= self.bound, "small variances are not excluded")
        self.root = [[*cell, least, max(least, most)] for cell in self.root]

    def run(self) -> None:
        """Check the tree, or raise Refused."""
        self.node([list(cell) for cell in self.root], [[0.0, 1.0] for _ in self.root])
        require(next(self.tree, None) is None, "the tree has nodes that belong nowhere")

    def node(self, region: list[list[Any]], ranges: list[list[float]]) -> None:
        """Check the next node, which is about a region in which the weights are within ranges."""
        node: Any = next(self.tree, None)
        require(node is not None, "the tree ends too early")
        empty = not self.propagate(region)
        if node.get("leaf") == "empty":
            require(empty, "a region is not empty")
            return
        for facts in node["weights"]:
            shown = [list(limits) for limits in ranges]
            for fact in facts:
                sign, c, strength = (1 if fact["upper"] else -1), fact["component"], fact["strength"]
                require(strength > 0, "a weight's bound has no strength")
                target = self.bound + sign * strength * fact["limit"] + TOLERANCE / 5
                if not empty:
                    self.bounded(fact, region, ranges, target, (c, sign * strength))
                limit = fact["limit"] + sign * TOLERANCE / 5 / strength
                shown[c] = (
                    [shown[c][0], min(shown[c][1], limit)] if sign > 0 else [max(shown[c][0], limit), shown[c][1]]
                )
            ranges = shown
        if "leaf" not in node:
            for above in (False, True):
                part, c, side = [list(cell) for cell in region], node["component"], 0 if node["axis"] == "mean" else 2
                at = Fraction(node["at"])
                part[c][side + (not above)] = (max if above else min)(part[c][side + (not above)], at)
                self.node(part, [list(limits) for limits in ranges])
        elif node["leaf"] == "weights":
            require(empty or any(least > most for least, most in ranges), "the weights do not contradict")
        else:
            require(node["leaf"] == "bound", "a region is left open")
            if not empty:
                self.bounded(node, region, ranges, self.bound + TOLERANCE, (0, 0.0))

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
        density = sum(w * np.exp(-0.5 * (self.x - m) ** 2 / v) / np.sqrt(2 * np.pi * v) for m, v, w, _ in atoms)
        require(bool((density > 0).all()), "a mixture vanishes at a point")
        height = float((self.w * np.log(density)).sum())
        height += SLACK * float((self.w * np.abs(np.log(density))).sum())

        def bonus(c: int, mean: Any, variance: Any) -> Any:
            a, b, zero = terms[c]
            tau = a * mean + b / variance - zero
            size = np.abs(a * mean) + np.abs(b / variance) + abs(zero)
            scaled = np.where(tau > 0, tau / ranges[c][0], tau / ranges[c][1]) if a or b else 0.0 * mean
            scale = 1 / ranges[c][0] if a or b else 0.0
            return (
                scaled
                + float(constant)
                + (extra[1] if extra[0] == c else 0)
                + SLACK * (size * scale + abs(float(constant)))
            )

        require(all(not (a or b) or ranges[c][0] > 0 for c, (a, b, _) in enumerate(terms)), "a weight may be zero")
        average = sum(w * float(bonus(int(c), m, v)) for m, v, w, c in atoms) / atoms[:, 2].sum()
        level = (target - height - average) / self.total - SLACK
        for c, cell in enumerate(region):
            low, high, least, most = (float(side) for side in cell)
            low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
            if not (terms[c][0] or terms[c][1]):  # farther out every density is lower
                low, high = max(low, min(self.x[0], high)), min(high, max(self.x[-1], low))
            self.below(
                lambda m, v, c=c: 1 + (average - bonus(c, m, v)) / self.total, density, low, high, least, most, level
            )

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
            width, spread = (b - a) ** 2 / (2 * v), (u - v) ** 2 / (16 * u * v)
            top = np.maximum(edge(values[0], values[1], width), edge(values[2], values[3], width)) + spread + SLACK
            cells, by_mean = cells[top > level], (width / 4 >= spread)[top > level]
            one, two = cells.copy(), cells.copy()
            middle = np.where(by_mean, (cells[:, 0] + cells[:, 1]) / 2, np.sqrt(cells[:, 2] * cells[:, 3]))
            one[by_mean, 1] = two[by_mean, 0] = middle[by_mean]
            one[~by_mean, 3] = two[~by_mean, 2] = middle[~by_mean]
            cells = np.concatenate([one, two])

    def log_ratio(self, divisor: Any, density: Any, mean: Any, variance: Any) -> Any:
        """Return log(D/divisor), rounded up."""
        under = divisor(mean, variance)
        require(bool((under > 0).all()), "a divisor is not positive")
        sums = np.empty(len(mean))
        for i in range(0, len(mean), 256):  # in pieces, for memory
            m, v = mean[i : i + 256, None], variance[i : i + 256, None]
            sums[i : i + 256] = (self.w / density * np.exp(-0.5 * (self.x - m) ** 2 / v) / np.sqrt(2 * np.pi * v)).sum(
                axis=1
            )
        return np.log(sums / self.total + 1e-300) - np.log(under) + SLACK


def edge(a: Any, b: Any, h: Any) -> Any:
    """Return the largest (1-s) a + s b + s (1-s) h for s from 0 to 1."""
    inside = np.abs(b - a) < h
    return np.where(inside, (a + b) / 2 + h / 4 + (b - a) ** 2 / (4 * np.where(inside, h, 1.0)), np.maximum(a, b))


def k_means(x: Any, w: Any, k: int) -> float:
    """Return a little less than the least cost of k clusters, by the plain dynamic program."""
    z = x - np.average(x, weights=w)
    n, s, q = (np.concatenate([[0.0], np.cumsum(w * z**p)]) for p in (0, 1, 2))
    best = np.where(np.arange(len(n)) == 0, 0.0, np.inf)
    for _ in range(k):
        rows = [0.0]
        for end in range(1, len(n)):
            weight, first = n[end] - n[:end], s[end] - s[:end]
            rows.append(float((best[:end] + np.maximum(q[end] - q[:end] - first**2 / weight, 0)).min()))
        best = np.minimum(best, rows)
    return float(best[-1]) * (1 - 1e-6)


def require(holds: bool, reason: str) -> None:
    """Refuse the proof unless this holds."""
    if not holds:
        raise Refused(reason)


def check(proof: dict[str, Any]) -> float:
    """Return the bound that a proof shows (its own and `TOLERANCE`), or raise Refused."""
    sys.setrecursionlimit(100_000)
    checker = Checker(proof)
    checker.run()
    return checker.bound + TOLERANCE


if __name__ == "__main__":
    shown = check(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    print(f"no admissible mixture has a log-likelihood above {shown!r}, in the units of the proof")
