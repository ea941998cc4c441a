"""CSV and TSV, by the csv module: quoted cells, a byte-order mark, a header or none, missing cells.

One pass over the text; every fault names its line.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mindgap.cli.tables import Column, place_of
from mindgap.errors import InvalidInputError
from mindgap.foundation.messages import shorten

if TYPE_CHECKING:
    from mindgap.cli.reading import Request

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "."})
_SEPARATORS = ("\t", ";", ",")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class _Row(NamedTuple):
    line: int
    cells: list[str]


def read_delimited(request: Request, content: bytes) -> tuple[Column, Column | None]:
    """Return the column that was asked for, and that of the weights if one was."""
    rows = _rows(request, _text(request, content))
    header = _has_header(request, rows[0].cells) if request.header is None else request.header
    names = [cell.strip() for cell in rows[0].cells] if header else None
    body = rows[1:] if header else rows
    width = len(rows[0].cells)
    if width > 1:
        # Blank lines between the rows of a table are no rows; in a single column they are missing values.
        body = [row for row in body if row.cells]
    _refuse_surplus(request, body, width)
    if not body:
        raise InvalidInputError(f"{request.title} has a header but no rows")
    column = _column(request, body, names, place_of(request.column, names, width, request.title))
    if request.weights is None:
        return column, None
    place = place_of(request.weights, names, width, request.title, "--weights")
    return column, _column(request, body, names, place)


def _text(request: Request, content: bytes) -> str:
    try:
        return content.decode("utf-16" if content.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidInputError(
            f"{request.title} is not UTF-8 text (line {line}); convert it, as with iconv -f latin1 -t utf-8"
        ) from None


def _rows(request: Request, text: str) -> list[_Row]:
    separator = request.delimiter or _separator(text)
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=separator != " ")
    rows = []
    begin = 1
    try:
        for cells in reader:
            rows.append(_Row(begin, cells))
            begin = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInputError(f"{request.title} cannot be read as CSV, line {reader.line_num}: {error}") from None
    while rows and not any(cell.strip() for cell in rows[-1].cells) and len(rows[-1].cells) < 2:
        rows.pop()
    first = next((index for index, row in enumerate(rows) if row.cells), None)
    if first is None:
        raise InvalidInputError(f"{request.title} is empty")
    return rows[first:]


def _separator(text: str) -> str:
    """The separator that the first line has: a comma beside semicolons is a decimal one."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    outside_quotes = "".join(line.split('"')[::2])
    return next((separator for separator in _SEPARATORS if separator in outside_quotes), ",")


def _has_header(request: Request, cells: list[str]) -> bool:
    """Whether there is a name among the cells; a first number that cannot be read must not pass for one."""
    words = [cell for cell in cells if cell.strip().lower() not in MISSING and _number(cell) is None]
    if words and not any(mark.isalpha() for word in words for mark in word):
        dubious = next((word for word in words if any(mark.isdigit() for mark in word)), None)
        if dubious is not None:
            raise InvalidInputError(
                f"the first row of {request.title} holds {shorten(dubious)}, neither a number nor a name; "
                "say which it is with --no-header or --header"
            )
    return bool(words)


def _refuse_surplus(request: Request, rows: list[_Row], width: int) -> None:
    """Refuse a row that has more cells than the first: what stands in them would be lost, as of 1,5 in one column."""
    for row in rows:
        if any(cell.strip() for cell in row.cells[width:]):
            raise InvalidInputError(
                f"{request.title} has {len(row.cells)} cells at line {row.line}, but {width} in its first row; "
                "quote cells that hold the separator, write decimals with a point, or name another with --delimiter"
            )


def _number(cell: str) -> float | None:
    if "_" in cell:  # Python reads 1_000, nobody else does
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def _column(request: Request, rows: list[_Row], names: list[str] | None, place: int) -> Column:
    name = names[place] if names else None
    column = Column(np.empty(len(rows)), place + 1, name, [row.line for row in rows])
    for index, row in enumerate(rows):
        cell = row.cells[place].strip() if place < len(row.cells) else ""
        number = np.nan if cell.lower() in MISSING else _number(cell)
        if number is None:
            raise InvalidInputError(_not_a_number(f"{column.title} of {request.title}", row.line, cell))
        column.values[index] = number
    return column.refuse_infinite(request.title)


def _not_a_number(where: str, line: int, cell: str) -> str:
    shown = cell if len(cell) <= 40 else f"{cell[:40]}..."
    text = f"{where} holds text at line {line}: {shown!r}"
    if _number(cell.replace(",", ".")) is not None:
        return f"{text}; write decimals with a point"
    return text
