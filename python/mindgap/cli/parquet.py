"""Parquet, by pyarrow: the extra ``mindgap[parquet]``. Reads only the columns that are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mindgap.cli.tables import Column, place_of
from mindgap.errors import InvalidInputError
from mindgap.foundation.extras import demand
from mindgap.foundation.messages import reason
from mindgap.validation import as_vector

if TYPE_CHECKING:
    from mindgap.cli.reading import Request


def read_parquet(request: Request, content: bytes) -> tuple[Column, Column | None]:
    """Return the column that was asked for, and that of the weights if one was."""
    demand("parquet", "pyarrow")
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        file = parquet.ParquetFile(arrow.BufferReader(content))
        names = list(file.schema_arrow.names)
        column = _column(request, arrow, file, names, request.column, "--column")
        if request.weights is None:
            return column, None
        return column, _column(request, arrow, file, names, request.weights, "--weights")
    except InvalidInputError:
        raise
    except Exception as error:  # what Arrow makes of a damaged file is of many classes
        why = reason(error).splitlines()[0]
        raise InvalidInputError(f"{request.title} cannot be read as Parquet: {why}") from None


def _column(request: Request, arrow: Any, file: Any, names: list[str], wanted: str | None, option: str) -> Column:
    place = place_of(wanted, names, len(names), request.title, option)
    name = names[place]
    table = file.read(columns=[name])
    # Columns of the same name come together, in their order.
    cells = table.column(
        [at for at, found in enumerate(table.column_names) if found == name][names[:place].count(name)]
    )
    kind = cells.type
    if arrow.types.is_decimal(kind):
        cells = cells.cast(arrow.float64())
    elif not (arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_null(kind)):
        raise InvalidInputError(f"column {name} of {request.title} holds {kind}, not numbers")
    # Integers that no double holds are refused, as everywhere.
    values = cells.cast(arrow.float64()).to_numpy(zero_copy_only=False)
    return Column(as_vector(values, f"column {name}"), place + 1, name).refuse_infinite(request.title)
