"""Results as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.foundation import stored
from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.results.histogram import Histogram

if TYPE_CHECKING:
    from mindgap.results.kmeans import KMeansResult
    from mindgap.results.mixture import MixtureResult

#: How far stored numbers that follow from each other may be apart, as a share.
_ROUNDING = 1e-9


def dump(result: KMeansResult | MixtureResult, extra: dict[str, Any] | None = None) -> str:
    """Return the JSON text of a result, with fields beside its own."""
    nested = ("bounds", "data", "settings")
    fields = {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in nested}
    if result.bounds is not None:
        fields |= {"gap_lower": result.bounds.lower, "gap_upper": result.bounds.upper}
    if result.histogram is not None:
        fields |= {"histogram_counts": result.histogram.counts, "histogram_edges": result.histogram.edges}
    if not isinstance(fields["labels"], np.ndarray):
        fields["labels"] = []  # they lie where the data lie
    return stored.dump(type(result).__name__, fields | (extra or {}))


class Fields(stored.Fields):
    """Typed access to the fields of a stored result."""

    def gaps(self, centers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The gaps of those centres, to rounding."""
        gaps = self.numbers("gaps", len(centers) - 1)
        # Halves, whose difference is finite.
        wrong = np.abs(gaps / 2 - (centers[1:] / 2 - centers[:-1] / 2))
        slack = _ROUNDING * np.maximum(np.abs(centers[1:]), np.abs(centers[:-1]))
        self.check("gaps", bool((gaps >= 0).all() and (wrong <= slack).all()), "the distances between the centres")
        return gaps

    def gap_bounds(self, k: int) -> GapBounds | None:
        """The bounds on the gaps of k centres, if the result has any."""
        if not self.has("gap_lower"):
            return None
        return GapBounds(self.numbers("gap_lower", k - 1), self.numbers("gap_upper", k - 1, absent=math.inf))

    def linear_rows(self, k: int) -> LinearRows | None:
        """The linear rows on k centres, if the result was fitted under any."""
        if not self.has("fit_rows"):
            return None
        lower = self.numbers("fit_rows_lower", absent=-math.inf)
        upper = self.numbers("fit_rows_upper", len(lower), absent=math.inf)
        return LinearRows(self.numbers("fit_rows", len(lower) * k).reshape(len(lower), k), lower, upper)

    def histogram(self) -> Histogram | None:
        """The histogram of the data, if the result has one."""
        if not self.has("histogram_counts"):
            return None
        return Histogram(self.numbers("histogram_counts"), self.numbers("histogram_edges"))
