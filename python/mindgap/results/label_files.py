"""Write labels of data that do not fit into memory as Parquet, together with key columns of the data."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from mindgap import _core
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.extras import demand
from mindgap.foundation.parquet import label_table, parquet_options
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

    #: Computes the columns to write from an array: the label, and for a mixture its probability.
    Columns: TypeAlias = Callable[[Any], dict[str, Any]]

    #: Whether to show a line, or a function to call with the number of points done and the total (None if not known).
    Told: TypeAlias = bool | Callable[[int, int | None], Any]


#: Suffixes of text files, which labels are never written to.
_TEXTS = (".csv", ".tsv", ".txt", ".json")


def cluster_columns(boundaries: FloatArray) -> Columns:
    """Return the function that assigns each value to its cluster."""
    return partial(_clusters, by_boundaries(boundaries))


def mixture_columns(parameters: Triple) -> Columns:
    """Return the function that assigns each value to its most likely component, with the probability."""
    return partial(_components, parameters)


def _clusters(predict: Callable[[Any], Any], x: Any) -> dict[str, Any]:
    return {"label": predict(x)}


def _components(parameters: Triple, x: Any) -> dict[str, Any]:
    labels, probabilities = _core.classify(aligned(parameters), finite_points(x))
    return {"label": labels, "probability": probabilities}


def write_labels(
    path: str | os.PathLike[str], x: Any, columns: Columns, column: str | None, keys: Iterable[str], progress: Told
) -> int:
    """Write the key columns and the labels of all points of `x`; return the number of rows."""
    demand("parquet", "pyarrow")
    wanted = _as_keys(keys)
    engine = engine_for(x)
    target = Path(path)
    if target.suffix.lower() in _TEXTS:
        raise InvalidInputError(f"labels are written as Parquet, not to {target.name}; give a name in .parquet")
    with ProgressLine() if progress is True else nullcontext() as line:

        def tell(done: int, total: int | None) -> None:
            if callable(progress):
                progress(done, total)
            elif line is not None:
                line("labels", done, "" if total is None else f" of {total}")

        if engine is not None:
            return guard.written(engine, target, x, columns, column, wanted, tell)
        if isinstance(x, Chunks) and column is not None:
            raise InvalidInputError("column is given in addition to Chunks; give it to the Chunks")
        chunks = x if isinstance(x, Chunks) else Chunks(x, column=column)
        return _write_chunks(target, chunks, columns, wanted, tell)


def _as_keys(keys: Iterable[str]) -> tuple[str, ...]:
    found = (keys,) if isinstance(keys, str) else tuple(keys)
    for key in found:
        if not isinstance(key, str) or key in ("label", "probability") or found.count(key) > 1:
            raise InvalidInputError(
                f"keys has {key!r}; give distinct names of columns, other than label and probability"
            )
    return found


def _write_chunks(
    target: Path, chunks: Chunks, columns: Columns, keys: tuple[str, ...], tell: Callable[[int, int | None], None]
) -> int:
    done, total, writer = 0, chunks._rows(), None
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        for table in in_order(lambda numbered: _labelled(columns, *numbered), enumerate(chunks._pieces(keys))):
            if writer is None:
                schema = table.schema
                writer = import_module("pyarrow.parquet").ParquetWriter(draft, schema, **parquet_options(schema))
            writer.write_table(table)
            done += table.num_rows
            tell(done, total)
        if writer is None:
            raise InvalidInputError("there are no chunks, so there is nothing to write")
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
        return label_table(keys, columns(values))
    except InvalidInputError as error:
        raise InvalidInputError(f"in {title(number, piece)}, {error}") from error
