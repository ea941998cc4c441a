"""Values with their true groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mindgap.model.parameters import draw_mixture
from mindgap.validation import RNG

if TYPE_CHECKING:
    import numpy.typing as npt


class Labelled(NamedTuple):
    """Values and their true groups.

    Parameters
    ----------
    values : array of float
        The data.
    groups : array of int
        The group of each value, from 0 to k-1.

    Examples
    --------
    >>> data = mg.datasets.Labelled(np.array([1.0, 2.0, 7.0, 9.0]), np.array([0, 0, 1, 1]))
    >>> data.means().tolist(), data.shares().tolist()
    ([1.5, 8.0], [0.5, 0.5])
    """

    values: npt.NDArray[np.float64]
    groups: npt.NDArray[np.int64]

    def means(self) -> npt.NDArray[np.float64]:
        """Return the mean of each group."""
        return np.bincount(self.groups, self.values) / np.bincount(self.groups)

    def variances(self) -> npt.NDArray[np.float64]:
        """Return the variance (divisor n) of each group."""
        deviations = self.values - self.means()[self.groups]
        return np.bincount(self.groups, deviations**2) / np.bincount(self.groups)

    def shares(self) -> npt.NDArray[np.float64]:
        """Return the fraction of the points in each group."""
        return np.bincount(self.groups) / len(self.groups)


def from_components(
    n: int,
    weights: npt.ArrayLike,
    means: npt.ArrayLike,
    deviations: npt.ArrayLike,
    rng: RNG,
) -> Labelled:
    """Draw `n` points from a mixture of normal distributions."""
    return Labelled(*draw_mixture(n, weights, means, deviations, rng))
