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
from mindgap.foundation.files import write_atomically
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
        names, cells = [*columns], [pa.array(np.asarray(column)) for column in columns.values()]
    else:
        table = data.table
        names = table.titles
        cells = [_column(pa, data, place) for place in range(table.width)]
        cells += [_spread(pa, data, column) for column in columns.values()]
        names = [*names, *new_names(names, columns)]
    content = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_arrays(cells, names=names), content)
    write_atomically(path, content.getvalue())


def write_chunks(path: str, request: Request, chunks: Chunks, result: Any) -> int:
    """Write the labels of a file that is read in chunks, with its other columns."""
    if not path.lower().endswith(".parquet"):
        raise InvalidInputError(f"{request.title} is read in chunks; write its labels to a .parquet file, not {path}")
    rows: int = result.write_labels(path, chunks, keys=other_columns(request))
    return rows


def _column(pa: Any, data: Data, place: int) -> Any:
    """Return a column of the source; of text, the fitted one as numbers."""
    table = data.table
    if isinstance(table, ArrowTable):
        return table._cells(place)
    if isinstance(table, StoredArray):
        return pa.array(np.ascontiguousarray(table._cells(place)))
    return _spread(pa, data, data.values) if place == data.place else pa.array(table.texts(place))


def _spread(pa: Any, data: Data, column: Any) -> Any:
    """Return a column with one entry per value as one with an entry per row, null for rows that were left out."""
    full = np.full(len(data.kept), None, dtype=object)
    full[data.kept] = [None if cell == "" else cell for cell in np.asarray(column).tolist()]
    return pa.array(full)
