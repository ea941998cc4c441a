"""CSV, TSV and columns aligned by spaces, with quoted cells, byte-order marks, optional headers and missing cells.

A large file is read by Arrow (`cli.arrow_text`). The csv module reads small files, files that Arrow refuses, and files
with an error, to name the line.
"""

from __future__ import annotations

import csv
import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mindgap.cli.arrow_text import read_numbers, read_texts
from mindgap.cli.tables import Column, Table
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.messages import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindgap.cli.reading import Request

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "."})
#: The value of `Request.delimiter` for cells separated by any number of spaces.
WHITESPACE = "whitespace"
_SEPARATORS = ("\t", ";", ",")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: Below this size the csv module is faster than importing Arrow.
ARROW_FROM = 1 << 18
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?")
_UNIT = re.compile(r"[-+0-9.,eE]*\d\.?\s*([^\W\d].*|[%°µ].*)")


class _Row(NamedTuple):
    line: int
    cells: list[str]


class DelimitedText(Table):
    """The table in a text file; only its first line is read at first."""

    def __init__(self, request: Request, content: bytes) -> None:
        self._request = request
        self._text = _text(request, content)
        separator = request.delimiter or _separator(request, self._text)
        self.aligned = separator == WHITESPACE
        self.separator = " " if self.aligned else separator
        first = next((row for row in self._parsed() if row.cells), None)
        if first is None:
            raise InvalidInputError(f"{request.title} is empty")
        self.header = self._has_header(first.cells) if request.header is None else request.header
        self.names = [cell.strip() for cell in first.cells] if self.header else None
        self.width = len(first.cells)

    def numbers(self, *places: int) -> list[Column]:
        """Return columns of numbers, read by Arrow if it can."""
        fast = self._arrow_can() and read_numbers(self, self._plain(), places, self._missing, self._request.decimal)
        if fast:
            return [
                Column(
                    values,
                    place + 1,
                    self.names[place] if self.names else None,
                    lambda: [row.line for row in self._body],
                )
                for place, values in zip(places, fast, strict=True)
            ]
        return [self._column(place) for place in places]

    def texts(self, place: int) -> list[str]:
        """Return a column as text, without surrounding spaces."""
        if self._arrow_can() and (found := read_texts(self, self._plain(), place)) is not None:
            return [cell.strip() for cell in found]
        return [row.cells[place].strip() if place < len(row.cells) else "" for row in self._body]

    def rows(self) -> Iterator[list[str]]:
        """Return the cells of each row, padded to the width of the first row."""
        return ([*row.cells, *[""] * (self.width - len(row.cells))][: self.width] for row in self._body)

    def _arrow_can(self) -> bool:
        """Return whether Arrow is worth its import and reads this text as the csv module does."""
        text = self._text
        sound = text.count("\r") == text.count("\r\n") and text.count('"') % 2 == 0
        return len(text) >= ARROW_FROM and sound and not (self.aligned and '"' in text)

    def _plain(self) -> bytes:
        """Return the text for Arrow: from the first row on, without comments, one space between aligned columns."""
        text = self._text
        if self._request.comment is not None:
            text = "".join(_without_comments(text, self._request.comment, []))
        text = text.strip("\r\n \t" if self.aligned else "\r\n")
        if self.aligned:
            text = re.sub(r"(?m)^ +| +$", "", re.sub(r"[ \t]+", " ", text))
        return text.encode()

    @property
    def _missing(self) -> frozenset[str]:
        return MISSING | {word.strip().lower() for word in self._request.na}

    def _parsed(self) -> Iterator[_Row]:
        """Yield the rows, each with the line on which it begins."""
        lines: list[int] = []
        source = _without_comments(self._text, self._request.comment, lines)
        if self.aligned:
            source = (line.strip() for line in source)
        spaced = self.aligned or self.separator != " "
        reader = csv.reader(source, delimiter=self.separator, strict=True, skipinitialspace=spaced)
        before = 0
        try:
            for cells in reader:
                yield _Row(lines[before], cells)
                before = reader.line_num
        except csv.Error as error:
            line = lines[reader.line_num - 1] if lines else 1
            raise InvalidInputError(f"{self._request.title} cannot be read as CSV, line {line}: {error}") from None

    @cached_property
    def _body(self) -> list[_Row]:
        """Yield the rows below the header."""
        rows = [*self._parsed()]
        while rows and not any(cell.strip() for cell in rows[-1].cells) and len(rows[-1].cells) < 2:
            rows.pop()
        first = next(index for index, row in enumerate(rows) if row.cells)
        body = rows[first + self.header :]
        if self.width > 1:
            # Blank lines in a table are skipped; in a single column they are missing values.
            body = [row for row in body if row.cells]
        self._refuse_surplus(body)
        if not body:
            raise InvalidInputError(f"{self._request.title} has a header but no rows")
        return body

    def _refuse_surplus(self, rows: list[_Row]) -> None:
        """Refuse a row with more cells than the first, such as 1,5 in a file of one column."""
        for row in rows:
            if any(cell.strip() for cell in row.cells[self.width :]):
                raise InvalidInputError(
                    f"{self._request.title} has {len(row.cells)} cells at line {row.line}, but {self.width} in its "
                    "first row; quote cells that hold the separator, name another with --delimiter, or add "
                    "--decimal , if the comma is a decimal one"
                )

    def _has_header(self, cells: list[str]) -> bool:
        """Return whether the cells hold a name; an unreadable number must not count as one."""
        words = [cell for cell in cells if cell.strip().lower() not in self._missing and self._number(cell) is None]
        if words and not any(mark.isalpha() for word in words for mark in word):
            dubious = next((word for word in words if any(mark.isdigit() for mark in word)), None)
            if dubious is not None:
                raise InvalidInputError(
                    f"the first row of {self._request.title} holds {shorten(dubious)}, which is neither "
                    "a number nor a name; add --header or --no-header"
                )
        return bool(words)

    def _column(self, place: int) -> Column:
        name = self.names[place] if self.names else None
        rows = self._body
        column = Column(np.empty(len(rows)), place + 1, name, [row.line for row in rows])
        missing = self._missing
        for index, row in enumerate(rows):
            cell = row.cells[place].strip() if place < len(row.cells) else ""
            number = np.nan if cell.lower() in missing else self._number(cell)
            if number is None:
                raise InvalidInputError(self._not_a_number(column.title, row.line, cell))
            column.values[index] = number
        return column

    def _number(self, cell: str) -> float | None:
        if self._request.units is not None:
            cell = cell.strip().removesuffix(self._request.units)
        if self._request.decimal == ",":
            if "." in cell:
                return None
            cell = cell.replace(",", ".")
        return _number(cell)

    def _not_a_number(self, column: str, line: int, cell: str) -> str:
        shown = cell if len(cell) <= 40 else f"{cell[:40]}..."
        text = f"{column} of {self._request.title} holds text at line {line}: {shown!r}"
        if self._request.decimal == "," and _number(cell) is not None:
            return f"{text}; with --decimal , a point is not allowed in a number"
        if _THOUSANDS.fullmatch(cell):
            return f"{text}; remove commas that separate thousands, or add --decimal , if it is the decimal mark"
        if _number(cell.replace(",", ".")) is not None:
            return f"{text}; write decimals with a point, or add --decimal ,"
        if (unit := _UNIT.fullmatch(cell)) and self._request.units is None:
            return f"{text}; if that is a unit, add --units {unit[1]!r}"
        if not any(mark.isalnum() for mark in cell):
            return f"{text}; if that stands for a missing value, add --na {cell!r}"
        return text


def _text(request: Request, content: bytes) -> str:
    try:
        return content.decode("utf-16" if content.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidInputError(
            f"{request.title} is not UTF-8 text (line {line}); convert it, as with iconv -f latin1 -t utf-8"
        ) from None


def _without_comments(text: str, mark: str | None, lines: list[int]) -> Iterator[str]:
    """Return the lines without comments; `lines` gets their line numbers."""
    for number, line in enumerate(_lines(text), 1):
        if mark is None or not line.lstrip().startswith(mark):
            lines.append(number)
            yield line


def _lines(text: str) -> Iterator[str]:
    """Return the lines with their ends, split as the csv module does."""
    return (match[0] for match in re.finditer(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text))


def _separator(request: Request, text: str) -> str:
    """Return the separator in the first line; with semicolons a comma is a decimal one."""
    lines = (line for line in _without_comments(text, request.comment, []) if line.strip())
    first, second = next(lines, ""), next(lines, "")
    outside_quotes = "".join(first.split('"')[::2])
    known = [separator for separator in _SEPARATORS if separator != request.decimal]
    found = next((separator for separator in known if separator in outside_quotes), None)
    if found is None and len(first.split()) > 1 and len(second.split()) == len(first.split()):
        return WHITESPACE if '"' not in first + second else " "
    return found or ("," if request.decimal != "," else ";")


def _number(cell: str) -> float | None:
    if "_" in cell:  # only Python reads 1_000 as a number
        return None
    try:
        return float(cell)
    except ValueError:
        return None
