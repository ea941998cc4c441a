"""All gaps are equal: photoelectron peaks, repeat lengths."""

from __future__ import annotations

import numpy as np

import mindgap as mg
from mindgap.validation import as_length
from mindgap_spacing.geometric_gaps import equal_ratio_rows


class EqualSpacing(mg.Constraint):
    """Neighbouring centres are all the same distance apart.

    Parameters
    ----------
    spacing : float, optional
        The distance. By default the fit estimates it.
    """

    name = "equal-spacing"

    def __init__(self, spacing: float | None = None) -> None:
        self.spacing = None if spacing is None else as_length(spacing, "spacing")

    def rows(self, k: int) -> mg.LinearRows:
        """Return equalities: every gap is the spacing, or every gap is the next one."""
        if self.spacing is None:
            return equal_ratio_rows(1.0, k)
        gaps = np.full(k - 1, self.spacing)
        return mg.GapBounds(gaps, gaps).as_rows()
