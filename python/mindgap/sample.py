"""The data as plugins see them: sorted and read-only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mindgap import _core
    from mindgap.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Sample:
    """Finite data in ascending order, with their weights; both arrays are read-only.

    Attributes
    ----------
    values : array of float
        The data, ascending; points of weight zero are left out.
    weights : array of float or None
        The weight of each value, or None if every point weighs one.
    """

    values: FloatArray
    weights: FloatArray | None = None

    @classmethod
    def of_core(cls, sample: _core.Sample) -> Sample:
        """Return the view of a sample of the core, which has checked and sorted the data."""
        return cls(sample.values, sample.weights)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weighted"
        return f"Sample({len(self)} values from {self.values[0]:.6g} to {self.values[-1]:.6g}{weighted})"

    def variance(self) -> float:
        """Return the weighted variance of the values, computed about their mean."""
        mean = np.average(self.values, weights=self.weights)
        return float(np.average((self.values - mean) ** 2, weights=self.weights))
