"""Parquet and Feather files, read by pyarrow (the extra ``mindgap[parquet]``). Only the needed columns are read."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mindgap.cli.tables import Column, Table
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.extras import demand
from mindgap.model.sources.tables import arrow_faults
from mindgap.validation import as_vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindgap.cli.reading import Request


class ArrowTable(Table):
    """The columns of a Parquet or Feather file."""

    def __init__(self, request: Request, content: bytes) -> None:
        demand("parquet", "pyarrow")
        self._title = request.title
        self._kind = "Parquet" if content.startswith(b"PAR1") else "Feather"
        self._arrow = import_module("pyarrow")
        with arrow_faults(self._title, self._kind):
            source = self._arrow.BufferReader(content)
            if self._kind == "Parquet":
                self._file = import_module("pyarrow.parquet").ParquetFile(source)
                self.names = list(self._file.schema_arrow.names)
            else:
                self._file = None
                self._table = import_module("pyarrow.feather").read_table(source)
                self.names = list(self._table.column_names)
        self.width = len(self.names)

    def numbers(self, *places: int) -> list[Column]:
        """Return columns of numbers."""
        with arrow_faults(self._title, self._kind):
            return [self._column(place) for place in places]

    def texts(self, place: int) -> list[str]:
        """Return a column as text; missing cells are empty."""
        with arrow_faults(self._title, self._kind):
            return ["" if cell is None else f"{cell}" for cell in self._cells(place).to_pylist()]

    def rows(self) -> Iterator[list[str]]:
        """Return all cells as text."""
        return map(list, zip(*map(self.texts, range(self.width)), strict=True))

    def _cells(self, place: int) -> Any:
        if self._file is None:
            return self._table.column(place)
        assert self.names is not None
        name = self.names[place]
        table = self._file.read(columns=[name])
        # Columns of the same name come together, in their order.
        same = [at for at, found in enumerate(table.column_names) if found == name]
        return table.column(same[self.names[:place].count(name)])

    def _column(self, place: int) -> Column:
        assert self.names is not None
        name, types = self.names[place], self._arrow.types
        cells = self._cells(place)
        kind = cells.type
        if types.is_decimal(kind):
            cells = cells.cast(self._arrow.float64())
        elif not (types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind)):
            raise InvalidInputError(f"column {name} of {self._title} holds {kind}, not numbers")
        # Integers that no double represents are refused, as everywhere.
        values = cells.cast(self._arrow.float64()).to_numpy(zero_copy_only=False)
        return Column(as_vector(values, f"column {name}"), place + 1, name)
