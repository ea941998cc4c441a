"""K-means and mixtures in exact rational arithmetic or in fifty digits, for a handful of points."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product
from typing import TYPE_CHECKING

from oracle import runs as all_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

#: Digits of what has no rational value: logarithms and exponentials.
DIGITS = 60


def rationals(values: npt.NDArray[np.float64]) -> list[Fraction]:
    """The very numbers that the doubles are."""
    return [Fraction(value) for value in values.tolist()]


def mean_and_cost(x: Sequence[Fraction], w: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """The weighted mean and the sum of squares about it."""
    mean = sum((a * b for a, b in zip(x, w, strict=True)), Fraction(0)) / sum(w, Fraction(0))
    return mean, cost_about(x, w, mean)


def cost_about(x: Sequence[Fraction], w: Sequence[Fraction], center: Fraction) -> Fraction:
    """The weighted sum of squares about a centre."""
    return sum(((a - center) ** 2 * b for a, b in zip(x, w, strict=True)), Fraction(0))


def least_separated(
    x: Sequence[Fraction],
    w: Sequence[Fraction],
    k: int,
    lower: Sequence[Fraction],
    upper: Sequence[Fraction | None],
    slack: Fraction,
) -> Fraction | None:
    """The least cost of a partition whose means hold the bounds to `slack`."""
    best = None
    for runs in all_runs(len(x), k):
        measured = [mean_and_cost(x[run], w[run]) for run in runs]
        gaps = [right[0] - left[0] for left, right in pairwise(measured)]
        if any(gap < low - slack for gap, low in zip(gaps, lower, strict=True)):
            continue
        if any(high is not None and gap > high + slack for gap, high in zip(gaps, upper, strict=True)):
            continue
        cost = sum((cost for _, cost in measured), Fraction(0))
        best = cost if best is None else min(best, cost)
    return best


def best_means(
    targets: Sequence[Fraction],
    stiffness: Sequence[Fraction],
    lower: Sequence[Fraction],
    upper: Sequence[Fraction | None],
) -> list[Fraction] | None:
    """Means of least Σ stiffness (mean - target)² under bounds on their gaps: every set of active ones is tried."""
    levels = [{low, low if high is None else high} for low, high in zip(lower, upper, strict=True)]
    best, least = None, None
    for held in product(*([None, *sorted(level)] for level in levels)):
        means = _on_levels(targets, stiffness, held)
        gaps = [right - left for left, right in pairwise(means)]
        if any(gap < low for gap, low in zip(gaps, lower, strict=True)):
            continue
        if any(high is not None and gap > high for gap, high in zip(gaps, upper, strict=True)):
            continue
        cost = cost_of_means(means, targets, stiffness)
        if least is None or cost < least:
            best, least = means, cost
    return best


def cost_of_means(means: Sequence[Fraction], targets: Sequence[Fraction], stiffness: Sequence[Fraction]) -> Fraction:
    """Σ stiffness (mean - target)²."""
    terms = zip(means, targets, stiffness, strict=True)
    return sum((g * (mean - target) ** 2 for mean, target, g in terms), Fraction(0))


def _on_levels(
    targets: Sequence[Fraction], stiffness: Sequence[Fraction], held: Sequence[Fraction | None]
) -> list[Fraction]:
    """The means where the gaps that are held are at their levels, and nothing else pulls."""
    means: list[Fraction] = []
    start = 0
    for end in range(1, len(targets) + 1):
        if end < len(targets) and held[end - 1] is not None:
            continue
        offsets = [Fraction(0)]
        for level in held[start : end - 1]:
            offsets.append(offsets[-1] + (level or 0))
        block = [(targets[start + i] - offset, stiffness[start + i]) for i, offset in enumerate(offsets)]
        base = sum((t * g for t, g in block), Fraction(0)) / sum((g for _, g in block), Fraction(0))
        means.extend(base + offset for offset in offsets)
        start = end
    return means


def log_densities(
    x: float, weights: Sequence[float], means: Sequence[float], variances: Sequence[float]
) -> list[Decimal]:
    """log(weight · density) of each component at x, in DIGITS digits."""
    with localcontext() as context:
        context.prec = DIGITS
        pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
        logs = []
        for weight, mean, variance in zip(weights, means, variances, strict=True):
            v = Decimal(variance)
            logs.append(Decimal(weight).ln() - (2 * pi * v).ln() / 2 - (Decimal(x) - Decimal(mean)) ** 2 / (2 * v))
        return logs


def log_sum(logs: Sequence[Decimal]) -> Decimal:
    """log Σ exp(logs)."""
    with localcontext() as context:
        context.prec = DIGITS
        peak = max(logs)
        return peak + sum(((log - peak).exp() for log in logs), Decimal(0)).ln()


def shares(logs: Sequence[Decimal]) -> list[Fraction]:
    """The probability of each component."""
    with localcontext() as context:
        context.prec = DIGITS
        total = log_sum(logs)
        return [Fraction((log - total).exp()) for log in logs]
