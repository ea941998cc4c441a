"""How a mixture was fitted: what it takes to fit other data the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mindgap.bounds import GapBounds, LinearRows


@dataclass(frozen=True)
class FitSettings:
    """The constraint and the settings of a mixture fit; the start and the data are not among them.

    Attributes
    ----------
    restriction : GapBounds, LinearRows or None
        What the constraint asked of the means.
    variances, tol, tol_scale, max_iter, min_variance
        As in `mindgap.mixture`.
    """

    restriction: GapBounds | LinearRows | None
    variances: str
    tol: float
    tol_scale: str
    max_iter: int
    min_variance: float | None

    def keywords(self) -> dict[str, Any]:
        """Return the settings as keywords of `mindgap.mixture`."""
        names = ("variances", "tol", "tol_scale", "max_iter", "min_variance")
        return {name: getattr(self, name) for name in names}
