"""Labels of data that do not fit into memory, written as Parquet beside the columns that tell the rows apart."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mindgap import _core
from mindgap.errors import InvalidInputError
from mindgap.foundation.extras import demand
from mindgap.foundation.messages import reason
from mindgap.foundation.progress import ProgressLine
from mindgap.host import guard
from mindgap.host.dispatch import engine_for
from mindgap.model.chunks import Chunks, load_piece, title
from mindgap.model.passing import in_order
from mindgap.results.new_points import finite_points
from mindgap.results.pointwise import aligned, by_boundaries

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.model.sources import Piece
    from mindgap.results.pointwise import Triple
    from mindgap.validation import FloatArray

    #: Makes the columns to write of an array: label, and of a mixture its probability.
    Columns: TypeAlias = Callable[[Any], dict[str, Any]]

    #: Whether to show a line, or what to call with the points done and all of them, None where that is not known.
    Told: TypeAlias = bool | Callable[[int, int | None], Any]


def cluster_columns(boundaries: FloatArray) -> Columns:
    """Return what gives each value its cluster."""
    return partial(_clusters, by_boundaries(boundaries))


def mixture_columns(parameters: Triple) -> Columns:
    """Return what gives each value its most likely component, and how likely that is."""
    return partial(_components, parameters)


def _clusters(predict: Callable[[Any], Any], x: Any) -> dict[str, Any]:
    return {"label": predict(x)}


def _components(parameters: Triple, x: Any) -> dict[str, Any]:
    labels, probabilities = _core.classify(aligned(parameters), finite_points(x))
    return {"label": labels, "probability": probabilities}


def write_labels(
    path: str | os.PathLike[str], x: Any, columns: Columns, column: str | None, keys: Iterable[str], progress: Told
) -> int:
    """Write the columns of all points of `x`, with the key columns first; return how many rows there are."""
    demand("parquet", "pyarrow")
    wanted = _as_keys(keys)
    engine = engine_for(x)
    target = Path(path)
    with ProgressLine() if progress is True else nullcontext() as line:

        def tell(done: int, total: int | None) -> None:
            if callable(progress):
                progress(done, total)
            elif line is not None:
                line("labels", done, "" if total is None else f" of {total}")

        if engine is not None:
            return guard.written(engine, target, x, columns, column, wanted, tell)
        if isinstance(x, Chunks) and column is not None:
            raise InvalidInputError("column is given beside Chunks; give it to the Chunks")
        chunks = x if isinstance(x, Chunks) else Chunks(x, column=column)
        return _write_chunks(target, chunks, columns, wanted, tell)


def _as_keys(keys: Iterable[str]) -> tuple[str, ...]:
    found = (keys,) if isinstance(keys, str) else tuple(keys)
    for key in found:
        if not isinstance(key, str) or key in ("label", "probability") or found.count(key) > 1:
            raise InvalidInputError(
                f"keys has {key!r}; give names of columns, each once, other than label and probability"
            )
    return found


def _write_chunks(
    target: Path, chunks: Chunks, columns: Columns, keys: tuple[str, ...], tell: Callable[[int, int | None], None]
) -> int:
    done, total, writer = 0, chunks._rows(), None
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        for table in in_order(lambda numbered: _labelled(columns, *numbered), enumerate(chunks._pieces(keys))):
            writer = _opened(draft, table.schema) if writer is None else writer
            writer.write_table(table)
            done += table.num_rows
            tell(done, total)
        if writer is None:
            raise InvalidInputError("there are no chunks; there is nothing to write")
        writer.close()
        draft.replace(target)
    except OSError as error:
        raise InvalidInputError(f"cannot write {str(target)!r}: {error.strerror or error}") from error
    finally:
        if writer is not None:
            writer.close()
        draft.unlink(missing_ok=True)
    return done


def _labelled(columns: Columns, number: int, piece: Piece) -> Any:
    """Return the table of one chunk."""
    values, _, keys = load_piece(number, piece)
    try:
        return table_of(keys, columns(values))
    except InvalidInputError as error:
        raise InvalidInputError(f"in {title(number, piece)}, {error}") from error


def table_of(keys: dict[str, Any], columns: dict[str, Any]) -> Any:
    """Return an Arrow table of key columns, in whatever form they are, and of arrays."""
    arrow = import_module("pyarrow")
    try:
        cells = {name: _arrow_column(arrow, column) for name, column in keys.items()}
    except Exception as error:  # whatever Arrow makes of objects it cannot store
        raise InvalidInputError(f"a key column cannot be stored as Parquet: {reason(error)}") from error
    found = {name: arrow.array(np.asarray(column)) for name, column in columns.items()}
    # Marks for missing cells, of which there are none, would take half of the time.
    schema = [arrow.field(name, cell.type) for name, cell in cells.items()]
    schema += [arrow.field(name, cell.type, nullable=False) for name, cell in found.items()]
    return arrow.table([*cells.values(), *found.values()], schema=arrow.schema(schema))


def _arrow_column(arrow: Any, column: Any) -> Any:
    if isinstance(column, (arrow.Array, arrow.ChunkedArray)):
        return column
    return column.to_arrow() if hasattr(column, "to_arrow") else arrow.array(column)


def _opened(path: Path, schema: Any) -> Any:
    return import_module("pyarrow.parquet").ParquetWriter(path, schema, **writing(schema))


def writing(schema: Any) -> dict[str, Any]:
    """Return how Parquet is written, for speed: integers as small steps; numbers that do not pack as they are."""
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
