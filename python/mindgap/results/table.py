"""The table of a result, for plain text, notebooks and the command line."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mindgap.validation import FloatArray

#: The most rows that a table in a notebook shows; the others are counted.
MOST_ROWS = 30

#: The significant digits of a number in a table, unless it is a position far from zero.
_DIGITS = 6

#: The digits of the spread of positions that are shown if they are far from zero: enough to tell neighbours apart.
_DIGITS_OF_SPREAD = 4

#: The most significant digits that a double has.
_MOST_DIGITS = 17


def position_texts(positions: FloatArray, spread: float) -> list[str]:
    """Return centres or means as text, with more digits if they differ little for their size, as times do."""
    spread = max(spread, float(positions[-1] - positions[0]))
    largest = float(abs(positions).max())
    extra = math.floor(math.log10(largest / spread)) if 0 < spread < largest else 0
    digits = min(max(_DIGITS, _DIGITS_OF_SPREAD + extra), _MOST_DIGITS)
    return [f"{position:.{digits}g}" for position in positions]


@dataclass(frozen=True)
class TextTable:
    """A table of text with a head, and notes below.

    Attributes
    ----------
    caption : str
        The caption.
    head : tuple of str
        The names of the columns; the last column holds text, the others numbers.
    rows : list of list of str
        The cells.
    notes : list of str
        The lines below the table.
    """

    caption: str
    head: tuple[str, ...]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def plain(self) -> str:
        """Return the table as plain text: numbers right-aligned, text left-aligned."""
        lines = [list(self.head), *self.rows]
        *widths, _ = (max(map(len, column)) for column in zip(*lines, strict=True))
        texts = ["  ".join([*map(str.rjust, cells, widths), cells[-1]]).rstrip() for cells in lines]
        return "\n".join([*texts, *self.notes])

    def html(self) -> str:
        """Return the table as HTML for notebooks."""
        return notebook_table(self.caption, self.head, self.rows, "; ".join(self.notes))


class Tabular:
    """The base class of results that are shown as a table."""

    def table(self) -> TextTable:
        """Return the table that `summary`, notebooks and the command line show."""
        raise NotImplementedError

    def summary(self) -> str:
        """Return the table, and what is known about the result, as plain text."""
        return self.table().plain()

    def _repr_html_(self) -> str:
        return self.table().html()


def notebook_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], footer: str) -> str:
    """Return an HTML table with escaped text, in the colours of the page."""
    body = [f"<tr>{_cells('td', row)}</tr>" for row in rows]
    if len(body) > MOST_ROWS:
        rest = _spanning("td", f"… and {len(body) - MOST_ROWS} more", len(head))
        body = [*body[:MOST_ROWS], rest]
    return (
        f'<table class="mindgap"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{_cells('th', head)}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody>"
        f"<tfoot>{_spanning('td', footer, len(head))}</tfoot></table>"
    )


def _cells(tag: str, texts: Sequence[str]) -> str:
    return "".join(f'<{tag} style="text-align: right">{escape(text)}</{tag}>' for text in texts)


def _spanning(tag: str, text: str, columns: int) -> str:
    return f'<tr><{tag} colspan="{columns}" style="text-align: left">{escape(text)}</{tag}></tr>'
