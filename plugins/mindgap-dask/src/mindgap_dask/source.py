"""The chunks of a Dask collection, with the tasks that load them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask
import dask.array as da
import numpy as np
import numpy.typing as npt
from dask.core import flatten
from dask.task_spec import Alias, GraphNode, Task
from dask.utils import ensure_dict
from distributed import Client

import mindgap as mg
from mindgap.validation import as_vector

#: The number of points in a chunk of an array of this process.
_CHUNK = 2**20


@dataclass(frozen=True)
class Chunk:
    """One chunk: the keys of its values and weights, and the tasks that only this chunk needs."""

    number: int
    values: Any
    weights: Any
    own: tuple[GraphNode, ...]


class Source:
    """A column of numbers in chunks, with or without weights, as a graph that each pass adds its own tasks to."""

    def __init__(self, x: Any, sample_weight: Any, client: Client | None) -> None:
        #: The values, for labels after the fit.
        self.array = as_array(x, "x")
        #: The data of the fit. Workers keep distributed data as long as this reference exists.
        self._columns = [_handed_out(x, self.array, client)]
        if sample_weight is not None:
            weights = _alike(as_array(sample_weight, "sample_weight"), self.array)
            self._columns.append(_handed_out(sample_weight, weights, client))
        columns = dask.optimize(*self._columns)
        #: The graph without the tasks that belong to single chunks.
        self.graph: dict[Any, Any] = {}
        for column in columns:
            self.graph |= ensure_dict(column.__dask_graph__())
        keys = [list(flatten(column.__dask_keys__())) for column in columns]
        needed = _needed(self.graph)
        pairs = zip(keys[0], keys[1] if len(keys) > 1 else [None] * len(keys[0]), strict=True)
        self.chunks = [self._chunk(number, *pair, needed) for number, pair in enumerate(pairs)]

    def _chunk(self, number: int, values: Any, weights: Any, needed: Counter[Any]) -> Chunk:
        own = [node for key in (values, weights) if key is not None for node in self._take(key, needed)]
        return Chunk(number, values, weights, tuple(own))

    def _take(self, key: Any, needed: Counter[Any]) -> list[GraphNode]:
        """Remove a chunk's task from the graph if no other task depends on it."""
        node = self.graph.get(key)
        if needed[key] or not isinstance(node, (Alias, Task)):
            return []
        del self.graph[key]
        if isinstance(node, Alias) and needed[node.target] == 1 and isinstance(self.graph.get(node.target), Task):
            return [self.graph.pop(node.target), node]
        return [node]


def as_array(x: Any, name: str) -> da.Array:
    """Return a Dask array, series, frame of one column or array-like as a one-dimensional Dask array."""
    if isinstance(x, (mg.Sample, mg.Summary)):
        kind = type(x).__name__
        raise mg.InvalidInputError(
            f"{name} is a {kind}, which is in the memory of this process; fit it without an engine"
        )
    if not dask.is_dask_collection(x):
        return da.from_array(as_vector(x, name), chunks=_CHUNK)
    if not isinstance(x, da.Array):
        x = _of_frame(x, name)
    if x.dtype.kind not in "biufO":
        raise mg.InvalidInputError(f"{name} has dtype {x.dtype}; give real numbers")
    if x.ndim == 2 and x.shape[1] == 1:
        return x[:, 0]
    if x.ndim != 1:
        raise mg.InvalidInputError(f"{name} has shape {x.shape}; mindgap is for one column of numbers")
    return x


def mapped(array: da.Array, work: Callable[[Any], Any], dtype: npt.DTypeLike, columns: int | None = None) -> da.Array:
    """Apply `work` to each chunk lazily; it returns one value, or a row of `columns` values, per point."""
    if columns is None:
        found: da.Array = array.map_blocks(work, dtype=dtype, meta=np.empty(0, dtype))
    else:
        chunks = (array.chunks[0], (columns,))
        found = array.map_blocks(work, dtype=dtype, new_axis=1, chunks=chunks, meta=np.empty((0, 0), dtype))
    return found


def _handed_out(given: Any, column: da.Array, client: Client | None) -> da.Array:
    """Distribute an array of this process to the workers, so that it is not sent with the graph of every pass."""
    if client is None or dask.is_dask_collection(given):
        return column
    persisted: da.Array = client.persist(column)
    return persisted


def _of_frame(x: Any, name: str) -> da.Array:
    columns = getattr(x, "columns", None)
    if not hasattr(x, "to_dask_array"):
        kind = f"{type(x).__module__}.{type(x).__qualname__}"
        raise mg.InvalidInputError(f"{name} is a {kind}; give a Dask array, series or frame of one column")
    if columns is not None and getattr(x, "ndim", 1) == 2:
        if len(columns) != 1:
            raise mg.InvalidInputError(f"{name} has {len(columns)} columns; mindgap is for one column of numbers")
        x = x[columns[0]]
    array: da.Array = x.to_dask_array()
    return array


def _alike(weights: da.Array, values: da.Array) -> da.Array:
    """Return the weights with the chunks of the values."""
    if weights.chunks == values.chunks:
        return weights
    unknown = np.isnan(weights.shape[0]) or np.isnan(values.shape[0])
    if unknown and weights.numblocks == values.numblocks:
        return weights
    if unknown:
        counts = f"{weights.numblocks[0]} chunks of unknown size for {values.numblocks[0]} of the values"
        raise mg.InvalidInputError(f"sample_weight has {counts}; give both the same chunks")
    if weights.shape != values.shape:
        counts = f"{weights.shape[0]} weights were given for {values.shape[0]} points"
        raise mg.InvalidInputError(f"{counts}; give one weight for each point")
    return weights.rechunk(values.chunks)


def _needed(graph: dict[Any, Any]) -> Counter[Any]:
    """Return the number of tasks that depend on each key."""
    return Counter(key for node in graph.values() if isinstance(node, GraphNode) for key in node.dependencies)
