"""Independent draws in threads. Each draw has its own random stream, so that the number of threads does not matter."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.progress import Progress, shown
from mindgap.validation import as_count

if TYPE_CHECKING:
    from collections.abc import Callable

#: The maximum number of draws; more would not fit into memory.
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
    """Return `n` draws in order. Threads help because `draw` spends its time in the core, which releases the GIL."""
    from concurrent.futures import ThreadPoolExecutor  # slower to import than the rest of mindgap

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
            # On an interrupt, too: cancel the draws that have not begun.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return draws
