"""The built-in constraints, and the hook that registers them."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.errors import InvalidInputError
from mindgap.host import guard
from mindgap.host.hookspecs import hookimpl
from mindgap.model.bounds import GapBounds, LinearRows, check_gap
from mindgap.model.constraint import All, Constraint
from mindgap.validation import FloatArray, as_number

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from mindgap.model.sample import Sample


class LowerOnly(Constraint):
    """Keep neighbouring centres at least `delta` apart.

    Parameters
    ----------
    delta : float
        The least gap, finite and not negative.

    Examples
    --------
    >>> mg.kmeans([0, 1, 2, 3, 9], 2, mg.LowerOnly(4), centers="free").gaps.tolist()
    [7.5]
    >>> mg.LowerOnly(4) == mg.constraint("lower-only:delta=4")
    True
    """

    name = "lower-only"

    def __init__(self, delta: float) -> None:
        self.delta = _length(delta, "delta")
        if not np.isfinite(self.delta):
            raise InvalidInputError(f"delta is {self.delta}; it must be finite")

    def gaps(self, k: int) -> GapBounds:
        """Return the same lower bound for every gap."""
        return _same_for_all(k, self.delta, np.inf)


class TwoSided(Constraint):
    """Keep neighbouring centres at least `lower` and at most `upper` apart.

    Parameters
    ----------
    lower, upper : float
        The least and the largest gap; an infinite upper one is no bound.

    Examples
    --------
    >>> mg.kmeans([0, 1, 2, 3, 9], 2, mg.TwoSided(1, 5), centers="free").gaps.tolist()
    [5.0]
    """

    name = "two-sided"

    def __init__(self, lower: float, upper: float) -> None:
        self.lower, self.upper = _length(lower, "lower"), _length(upper, "upper")
        check_gap(self.lower, self.upper, "every gap")

    def gaps(self, k: int) -> GapBounds:
        """Return the same two bounds for every gap."""
        return _same_for_all(k, self.lower, self.upper)


class PerGap(Constraint):
    """Bound each gap between neighbouring centres on its own.

    Parameters
    ----------
    lower : array-like of k-1 floats
        The least gaps, finite and not negative.
    upper : array-like of k-1 floats, optional
        The largest gaps; infinity, or None for all of them, is no bound.

    Examples
    --------
    >>> mg.PerGap([1, 2], [3, np.inf])
    PerGap(lower=[1.0, 2.0], upper=[3.0, inf])
    """

    name = "per-gap"

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike | None = None) -> None:
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
    if isinstance(constraint, All):
        ready = All(*(part for one in constraint.parts if (part := prepared(one, sample)) is not None))
        return constraint if ready == constraint else ready
    return guard.prepare(constraint, sample)


def rows_of(constraint: Constraint, k: int) -> GapBounds | LinearRows:
    """Return what a constraint asks of k centres; the answer of a plugin is checked."""
    if type(constraint) in BUILT_IN:
        bounds: GapBounds = constraint.gaps(k)  # type: ignore[assignment]
        return bounds
    if isinstance(constraint, All):
        parts = [rows_of(part, k) for part in constraint.parts]
        bounds_of_all = [part for part in parts if isinstance(part, GapBounds)]
        if len(bounds_of_all) == len(parts):
            return reduce(GapBounds.__and__, bounds_of_all)
        return reduce(LinearRows.__add__, (part.as_rows() if isinstance(part, GapBounds) else part for part in parts))
    return guard.rows(constraint, k)


@hookimpl
def register_constraints(register: Callable[[type[Constraint]], None]) -> None:
    """Register the built-in constraints."""
    register(LowerOnly)
    register(TwoSided)
    register(PerGap)
