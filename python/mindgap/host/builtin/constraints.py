"""The built-in constraints, and the hook that registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.errors import InvalidInputError
from mindgap.host import guard
from mindgap.host.hookspecs import hookimpl
from mindgap.model.bounds import GapBounds, LinearRows, check_gap
from mindgap.model.constraint import Constraint
from mindgap.validation import FloatArray, as_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.model.sample import Sample


class LowerOnly(Constraint):
    """Neighbouring centres are at least `delta` apart."""

    name = "lower-only"

    def __init__(self, delta: float) -> None:
        self.delta = _length(delta, "delta")
        if not np.isfinite(self.delta):
            raise InvalidInputError(f"delta is {self.delta}; it must be finite")

    def gaps(self, k: int) -> GapBounds:
        """Return the same lower bound for every gap."""
        return _same_for_all(k, self.delta, np.inf)


class TwoSided(Constraint):
    """Neighbouring centres are at least `lower` and at most `upper` apart."""

    name = "two-sided"

    def __init__(self, lower: float, upper: float) -> None:
        self.lower, self.upper = _length(lower, "lower"), _length(upper, "upper")
        check_gap(self.lower, self.upper, "every gap")

    def gaps(self, k: int) -> GapBounds:
        """Return the same two bounds for every gap."""
        return _same_for_all(k, self.lower, self.upper)


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


def _same_for_all(k: int, lower: float, upper: float) -> GapBounds:
    bounds = np.empty((2, k - 1))
    bounds[0], bounds[1] = lower, upper
    return GapBounds._of_sound(bounds[0], bounds[1])


def _length(value: Any, name: str) -> float:
    """A bound on a gap as a plain float; infinity is for the caller to judge."""
    length = as_number(value, name)
    if not length >= 0:
        raise InvalidInputError(f"{name} is {length}; it must be a number that is not negative")
    return length


#: Whose answers need no check.
BUILT_IN = frozenset({LowerOnly, TwoSided, PerGap})


def prepared(constraint: Constraint | None, sample: Sample) -> Constraint | None:
    """Return the constraint for these data; most do not depend on them."""
    if constraint is None or type(constraint).prepare is Constraint.prepare:
        return constraint
    return guard.prepare(constraint, sample)


def rows_of(constraint: Constraint, k: int) -> GapBounds | LinearRows:
    """Return what a constraint asks of k centres; the answer of a plugin is checked."""
    if type(constraint) in BUILT_IN:
        bounds: GapBounds = constraint.gaps(k)  # type: ignore[assignment]
        return bounds
    return guard.rows(constraint, k)


@hookimpl
def register_constraints(register: Callable[[type[Constraint]], None]) -> None:
    """Register the built-in constraints."""
    register(LowerOnly)
    register(TwoSided)
    register(PerGap)
