"""Each gap is a fixed multiple of the previous one: lengths of fish cohorts under von Bertalanffy growth."""

from __future__ import annotations

import numpy as np

import mindgap as mg
from mindgap.validation import as_positive


class GeometricGaps(mg.Constraint):
    """Gap g+1 is `ratio` times gap g.

    Parameters
    ----------
    ratio : float
        Positive and finite. Under von Bertalanffy growth, cohorts a year apart have ratio exp(-K).
    """

    name = "geometric-gaps"

    def __init__(self, ratio: float) -> None:
        self.ratio = as_positive(ratio, "ratio")

    def rows(self, k: int) -> mg.LinearRows:
        """Return one equality for each pair of neighbouring gaps."""
        return equal_ratio_rows(self.ratio, k)


def equal_ratio_rows(ratio: float, k: int) -> mg.LinearRows:
    """Rows ``(mu[g+2] - mu[g+1]) - ratio (mu[g+1] - mu[g]) = 0`` for every pair of neighbouring gaps of k centres."""
    pairs = max(k - 2, 0)
    matrix = np.eye(pairs, k, 2) - (1 + ratio) * np.eye(pairs, k, 1) + ratio * np.eye(pairs, k)
    return mg.LinearRows(matrix, np.zeros(pairs), np.zeros(pairs))
