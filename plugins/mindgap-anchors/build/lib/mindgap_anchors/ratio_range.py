"""Two centres in proportion: the G1 and G2 peaks of DNA content."""

from __future__ import annotations

import numpy as np

import mindgap as mg


class RatioRange(mg.Constraint):
    """Centre `second` is between `lower` and `upper` times centre `first`.

    Parameters
    ----------
    lower, upper : float
        The range of the ratio; infinity is no upper bound.
    first, second : int
        Which centres, counted from zero; the two smallest by default.
    """

    name = "ratio-range"

    def __init__(self, lower: float, upper: float, first: int = 0, second: int = 1) -> None:
        for side, bound in (("lower", lower), ("upper", upper)):
            if not isinstance(bound, (int, float)) or not bound >= 0:
                raise mg.InvalidInputError(f"{side} is {bound!r}; it must be one number that is not negative")
        if lower > upper or lower == np.inf:
            raise mg.InvalidInputError(f"no ratio is between lower = {lower} and upper = {upper}")
        if not (isinstance(first, int) and isinstance(second, int) and 0 <= first < second):
            raise mg.InvalidInputError(
                f"first is {first!r} and second is {second!r}; they count centres from zero, first the smaller one"
            )
        self.lower, self.upper = float(lower), float(upper)
        self.first, self.second = first, second

    def rows(self, k: int) -> mg.LinearRows:
        """Return ``0 <= mu[second] - lower mu[first]`` and ``mu[second] - upper mu[first] <= 0``."""
        if self.second >= k:
            raise mg.InvalidInputError(f"there is no centre {self.second} among {k}; ratio-range counts from zero")
        ratios = [ratio for ratio in (self.lower, self.upper) if ratio < np.inf]
        matrix = np.zeros((len(ratios), k))
        matrix[:, self.first] = [-ratio for ratio in ratios]
        matrix[:, self.second] = 1
        return mg.LinearRows(matrix, [0.0, -np.inf][: len(ratios)], [np.inf, 0.0][: len(ratios)])
