"""Tables of labels in Arrow, and how mindgap writes them as Parquet. Needs pyarrow."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.messages import reason


def label_table(keys: dict[str, Any], columns: dict[str, Any]) -> Any:
    """Return an Arrow table of key columns followed by columns of numbers.

    Parameters
    ----------
    keys : dict
        The key columns by name: arrays, Arrow or polars columns.
    columns : dict
        The other columns by name: arrays of numbers without missing values.

    Examples
    --------
    >>> from mindgap.host import label_table
    >>> label_table({"id": ["a", "b"]}, {"label": np.array([0, 1])}).column_names
    ['id', 'label']
    """
    arrow = import_module("pyarrow")
    try:
        cells = {name: _arrow_column(arrow, column) for name, column in keys.items()}
    except Exception as error:  # Arrow raises many kinds of errors for objects that it cannot store
        raise InvalidInputError(f"a key column cannot be stored as Parquet: {reason(error)}") from error
    found = {name: arrow.array(np.asarray(column)) for name, column in columns.items()}
    # Without the bitmap of missing cells, writing takes half the time.
    schema = [arrow.field(name, cell.type) for name, cell in cells.items()]
    schema += [arrow.field(name, cell.type, nullable=False) for name, cell in found.items()]
    return arrow.table([*cells.values(), *found.values()], schema=arrow.schema(schema))


def _arrow_column(arrow: Any, column: Any) -> Any:
    if isinstance(column, (arrow.Array, arrow.ChunkedArray)):
        return column
    return column.to_arrow() if hasattr(column, "to_arrow") else arrow.array(column)


def parquet_options(schema: Any) -> dict[str, Any]:
    """Return the options that write a table fast: integers as differences, floats uncompressed, text compressed.

    Parameters
    ----------
    schema : pyarrow.Schema
        The schema of the table.

    Examples
    --------
    >>> from mindgap.host import label_table, parquet_options
    >>> parquet_options(label_table({}, {"label": np.array([0, 1])}).schema)["column_encoding"]
    {'label': 'DELTA_BINARY_PACKED'}
    """
    types = import_module("pyarrow").types
    integers = [field.name for field in schema if types.is_integer(field.type)]
    floats = [field.name for field in schema if types.is_floating(field.type)]
    others = [name for name in schema.names if name not in (*integers, *floats)]
    return {
        "compression": {name: "snappy" if name in others else "none" for name in schema.names},
        "use_dictionary": others,
        "write_statistics": [name for name in schema.names if name not in ("label", "probability")],
        "column_encoding": dict.fromkeys(integers, "DELTA_BINARY_PACKED"),
    }
