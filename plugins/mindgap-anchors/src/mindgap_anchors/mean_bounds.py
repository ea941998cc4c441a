"""Each centre lies between its own bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import mindgap as mg
from mindgap.validation import FloatArray, as_number

Bounds = Sequence["float | None"]


class MeanBounds(mg.Constraint):
    """Centre i is at least ``lower[i]`` and at most ``upper[i]``.

    Parameters
    ----------
    lower, upper : sequence of k floats, optional
        One bound for each centre, in ascending order; None or infinity means no bound.
    """

    name = "mean-bounds"

    def __init__(self, lower: Bounds | None = None, upper: Bounds | None = None) -> None:
        if lower is None and upper is None:
            raise mg.InvalidInputError("mean-bounds has neither lower nor upper bounds; give at least one of them")
        self.lower, self.upper = lower, upper
        sides = [side for side in (lower, upper) if side is not None]
        if len({len(side) for side in sides}) > 1:
            counts = " lower and ".join(str(len(side)) for side in sides)
            raise mg.InvalidInputError(f"mean-bounds has {counts} upper bounds; give as many of each")
        count = len(sides[0])
        self._bounds = [_vector("lower", lower, -np.inf, count), _vector("upper", upper, np.inf, count)]
        for centre, (least, largest) in enumerate(zip(*self._bounds, strict=True)):
            if not (least <= largest and least < np.inf and largest > -np.inf):
                raise mg.InvalidInputError(f"centre {centre} cannot be between {least} and {largest}")

    def rows(self, k: int) -> mg.LinearRows:
        """Return one row for each centre that is bounded."""
        least, largest = self._bounds
        if len(least) != k:
            raise mg.InvalidInputError(f"{k} centres need {k} bounds, but mean-bounds has {len(least)}")
        bounded = np.isfinite(least) | np.isfinite(largest)
        return mg.LinearRows(np.eye(k)[bounded], least[bounded], largest[bounded])


def _vector(name: str, side: Bounds | None, absent: float, count: int) -> FloatArray:
    if side is None:
        return np.full(count, absent)
    return np.array([absent if bound is None else as_number(bound, f"{name}[{i}]") for i, bound in enumerate(side)])
