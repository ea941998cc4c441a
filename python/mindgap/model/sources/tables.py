"""Columns of tables: Parquet and CSV files by pyarrow (the extra ``mindgap[parquet]``), and tables in memory."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mindgap.foundation.errors import InvalidInputError, MindgapError
from mindgap.foundation.extras import demand
from mindgap.foundation.messages import reason, shorten
from mindgap.model.sources.piece import Loaded, Piece, Source, Stamp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

#: Cell separators that are detected.
_SEPARATORS = ",;\t"

#: The block size for reading text, in bytes.
_BLOCK = 2**23


class ParquetFile(Source):
    """A column of a Parquet file. Whole row groups are read, as many at a time as make up `size` rows."""

    def __init__(self, path: Path, column: str | None, weights: str | None, size: int) -> None:
        demand("parquet", "pyarrow")
        self._path, self._size, self._stamp = path, size, Stamp(path)
        with arrow_faults(path, "Parquet"):
            self._meta = import_module("pyarrow.parquet").read_metadata(path)
            self._names = list(self._meta.schema.to_arrow_schema().names)
        self._column = choose(column, self._names, str(path), "column")
        self._weights = None if weights is None else choose(weights, self._names, str(path), "sample_weight")

    def pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return ranges of row groups, each read when it is used."""
        for key in keys:
            choose(key, self._names, str(self._path), "keys")
        for groups in self._runs():
            place = f"row group {groups[0]} of {self._path}"
            yield Piece(lambda groups=groups: self._load(groups, keys), place)  # type: ignore[misc]

    def rows(self) -> int:
        """Return the number of rows in the footer."""
        return int(self._meta.num_rows)

    def _runs(self) -> Iterator[list[int]]:
        run: list[int] = []
        rows = 0
        for group in range(self._meta.num_row_groups):
            more = self._meta.row_group(group).num_rows
            if run and rows + more > self._size:
                yield run
                run, rows = [], 0
            run.append(group)
            rows += more
        if run:
            yield run

    def _load(self, groups: list[int], keys: tuple[str, ...]) -> Loaded:
        self._stamp.check()
        names = [name for name in (self._column, self._weights) if name is not None]
        with arrow_faults(self._path, "Parquet"):
            parquet = import_module("pyarrow.parquet")
            with parquet.ParquetFile(self._path, metadata=self._meta) as file:
                table = file.read_row_groups(groups, columns=list({*names, *keys}), use_threads=False)
        return loaded_of(table, self._column, self._weights, keys, str(self._path))


class CsvFile(Source):
    """A column of a delimited text file; every pass reads it from the beginning."""

    def __init__(self, path: Path, column: str | None, weights: str | None) -> None:
        demand("parquet", "pyarrow")
        self._path, self._stamp = path, Stamp(path)
        with path.open("rb") as file:
            first = file.readline(2**16).decode("utf-8-sig", errors="replace")
        self._separator = max(_SEPARATORS, key=first.count)
        cells = [cell.strip().strip('"') for cell in first.rstrip("\r\n").split(self._separator)]
        if cells == [""]:
            raise InvalidInputError(f"{path} is empty, or begins with an empty line; give names or numbers there")
        self._named = not all(map(_is_number, cells))
        self._names = cells if self._named else [f"f{number}" for number in range(len(cells))]
        self._column = choose(column, self._names, str(path), "column")
        self._weights = None if weights is None else choose(weights, self._names, str(path), "sample_weight")

    def pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return blocks of rows, read one after the other."""
        for key in keys:
            choose(key, self._names, str(self._path), "keys")
        self._stamp.check()
        start = 0
        with arrow_faults(self._path, "CSV"), self._opened(keys) as reader:
            for batch in reader:
                loaded = loaded_of(batch, self._column, self._weights, keys, str(self._path))
                place = f"rows {start} to {start + batch.num_rows - 1} of {self._path}"
                start += batch.num_rows
                yield Piece(lambda loaded=loaded: loaded, place)  # type: ignore[misc]

    def _opened(self, keys: tuple[str, ...]) -> Any:
        arrow, text = import_module("pyarrow"), import_module("pyarrow.csv")
        numbers = [name for name in (self._column, self._weights) if name is not None]
        return text.open_csv(
            self._path,
            text.ReadOptions(block_size=_BLOCK, autogenerate_column_names=not self._named),
            text.ParseOptions(delimiter=self._separator),
            text.ConvertOptions(
                column_types=dict.fromkeys(numbers, arrow.float64()), include_columns=list({*numbers, *keys})
            ),
        )


class TablePieces(Source):
    """A column of a table in memory: Arrow's, polars' or pandas', cut into slices."""

    def __init__(self, table: Any, column: str | None, weights: str | None, size: int) -> None:
        names = names_of(table)
        self._table, self._size, self._names = table, size, names
        self._title = f"the {type(table).__name__}"
        self._column = choose(column, names, self._title, "column")
        self._weights = None if weights is None else choose(weights, names, self._title, "sample_weight")

    def pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return the slices."""
        for start in range(0, len(self._table), self._size):
            yield Piece(lambda start=start: self._load(start, keys))  # type: ignore[misc]

    def rows(self) -> int:
        """Return the number of rows."""
        return len(self._table)

    def _load(self, start: int, keys: tuple[str, ...]) -> Loaded:
        if hasattr(self._table, "iloc"):
            part = self._table.iloc[start : start + self._size]
        else:
            part = self._table.slice(start, self._size)
        return loaded_of(part, self._column, self._weights, keys, self._title)


def is_table(x: Any) -> bool:
    """Return whether an object is a table of Arrow, polars or pandas."""
    root = type(x).__module__.partition(".")[0]
    return root in ("pyarrow", "polars", "pandas") and type(x).__name__ in ("Table", "RecordBatch", "DataFrame")


def names_of(table: Any) -> list[str]:
    """Return the names of the columns of a table."""
    return list(table.schema.names if type(table).__module__.startswith("pyarrow") else table.columns)


def choose(wanted: str | None, names: Sequence[str], title: str, option: str) -> str:
    """Return the name of the requested column; by default the only one."""
    if wanted is None and len(names) == 1:
        return names[0]
    listed = ", ".join(map(str, names[:12])) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    if wanted is None:
        raise InvalidInputError(f"{title} has the columns {listed}; name one with {option}=")
    if not isinstance(wanted, str):
        raise InvalidInputError(f"{option} is {shorten(wanted)}; give the name of a column of {title}")
    if list(names).count(wanted) != 1:
        how = "has no column" if wanted not in names else "has more than one column"
        raise InvalidInputError(f"{title} {how} {wanted!r}; it has {listed}")
    return wanted


def loaded_of(table: Any, column: str, weights: str | None, keys: tuple[str, ...], title: str) -> Loaded:
    """Return the values, the weights and the key columns of a table."""
    masses = None if weights is None else _numbers(table, weights, title)
    for key in keys:
        choose(key, names_of(table), title, "keys")
    return Loaded(_numbers(table, column, title), masses, {key: _cells(table, key) for key in keys})


def _cells(table: Any, name: str) -> Any:
    return table.column(name) if type(table).__module__.startswith("pyarrow") else table[name]


def _numbers(table: Any, name: str, title: str) -> Any:
    """Return a column as an array, with NaN for missing cells."""
    cells = _cells(table, name)
    if not type(table).__module__.startswith("pyarrow"):
        return cells.to_numpy()
    arrow = import_module("pyarrow")
    kind = cells.type
    if arrow.types.is_dictionary(kind):
        cells, kind = cells.cast(kind.value_type), kind.value_type
    if arrow.types.is_decimal(kind) or arrow.types.is_null(kind):
        cells = cells.cast(arrow.float64())
    elif not (arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_boolean(kind)):
        raise InvalidInputError(f"column {name!r} of {title} holds {kind}, not numbers")
    return cells.to_numpy() if hasattr(cells, "num_chunks") else cells.to_numpy(zero_copy_only=False)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@contextmanager
def arrow_faults(title: str | Path, kind: str) -> Iterator[None]:
    """Raise InvalidInputError with the file's title if Arrow cannot read it."""
    try:
        yield
    except (MindgapError, GeneratorExit):
        raise
    except Exception as error:  # Arrow raises many kinds of errors for damaged files
        raise InvalidInputError(f"{title} cannot be read as {kind}: {reason(error).splitlines()[0]}") from error
