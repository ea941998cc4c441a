"""Write labels of Dask data to a folder of Parquet files, one per chunk, in the tasks that load the chunks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask
from distributed import Client, as_completed

import mindgap as mg
from mindgap.host import in_order, label_table, parquet_options
from mindgap.validation import as_vector
from mindgap_dask.source import as_array


def write(
    client: Client | None,
    folder: Path,
    x: Any,
    columns: Callable[[Any], dict[str, Any]],
    column: str | None,
    keys: tuple[str, ...],
    tell: Callable[[int, int | None], None],
) -> int:
    """Write the files, as many at a time as there are workers, and return the number of rows.

    Each file is written atomically, so that a task may run twice.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise mg.InvalidInputError(f"{folder} already exists and is not empty; give a new or empty folder")
    parts = _parts(x, column, keys)
    folder.mkdir(parents=True, exist_ok=True)
    place = str(folder.absolute())
    tasks = [
        dask.delayed(_write_part, pure=False)(part, number, place, columns, column, keys)
        for number, part in enumerate(parts)
    ]
    done = 0
    for rows in _finished(client, tasks):
        done += rows
        tell(done, None)
    return done


def _parts(x: Any, column: str | None, keys: tuple[str, ...]) -> list[Any]:
    """Return each chunk as a delayed object: a part of a frame, or of an array."""
    names = getattr(x, "columns", None)
    if names is not None and getattr(x, "ndim", 1) == 2 and hasattr(x, "to_delayed") and (keys or column is not None):
        for name in (column, *keys):
            if name is None or list(names).count(name) != 1:
                listed = ", ".join(map(str, names))
                raise mg.InvalidInputError(f"x has no one column {name!r}; give column= and keys= of {listed}")
        found: list[Any] = x[[column, *(key for key in keys if key != column)]].to_delayed()
        return found
    if keys or column is not None:
        raise mg.InvalidInputError("keys and column name columns of a Dask frame; x has none")
    return list(as_array(x, "x").to_delayed().ravel())


def _write_part(
    part: Any, number: int, folder: str, columns: Callable[[Any], Any], column: str | None, keys: tuple[str, ...]
) -> int:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise mg.MissingExtraError(
            "writing Parquet needs pyarrow on every worker; install it with: pip install 'mindgap-dask[parquet]'"
        ) from error
    values = as_vector(part if column is None else part[column], f"chunk {number}")
    try:
        table = label_table({key: part[key] for key in keys}, columns(values))
    except mg.InvalidInputError as error:
        raise mg.InvalidInputError(f"in chunk {number}, {error}") from error
    target = Path(folder) / f"part-{number:06d}.parquet"
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    parquet.write_table(table, draft, **parquet_options(table.schema))
    draft.replace(target)
    return len(values)


def _finished(client: Client | None, tasks: list[Any]) -> Iterator[int]:
    """Yield the result of each task as it ends."""
    if client is None:
        yield from in_order(_here, tasks)
        return
    for _, rows in as_completed(client.compute(tasks), with_results=True):
        yield rows


def _here(task: Any) -> int:
    rows: int = task.compute(scheduler="synchronous")
    return rows
