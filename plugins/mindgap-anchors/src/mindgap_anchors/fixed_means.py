"""Some centres are known: the modes of a calibrated instrument."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import mindgap as mg
from mindgap.validation import as_number


class FixedMeans(mg.Constraint):
    """Fix some or all centres at known positions.

    Parameters
    ----------
    means : sequence of k floats or None
        The centres in ascending order; None for an unknown one.
    """

    name = "fixed-means"

    def __init__(self, means: Sequence[float | None]) -> None:
        if not isinstance(means, (list, tuple, np.ndarray)):
            raise mg.InvalidInputError(f"means is {means!r}; it must be a list of numbers and none")
        values = [None if mean is None else as_number(mean, f"means[{i}]") for i, mean in enumerate(means)]
        known = [value for value in values if value is not None]
        if not np.isfinite(known).all():
            raise mg.InvalidInputError(f"means is {means!r}; those that are known must be finite")
        if (np.diff(known) < 0).any():
            raise mg.InvalidInputError(f"means is {means!r}; those that are known must ascend")
        self.means = values

    def rows(self, k: int) -> mg.LinearRows:
        """Return one equality for each centre that is known."""
        if len(self.means) != k:
            raise mg.InvalidInputError(
                f"{k} centres need {k} entries, but fixed-means has {len(self.means)}; write none for an unknown centre"
            )
        known = {centre: mean for centre, mean in enumerate(self.means) if mean is not None}
        values = list(known.values())
        return mg.LinearRows(np.eye(k)[list(known)], values, values)
