"""The ratio of two centres is bounded: the G1 and G2 peaks of DNA content."""

from __future__ import annotations

import numpy as np

import mindgap as mg
from mindgap.validation import as_count, as_length, as_number


class RatioRange(mg.Constraint):
    """Centre `second` is between `lower` and `upper` times centre `first`.

    Parameters
    ----------
    lower, upper : float
        The range of the ratio; infinity means no upper bound.
    first, second : int
        The two centres, counted from zero; by default the two smallest.
    """

    name = "ratio-range"

    def __init__(self, lower: float, upper: float, first: int = 0, second: int = 1) -> None:
        self.lower = as_length(lower, "lower")
        self.upper = as_number(upper, "upper")
        if not self.lower <= self.upper:
            raise mg.InvalidInputError(f"no ratio is between lower = {self.lower:g} and upper = {self.upper:g}")
        self.first, self.second = as_count(first, "first", least=0), as_count(second, "second", least=0)
        if not self.first < self.second:
            raise mg.InvalidInputError(f"first is {first} and second is {second}; first is the smaller centre")

    def rows(self, k: int) -> mg.LinearRows:
        """Return ``0 <= mu[second] - lower mu[first]`` and ``mu[second] - upper mu[first] <= 0``."""
        if self.second >= k:
            raise mg.InvalidInputError(f"there is no centre {self.second} among {k}; ratio-range counts from zero")
        ratios = [ratio for ratio in (self.lower, self.upper) if ratio < np.inf]
        matrix = np.zeros((len(ratios), k))
        matrix[:, self.first] = [-ratio for ratio in ratios]
        matrix[:, self.second] = 1
        return mg.LinearRows(matrix, [0.0, -np.inf][: len(ratios)], [np.inf, 0.0][: len(ratios)])
