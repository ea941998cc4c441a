"""Histograms as data: counts between edges."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.model.sample import Sample
from mindgap.validation import FloatArray, freeze, frozen

if TYPE_CHECKING:
    import numpy.typing as npt


class Binned:
    """Binned data for `mixture` and `select`: of each point only the bin is known.

    Parameters
    ----------
    edges : array-like of n + 1 numbers
        The edges of the bins, ascending; the first may be minus infinity and the last infinity.
    counts : array-like of n numbers
        The number of points (or their weight) in each bin, not negative.

    Examples
    --------
    >>> counts, edges = np.histogram([0.1, 0.2, 0.4, 2.0, 2.2, 2.9], bins=6)
    >>> mg.mixture(mg.Binned(edges, counts), 2).k
    2
    """

    #: The name of the data, for pictures.
    name: str | None = None

    edges: FloatArray
    counts: FloatArray

    def __init__(self, edges: npt.ArrayLike, counts: npt.ArrayLike) -> None:
        self.edges, self.counts = frozen(edges, "edges"), frozen(counts, "counts")
        if len(self.counts) == 0 or len(self.edges) != len(self.counts) + 1:
            text = f"{len(self.edges)} edges and {len(self.counts)} counts"
            raise InvalidInputError(f"{text}; give one edge more than counts")
        wrong = ~(self.edges[:-1] < self.edges[1:])
        if wrong.any():
            index = int(np.argmax(wrong)) + 1
            before = f"{self.edges[index]} after {self.edges[index - 1]}"
            raise InvalidInputError(f"edge {index} is {before}; edges must ascend")
        if not np.isfinite(self.edges).any():
            raise InvalidInputError("no edge is finite; give a bin with a finite edge")
        if not (np.isfinite(self.counts).all() and (self.counts >= 0).all() and self.counts.any()):
            raise InvalidInputError("the counts must be finite and not negative, and at least one must be positive")

    @cached_property
    def closed_edges(self) -> FloatArray:
        """The edges; an open bin gets the width of its neighbour."""
        edges: FloatArray = self.edges.copy()
        widths = np.diff(edges[np.isfinite(edges)])
        if np.isinf(edges[0]):
            edges[0] = edges[1] - (widths[0] if len(widths) else 2.0)
        if np.isinf(edges[-1]):
            edges[-1] = edges[-2] + (widths[-1] if len(widths) else 2.0)
        freeze(edges)
        return edges

    @cached_property
    def sample(self) -> Sample:
        """The points, each at the middle of its bin."""
        edges = self.closed_edges
        return Sample(edges[:-1] / 2 + edges[1:] / 2, self.counts)

    def redrawn(self, values: FloatArray) -> Binned:
        """Return the counts of other values in the same bins; values outside the edges count in the outermost bins."""
        places = np.clip(np.searchsorted(self.edges, values, side="right") - 1, 0, len(self.counts) - 1)
        return Binned(self.edges, np.bincount(places, minlength=len(self.counts)).astype(np.float64))

    def __len__(self) -> int:
        return len(self.counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Binned):
            return NotImplemented
        return np.array_equal(self.edges, other.edges) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]  # arrays are not hashable

    def __repr__(self) -> str:
        ends = f"{self.edges[0]:.6g} to {self.edges[-1]:.6g}"
        return f"Binned({len(self)} bins from {ends}, {self.counts.sum():.10g} points)"
