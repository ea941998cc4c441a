"""The result of `kmeans_rows`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mindgap.validation import FloatArray, Frozen, freeze


@dataclass(frozen=True, eq=False, repr=False)
class KMeansRows(Frozen):
    """The clusters of each row of a matrix: a codebook and its indices.

    Attributes
    ----------
    labels : array of int, of the shape of the matrix
        The cluster of each value: 0 to k-1 by ascending centre. The type is uint8 if k is at most 256, else uint32.
    centers : array of float, k columns
        The centres of each row, ascending.
    inertia : array of float
        The cost of each row: the weighted sum of squares about its centres.
    lower_bound : array of float
        A proven lower bound on the cost of every solution of each row.
    optimal : array of bool
        Whether the inertia of each row is proven to be minimal (to one part in 10⁹).

    Examples
    --------
    >>> result = mg.kmeans_rows([[1, 2, 9, 10], [5, 5, 0, 1]], 2)
    >>> result.labels
    array([[0, 0, 1, 1],
           [1, 1, 0, 0]], dtype=uint8)
    >>> result.decoded()
    array([[1.5, 1.5, 9.5, 9.5],
           [5. , 5. , 0.5, 0.5]])
    """

    labels: npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
    centers: FloatArray
    inertia: FloatArray
    lower_bound: FloatArray
    optimal: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        freeze(self.labels, self.centers, self.inertia, self.lower_bound, self.optimal)

    @property
    def k(self) -> int:
        """The number of clusters of each row."""
        return int(self.centers.shape[1])

    def decoded(self, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
        """Return the matrix with every value replaced by its centre."""
        return np.take_along_axis(self.centers.astype(dtype), self.labels.astype(np.intp), axis=1)

    def __len__(self) -> int:
        return len(self.centers)

    def __repr__(self) -> str:
        rows, columns = self.labels.shape
        proven = int(np.count_nonzero(self.optimal))
        return f"KMeansRows({rows} rows of {columns} values, k={self.k}, {proven} proven optimal)"
