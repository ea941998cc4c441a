"""The tasks of workers: load one chunk and compute a few numbers from it; errors name the chunk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from dask.task_spec import GraphNode, Task, TaskRef

import mindgap as mg
from mindgap.host import CHANGED_ADVICE, Fingerprint
from mindgap.validation import FloatArray, as_vector
from mindgap_dask.source import Chunk

T = TypeVar("T")


def chunk_task(key: Any, work: Callable[..., Any], chunk: Chunk, *arguments: Any) -> Task:
    """Return the task that loads a chunk and calls `work` with its values, its weights and the arguments."""
    inside = {node.key for node in chunk.own}
    needed = {name for node in chunk.own for name in node.dependencies} | {chunk.values}
    if chunk.weights is not None:
        needed.add(chunk.weights)
    outside = sorted(needed - inside, key=str)
    loader = Loader(chunk.number, chunk.own, chunk.values, chunk.weights, tuple(outside))
    return Task(key, _on_chunk, work, loader, arguments, *map(TaskRef, outside))


@dataclass(frozen=True)
class Loader:
    """The tasks that load a chunk, run inside the task that uses it, so that errors can name the chunk."""

    number: int
    own: tuple[GraphNode, ...]
    values: Any
    weights: Any
    outside: tuple[Any, ...]

    def load(self, given: tuple[Any, ...]) -> tuple[FloatArray, FloatArray | None]:
        """Return the values and the weights of the chunk."""
        known = dict(zip(self.outside, given, strict=True))
        for node in self.own:
            known[node.key] = node({key: known[key] for key in node.dependencies})
        values = as_vector(known[self.values], "x")
        weights = None if self.weights is None else as_vector(known[self.weights], "sample_weight")
        return values, weights


def _on_chunk(work: Callable[..., T], loader: Loader, arguments: tuple[Any, ...], *given: Any) -> T:
    try:
        values, weights = loader.load(given)
        return work(values, weights, *arguments)
    except mg.InvalidInputError as error:
        kind = mg.ChangedDataError if isinstance(error, mg.ChangedDataError) else mg.InvalidInputError
        raise kind(f"in chunk {loader.number}, {error}") from error
    except Exception as error:
        raise mg.PluginError(f"chunk {loader.number} raised {type(error).__name__}: {error}") from error


@dataclass(frozen=True)
class Ends:
    """The size of a chunk, and the points at its ends that may share a run with its neighbours."""

    size: int
    seen: Fingerprint
    head: tuple[FloatArray, FloatArray | None]
    tail: tuple[FloatArray, FloatArray | None]


def look(values: FloatArray, weights: FloatArray | None) -> tuple[mg.Summary, list[Ends]]:
    """Return the summary of a chunk and its ends."""
    summary = mg.Summary.of(values, weights)
    most = mg.Moments.RUN - 1
    head, tail = slice(0, most), slice(max(len(values) - most, 0), None)
    ends = Ends(
        len(values), Fingerprint.of(values, weights), _piece(values, weights, head), _piece(values, weights, tail)
    )
    return summary, [ends]


def add_looks(looks: list[tuple[mg.Summary, list[Ends]]]) -> tuple[mg.Summary, list[Ends]]:
    """Return the merged summary and the ends of several chunks."""
    return mg.Summary.merged(summary for summary, _ in looks), [one for _, ends in looks for one in ends]


def moments(
    values: FloatArray,
    weights: FloatArray | None,
    first: Fingerprint,
    body: slice,
    mixture: tuple[FloatArray, ...],
    classify: bool,
) -> mg.Moments:
    """Return the moments of the whole runs of a chunk."""
    _expect_same(values, weights, first)
    try:
        return mg.Moments.of(values[body], None if weights is None else weights[body], *mixture, classify=classify)
    except mg.InvalidInputError:
        # Repeat it for the whole chunk, so that the error has the index in the chunk.
        mg.Moments.of(values, weights, *mixture)
        raise


def add_moments(parts: list[mg.Moments]) -> mg.Moments:
    """Return the sum of moments, which does not depend on their order."""
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


def zoom(values: FloatArray, weights: FloatArray | None, first: Fingerprint, windows: FloatArray) -> list[mg.Summary]:
    """Return the summary of a chunk's points in each window."""
    _expect_same(values, weights, first)
    return mg.Summary.of_windows(values, windows, weights)


def add_zooms(parts: list[list[mg.Summary]]) -> list[mg.Summary]:
    """Return the merged summaries of several chunks, one for each window."""
    return [mg.Summary.merged(of_window) for of_window in zip(*parts, strict=True)]


def _expect_same(values: FloatArray, weights: FloatArray | None, first: Fingerprint) -> None:
    """Raise an error if a chunk differs from that of the first pass."""
    if difference := Fingerprint.of(values, weights).difference(first):
        raise mg.ChangedDataError(f"there are {difference}; {CHANGED_ADVICE}, or persist it")


def _piece(values: FloatArray, weights: FloatArray | None, piece: slice) -> tuple[FloatArray, FloatArray | None]:
    """Return a copy, so that the chunk can be released."""
    return np.array(values[piece]), None if weights is None else np.array(weights[piece])
