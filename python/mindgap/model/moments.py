"""Moments: what an E step answers, and what engines add up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mindgap import _core
from mindgap.foundation.errors import UnusableValueError
from mindgap.validation import FloatArray, as_vector, frozen_finite


@dataclass(frozen=True, eq=False)
class Moments:
    """What the M step needs of the data: for each component k, with responsibilities r and sample weights w.

    Parameters
    ----------
    weight : array-like of k floats
        The sums of w·r.
    first : array-like of k floats
        The sums of w·r·(x - mean), about the means that were given.
    second : array-like of k floats
        The sums of w·r·(x - mean)².
    log_likelihood : float
        The weighted log-likelihood of the data at the parameters that were given.
    classification : float, optional
        The sums of w·log(max r), from which `icl` is known.

    Examples
    --------
    >>> mg.Moments([2.0], [0.5], [1.0], -3.0) + mg.Moments([1.0], [0.5], [2.0], -1.5)
    Moments(weight=array([3.]), first=array([1.]), second=array([3.]), log_likelihood=-4.5, classification=None)

    Notes
    -----
    Moments of different points at the same parameters are added with ``+``. Those that `of` computed keep what rounding
    would lose until all is added: their sum does not depend on the order.
    """

    RUN: ClassVar[int] = _core.MomentSums.RUN
    """Points whose sums are rounded together."""

    weight: FloatArray
    first: FloatArray
    second: FloatArray
    log_likelihood: float
    classification: float | None
    _sums: _core.MomentSums | None = field(default=None, repr=False)

    def __init__(
        self, weight: Any, first: Any, second: Any, log_likelihood: float, classification: float | None = None
    ) -> None:
        for name, values in {"weight": weight, "first": first, "second": second}.items():
            object.__setattr__(self, name, frozen_finite(values, f"the moments' {name}"))
        object.__setattr__(self, "log_likelihood", _finite(log_likelihood, "log_likelihood"))
        known = None if classification is None else _finite(classification, "classification")
        object.__setattr__(self, "classification", known)
        self._check()

    @classmethod
    def of(
        cls, x: Any, sample_weight: Any, weights: Any, means: Any, variances: Any, *, classify: bool = True
    ) -> Moments:
        """Return the moments of some points, in any order, at these parameters of a mixture.

        Nothing is sorted, and one thread does it, without the interpreter's lock: an engine calls it for each
        piece of the data and adds what it returns. Pieces of a multiple of `RUN` points give the same bits however
        the data are cut.

        Parameters
        ----------
        x : array-like of n numbers
            The points; there may be none.
        sample_weight : array-like of n numbers or None
            A weight for each point, not negative.
        weights, means, variances : array-like of k floats
            The mixture.
        classify : bool
            Whether the classification is wanted, too: a tenth of the work, for `Engine.finish` alone.

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
        """Write the sums alone where there are any: they are what the rest follows from."""
        if self._sums is not None:
            return Moments._of_sums, (self._sums,)
        return Moments, (self.weight, self.first, self.second, self.log_likelihood, self.classification)

    def _check(self) -> None:
        sizes = (len(self.weight), len(self.first), len(self.second))
        if len(set(sizes)) > 1:
            raise UnusableValueError("the moments have {} weights, {} first and {} second ones".format(*sizes))
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
