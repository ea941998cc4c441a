"""The built-in constraints, and the hook that registers them."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.foundation.errors import InfeasibleError, InvalidInputError
from mindgap.host import guard
from mindgap.host.hookspecs import hookimpl
from mindgap.model.bounds import GapBounds, LinearRows, check_gap
from mindgap.model.constraint import All, Constraint
from mindgap.validation import FloatArray, as_count, as_number, frozen

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


class FixedWeights(Constraint):
    """Give a mixture's components known weights, by ascending mean.

    Parameters
    ----------
    weights : array-like of k floats
        The weights, positive; they sum to one.

    Examples
    --------
    >>> fit = mg.mixture([0.0, 0.4, 0.9, 5.0, 5.5, 6.1], 2, mg.LowerOnly(4) & mg.FixedWeights([0.25, 0.75]))
    >>> fit.weights.tolist()
    [0.25, 0.75]
    """

    name = "fixed-weights"

    def __init__(self, weights: Any) -> None:
        given = frozen(weights, "weights")
        if not (np.isfinite(given).all() and (given > 0).all()):
            raise InvalidInputError(f"the weights are {given.tolist()}; they must be positive")
        if abs(float(given.sum()) - 1) > _WEIGHT_SUM:
            raise InvalidInputError(f"the weights sum to {float(given.sum())}; they must sum to 1")
        self.weights = frozen(given / given.sum(), "weights")

    def weight_rows(self, k: int) -> LinearRows:
        """Return a row for each weight."""
        return _each(self.weights, self.weights, k, "weights")


class WeightBounds(Constraint):
    """Keep each weight of a mixture's components, by ascending mean, between bounds of its own.

    Parameters
    ----------
    lower, upper : array-like of k floats
        The bounds, from 0 to 1.

    Examples
    --------
    >>> fit = mg.mixture([0.0, 0.4, 0.9, 5.0, 5.1, 5.3], 2, mg.WeightBounds([0.6, 0.0], [1.0, 1.0]))
    >>> round(float(fit.weights[0]), 9)
    0.6
    """

    name = "weight-bounds"

    def __init__(self, lower: Any, upper: Any) -> None:
        self.lower, self.upper = frozen(lower, "lower"), frozen(upper, "upper")
        if len(self.lower) != len(self.upper):
            raise InvalidInputError(
                f"lower has {len(self.lower)} bounds and upper {len(self.upper)}; give as many of each"
            )
        if not ((self.lower >= 0) & (self.lower <= self.upper) & (self.upper <= 1)).all():
            raise InvalidInputError("bounds of weights must ascend from 0 to 1")

    def weight_rows(self, k: int) -> LinearRows:
        """Return a row for each weight."""
        return _each(self.lower, self.upper, k, "bounds")


class WeightRatio(Constraint):
    """Make weight `i` of a mixture `ratio` times weight `j`.

    Parameters
    ----------
    i, j : int
        The two components, counted from 0 by ascending mean.
    ratio : float
        How many times weight `j` weight `i` is; positive.

    Examples
    --------
    >>> fit = mg.mixture([0.0, 0.3, 0.6, 5.0, 5.4, 5.8, 6.1], 2, mg.WeightRatio(0, 1, 0.5))
    >>> round(float(fit.weights[0] / fit.weights[1]), 9)
    0.5
    """

    name = "weight-ratio"

    def __init__(self, i: int, j: int, ratio: float) -> None:
        self.i, self.j, self.ratio = as_count(i, "i", least=0), as_count(j, "j", least=0), as_number(ratio, "ratio")
        if self.i == self.j or not (self.ratio > 0 and np.isfinite(self.ratio)):
            raise InvalidInputError(
                f"a ratio of {self.ratio} between weights {self.i} and {self.j}; give a positive one of two"
            )

    def weight_rows(self, k: int) -> LinearRows:
        """Return the row that ties the two weights."""
        if max(self.i, self.j) >= k:
            raise InvalidInputError(f"weights {self.i} and {self.j} were asked for, but there are {k} components")
        row = np.zeros((1, k))
        row[0, self.i], row[0, self.j] = 1.0, -self.ratio
        return LinearRows(row, [0.0], [0.0])


class SpreadRatio(Constraint):
    """Keep the largest standard deviation of a mixture within `ratio` times the smallest, so that it has a best fit.

    Parameters
    ----------
    ratio : float
        The bound on the ratio, at least 1.

    Examples
    --------
    >>> fit = mg.mixture([0.0, 0.4, 0.9, 5.0, 5.0, 5.0], 2, mg.LowerOnly(3) & mg.SpreadRatio(4))
    >>> float((fit.variances.max() / fit.variances.min()).round(6))
    16.0
    """

    name = "spread-ratio"

    def __init__(self, ratio: float) -> None:
        self.ratio = as_number(ratio, "ratio")
        if not (self.ratio >= 1 and np.isfinite(self.ratio)):
            raise InvalidInputError(f"ratio is {self.ratio}; it must be finite and at least 1")

    def spread_ratio(self) -> float:
        """Return the ratio."""
        return self.ratio


class EqualSpreads(Constraint):
    """Make all standard deviations of a mixture equal.

    Examples
    --------
    >>> fit = mg.mixture([0.0, 0.4, 0.9, 5.0, 5.1, 5.3], 2, mg.EqualSpreads())
    >>> bool(fit.variances[0] == fit.variances[1])
    True
    """

    name = "equal-spreads"

    def spread_ratio(self) -> float:
        """Return one."""
        return 1.0


class ConstantCV(Constraint):
    """Make the standard deviations of a mixture proportional to its means: ``std = c * mean``.

    The data must be positive. It cannot be combined with another constraint on spreads.

    Parameters
    ----------
    c : float, optional
        The coefficient of variation; None to find the best one for all components.

    Examples
    --------
    >>> fit = mg.mixture([9, 9.7, 10, 10.4, 11, 18.1, 19.3, 20, 20.9, 21.8], 2, mg.ConstantCV())
    >>> bool(np.ptp(np.sqrt(fit.variances) / fit.means) < 1e-12)
    True
    """

    name = "constant-cv"

    def __init__(self, c: float | None = None) -> None:
        self.c = None if c is None else as_number(c, "c")
        if self.c is not None and not (self.c > 0 and np.isfinite(self.c)):
            raise InvalidInputError(f"c is {self.c}; it must be finite and positive")

    def variation(self) -> float:
        """Return the coefficient, infinity for any."""
        return float("inf") if self.c is None else self.c


class FixedSpreads(Constraint):
    """Give a mixture's components known standard deviations, by ascending mean.

    Parameters
    ----------
    spreads : list of k floats or None
        The standard deviations, in units of the data; None where one is free.

    Examples
    --------
    >>> fit = mg.mixture([0.0, 0.4, 0.9, 5.0, 5.1, 5.3], 2, mg.FixedSpreads([0.5, None]))
    >>> round(float(fit.variances[0]), 9)
    0.25
    """

    name = "fixed-spreads"

    def __init__(self, spreads: Any) -> None:
        self.spreads = tuple(None if spread is None else as_number(spread, "spreads") for spread in spreads)
        if not all(spread is None or (spread > 0 and np.isfinite(spread)) for spread in self.spreads):
            raise InvalidInputError(f"the spreads are {list(self.spreads)}; they must be positive")

    def precision_rows(self, k: int) -> LinearRows:
        """Return a row for each precision that is known."""
        if len(self.spreads) != k:
            raise InvalidInputError(f"{len(self.spreads)} spreads were given for {k} components; give one a component")
        known = [(c, spread) for c, spread in enumerate(self.spreads) if spread is not None]
        levels = [spread**-2 for _, spread in known]
        return LinearRows(np.eye(k)[[c for c, _ in known]], levels, levels)


def _each(lower: FloatArray, upper: FloatArray, k: int, what: str) -> LinearRows:
    """Return a row for each of k weights."""
    if len(lower) != k:
        raise InvalidInputError(f"{len(lower)} {what} were given for {k} components; give one a component")
    return LinearRows(np.eye(k), lower, upper)


#: Weights that are given may miss a sum of one by this much; they are divided by it.
_WEIGHT_SUM = 1e-6

#: Constraints on gaps, whose answers need no check.
BUILT_IN = frozenset({LowerOnly, TwoSided, PerGap})

#: Constraints on what only a mixture has.
_OF_MIXTURES = (FixedWeights, WeightBounds, WeightRatio, SpreadRatio, EqualSpreads, FixedSpreads, ConstantCV)


def prepared(constraint: Constraint | None, sample: Sample) -> Constraint | None:
    """Return the constraint for these data; most do not depend on them."""
    if constraint is None or type(constraint).prepare is Constraint.prepare:
        return constraint
    if isinstance(constraint, All):
        ready = All(*(part for one in constraint.parts if (part := prepared(one, sample)) is not None))
        return constraint if ready == constraint else ready
    return guard.prepare(constraint, sample)


def depends_on_data(constraint: Constraint) -> bool:
    """Whether a constraint asks to be prepared for the data of each fit."""
    if isinstance(constraint, All):
        return any(map(depends_on_data, constraint.parts))
    return type(constraint).prepare is not Constraint.prepare


def rows_of(constraint: Constraint, k: int) -> GapBounds | LinearRows | None:
    """Return what a constraint asks of k centres, None if nothing; the answer of a plugin is checked."""
    if type(constraint) in _OF_MIXTURES:
        return None
    if type(constraint) in BUILT_IN:
        bounds: GapBounds = constraint.gaps(k)  # type: ignore[assignment]
        return bounds
    if isinstance(constraint, All):
        parts = [rows for part in constraint.parts if (rows := rows_of(part, k)) is not None]
        if not parts:
            return None
        bounds_of_all = [part for part in parts if isinstance(part, GapBounds)]
        if len(bounds_of_all) == len(parts):
            return reduce(GapBounds.__and__, bounds_of_all)
        return reduce(LinearRows.__add__, (part.as_rows() if isinstance(part, GapBounds) else part for part in parts))
    return guard.rows(constraint, k)


def blocks_of(constraint: Constraint | None, k: int) -> dict[str, Any]:
    """Return what a constraint asks of the weights and the spreads of k components, as keywords of the core."""
    if constraint is None or type(constraint) in BUILT_IN:
        return {}
    parts = constraint.parts if isinstance(constraint, All) else (constraint,)
    asked: dict[str, Any] = {}
    for name in ("weight_rows", "precision_rows"):
        rows = [found for part in parts if (found := _block_rows(part, name, k)) is not None and len(found)]
        if rows:
            asked[name] = reduce(LinearRows.__add__, rows).arrays()
    ratios = [ratio for part in parts if (ratio := _number(part, "spread_ratio")) is not None]
    if ratios:
        asked["spread_ratio"] = min(ratios)
    given = {c for part in parts if (c := _number(part, "variation")) is not None}
    if len(finite := sorted(given - {float("inf")})) > 1:
        raise InfeasibleError(f"coefficients of variation of {finite[0]} and {finite[1]}; no spreads have both", k=k)
    return asked | ({"variation": min(given)} if given else {})


def _block_rows(part: Constraint, name: str, k: int) -> LinearRows | None:
    """Return the rows of one constraint on weights or precisions; the answer of a plugin is checked."""
    ours = type(part) in BUILT_IN or type(part) in _OF_MIXTURES
    found: LinearRows | None = getattr(part, name)(k) if ours else guard.block_rows(part, name, k)
    return found


def _number(part: Constraint, name: str) -> float | None:
    """Return what one constraint asks of the spreads; the answer of a plugin is checked."""
    ours = type(part) in BUILT_IN or type(part) in _OF_MIXTURES
    found: float | None = getattr(part, name)() if ours else getattr(guard, name)(part)
    return found


@hookimpl
def register_constraints(register: Callable[[type[Constraint]], None]) -> None:
    """Register the built-in constraints."""
    register(LowerOnly)
    register(TwoSided)
    register(PerGap)
    for constraint in _OF_MIXTURES:
        register(constraint)
