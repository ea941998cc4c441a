"""Values with the group that each truly came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mindgap import _core
from mindgap.arrays import as_count
from mindgap.seeds import generator

if TYPE_CHECKING:
    import numpy.typing as npt

#: What a draw holds at its most: the group of each point, its mean and deviation, and the value itself.
_BYTES_A_POINT = 4 * 8


class Labelled(NamedTuple):
    """Values and the group, 0 to k-1, that each came from."""

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
        """Return the share of the points in each group."""
        return np.bincount(self.groups) / len(self.groups)


def from_components(
    n: int,
    weights: npt.ArrayLike,
    means: npt.ArrayLike,
    deviations: npt.ArrayLike,
    seed: int | np.random.Generator,
) -> Labelled:
    """Draw `n` points from a mixture of normal distributions."""
    rng, count = generator(seed), as_count(n, "n")
    _core.room_for(f"a draw of {count} points", count * _BYTES_A_POINT)
    shares = np.asarray(weights, dtype=np.float64)
    groups = rng.choice(len(shares), size=count, p=shares / shares.sum())
    values = rng.normal(np.asarray(means)[groups], np.asarray(deviations)[groups])
    return Labelled(values, groups)
