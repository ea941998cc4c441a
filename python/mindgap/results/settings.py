"""How a mixture was fitted: what it takes to fit other data the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mindgap.model.bounds import GapBounds, LinearRows

if TYPE_CHECKING:
    from mindgap.results.archive import Fields

VARIANCES = ("free", "equal")
TOL_SCALES = ("data", "absolute")


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

    def stored(self) -> dict[str, Any]:
        """Return the settings as fields of a stored result, whose own gap bounds are not repeated."""
        fields = {f"fit_{name}": value for name, value in self.keywords().items()}
        if isinstance(self.restriction, LinearRows):
            matrix, lower, upper = self.restriction.arrays()
            fields |= {"fit_rows": matrix.ravel(), "fit_rows_lower": lower, "fit_rows_upper": upper}
        return fields

    @classmethod
    def of_stored(cls, fields: Fields, k: int) -> FitSettings | None:
        """Return the settings of a stored result, or None if it has none."""
        if not fields.has("fit_variances"):
            return None
        return cls(
            restriction=fields.linear_rows(k) or fields.gap_bounds(k),
            variances=fields.text("fit_variances", VARIANCES),
            tol=fields.number("fit_tol"),
            tol_scale=fields.text("fit_tol_scale", TOL_SCALES),
            max_iter=fields.whole("fit_max_iter"),
            min_variance=fields.number("fit_min_variance") if fields.has("fit_min_variance") else None,
        )
