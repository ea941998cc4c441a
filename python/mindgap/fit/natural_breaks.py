"""Natural breaks, as used for maps: the limits of the classes of exact k-means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindgap import _core
from mindgap.fit.loading import plain_points
from mindgap.foundation.errors import InvalidInputError
from mindgap.model.sample import Sample
from mindgap.model.summary import Summary
from mindgap.validation import FloatArray, as_count, frozen

if TYPE_CHECKING:
    import numpy.typing as npt


def breaks(x: npt.ArrayLike | Sample, k: int, *, sample_weight: npt.ArrayLike | None = None) -> FloatArray:
    """Return the natural breaks of `x` (Jenks, Fisher): the smallest value, then the largest value of each class.

    The classes are those of exact k-means, which minimises the squared deviations within classes. A value belongs to
    the first class whose upper break it does not exceed.

    Parameters
    ----------
    x : array-like of n numbers, or Sample
        The data, in any order.
    k : int
        The number of classes.
    sample_weight : array-like of n numbers, optional
        A weight for each point, not negative. Points of weight zero are ignored.

    Returns
    -------
    array of k + 1 numbers
        The limits of the classes, ascending, each a value of the data.

    Raises
    ------
    InvalidInputError
        If the data, the weights or `k` are invalid, such as more classes than distinct values.

    Examples
    --------
    >>> mg.breaks([4, 1, 2, 10, 5, 9], 3).tolist()
    [1.0, 2.0, 5.0, 10.0]
    """
    if isinstance(x, Summary) or (isinstance(x, Sample) and x._cells is not None):
        raise InvalidInputError("natural breaks are values of the data, which a Summary does not hold; give the data")
    plain = plain_points(x, sample_weight, "local", "error")
    if plain is None:
        points: FloatArray | _core.Sample = Sample.of(x, sample_weight)._core
        fit = _core.kmeans(points, as_count(k, "k"), ties="together", labels=False)
    else:
        fit = _core.kmeans(plain.values, as_count(k, "k"), weights=plain.weights, ties="together", labels=False)
        points = plain.values if plain.weights is None else plain.values[plain.weights > 0]
    return frozen(fit.limits(points), "breaks")
