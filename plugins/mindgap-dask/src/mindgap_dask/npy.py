"""An npy file as a Dask array whose tasks map their own piece of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import numpy.typing as npt
from dask.base import tokenize
from dask.task_spec import Task

import mindgap as mg
from mindgap.validation import as_count

#: The number of points in a chunk: 32 MB of doubles, about 30 ms of an E step with five components.
_CHUNK = 2**22


def read_npy(path: str | os.PathLike[str], chunk: int = _CHUNK) -> da.Array:
    """Return a column of numbers in an npy file as a Dask array. Nothing is read until it is used.

    Parameters
    ----------
    path : str or path
        The file; the path must be valid on every worker.
    chunk : int
        The number of points in a chunk.
    """
    size = as_count(chunk, "chunk")
    file = Path(path).absolute()
    values = _mapped(str(file))
    starts = range(0, max(len(values), 1), size)
    name = f"read-npy-{tokenize(str(file), size, values.shape, file.stat().st_mtime_ns)}"
    sizes = tuple(min(size, len(values) - start) for start in starts)
    graph = {
        (name, number): Task((name, number), _piece, str(file), start, start + sizes[number])
        for number, start in enumerate(starts)
    }
    return da.Array(graph, name, (sizes,), dtype=values.dtype)


def _piece(path: str, start: int, stop: int) -> npt.NDArray[Any]:
    values = _mapped(path)
    if len(values) < stop:
        raise mg.InvalidInputError(f"{path} has {len(values)} points now, fewer than before")
    return values[start:stop]


def _mapped(path: str) -> npt.NDArray[Any]:
    """Return the column in a file without reading it."""
    try:
        array: npt.NDArray[Any] = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:  # numpy passes on any error of its parsers
        raise mg.InvalidInputError(f"{path} is not a .npy file of numbers that can be read: {error}") from error
    if array.dtype.kind not in "biuf" or not (array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1)):
        raise mg.InvalidInputError(
            f"{path} has shape {array.shape} and dtype {array.dtype}; give one column of numbers"
        )
    return array if array.ndim == 1 else array[:, 0]
