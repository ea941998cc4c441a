"""The table that a result shows of itself: as plain text, in a notebook, and by the command line."""

from __future__ import annotations

from dataclasses import dataclass, field

from mindgap.results.notebook import notebook_table


@dataclass(frozen=True)
class TextTable:
    """Cells of text under a head, and sentences below.

    Attributes
    ----------
    caption : str
        What it is a table of.
    head : tuple of str
        The names of the columns; the last column holds words, the others numbers.
    rows : list of list of str
        The cells.
    notes : list of str
        What follows the table.
    """

    caption: str
    head: tuple[str, ...]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def plain(self) -> str:
        """Return the table as plain text: numbers to the right, words to the left."""
        lines = [list(self.head), *self.rows]
        *widths, _ = (max(map(len, column)) for column in zip(*lines, strict=True))
        texts = ["  ".join([*map(str.rjust, cells, widths), cells[-1]]).rstrip() for cells in lines]
        return "\n".join([*texts, *self.notes])

    def html(self) -> str:
        """Return the table as notebooks show it."""
        return notebook_table(self.caption, self.head, self.rows, "; ".join(self.notes))
