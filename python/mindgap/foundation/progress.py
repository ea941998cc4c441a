"""Progress on standard error: a bar for many fits, one live line for a long one."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Whether to show a bar, or what to call with (done, total) instead.
Progress: TypeAlias = "bool | Callable[[int, int], None]"

_WIDTH = 30

#: Seconds between two updates, so that printing costs nothing.
_PAUSE = 0.1


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


#: The line for each kind of report.
_LINES = {
    "iteration": "iteration {:>6}  log-likelihood {:.8g}  largest move {:.2e}",
    "certificate": "certificate: {} regions, {} open, within {:.2g} of {:.8g}",
}


class ProgressLine:
    """Called by the core after each iteration; used as a context that ends the line."""

    def __init__(self) -> None:
        self._next = 0.0
        self._last: str | None = None

    def __call__(self, kind: str, *values: float) -> None:
        """Show the iteration, or the nodes of a certificate, if the last line shown is old enough."""
        self._last = _LINES[kind].format(*values)
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _PAUSE
            self._show("")

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *exception: object) -> None:
        self._show("\n")

    def _show(self, end: str) -> None:
        if self._last is not None:
            print(f"\r{self._last:<72}", end=end, file=sys.stderr, flush=True)
