"""K-means of each row of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mindgap import _core
from mindgap.foundation.errors import InvalidInputError, MindgapError
from mindgap.host import guard, lookup
from mindgap.host.resolving import blocks_of, depends_on_data, refuse_mixture_blocks, rows_of
from mindgap.model.constraint import Constraint
from mindgap.model.settings import KMeansSettings
from mindgap.results.kmeans_rows import KMeansRows
from mindgap.validation import as_count, as_table, as_vector

if TYPE_CHECKING:
    import numpy.typing as npt

    from mindgap.model.bounds import GapBounds, LinearRows


def kmeans_rows(
    x: npt.ArrayLike,
    k: int,
    constraint: Constraint | str | None = None,
    sample_weight: npt.ArrayLike | None = None,
    *,
    centers: Literal["free", "means"] = "free",
    ties: Literal["split", "together"] = "split",
) -> KMeansRows:
    """Cluster each row of a matrix separately into `k` clusters, exactly, on all cores.

    The result for each row is that of `kmeans`, to the bit. No Python runs between rows.

    Parameters
    ----------
    x : array-like of numbers, a matrix
        The data. Single precision is read without a copy in double precision.
    k : int
        The number of clusters of each row.
    constraint : Constraint, str or None
        The constraint on the centres of every row, as for `kmeans`. It must not depend on the data of a row.
    sample_weight : array-like of numbers, optional
        A weight for each value of `x`, or one for each column, used for all rows.
    centers : "free" or "means"
        As for `kmeans`.
    ties : "split" or "together"
        As for `kmeans`.

    Returns
    -------
    KMeansRows
        With `labels`, `centers`, `inertia`, `lower_bound` and `optimal` of each row.

    Raises
    ------
    InvalidInputError
        If the data, the weights, `k` or the constraint are invalid. The error names the first such row.
    InfeasibleError
        If no partition of a row satisfies the constraint. The error names the first such row.

    Examples
    --------
    >>> result = mg.kmeans_rows([[1, 2, 9, 10], [5, 5, 0, 1]], 2)
    >>> result.centers
    array([[1.5, 9.5],
           [0.5, 5. ]])
    >>> result.optimal.all()
    np.True_
    """
    count = as_count(k, "k")
    settings = KMeansSettings(centers=centers, ties=ties)
    matrix = as_table(x, "x")
    if matrix.shape[1] == 0:
        raise InvalidInputError(f"x has shape {matrix.shape}; give at least one value in each row")
    chosen = constraint if constraint is None or isinstance(constraint, Constraint) else lookup.constraint(constraint)
    rows = None if chosen is None or count > matrix.shape[1] else _rows(chosen, count)
    bounds = None if rows is None else rows.arrays()
    weights = None if sample_weight is None else _weights(sample_weight, matrix.shape)
    try:
        found = _core.kmeans_rows(matrix, count, bounds, weights, centers=settings.centers, ties=settings.ties)
    except MindgapError as error:
        guard.blame(error, chosen, None, None)
        raise
    return KMeansRows(*found)


def _rows(constraint: Constraint, k: int) -> GapBounds | LinearRows | None:
    if depends_on_data(constraint):
        raise InvalidInputError(
            f"{constraint!r} depends on the data, which differ from row to row; call kmeans for each row"
        )
    refuse_mixture_blocks(constraint, blocks_of(constraint, k))
    return rows_of(constraint, k)


def _weights(given: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return the weights as a matrix with one row for all rows of the data, or one for each."""
    if np.ndim(given) == 1:
        weights = as_vector(given, "sample_weight")[None, :]
        expected: tuple[int, ...] = (1, shape[1])
    else:
        weights, expected = as_table(given, "sample_weight"), shape
    if weights.shape != expected:
        raise InvalidInputError(
            f"sample_weight has shape {np.shape(given)}, but x has {shape}; give one for each value or each column"
        )
    return weights
