"""Tables of any file format, and their columns by name or number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.messages import shorten
from mindgap.host.registry import hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from mindgap.validation import FloatArray

#: The most columns that a message lists.
_MOST_LISTED = 12


@dataclass(frozen=True)
class Column:
    """One column of numbers, with NaN for missing cells.

    Attributes
    ----------
    values : array of float
        One entry per row.
    number : int
        The number of the column, from 1.
    name : str or None
        The name of the column, if it has one.
    lines : callable, sequence of int or None
        The line on which each row begins, or a function that returns them; None if the file has no lines.
    """

    values: FloatArray
    number: int
    name: str | None = None
    lines: Callable[[], Sequence[int]] | Sequence[int] | None = None

    @property
    def title(self) -> str:
        """The name of the column in messages."""
        return f"column {self.name or self.number}"

    def place(self, row: int) -> str:
        """Return the place of a row, for messages."""
        if self.lines is None:
            return f"row {row + 1}"
        lines = self.lines() if callable(self.lines) else self.lines
        return f"line {lines[row]}"

    def without(self, numbers: Sequence[float]) -> Column:
        """Return the column with NaN for the numbers that mark missing values."""
        if not len(numbers):
            return self
        return replace(self, values=np.where(np.isin(self.values, numbers), np.nan, self.values))

    def refuse_infinite(self, source: str) -> Column:
        """Return the column, or raise InvalidInputError at an infinite value."""
        return self._refuse(np.isinf(self.values), source, "remove it")

    def refuse_negative(self, source: str) -> Column:
        """Return the column of weights, or raise InvalidInputError at a negative one."""
        return self._refuse(self.values < 0, source, "weights must not be negative")

    def _refuse(self, wrong: npt.NDArray[np.bool_], source: str, advice: str) -> Column:
        if wrong.any():
            row = int(np.argmax(wrong))
            place = f"{self.title} of {source} holds {self.values[row]} at {self.place(row)}"
            raise InvalidInputError(f"{place}; {advice}")
        return self


class Table(ABC):
    """The table in a file: columns with or without names.

    Attributes
    ----------
    names : list of str or None
        The names of the columns.
    width : int
        The number of columns.
    """

    names: list[str] | None
    width: int

    @property
    def titles(self) -> list[str]:
        """The names of the columns for a file with a header."""
        return self.names or (["value"] if self.width == 1 else [f"column_{n + 1}" for n in range(self.width)])

    @abstractmethod
    def numbers(self, *places: int) -> list[Column]:
        """Return columns of numbers, or raise InvalidInputError at a cell that is not a number."""

    @abstractmethod
    def texts(self, place: int) -> list[str]:
        """Return one column as text."""

    @abstractmethod
    def rows(self) -> Iterable[list[str]]:
        """Return all cells, row by row, as text."""


def place_of(wanted: str | None, names: Sequence[str] | None, width: int, source: str, option: str = "--column") -> int:
    """Return the index of a column given by name or by its number from 1; by default the only one."""
    if wanted is None:
        if width == 1:
            return 0
        listed = "" if names is None else f" ({_listed(names)})"
        raise InvalidInputError(f"{source} has {width} columns{listed}; choose one with {option}")
    if names is not None and wanted in names:
        if list(names).count(wanted) > 1:
            raise InvalidInputError(f"{source} has more than one column {wanted!r}; choose one by its number, from 1")
        return list(names).index(wanted)
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 and 1 <= int(wanted) <= width:
        return int(wanted) - 1
    if names is None:
        columns = f"{width} column{'s' if width > 1 else ''}"
        known = f"it has no names but {columns}; give a number from 1, or --header if the first row has names"
    else:
        known = f"{hint(wanted, names)}there are {_listed(names)}"
    raise InvalidInputError(f"{source} has no column {shorten(wanted)}; {known}")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) if name != name.strip() or not name else name for name in names[:_MOST_LISTED])
    return shown if len(names) <= _MOST_LISTED else f"{shown} and {len(names) - _MOST_LISTED} more"
