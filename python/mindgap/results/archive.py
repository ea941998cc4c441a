"""Results as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap import _core
from mindgap.foundation import stored
from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.results.histogram import Histogram

if TYPE_CHECKING:
    from mindgap.results.kmeans import KMeansResult
    from mindgap.results.mixture import MixtureResult

#: How far stored numbers that follow from each other may be apart, as a share.
_ROUNDING = 1e-9


def dump(result: KMeansResult | MixtureResult) -> str:
    """Return the JSON text of a result."""
    fields: dict[str, Any] = {
        name: getattr(result, name)
        for name in result.__dataclass_fields__
        if name not in ("rows", "data", "constraint")
    }
    if not isinstance(fields["labels"], np.ndarray):
        fields["labels"] = []  # they lie where the data lie
    if result.bounds is not None:
        fields["bounds"] = {"lower": result.bounds.lower, "upper": result.bounds.upper}
    if result.rows is not None:
        matrix, lower, upper = result.rows.arrays()
        fields["rows"] = {"matrix": matrix.ravel(), "lower": lower, "upper": upper}
    for name in ("runner_up", "standard_errors"):
        if fields.get(name) is not None:
            fields[name] = vars(fields[name])
    if "findings" in fields:
        fields["findings"] = [vars(finding) for finding in fields["findings"]]
    if fields.get("settings") is not None:
        fields["settings"] = fields["settings"].keywords()
    if result.histogram is not None:
        fields["histogram"] = {"counts": result.histogram.counts, "edges": result.histogram.edges}
    return stored.dump(type(result).__name__, fields | _derived(result))


def _derived(result: KMeansResult | MixtureResult) -> dict[str, Any]:
    """Return what other programs would have to work out; it is not read back, except for the name."""
    derived: dict[str, Any] = {"k": result.k, "name": result.name, "thresholds": result.thresholds}
    derived["written_by"] = _core.VERSION
    for criterion in ("bic", "aic", "icl"):
        if hasattr(type(result), criterion) and (criterion != "icl" or getattr(result, "entropy", None) is not None):
            derived[criterion] = getattr(result, criterion)
    return derived


class Fields(stored.Fields):
    """Typed access to the fields of a stored result."""

    def labels(self, k: int) -> np.ndarray[Any, np.dtype[np.int32]]:
        """The labels of k clusters or components, -1 for a point without a value; none if they were not stored."""
        stored_labels = self.integers("labels", below=k, least=-1) if self.has("labels") else np.empty(0)
        return stored_labels.astype(np.int32)

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
        if not self.has("bounds"):
            return None
        bounds = self.nested("bounds")
        return GapBounds(bounds.numbers("lower", k - 1), bounds.numbers("upper", k - 1, absent=math.inf))

    def linear_rows(self, k: int) -> LinearRows | None:
        """The linear rows on k centres, if the result was fitted under any."""
        if not self.has("rows"):
            return None
        rows = self.nested("rows")
        lower = rows.numbers("lower", absent=-math.inf)
        upper = rows.numbers("upper", len(lower), absent=math.inf)
        return LinearRows(rows.numbers("matrix", len(lower) * k).reshape(len(lower), k), lower, upper)

    def histogram(self) -> Histogram | None:
        """The histogram of the data, if the result has one."""
        if not self.has("histogram"):
            return None
        histogram = self.nested("histogram")
        name = self.text("name") if self.has("name") else None
        return Histogram(histogram.numbers("counts"), histogram.numbers("edges"), name)
