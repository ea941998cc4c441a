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
    """Yield `work(item)` for each item, in order, computed in threads.

    Parameters
    ----------
    work : callable
        A function of one item; threads help if it releases the GIL, as mindgap's core and numpy do.
    items : iterable
        The items. At most one more than there are processors is in progress.

    Examples
    --------
    >>> from mindgap.host import in_order
    >>> list(in_order(np.size, [np.zeros(3), np.zeros(5)]))
    [3, 5]
    """
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
