"""The data of a fit, checked once and sorted at most once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap import _core
from mindgap.foundation.errors import InvalidInputError
from mindgap.model.chunks import Chunks
from mindgap.model.summary import Summary
from mindgap.validation import as_vector

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from mindgap.validation import FloatArray


class Sample:
    """Finite data in ascending order, with their weights.

    Every fit converts its data to a sample. Pass a sample to several fits to check and sort the data only once. Many
    values are sorted when something needs their order: `values`, a mixture, k-means with bounds on means. If the data
    are in an engine or a `Summary`, the values are the means of its cells.

    Parameters
    ----------
    values : array-like of n numbers
        The data, in any order.
    weights : array-like of n numbers, optional
        A weight for each point, not negative.

    Examples
    --------
    >>> sample = mg.Sample([3.0, 1.0, 2.0])
    >>> sample.values.tolist()
    [1.0, 2.0, 3.0]
    >>> [mg.kmeans(sample, k).inertia for k in (1, 2, 3)]
    [2.0, 0.5, 0.0]
    """

    #: The summary that the sample was made from, if any; it holds more than the values and weights.
    _cells: Summary | None = None

    #: The name of the column or series with the data, if it has one.
    name: str | None = None

    def __init__(self, values: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> None:
        masses = None if weights is None else as_vector(weights, "sample_weight")
        self._core = _core.Sample(as_vector(values, "x"), masses)
        self.name = name_of(values)

    @classmethod
    def of(cls, x: npt.ArrayLike | Sample | Summary | Chunks, sample_weight: npt.ArrayLike | None = None) -> Sample:
        """Return `x` if it is a sample, else a sample of its points, or of the cells of a summary."""
        if isinstance(x, Chunks):
            raise InvalidInputError("Chunks are for kmeans and mixture; read them into an array for anything else")
        if not isinstance(x, (Sample, Summary)):
            return cls(x, sample_weight)
        if sample_weight is not None:
            kind = type(x).__name__
            raise InvalidInputError(f"sample_weight is given in addition to a {kind}; give the weights to the {kind}")
        return x if isinstance(x, Sample) else cls._of_summary(x)

    @classmethod
    def _of_summary(cls, summary: Summary, zoom: Callable[[FloatArray], list[_core.Summary]] | None = None) -> Sample:
        """Return a sample of the cells of a summary; `zoom` returns refined summaries of some of them."""
        sample = cls.__new__(cls)
        sample._core = summary._core.sample(zoom)
        sample._cells = Summary.merged([summary])
        return sample

    @classmethod
    def _of_core(cls, core: _core.Sample, name: str | None) -> Sample:
        sample = cls.__new__(cls)
        sample._core = core
        sample.name = name
        return sample

    @cached_property
    def values(self) -> FloatArray:
        """The data in ascending order, read-only, without points of weight zero."""
        return self._core.values

    @cached_property
    def weights(self) -> FloatArray | None:
        """The weight of each value, read-only, or None if all are one."""
        return self._core.weights

    @property
    def total_weight(self) -> float:
        """The sum of the weights, or the number of points if there are none."""
        return self._core.total_weight

    @property
    def distinct(self) -> int:
        """The number of distinct values."""
        return self._core.distinct

    @property
    def rounding_step(self) -> float | None:
        """The step to which the values seem to be rounded (few distinct values on one grid), or None."""
        return self._core.rounding_step

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickle the points in input order, or the summary of remote data."""
        if self._cells is not None:
            return Sample.of, (self._cells,)
        return (Sample, self._core.given()) if self.name is None else (_named, (self.name, *self._core.given()))

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weighted"
        return f"Sample({len(self)} values from {self.values[0]:.6g} to {self.values[-1]:.6g}{weighted})"

    def variance(self) -> float:
        """Return the weighted variance of the values, computed about their mean."""
        mean = np.average(self.values, weights=self.weights)
        return float(np.average((self.values - mean) ** 2, weights=self.weights))


def name_of(x: Any) -> str | None:
    """Return the name of a series or column, or None."""
    name = getattr(x, "name", None)
    if isinstance(name, (str, int, float)) and not isinstance(name, bool):
        return str(name) or None
    return None


def _named(name: str, *given: Any) -> Sample:
    sample = Sample(*given)
    sample.name = name
    return sample
