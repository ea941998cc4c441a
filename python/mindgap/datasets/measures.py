"""The distance of a fit from a known truth, as the paper measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from mindgap.datasets import Labelled
    from mindgap.results.kmeans import KMeansResult
    from mindgap.results.mixture import MixtureResult


def rand_index(one: npt.ArrayLike, two: npt.ArrayLike) -> float:
    """Return the fraction of pairs of points on which two labellings agree: together in both or apart in both."""
    rows, row_of = np.unique(np.asarray(one), return_inverse=True)
    columns, column_of = np.unique(np.asarray(two), return_inverse=True)
    if len(row_of) != len(column_of):
        raise InvalidInputError(
            f"the labellings have {len(row_of)} and {len(column_of)} points; give labels of the same points"
        )
    table = np.bincount(row_of * len(columns) + column_of, minlength=len(rows) * len(columns))
    counts = table.reshape(len(rows), len(columns))
    everything = _pairs(np.array([len(row_of)]))
    if everything == 0:
        return 1.0
    apart_in_one = _pairs(counts.sum(axis=1)) + _pairs(counts.sum(axis=0)) - 2 * _pairs(counts)
    return (everything - apart_in_one) / everything


def _pairs(counts: npt.NDArray[Any]) -> int:
    return int(np.sum(counts * (counts - 1) // 2))


def total_center_error(result: KMeansResult, truth: Labelled) -> float:
    """Return the sum over clusters of the distance of a centre from its group's mean."""
    return float(np.abs(result.centers - truth.means()).sum())


def total_size_error(result: KMeansResult, truth: Labelled) -> float:
    """Return the sum over clusters of the difference in size from the group's."""
    return float(np.abs(result.sizes - np.bincount(truth.groups)).sum())


def mean_center_error(result: MixtureResult, means: npt.ArrayLike) -> float:
    """Return the mean over components of the distance of a mean from the true one."""
    return float(np.abs(result.means - np.asarray(means)).mean())


def mean_parameter_error(
    result: MixtureResult, weights: npt.ArrayLike, means: npt.ArrayLike, variances: npt.ArrayLike
) -> float:
    """Return the mean over components of the errors in weight, mean and variance together."""
    weight_error = np.abs(result.weights - np.asarray(weights)).mean()
    variance_error = np.abs(result.variances - np.asarray(variances)).mean()
    return float(weight_error + variance_error) + mean_center_error(result, means)
