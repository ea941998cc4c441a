"""Moments: the sums that an E step returns, and that engines add up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mindgap import _core
from mindgap.foundation.errors import UnusableValueError
from mindgap.validation import FloatArray, as_vector, frozen_finite

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Moments:
    """The sums over the data that the M step needs, for each component, with responsibilities r and sample weights w.

    Parameters
    ----------
    weight : array-like of k floats
        The sums of w·r.
    first : array-like of k floats
        The sums of w·r·(x - mean), about the given means.
    second : array-like of k floats
        The sums of w·r·(x - mean)².
    log_likelihood : float
        The weighted log-likelihood of the data at the given parameters.
    classification : float, optional
        The sum of w·log(max r), which `icl` needs.

    Examples
    --------
    >>> mg.Moments([2.0], [0.5], [1.0], -3.0) + mg.Moments([1.0], [0.5], [2.0], -1.5)
    Moments(weight=array([3.]), first=array([1.]), second=array([3.]), log_likelihood=-4.5, classification=None)

    Notes
    -----
    Add moments of different points at the same parameters with ``+``. Moments from `of` keep the rounding errors of
    their sums, so that the total does not depend on the order.
    """

    RUN: ClassVar[int] = _core.MomentSums.RUN
    """The number of points whose sums are rounded together."""

    weight: FloatArray
    first: FloatArray
    second: FloatArray
    log_likelihood: float
    classification: float | None
    _sums: _core.MomentSums | None = field(default=None, repr=False)

    def __init__(
        self,
        weight: npt.ArrayLike,
        first: npt.ArrayLike,
        second: npt.ArrayLike,
        log_likelihood: float,
        classification: float | None = None,
    ) -> None:
        for name, values in {"weight": weight, "first": first, "second": second}.items():
            object.__setattr__(self, name, frozen_finite(values, f"the moments' {name}"))
        object.__setattr__(self, "log_likelihood", _finite(log_likelihood, "log_likelihood"))
        known = None if classification is None else _finite(classification, "classification")
        object.__setattr__(self, "classification", known)
        self._check()

    @classmethod
    def of(
        cls,
        x: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None,
        weights: npt.ArrayLike,
        means: npt.ArrayLike,
        variances: npt.ArrayLike,
        *,
        classify: bool = True,
    ) -> Moments:
        """Return the moments of points, in any order, at the parameters of a mixture.

        Runs in one thread, releases the GIL and sorts nothing: an engine calls it for each piece of the data and adds
        the results. If every piece has a multiple of `RUN` points, the bits do not depend on how the data are cut.

        Parameters
        ----------
        x : array-like of n numbers
            The points; there may be none.
        sample_weight : array-like of n numbers or None
            A weight for each point, not negative.
        weights, means, variances : array-like of k floats
            The mixture.
        classify : bool
            Whether to compute the classification: a tenth of the work, needed only for `Engine.finish`.

        Examples
        --------
        >>> parameters = [0.5, 0.5], [0.0, 4.0], [1.0, 1.0]
        >>> part = mg.Moments.of([0.3, 3.9, -0.2], None, *parameters)
        >>> (part + mg.Moments.of([4.1, 0.1], None, *parameters)).weight.round(2).tolist()
        [3.0, 2.0]
        """
        mixture = as_vector(weights, "weights"), as_vector(means, "means"), as_vector(variances, "variances")
        masses = None if sample_weight is None else as_vector(sample_weight, "sample_weight")
        return cls._of_sums(_core.MomentSums.of_chunk(as_vector(x, "x"), masses, mixture, classify))

    @classmethod
    def _of_sums(cls, sums: _core.MomentSums) -> Moments:
        found = cls(*sums.moments())
        object.__setattr__(found, "_sums", sums)
        return found

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if len(self.weight) != len(other.weight):
            counts = f"{len(self.weight)} and of {len(other.weight)}"
            raise UnusableValueError(f"moments of {counts} components cannot be added")
        if self._sums is not None and other._sums is not None:
            return Moments._of_sums(self._sums + other._sums)
        mine, theirs = self.classification, other.classification
        return Moments(
            self.weight + other.weight,
            self.first + other.first,
            self.second + other.second,
            self.log_likelihood + other.log_likelihood,
            None if mine is None or theirs is None else mine + theirs,
        )

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle only the sums, if there are any; the rest follows from them."""
        if self._sums is not None:
            return Moments._of_sums, (self._sums,)
        return Moments, (self.weight, self.first, self.second, self.log_likelihood, self.classification)

    def _check(self) -> None:
        sizes = (len(self.weight), len(self.first), len(self.second))
        if len(set(sizes)) > 1:
            raise UnusableValueError("the moments have {} weights, {} first and {} second moments".format(*sizes))
        if (self.weight < 0).any() or (self.second < 0).any():
            raise UnusableValueError(f"a weight or second moment is negative: {self.weight}, {self.second}")


def _finite(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise UnusableValueError(f"{name} is {value!r}; it must be a number") from error
    if not np.isfinite(number):
        raise UnusableValueError(f"{name} is {number}; it must be finite")
    return number
