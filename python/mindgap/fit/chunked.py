"""The engine of `Chunks`: one pass over the chunks for whatever is asked, a few of them at a time on threads."""

from __future__ import annotations

import os
from collections import deque
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, TypeVar

from mindgap.errors import InvalidInputError
from mindgap.model.chunks import Chunks
from mindgap.model.engine import Engine
from mindgap.model.moments import Moments
from mindgap.model.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from mindgap.validation import FloatArray

T = TypeVar("T")


class Chunked(Engine):
    """Reads the chunks again for every pass; partial sums are added in the order of the chunks."""

    name = "chunked"

    def load(self, x: Chunks, sample_weight: Any) -> Summary:
        """Read the chunks once, into a summary."""
        if sample_weight is not None:
            raise InvalidInputError("sample_weight is given beside Chunks; give the weights to the Chunks")
        from concurrent.futures import ThreadPoolExecutor  # not needed to import mindgap

        self._chunks = x
        self._threads = os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="mindgap-chunks")
        self._count: int | None = None
        summary = Summary()
        for part in self._each(Summary.of):
            summary.merge(part)
        return summary

    def moments(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments of all chunks."""
        return self._sum(weights, means, variances, classify=False)

    def finish(self, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
        """Return the moments of all chunks, and the classification."""
        return self._sum(weights, means, variances, classify=True)

    def _sum(self, *mixture: FloatArray, classify: bool) -> Moments:
        return reduce(add, self._each(lambda x, mass: Moments.of(x, mass, *mixture, classify=classify)))

    def zoom(self, windows: FloatArray) -> list[Summary]:
        """Return the summaries of all chunks' points in each window."""
        parts = self._each(lambda x, mass: Summary.of_windows(x, windows, mass))
        whole = next(parts)
        for part in parts:
            for summary, more in zip(whole, part, strict=True):
                summary.merge(more)
        return whole

    def close(self) -> None:
        """Let the threads go."""
        if hasattr(self, "_pool"):
            self._pool.shutdown(cancel_futures=True)

    def _each(self, work: Callable[[FloatArray, FloatArray | None], T]) -> Iterator[T]:
        """What `work` makes of each chunk, in order; one more of them than there are threads is under way at once."""
        under_way: deque[Future[T]] = deque()
        count = 0
        for values, weights in self._chunks:
            if len(under_way) > self._threads:
                yield under_way.popleft().result()
            under_way.append(self._pool.submit(_named, work, count, values, weights))
            count += 1
        if count == 0 or (self._count is not None and count != self._count):
            first = "" if self._count is None else f" after {self._count} the first time"
            raise InvalidInputError(
                f"the source of the chunks gave {count} of them{first}; it must give all, every time"
            )
        self._count = count
        while under_way:
            yield under_way.popleft().result()


def _named(work: Callable[..., T], index: int, values: FloatArray, weights: FloatArray | None) -> T:
    """Call `work`; name the chunk in the error if it raises one."""
    try:
        return work(values, weights)
    except InvalidInputError as error:
        raise InvalidInputError(f"in chunk {index}, {error}") from error
