"""Write the columns of a source and the labels of a fit as Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.cli.labelled import new_names
from mindgap.cli.large import other_columns
from mindgap.cli.npy import StoredArray
from mindgap.cli.parquet import ArrowTable
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.extras import demand
from mindgap.model.chunks import Chunks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mindgap.cli.reading import Data, Elsewhere, Request


def write_parquet(path: str, data: Data | Elsewhere, columns: Mapping[str, Any]) -> None:
    """Write the rows of data in memory with the columns of a fit appended, empty for rows that were left out."""
    demand("parquet", "pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    from mindgap.cli.reading import Data

    if not isinstance(data, Data):
        if not len(np.asarray(columns["label"])):
            raise InvalidInputError("the engine that reads the data has no labels for them; leave --labels out")
        cells = {name: pa.array(np.asarray(column)) for name, column in columns.items()}
    else:
        table = data.table
        names = table.titles
        cells = {name: _column(pa, table, place) for place, name in enumerate(names)}
        for name, column in zip(new_names(names, columns), columns.values(), strict=True):
            full = np.full(len(data.kept), None, dtype=object)
            full[data.kept] = [None if cell == "" else cell for cell in np.asarray(column).tolist()]
            cells[name] = pa.array(full)
    try:
        parquet.write_table(pa.table(cells), path)
    except OSError as error:
        raise InvalidInputError(f"cannot write {path!r}: {error.strerror or error}") from error


def write_chunks(path: str, request: Request, chunks: Chunks, result: Any) -> int:
    """Write the labels of a file that is read in chunks, with its other columns."""
    if not path.lower().endswith(".parquet"):
        raise InvalidInputError(f"{request.title} is read in chunks; write its labels to a .parquet file, not {path}")
    rows: int = result.write_labels(path, chunks, keys=other_columns(request))
    return rows


def _column(pa: Any, table: Any, place: int) -> Any:
    if isinstance(table, (ArrowTable, StoredArray)):
        cells = table._cells(place)
        return cells if isinstance(table, ArrowTable) else pa.array(np.ascontiguousarray(cells))
    return pa.array(table.texts(place))
