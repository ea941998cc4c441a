"""Results as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap import _core
from mindgap.foundation import stored
from mindgap.model.binned import Binned
from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.results.histogram import Histogram

if TYPE_CHECKING:
    from mindgap.results.kmeans import KMeansResult
    from mindgap.results.mixture import MixtureResult

#: The relative difference allowed between stored numbers that follow from each other.
_ROUNDING = 1e-9


def dump(result: KMeansResult | MixtureResult) -> str:
    """Return the JSON text of a result."""
    fields: dict[str, Any] = {
        name: getattr(result, name)
        for name in result.__dataclass_fields__
        if name not in ("rows", "data", "constraint", "blocks")
    }
    if not isinstance(fields["labels"], np.ndarray):
        fields["labels"] = []  # they are with the data
    if result.bounds is not None:
        fields["bounds"] = {"lower": result.bounds.lower, "upper": result.bounds.upper}
    if result.rows is not None:
        matrix, lower, upper = result.rows.arrays()
        fields["rows"] = {"matrix": matrix.ravel(), "lower": lower, "upper": upper}
    for name in ("runner_up", "standard_errors"):
        if fields.get(name) is not None:
            fields[name] = vars(fields[name])
    if "findings" in fields:
        fields["findings"] = [finding._asdict() for finding in fields["findings"]]
    if fields.get("settings") is not None:
        fields["settings"] = fields["settings"].keywords()
    if isinstance(result.data, Binned):
        fields["bins"] = {"edges": result.data.edges, "counts": result.data.counts}
    if getattr(result, "constraint", None) is not None:
        fields["constraint"] = repr(result.constraint)  # type: ignore[union-attr]
    if getattr(result, "blocks", None):
        fields["blocks"] = {name: _block(block) for name, block in result.blocks.items()}  # type: ignore[union-attr]
    if result.histogram is not None:
        fields["histogram"] = {"counts": result.histogram.counts, "edges": result.histogram.edges}
    return stored.dump(type(result).__name__, fields | _derived(result))


def _derived(result: KMeansResult | MixtureResult) -> dict[str, Any]:
    """Return derived values for other programs; only the name is read back."""
    derived: dict[str, Any] = {"k": result.k, "name": result.name, "thresholds": result.thresholds}
    derived["written_by"] = _core.VERSION
    for criterion in ("bic", "aic", "icl"):
        if hasattr(type(result), criterion) and (criterion != "icl" or getattr(result, "entropy", None) is not None):
            derived[criterion] = getattr(result, criterion)
    return derived


def _block(block: Any) -> Any:
    """Return rows as named arrays, and a number as a list of one, since it may be infinite."""
    if not isinstance(block, tuple):
        return [block]
    matrix, lower, upper = block
    return {"matrix": matrix.ravel(), "lower": lower, "upper": upper}


class Fields(stored.Fields):
    """Typed access to the fields of a stored result."""

    def labels(self, k: int) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Return the labels of k clusters or components, -1 for missing points; empty if they were not stored."""
        stored_labels = self.integers("labels", below=k, least=-1) if self.has("labels") else np.empty(0)
        return stored_labels.astype(np.int32)

    def gaps(self, centers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the gaps between the centres, after a check against the centres."""
        gaps = self.numbers("gaps", len(centers) - 1)
        # The difference of halves cannot overflow.
        wrong = np.abs(gaps / 2 - (centers[1:] / 2 - centers[:-1] / 2))
        slack = _ROUNDING * np.maximum(np.abs(centers[1:]), np.abs(centers[:-1]))
        self.check("gaps", bool((gaps >= 0).all() and (wrong <= slack).all()), "the distances between the centres")
        return gaps

    def gap_bounds(self, k: int) -> GapBounds | None:
        """Return the bounds on the gaps of k centres, if the result has any."""
        if not self.has("bounds"):
            return None
        bounds = self.nested("bounds")
        return GapBounds(bounds.numbers("lower", k - 1), bounds.numbers("upper", k - 1, absent=math.inf))

    def linear_rows(self, k: int) -> LinearRows | None:
        """Return the linear rows on k centres, if the result has any."""
        return self._rows("rows", k) if self.has("rows") else None

    def blocks(self, k: int) -> dict[str, Any]:
        """Return the constraints on the weights and spreads of k components."""
        if not self.has("blocks"):
            return {}
        blocks, found = self.nested("blocks"), dict[str, Any]()
        for name in ("weight_rows", "precision_rows"):
            if blocks.has(name):
                found[name] = blocks._rows(name, k).arrays()
        for name in ("spread_ratio", "variation"):
            if blocks.has(name):
                found[name] = float(blocks.numbers(name, 1, absent=math.inf)[0])
                blocks.check(name, found[name] > 0, "a positive number")
        return found

    def bins(self) -> Binned | None:
        """Return the bins of the data, if they were binned."""
        if not self.has("bins"):
            return None
        bins = self.nested("bins")
        edges = bins.numbers("edges", absent=math.inf)
        edges[0] = -edges[0] if np.isposinf(edges[0]) else edges[0]
        return Binned(edges, bins.numbers("counts"))

    def _rows(self, name: str, k: int) -> LinearRows:
        rows = self.nested(name)
        lower = rows.numbers("lower", absent=-math.inf)
        upper = rows.numbers("upper", len(lower), absent=math.inf)
        return LinearRows(rows.numbers("matrix", len(lower) * k).reshape(len(lower), k), lower, upper)

    def histogram(self) -> Histogram | None:
        """Return the histogram of the data, if the result has one."""
        if not self.has("histogram"):
            return None
        histogram = self.nested("histogram")
        return Histogram(histogram.numbers("counts"), histogram.numbers("edges"), self.optional("name", self.text))
