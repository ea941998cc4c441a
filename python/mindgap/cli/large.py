"""Files that are not read into memory: large npy and Parquet files, read in chunks, and stored summaries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindgap.foundation.errors import InvalidInputError
from mindgap.model.chunks import Chunks
from mindgap.model.sources.tables import arrow_faults
from mindgap.model.summary import CELLS, Summary
from mindgap.model.summary_bytes import MAGIC

if TYPE_CHECKING:
    from mindgap.cli.reading import Request

#: The environment variable for the size in bytes above which files are read in chunks (default: a quarter of memory).
ABOVE = "MINDGAP_CHUNK_ABOVE"

#: The beginning of a stored summary in JSON.
_JSON = b'{"mindgap": "Summary"'


def limit() -> float:
    """Return the size in bytes above which a file is read in chunks."""
    if given := os.environ.get(ABOVE):
        if not given.isdecimal():
            raise InvalidInputError(f"{ABOVE} is {given!r}; it must be a number of bytes")
        return int(given)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 4
    except (AttributeError, OSError, ValueError):  # the system does not report its memory
        return float("inf")


def stored_summary(source: str) -> Summary | None:
    """Return the summary in a file, or None if it holds something else."""
    start = _start(source)
    if start.startswith(MAGIC):
        return Summary.from_bytes(Path(source).read_bytes())
    if start == _JSON:
        return Summary.from_json(Path(source).read_bytes())
    return None


def chunks_of(request: Request) -> Chunks | None:
    """Return a large npy or Parquet file in chunks; None if it is small, or an option needs all of it."""
    whole = request.drop_missing or request.group_by or request.na or request.units
    start = _start(request.source)
    if whole or not start.startswith((b"\x93NUMPY", b"PAR1")):
        return None
    column: Any = request.column
    if start.startswith(b"PAR1"):
        from mindgap.foundation.extras import demand

        demand("parquet", "pyarrow")
        names, rows = _parquet_facts(request.source)
        if max(Path(request.source).stat().st_size, 8 * rows) <= limit():
            return None
        weights = _by_number(request.weights, names)
        return Chunks(request.source, weights, column=_by_number(column, names))
    if Path(request.source).stat().st_size <= limit() or request.weights is not None:
        return None
    return Chunks(request.source, column=int(column) - 1 if column is not None and column.isdecimal() else column)


def summary_of(chunks: Chunks, cells: int = CELLS) -> Summary:
    """Return the summary of chunks, in one pass."""
    summary = Summary(cells)
    for values, weights in chunks:
        summary.add(values, weights)
    return summary


def other_columns(request: Request) -> list[str]:
    """Return the columns of a Parquet file to write beside its labels: all but those with the labels' names."""
    if not _start(request.source).startswith(b"PAR1"):
        return []
    return [name for name in _parquet_facts(request.source)[0] if name not in ("label", "probability")]


def _parquet_facts(source: str) -> tuple[list[str], int]:
    from pyarrow import parquet

    with arrow_faults(source, "Parquet"):
        meta = parquet.read_metadata(source)
        return list(meta.schema.to_arrow_schema().names), meta.num_rows


def _by_number(wanted: str | None, names: list[str]) -> str | None:
    """Return the name of a column that was given by name or by its number from 1."""
    if wanted is None or wanted in names or not wanted.isdecimal() or not 1 <= int(wanted) <= len(names):
        return wanted
    return names[int(wanted) - 1]


def _start(source: str) -> bytes:
    """Return the first bytes of a regular file; none of a pipe, which can be read only once."""
    try:
        if not Path(source).is_file():
            return b""
        with Path(source).open("rb") as file:
            return file.read(len(_JSON))
    except (OSError, ValueError):
        return b""
