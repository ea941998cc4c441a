"""Many independent draws in threads, the same whatever their number: each draw has its own random stream."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.progress import Progress, shown
from mindgap.validation import as_count

if TYPE_CHECKING:
    from collections.abc import Callable

#: More draws than this at once are a typing error.
_MOST = 1_000_000

T = TypeVar("T")


def replicate(
    draw: Callable[[np.random.Generator], T],
    n: int,
    seed: int,
    *,
    threads: int | None,
    progress: Progress,
    what: str,
) -> list[T]:
    """Return `n` draws in order; `draw` spends its time in the core, which leaves the interpreter to the others."""
    from concurrent.futures import ThreadPoolExecutor  # costs more to import than the rest of mindgap's Python

    if as_count(n, "n") > _MOST:
        raise InvalidInputError(f"n is {n}; more than {_MOST} draws do not fit into memory")
    streams = np.random.SeedSequence(seed).spawn(n)
    workers = min(os.cpu_count() or 1 if threads is None else as_count(threads, "threads"), len(streams))
    with shown(progress, what, len(streams)) as tick, ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(draw, np.random.default_rng(stream)) for stream in streams]
        try:
            draws = []
            for done, future in enumerate(futures, start=1):
                draws.append(future.result())
                tick(done)
        except BaseException:
            # Also for an interrupt: what has not begun is not begun any more.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return draws
