"""The engine: every pass of a fit is one task per chunk, whose results are added in a tree."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import cloudpickle
import dask
import dask.array as da
import numpy as np
import numpy.typing as npt
from dask.task_spec import List, Task, TaskRef
from distributed import Client

import mindgap as mg
from mindgap.validation import FloatArray, as_length, as_positive
from mindgap_dask import chunk_work, labels
from mindgap_dask.passes import Pass
from mindgap_dask.scheduler import active_client, run
from mindgap_dask.seams import Seams
from mindgap_dask.source import Chunk, Source, as_array, mapped

#: The number of results that one task adds.
_FAN_IN = 16


class DaskEngine(mg.Engine):
    """An engine for data in Dask collections, which are never collected.

    Takes Dask arrays of one dimension or one column (chunks may have unknown sizes), series and frames of one column;
    and arrays of this process, which are distributed to the workers.

    Parameters
    ----------
    client : distributed.Client, optional
        The client of the cluster. By default the active client; if there is none, the threads of this process.
    patience : float
        The seconds without any worker after which the fit fails.
    timeout : float, optional
        The maximum number of seconds for one pass over the data on a cluster; no limit by default.

    Attributes
    ----------
    passes : list of Pass
        The cost of each pass over the data, in all fits of this engine; also logged by ``mindgap_dask``.
    """

    name = "dask"

    def __init__(self, client: Client | None = None, patience: float = 60.0, timeout: float | None = None) -> None:
        self.client = client
        self.patience = as_length(patience, "patience")
        self.timeout = None if timeout is None else as_positive(timeout, "timeout")
        self.passes: list[Pass] = []

    @classmethod
    def takes(cls, x: Any) -> bool:
        """Return whether `x` is a Dask collection, which needs no ``engine=``."""
        return bool(dask.is_dask_collection(x))

    def map(self, x: Any, work: Callable[[Any], Any], dtype: npt.DTypeLike, columns: int | None = None) -> da.Array:
        """Apply `work` to each chunk; return a lazy Dask array."""
        return mapped(as_array(x, "x"), work, dtype, columns)

    def write(
        self,
        path: Path,
        x: Any,
        columns: Callable[[Any], dict[str, Any]],
        column: str | None,
        keys: tuple[str, ...],
        tell: Callable[[int, int | None], None],
    ) -> int:
        """Write labels into a folder, one file per chunk, in the tasks that load the chunks."""
        return labels.write(active_client(self.client), path, x, columns, column, keys, tell)

    def load(self, x: Any, sample_weight: Any) -> mg.Summary:
        """Summarize every chunk."""
        self._client = active_client(self.client)
        self._source = Source(x, sample_weight, self._client)
        self._sent: dict[str, int] = {}
        self._names = (f"{uuid4().hex}-{number}" for number in count())
        answer = self._ask("load", self._source.chunks, chunk_work.look, chunk_work.add_looks, lambda chunk: ())
        summary, ends = answer
        self._seams = Seams.of(ends, weighted=sample_weight is not None)
        if not summary.count:
            what = "no points" if not sum(self._seams.sizes) else "no point of positive weight"
            raise mg.InvalidInputError(f"the {len(ends)} chunks hold {what}; give at least one")
        found: mg.Summary = summary
        return found

    def moments(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> mg.Moments:
        """Return the moments of all chunks, whose sum does not depend on their borders and order."""
        return self._sum("moments", weights, means, variances)

    def finish(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> mg.Moments:
        """Return the moments with the classification."""
        return self._sum("finish", weights, means, variances)

    def _sum(self, kind: str, weights: FloatArray, means: FloatArray, variances: FloatArray) -> mg.Moments:
        classify = kind == "finish"
        mixture = np.array(weights), np.array(means), np.array(variances)
        seams = self._seams
        at_hand = mg.Moments.of(seams.values, seams.weights, *mixture, classify=classify)
        chunks = [chunk for chunk in self._source.chunks if seams.has_runs(chunk.number)]
        if not chunks:
            return at_hand

        def arguments(chunk: Chunk) -> tuple[Any, ...]:
            return seams.seen[chunk.number], seams.bodies[chunk.number], mixture, classify

        answer = self._ask(kind, chunks, chunk_work.moments, chunk_work.add_moments, arguments)
        total: mg.Moments = at_hand + answer
        return total

    def zoom(self, windows: FloatArray) -> list[mg.Summary]:
        """Return a summary of the points in each window."""
        chunks = self._source.chunks
        found: list[mg.Summary] = self._ask(
            "zoom",
            chunks,
            chunk_work.zoom,
            chunk_work.add_zooms,
            lambda chunk: (self._seams.seen[chunk.number], windows),
        )
        return found

    def labels(self, predict: Callable[[Any], npt.NDArray[np.int32]]) -> Any:
        """Return the labels as a lazy Dask array, in the chunks of the data."""
        return mapped(self._source.array, predict, np.int32)

    def close(self) -> None:
        """Release the data."""
        for name in ("_source", "_seams", "_client"):
            self.__dict__.pop(name, None)

    def _ask(
        self,
        kind: str,
        chunks: list[Chunk],
        work: Callable[..., Any],
        add: Callable[[list[Any]], Any],
        arguments: Callable[[Chunk], tuple[Any, ...]],
    ) -> Any:
        """Call `work` for each chunk, and add the results in a tree that depends only on their number."""
        began = time.perf_counter()
        name = f"mindgap-{kind}-{next(self._names)}"
        graph = dict(self._source.graph)
        row = [(name, 0, chunk.number) for chunk in chunks]
        for key, chunk in zip(row, chunks, strict=True):
            graph[key] = chunk_work.chunk_task(key, work, chunk, *arguments(chunk))
        level = 0
        while len(row) > 1:
            level += 1
            groups = [row[start : start + _FAN_IN] for start in range(0, len(row), _FAN_IN)]
            row = [(name, level, number) for number in range(len(groups))]
            for key, group in zip(row, groups, strict=True):
                graph[key] = Task(key, add, List(*map(TaskRef, group)))
        if kind not in self._sent:
            self._sent[kind] = len(cloudpickle.dumps(graph)) if self._client is not None else 0
        answer = run(self._client, graph, row[0], self.patience, self.timeout)
        received = len(pickle.dumps(answer)) if self._client is not None else 0
        done = Pass(kind, time.perf_counter() - began, len(graph), self._sent[kind], received)
        self.passes.append(done)
        done.log()
        return answer
