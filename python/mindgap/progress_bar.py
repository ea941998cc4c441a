"""A bar for long runs, on standard error."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Whether to show a bar, or what to call with (done, total) instead.
Progress: TypeAlias = "bool | Callable[[int, int], None]"

_WIDTH = 30


@contextmanager
def shown(progress: Progress, what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield what is called with the number of steps done."""
    if callable(progress):
        yield lambda done: progress(done, total)
    elif not progress:
        yield lambda done: None
    else:
        try:
            yield lambda done: _draw(what, done, total)
        finally:
            sys.stderr.write("\n")
            sys.stderr.flush()


def _draw(what: str, done: int, total: int) -> None:
    filled = _WIDTH * done // total
    if done in (1, total) or filled > _WIDTH * (done - 1) // total:
        sys.stderr.write(f"\r{what} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}")
        sys.stderr.flush()
