"""The upper tail of the chi-square distribution with integer degrees of freedom, in O(df) operations."""

from __future__ import annotations

import math


def chi_square_tail(value: float, df: int) -> float:
    """Return the probability of exceeding `value`; with df = 0 the distribution is a point at zero.

    Uses the finite sums of the incomplete gamma function for half-integer and integer shape, with terms in logarithms,
    so that a large `value` causes no overflow or underflow.
    """
    if value <= 0:
        return 1.0
    if df == 0:
        return 0.0
    half = value / 2
    odd = df % 2
    tail = math.erfc(math.sqrt(half)) if odd else 0.0
    shapes = (term + odd / 2 for term in range(df // 2))
    return min(
        1.0, tail + math.fsum(math.exp(shape * math.log(half) - half - math.lgamma(shape + 1)) for shape in shapes)
    )
