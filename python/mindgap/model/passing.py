"""Process items in a few threads, with the results in order."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

T = TypeVar("T")
S = TypeVar("S")


def in_order(work: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
    """Yield `work(item)` for each item, in order. At most one more item than there are processors is in progress."""
    from concurrent.futures import ThreadPoolExecutor  # not needed to import mindgap

    threads = os.cpu_count() or 1
    under_way: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="mindgap-chunks")
    try:
        for item in items:
            if len(under_way) > threads:
                yield under_way.popleft().result()
            under_way.append(pool.submit(work, item))
        while under_way:
            yield under_way.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
