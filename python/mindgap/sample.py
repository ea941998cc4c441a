"""The data, checked and sorted once; what fits and plugins work on."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap import _core
from mindgap.arrays import as_vector
from mindgap.errors import InvalidInputError

if TYPE_CHECKING:
    from mindgap.arrays import FloatArray


class Sample:
    """Finite data in ascending order, with their weights.

    Every fit makes one from what it is given. Give a fit the sample itself to sort only once for many fits.

    Parameters
    ----------
    values : array-like of n numbers
        The data, in any order.
    weights : array-like of n numbers, optional
        A weight for each point, not negative.
    """

    def __init__(self, values: Any, weights: Any = None) -> None:
        masses = None if weights is None else as_vector(weights, "sample_weight")
        self._core = _core.Sample(as_vector(values, "x"), masses)

    @classmethod
    def of(cls, x: Any, sample_weight: Any = None) -> Sample:
        """Return `x` itself if it is a sample already, else a new one."""
        if not isinstance(x, Sample):
            return cls(x, sample_weight)
        if sample_weight is not None:
            raise InvalidInputError("sample_weight is given beside a Sample; give the weights to the Sample")
        return x

    @cached_property
    def values(self) -> FloatArray:
        """The data, ascending and read-only; points of weight zero are left out."""
        return self._core.values

    @cached_property
    def weights(self) -> FloatArray | None:
        """The weight of each value, read-only, or None if every point weighs one."""
        return self._core.weights

    @property
    def total_weight(self) -> float:
        """The sum of the weights: the number of points if there are none."""
        return self._core.total_weight

    @property
    def distinct(self) -> int:
        """The number of distinct values."""
        return self._core.distinct

    def __reduce__(self) -> tuple[type[Sample], tuple[FloatArray, FloatArray | None]]:
        return Sample, (self.values, self.weights)

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weighted"
        return f"Sample({len(self)} values from {self.values[0]:.6g} to {self.values[-1]:.6g}{weighted})"

    def variance(self) -> float:
        """Return the weighted variance of the values, computed about their mean."""
        mean = np.average(self.values, weights=self.weights)
        return float(np.average((self.values - mean) ** 2, weights=self.weights))
