"""Constraints on the centres: the base class of plugins, and the built-in ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindgap.arrays import FloatArray, as_number
from mindgap.bounds import GapBounds, LinearRows, check_gap
from mindgap.errors import InvalidInputError
from mindgap.host.plugin import Plugin


class Constraint(Plugin):
    """What k ascending centres must hold. Subclass it and answer `gaps` or `rows`, whichever fits.

    With `gaps`, k-means is exact. With `rows`, any linear rows on the centres are possible: mixtures take them as
    they are, k-means by alternating assignment and a quadratic program.

    Examples
    --------
    >>> class Doubling(mg.Constraint):
    ...     name = "doubling"
    ...     def __init__(self, first):
    ...         self.first = first
    ...     def gaps(self, k):
    ...         return mg.GapBounds(self.first * 2.0 ** np.arange(k - 1))
    """

    def gaps(self, k: int) -> GapBounds | None:
        """Return the bounds on the k-1 gaps, or None if the constraint is not of that form."""
        return None

    def rows(self, k: int) -> LinearRows | None:
        """Return the linear rows on the k centres, or None if the constraint answers `gaps`."""
        return None


class LowerOnly(Constraint):
    """Neighbouring centres are at least `delta` apart."""

    name = "lower-only"

    def __init__(self, delta: float) -> None:
        self.delta = _length(delta, "delta")
        if not np.isfinite(self.delta):
            raise InvalidInputError(f"delta is {self.delta}; it must be finite")

    def gaps(self, k: int) -> GapBounds:
        """Return the same lower bound for every gap."""
        return GapBounds(np.full(k - 1, self.delta))


class TwoSided(Constraint):
    """Neighbouring centres are at least `lower` and at most `upper` apart."""

    name = "two-sided"

    def __init__(self, lower: float, upper: float) -> None:
        self.lower, self.upper = _length(lower, "lower"), _length(upper, "upper")
        check_gap(self.lower, self.upper, "every gap")

    def gaps(self, k: int) -> GapBounds:
        """Return the same two bounds for every gap."""
        return GapBounds(np.full(k - 1, self.lower), np.full(k - 1, self.upper))


class PerGap(Constraint):
    """Gap g between neighbouring centres is at least ``lower[g]`` and at most ``upper[g]``; infinity is no bound."""

    name = "per-gap"

    def __init__(self, lower: Any, upper: Any = None) -> None:
        self._bounds = GapBounds(lower, upper)

    @property
    def lower(self) -> FloatArray:
        """The lower bounds, one a gap."""
        return self._bounds.lower

    @property
    def upper(self) -> FloatArray:
        """The upper bounds, one a gap."""
        return self._bounds.upper

    def gaps(self, k: int) -> GapBounds:
        """Return the bounds, of which there must be k-1."""
        if len(self._bounds) != k - 1:
            raise InvalidInputError(
                f"{k} clusters have {k - 1} gaps, but per-gap was given {len(self._bounds)} bounds; give one a gap"
            )
        return self._bounds


def _length(value: Any, name: str) -> float:
    """A bound on a gap as a plain float; infinity is for the caller to judge."""
    length = as_number(value, name)
    if not length >= 0:
        raise InvalidInputError(f"{name} is {length}; it must be a number that is not negative")
    return length
