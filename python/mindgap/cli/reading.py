"""The data of a command: one column of numbers, and optionally one of weights, from a file or standard input.

The format (delimited text, npy, Parquet, Feather, compressed) is detected by the first bytes, not by the file's name.
Reading a named pipe waits for its writer: a shell passes ``<(command)`` this way.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mindgap.cli.large import chunks_of, stored_summary, summary_of
from mindgap.cli.packed import unpacked
from mindgap.cli.tables import place_of
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.messages import printable
from mindgap.foundation.progress import waiting
from mindgap.host import lookup

if TYPE_CHECKING:
    import numpy.typing as npt

    from mindgap.cli.tables import Column, Table
    from mindgap.validation import FloatArray


@dataclass(frozen=True)
class Request:
    """The data that a command is to read, and how."""

    source: str
    column: str | None = None
    weights: str | None = None
    drop_missing: bool = False
    delimiter: str | None = None
    header: bool | None = None
    decimal: str = "."
    comment: str | None = None
    na: tuple[str, ...] = ()
    units: str | None = None
    group_by: str | None = None

    @property
    def title(self) -> str:
        """The name of the source in messages."""
        return "standard input" if self.source == "-" else self.source


@dataclass(frozen=True)
class Data:
    """The data that were read: finite values with their weights, and their rows in the source.

    Attributes
    ----------
    values : array of float
        The numbers, without the rows that were dropped.
    weights : array of float or None
        Their weights, if a column of weights was given.
    kept : array of bool
        Whether each row of the source is among the values.
    name : str or None
        The name of the column, if it has one.
    table : Table
        The whole table of the source.
    units : str or None
        The unit of the numbers, if it was given.
    decimal : str
        The decimal mark of the source.
    groups : list of str or None
        The group of each value, if a column of groups was given.
    place : int
        The index of the column in the table.
    """

    values: FloatArray
    weights: FloatArray | None
    kept: npt.NDArray[np.bool_]
    name: str | None
    table: Table
    units: str | None = None
    decimal: str = "."
    groups: list[str] | None = None
    place: int = 0

    @property
    def label(self) -> str | None:
        """The label of the axis of a picture: the name of the column and its units."""
        if self.units is None:
            return self.name
        return f"{self.name or 'x'} ({self.units})"

    @property
    def n_dropped(self) -> int:
        """The number of rows that were left out because a value was missing."""
        return int((~self.kept).sum())


@dataclass(frozen=True)
class Elsewhere:
    """Data that are not read here: what fits take instead of values and weights, and how it is read."""

    values: Any
    weights: None = None
    name: None = None
    label: None = None
    how: str = "read by the engine"


def data_for(request: Request, settings: dict[str, Any], large: Literal["chunks", "summary"]) -> Data | Elsewhere:
    """Return the data, a stored summary, or the path if the engine in the settings reads files itself.

    A large file is read in chunks, or once into a summary.
    """
    if "engine" not in settings:
        summary = stored_summary(request.source)
        if summary is not None:
            return Elsewhere(summary, how=f"a summary of {summary.count} values")
        if (chunks := chunks_of(request)) is None:
            return read_data(request)
        if large == "chunks":
            return Elsewhere(chunks, how="read in chunks")
        with waiting(f"reading {printable(request.title)}"):
            summary = summary_of(chunks)
        return Elsewhere(summary, how=f"read in chunks: a summary of {summary.count} values")
    engine = settings["engine"] = lookup.engine(settings["engine"])
    if not engine.reads_files:
        return read_data(request)
    if given := [item.name for item in fields(Request)[1:] if getattr(request, item.name) != item.default]:
        option = f"--{given[0].replace('_', '-')}"
        raise InvalidInputError(f"the engine {engine.name!r} reads FILE itself; give {option} in its parameters")
    if request.source == "-":
        raise InvalidInputError(f"the engine {engine.name!r} reads FILE itself; give a file instead of -")
    return Elsewhere(request.source)


def read_data(request: Request) -> Data:
    """Return the requested column, or raise InvalidInputError with the place that cannot be read."""
    with waiting(f"reading {printable(request.title)}"):
        return _read(request)


def _read(request: Request) -> Data:
    table = _table(request, unpacked(_content(request), request.title))
    column, weights = _columns(request, table)
    missing = np.isnan(column.values)
    _check_missing(request, column, missing)
    if weights is not None:
        weights.refuse_negative(request.title)
        absent = np.isnan(weights.values) & ~missing
        _check_missing(request, weights, absent)
        missing = missing | absent
    kept = ~missing
    if not kept.any():
        raise InvalidInputError(f"{request.title} has no values in {column.title}")
    masses = None if weights is None else weights.values[kept]
    groups = None
    if request.group_by is not None:
        cells = table.texts(place_of(request.group_by, table.names, table.width, request.title, "--group-by"))
        groups = [cell for cell, there in zip(cells, kept.tolist(), strict=True) if there]
    known = column.name, table, request.units, request.decimal, groups, column.number - 1
    return Data(column.values[kept], masses, kept, *known)


def _content(request: Request) -> bytes:
    try:
        if request.source == "-":
            return _standard_input()
        with Path(request.source).open("rb") as file:
            _refuse_device(file.fileno(), request.source)
            content = file.read()
    except FileNotFoundError:
        raise InvalidInputError(f"there is no file {request.source}") from None
    except IsADirectoryError:
        raise InvalidInputError(f"{request.source} is a folder; give a file") from None
    except InvalidInputError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"{request.title} cannot be read: {why}") from None
    return content


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InvalidInputError("there is no standard input; give a file")
    with suppress(io.UnsupportedOperation):
        _refuse_device(sys.stdin.fileno(), "standard input")
    return sys.stdin.buffer.read()


def _refuse_device(file: int, source: str) -> None:
    """Refuse endless devices such as /dev/zero; a terminal, a pipe and /dev/null are allowed."""
    status = os.fstat(file)
    if not (stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)) or os.isatty(file):
        return
    if not os.path.samestat(status, Path(os.devnull).stat()):
        raise InvalidInputError(f"{source} is a device; give a file")


def names_in(request: Request) -> list[str]:
    """Return the names of the columns of a source, if it has names."""
    return _table(request, unpacked(_content(request), request.title)).names or []


def _table(request: Request, content: bytes) -> Table:
    if not content.strip():
        raise InvalidInputError(f"{request.title} is empty")
    if content.startswith(b"\x93NUMPY"):
        from mindgap.cli.npy import StoredArray

        return StoredArray(request, content)
    if content.startswith((b"PAR1", b"ARROW1")):
        from mindgap.cli.parquet import ArrowTable

        return ArrowTable(request, content)
    from mindgap.cli.delimited import DelimitedText

    return DelimitedText(request, content)


def _columns(request: Request, table: Table) -> tuple[Column, Column | None]:
    """Return the requested column, and that of the weights if there is one."""
    places = [place_of(request.column, table.names, table.width, request.title)]
    if request.weights is not None:
        places.append(place_of(request.weights, table.names, table.width, request.title, "--weights"))
    missing = [number for word in request.na if (number := _number(word)) is not None]
    columns = [column.without(missing).refuse_infinite(request.title) for column in table.numbers(*places)]
    return columns[0], columns[1] if len(columns) > 1 else None


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _check_missing(request: Request, column: Column, missing: npt.NDArray[np.bool_]) -> None:
    count = int(missing.sum())
    if count and not request.drop_missing:
        first = column.place(int(np.argmax(missing)))
        values = "value is" if count == 1 else "values are"
        where = f"at {first}" if count == 1 else f"the first at {first}"
        raise InvalidInputError(
            f"{count} {values} missing in {column.title} of {request.title}, {where}; --drop-missing leaves them out"
        )
