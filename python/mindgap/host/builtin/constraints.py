"""The built-in constraints, and the hook that registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.host.hookspecs import hookimpl
from mindgap.model.bounds import GapBounds, LinearRows, check_gap
from mindgap.model.constraint import Constraint
from mindgap.validation import FloatArray, as_count, as_number, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt


class LowerOnly(Constraint):
    """Keep neighbouring centres at least `delta` apart.

    Parameters
    ----------
    delta : float
        The smallest gap, finite and not negative.

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
        The smallest and the largest gap; infinity means no upper bound.

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
    """Bound each gap between neighbouring centres separately.

    Parameters
    ----------
    lower : array-like of k-1 floats
        The smallest gaps, finite and not negative.
    upper : array-like of k-1 floats, optional
        The largest gaps; infinity, or None for all of them, means no bound.

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
        """The lower bounds, one per gap."""
        return self._bounds.lower

    @property
    def upper(self) -> FloatArray:
        """The upper bounds, one per gap."""
        return self._bounds.upper

    def gaps(self, k: int) -> GapBounds:
        """Return the bounds; there must be k-1."""
        if len(self._bounds) != k - 1:
            raise InvalidInputError(
                f"{k} clusters have {k - 1} gaps, but per-gap has {len(self._bounds)} bounds; give one for each gap"
            )
        return self._bounds


def _same_for_all(k: int, lower: float, upper: float) -> GapBounds:
    bounds = np.empty((2, k - 1))
    bounds[0], bounds[1] = lower, upper
    return GapBounds._of_sound(bounds[0], bounds[1])


def _length(value: Any, name: str) -> float:
    """Return a bound on a gap as a float; it may be infinite."""
    length = as_number(value, name)
    if not length >= 0:
        raise InvalidInputError(f"{name} is {length}; it must be a number that is not negative")
    return length


class FixedWeights(Constraint):
    """Fix the weights of a mixture's components, ordered by mean.

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

    def __init__(self, weights: npt.ArrayLike) -> None:
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
    """Bound each weight of a mixture's components, ordered by mean.

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

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike) -> None:
        self.lower, self.upper = frozen(lower, "lower"), frozen(upper, "upper")
        if len(self.lower) != len(self.upper):
            raise InvalidInputError(
                f"lower has {len(self.lower)} bounds and upper {len(self.upper)}; give as many of each"
            )
        if not ((self.lower >= 0) & (self.lower <= self.upper) & (self.upper <= 1)).all():
            raise InvalidInputError("bounds of weights must satisfy 0 <= lower <= upper <= 1")

    def weight_rows(self, k: int) -> LinearRows:
        """Return a row for each weight."""
        return _each(self.lower, self.upper, k, "bounds")


class WeightRatio(Constraint):
    """Make weight `i` of a mixture `ratio` times weight `j`.

    Parameters
    ----------
    i, j : int
        The two components, numbered from 0 in the order of their means.
    ratio : float
        The ratio of weight `i` to weight `j`; positive.

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
                f"weight-ratio has components {self.i} and {self.j} and ratio {self.ratio}; "
                "give two different components and a positive ratio"
            )

    def weight_rows(self, k: int) -> LinearRows:
        """Return the row that ties the two weights."""
        if max(self.i, self.j) >= k:
            raise InvalidInputError(f"weights {self.i} and {self.j} do not exist: there are {k} components")
        row = np.zeros((1, k))
        row[0, self.i], row[0, self.j] = 1.0, -self.ratio
        return LinearRows(row, [0.0], [0.0])


class SpreadRatio(Constraint):
    """Keep the largest standard deviation of a mixture within `ratio` times the smallest, so that a maximum exists.

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
        The coefficient of variation; None to estimate it.

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
        """Return the coefficient, infinity to estimate it."""
        return float("inf") if self.c is None else self.c


class FixedSpreads(Constraint):
    """Fix standard deviations of a mixture's components, ordered by mean.

    Parameters
    ----------
    spreads : list of k floats or None
        The standard deviations, in units of the data; None for a free one.

    Examples
    --------
    >>> fit = mg.mixture([0.0, 0.4, 0.9, 5.0, 5.1, 5.3], 2, mg.FixedSpreads([0.5, None]))
    >>> round(float(fit.variances[0]), 9)
    0.25
    """

    name = "fixed-spreads"

    def __init__(self, spreads: Iterable[float | None]) -> None:
        self.spreads = tuple(None if spread is None else as_number(spread, "spreads") for spread in spreads)
        if not all(spread is None or (spread > 0 and np.isfinite(spread)) for spread in self.spreads):
            raise InvalidInputError(f"the spreads are {list(self.spreads)}; they must be positive")

    def precision_rows(self, k: int) -> LinearRows:
        """Return a row for each fixed precision."""
        if len(self.spreads) != k:
            raise InvalidInputError(
                f"{len(self.spreads)} spreads were given for {k} components; give one for each component"
            )
        known = [(c, spread) for c, spread in enumerate(self.spreads) if spread is not None]
        levels = [spread**-2 for _, spread in known]
        return LinearRows(np.eye(k)[[c for c, _ in known]], levels, levels)


def _each(lower: FloatArray, upper: FloatArray, k: int, what: str) -> LinearRows:
    """Return a row for each of k weights."""
    if len(lower) != k:
        raise InvalidInputError(f"{len(lower)} {what} were given for {k} components; give one for each component")
    return LinearRows(np.eye(k), lower, upper)


#: The largest allowed difference between the sum of given weights and one; they are divided by their sum.
_WEIGHT_SUM = 1e-6

#: Constraints on gaps between centres.
ON_GAPS = (LowerOnly, TwoSided, PerGap)

#: Constraints on weights and spreads, which only a mixture has.
ON_MIXTURES = (FixedWeights, WeightBounds, WeightRatio, SpreadRatio, EqualSpreads, FixedSpreads, ConstantCV)


@hookimpl
def register_constraints(register: Callable[[type[Constraint]], None]) -> None:
    """Register the built-in constraints."""
    for constraint in (*ON_GAPS, *ON_MIXTURES):
        register(constraint)
