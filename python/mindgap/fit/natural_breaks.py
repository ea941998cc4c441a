"""Natural breaks, as used for maps: the limits of the classes of exact k-means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mindgap.fit.kmeans import kmeans
from mindgap.foundation.errors import InvalidInputError
from mindgap.model.sample import Sample
from mindgap.model.summary import Summary
from mindgap.validation import FloatArray, frozen

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
    sample = Sample.of(x, sample_weight)
    if sample._cells is not None or isinstance(x, Summary):
        raise InvalidInputError("natural breaks are values of the data, which a Summary does not hold; give the data")
    fit = kmeans(sample, k, ties="together")
    last = np.cumsum(fit.sizes) - 1
    return frozen(sample._core.at([0, *last.tolist()]), "breaks")
