"""Runs that chunks cut in two.

The core adds points by runs of `Moments.RUN`, and what it rounds, it rounds within a run. So the engine numbers the
points of all chunks through, gives each chunk's whole runs to the chunk's task, and keeps the few points of the others
at hand: however the data are cut, the runs are the same, and so are the bits of their sums.
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
    """Where each chunk's whole runs are, and the points of all other runs, one after the other."""

    sizes: list[int]
    seen: list[Fingerprint]
    bodies: list[slice]
    values: FloatArray
    weights: FloatArray | None

    @classmethod
    def of(cls, ends: list[Ends], weighted: bool) -> Seams:
        """Return the seams between chunks of these ends."""
        bodies, pieces, start = [], [], 0
        for chunk in ends:
            # What completes the run that earlier chunks began; no chunk's head is longer than that.
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
        """Whether a chunk holds whole runs."""
        body = self.bodies[number]
        return bool(body.stop > body.start)


def _first(points: tuple[FloatArray, FloatArray | None], count: int) -> tuple[FloatArray, FloatArray | None]:
    values, weights = points
    return values[:count], None if weights is None else weights[:count]


def _last(points: tuple[FloatArray, FloatArray | None], count: int) -> tuple[FloatArray, FloatArray | None]:
    values, weights = points
    start = len(values) - count
    return values[start:], None if weights is None else weights[start:]
