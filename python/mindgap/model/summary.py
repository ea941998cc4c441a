"""Summaries of data of any size in a few thousand cells; summaries can be merged."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap import _core
from mindgap.foundation import stored
from mindgap.foundation.errors import InvalidInputError
from mindgap.model import summary_bytes
from mindgap.validation import FloatArray, as_count, as_matrix, as_vector

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

#: The default and the largest cell limit of a summary.
CELLS = 2**14
_MOST_CELLS = 2**24

#: Larger than the exponent of any double.
_LARGEST_EXPONENT = 1100

_FLOATS = ("weight", "low", "high", "offset", "within")


class Summary:
    """Counts, sums and sums of squares of data in cells. All summaries use the same grid of cells.

    Add any number of points, one array at a time, or merge summaries; the cells do not depend on the parts or their
    order. Pass a summary to `kmeans` or `mixture` in place of data. K-means of a summary gives the true cost of its
    clusters and a lower bound that is valid for the points themselves; a mixture treats every point as if it were
    at the mean of its cell. A summary can be shared between threads.

    Parameters
    ----------
    cells : int
        The maximum number of cells, from 2 to 2²⁴. A cell takes about 50 bytes.

    Examples
    --------
    >>> summary = mg.Summary()
    >>> for part in np.split(np.arange(1000.0), 10):
    ...     summary.add(part)
    >>> summary.count, summary.mean
    (1000, 499.5)
    >>> mg.kmeans(summary, 2).centers.tolist()
    [249.5, 749.5]
    """

    def __init__(self, cells: int = CELLS) -> None:
        self._core = _core.Summary(_as_cells(cells))

    @classmethod
    def of(cls, x: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None, cells: int = CELLS) -> Summary:
        """Return the summary of an array."""
        summary = cls(cells)
        summary.add(x, sample_weight)
        return summary

    @classmethod
    def of_windows(
        cls,
        x: npt.ArrayLike,
        windows: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        cells: int | None = None,
    ) -> list[Summary]:
        """Return a summary of the points in each window.

        A window is a row with the ends of a closed interval; the windows are ascending and disjoint. By default the
        cell limit of each falls with the number of windows, so that all of them together stay small.
        """
        intervals = as_matrix(windows, "windows")
        if intervals.shape[1] != 2:
            raise InvalidInputError(f"windows has shape {intervals.shape}; give a row of two numbers for each")
        values, masses = _as_points(x, sample_weight)
        limit = None if cells is None else _as_cells(cells)
        found = _core.Summary.of_windows(values, masses, intervals, limit)
        return [cls._of_core(core) for core in found]

    @classmethod
    def merged(cls, summaries: Iterable[Summary]) -> Summary:
        """Return the summary of the points of all `summaries`."""
        whole = None
        for summary in summaries:
            if whole is None:
                whole = cls._of_core(summary._core.copy())
            else:
                whole.merge(summary)
        if whole is None:
            raise InvalidInputError("there is no summary to merge; give at least one")
        return whole

    @classmethod
    def _of_core(cls, core: _core.Summary) -> Summary:
        summary = cls.__new__(cls)
        summary._core = core
        return summary

    def add(self, x: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> None:
        """Add an array, which may be empty; an invalid one changes nothing."""
        self._core.add(*_as_points(x, sample_weight))

    def merge(self, other: Summary) -> None:
        """Add the points of another summary. If the cell limits differ, the smaller one applies, with a warning.

        The cells, their counts and their ends do not depend on the order of merging; their sums agree up to rounding.
        """
        if not isinstance(other, Summary):
            raise InvalidInputError(f"{other!r} is not a mindgap.Summary")
        limits = sorted((self.cells, other.cells))
        if limits[0] != limits[1]:
            what = f"summaries of at most {limits[0]} and {limits[1]} cells merge into one of at most {limits[0]}"
            warnings.warn(f"{what}: the finer one loses detail; make them with the same `cells`", stacklevel=2)
        self._core.merge(other._core)

    @property
    def cells(self) -> int:
        """The maximum number of cells."""
        return self._core.limit

    @property
    def count(self) -> int:
        """The number of points, without those of weight zero."""
        return self._core.count

    @property
    def total_weight(self) -> float:
        """The sum of the weights, or the number of points if there are none."""
        return self._core.total_weight

    @property
    def low(self) -> float:
        """The smallest value."""
        return self._known(self._core.extent)[0]

    @property
    def high(self) -> float:
        """The largest value."""
        return self._known(self._core.extent)[1]

    @property
    def mean(self) -> float:
        """The weighted mean of the points."""
        return self._known(self._core.mean_and_variance)[0]

    @property
    def variance(self) -> float:
        """The weighted variance of the points."""
        return self._known(self._core.mean_and_variance)[1]

    @staticmethod
    def _known(pair: tuple[float, float] | None) -> tuple[float, float]:
        if pair is None:
            raise InvalidInputError("the summary holds no points yet")
        return pair

    def to_json(self) -> str:
        """Return the summary as JSON text, which `from_json` and the Rust crate can read."""
        limit, weighted, exponent, index, count, floats = self._core.columns()
        columns = {"index": index, "count": count, **dict(zip(_FLOATS, floats, strict=True))}
        return stored.dump("Summary", {"limit": limit, "weighted": weighted, "exponent": exponent, **columns})

    @classmethod
    def from_json(cls, text: str | bytes) -> Summary:
        """Return the summary that `to_json` stored, or raise InvalidInputError."""
        fields = stored.Fields.load("Summary", text)
        index = fields.integers("index", below=2**62, least=-(2**62))
        count = fields.integers("count", len(index), below=2**63).astype(np.uint64)
        floats = np.array([fields.numbers(name, len(index)) for name in _FLOATS]).reshape(len(_FLOATS), len(index))
        limit, exponent = fields.integer("limit", least=2), fields.integer("exponent", least=-_LARGEST_EXPONENT)
        fields.check("limit", limit <= _MOST_CELLS, f"an integer from 2 to {_MOST_CELLS}")
        fields.check("exponent", exponent <= _LARGEST_EXPONENT, "an exponent of a double")
        weighted = fields.flag("weighted")
        return cls._of_core(_core.Summary.from_columns(limit, weighted, exponent, index, count, floats))

    def to_bytes(self) -> bytes:
        """Return the summary in a binary form for `from_bytes`, a quarter of the size of its JSON text."""
        return summary_bytes.dump(*self._core.columns())

    @classmethod
    def from_bytes(cls, content: bytes) -> Summary:
        """Return the summary that `to_bytes` stored, after the same checks as in `from_json`."""
        limit, weighted, exponent, *columns = summary_bytes.load(content)
        if not 2 <= limit <= _MOST_CELLS or abs(exponent) > _LARGEST_EXPONENT:
            raise InvalidInputError("the stored Summary has a bad limit or exponent")
        return cls._of_core(_core.Summary.from_columns(limit, weighted, exponent, *columns))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same cell limit and the same cells."""
        if not isinstance(other, Summary):
            return NotImplemented
        pairs: Any = zip(self._core.columns(), other._core.columns(), strict=True)
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _from_columns, self._core.columns()

    def __repr__(self) -> str:
        extent = self._core.extent
        where = "" if extent is None else f" from {extent[0]:.6g} to {extent[1]:.6g}"
        return f"Summary({self.count} values{where})"


def _from_columns(limit: int, weighted: bool, exponent: int, *columns: Any) -> Summary:
    # Arrays from a shared buffer may be unaligned.
    index, count, floats = (np.require(column, requirements=["C", "A"]) for column in columns)
    return Summary._of_core(_core.Summary.from_columns(limit, weighted, exponent, index, count, floats))


def _as_points(x: Any, sample_weight: Any) -> tuple[FloatArray, FloatArray | None]:
    return as_vector(x, "x"), None if sample_weight is None else as_vector(sample_weight, "sample_weight")


def _as_cells(cells: Any) -> int:
    count = as_count(cells, "cells")
    if not 2 <= count <= _MOST_CELLS:
        raise InvalidInputError(f"cells is {count}; it must be between 2 and {_MOST_CELLS}")
    return count
