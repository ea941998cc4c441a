"""The engine of `Chunks`: one pass over the chunks for each request, several chunks at a time in threads."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, TypeVar

from mindgap.foundation.errors import ChangedDataError, InvalidInputError
from mindgap.model.chunks import Chunks, load_piece, title
from mindgap.model.engine import Engine
from mindgap.model.fingerprint import ADVICE, Fingerprint
from mindgap.model.moments import Moments
from mindgap.model.passing import in_order
from mindgap.model.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mindgap.fit.watching import Watch
    from mindgap.model.sources import Piece
    from mindgap.validation import FloatArray

T = TypeVar("T")


class Chunked(Engine):
    """An engine that reads the chunks again for every pass and adds partial sums in the order of the chunks."""

    name = "chunked"

    def __init__(self, watch: Watch | None = None) -> None:
        self.watch = watch
        self._passes = 0

    def load(self, x: Chunks, sample_weight: Any) -> Summary:
        """Read the chunks once, into a summary."""
        if sample_weight is not None:
            raise InvalidInputError("sample_weight is given in addition to Chunks; give the weights to the Chunks")
        self._chunks = x
        self._first: list[Fingerprint] | None = None
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

    def _each(self, work: Callable[[FloatArray, FloatArray | None], T]) -> Iterator[T]:
        """Yield `work` of each chunk, in order; then check that the chunks were the same as in the first pass."""
        seen, points = [], 0
        self._passes += 1
        pieces = enumerate(self._chunks._pieces())
        for answer, fingerprint in in_order(lambda numbered: _on_piece(work, *numbered), pieces):
            seen.append(fingerprint)
            if self.watch is not None:
                points += fingerprint.points
                self.watch("reading", self._passes, points)
            yield answer
        if not seen and self._first is None:
            raise InvalidInputError("the source of the chunks returned none; it must return all chunks in every pass")
        if self._first is None:
            self._first = seen
        else:
            _expect_same(seen, self._first)


def _on_piece(work: Callable[[FloatArray, FloatArray | None], T], number: int, piece: Piece) -> tuple[T, Fingerprint]:
    """Load a chunk and call `work`; errors name the chunk."""
    values, weights, _ = load_piece(number, piece)
    try:
        answer = work(values, weights)
    except InvalidInputError as error:
        raise InvalidInputError(f"in {title(number, piece)}, {error}") from error
    return answer, Fingerprint.of(values, weights)


def _expect_same(seen: list[Fingerprint], first: list[Fingerprint]) -> None:
    """Raise ChangedDataError if a pass read other data than the first one; the order of the chunks may differ."""
    if len(seen) != len(first):
        what = f"the source returned {len(seen)} chunks, but {len(first)} in the first pass"
        raise ChangedDataError(f"{what}; {ADVICE}")
    if sum(seen, Fingerprint()).difference(sum(first, Fingerprint())) is None:
        return
    for number, (now, then) in enumerate(zip(seen, first, strict=True)):
        if difference := now.difference(then):
            raise ChangedDataError(f"chunk {number} had {difference}; {ADVICE}")
