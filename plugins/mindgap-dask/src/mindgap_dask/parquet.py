"""A column of Parquet files as a Dask array, one chunk per row group."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.task_spec import Task

import mindgap as mg
from mindgap.validation import FloatArray, as_vector

_Path = str | os.PathLike[str]


def read_parquet(path: _Path | Iterable[_Path], column: str, weight: str | None = None) -> Any:
    """Return a column of Parquet files as a Dask array, and a column of weights, if given, as another.

    Each chunk is a row group, read by pyarrow when it is used. This function reads only the footers.

    Parameters
    ----------
    path : path, folder or several paths
        The files; the paths must be valid on every worker. A folder stands for all ``*.parquet`` files in it,
        recursively.
    column : str
        The values.
    weight : str, optional
        The weights.

    Returns
    -------
    dask.array.Array, or two of them
    """
    groups = [group for file in _files(path) for group in _row_groups(file, [column, weight])]
    if not groups:
        raise mg.InvalidInputError(f"{path} holds no row groups")
    values = _column(groups, column)
    return values if weight is None else (values, _column(groups, weight))


def _files(path: _Path | Iterable[_Path]) -> list[Path]:
    if not isinstance(path, (str, os.PathLike)):
        return [file for one in path for file in _files(one)]
    given = Path(path).absolute()
    if not given.is_dir():
        return [given]
    files = sorted(file for file in given.rglob("*.parquet") if file.is_file())
    if not files:
        raise mg.InvalidInputError(f"{given} holds no *.parquet file")
    return files


def _row_groups(file: Path, columns: list[str | None]) -> list[tuple[str, int, int, int]]:
    """Yield the path, number, rows and date of each row group."""
    with _opened(file) as opened:
        names = opened.schema_arrow.names
        for column in columns:
            if column is not None and column not in names:
                raise mg.InvalidInputError(f"{file} has no column {column!r}; it has {', '.join(names)}")
            if names.count(column) > 1:
                raise mg.InvalidInputError(f"{file} has more than one column {column!r}; give each a name of its own")
        changed = file.stat().st_mtime_ns
        count = opened.metadata.num_row_groups
        return [(str(file), group, opened.metadata.row_group(group).num_rows, changed) for group in range(count)]


def _column(groups: list[tuple[str, int, int, int]], column: str) -> da.Array:
    name = f"read-parquet-{tokenize(groups, column)}"
    graph = {
        (name, number): Task((name, number), _values, path, group, column)
        for number, (path, group, _, _) in enumerate(groups)
    }
    return da.Array(graph, name, (tuple(rows for _, _, rows, _ in groups),), dtype=np.float64)


def _values(path: str, group: int, column: str) -> FloatArray:
    with _opened(Path(path)) as file:
        read = file.read_row_group(group, columns=[column]).column(0)
    values = read.to_numpy()
    title = f"column {column!r} of {path}"
    if values.dtype.kind not in "biuf":
        raise mg.InvalidInputError(f"{title} has type {read.type}; give real numbers")
    return as_vector(values, title)


def _opened(file: Path) -> Any:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise mg.MissingExtraError(
            "reading Parquet needs pyarrow; install it with: pip install 'mindgap-dask[parquet]'"
        ) from error
    try:
        return ParquetFile(file)
    except (OSError, ValueError) as error:
        raise mg.InvalidInputError(f"{file} is not a Parquet file that can be read: {error}") from error
