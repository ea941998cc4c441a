"""Runs that chunk borders divide.

The core sums points in runs of `Moments.RUN` and rounds only within a run. So the engine numbers the points of all
chunks consecutively, leaves the whole runs of each chunk to the chunk's task, and keeps the points of divided runs
itself: the runs, and the bits of their sums, do not depend on how the data are cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import mindgap as mg
from mindgap_dask.chunk_work import Ends

if TYPE_CHECKING:
    from mindgap.host import Fingerprint
    from mindgap.validation import FloatArray


@dataclass(frozen=True)
class Seams:
    """The place of each chunk's whole runs, and the points of all divided runs in order."""

    sizes: list[int]
    seen: list[Fingerprint]
    bodies: list[slice]
    values: FloatArray
    weights: FloatArray | None

    @classmethod
    def of(cls, ends: list[Ends], weighted: bool) -> Seams:
        """Return the seams between chunks with these ends."""
        bodies, pieces, start = [], [], 0
        for chunk in ends:
            # The points that complete the run of the earlier chunks.
            head = min(-start % mg.Moments.RUN, chunk.size)
            body = (chunk.size - head) // mg.Moments.RUN * mg.Moments.RUN
            tail = chunk.size - head - body
            bodies.append(slice(head, head + body))
            pieces.append(_first(chunk.head, head))
            pieces.append(_last(chunk.tail, tail))
            start += chunk.size
        values = np.concatenate([values for values, _ in pieces])
        masses = np.concatenate([masses for _, masses in pieces if masses is not None]) if weighted else None
        return cls([chunk.size for chunk in ends], [chunk.seen for chunk in ends], bodies, values, masses)

    def has_runs(self, number: int) -> bool:
        """Return whether a chunk has whole runs."""
        body = self.bodies[number]
        return bool(body.stop > body.start)


def _first(points: tuple[FloatArray, FloatArray | None], count: int) -> tuple[FloatArray, FloatArray | None]:
    values, weights = points
    return values[:count], None if weights is None else weights[:count]


def _last(points: tuple[FloatArray, FloatArray | None], count: int) -> tuple[FloatArray, FloatArray | None]:
    values, weights = points
    start = len(values) - count
    return values[start:], None if weights is None else weights[start:]
