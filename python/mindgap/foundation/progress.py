"""Progress on standard error: a bar for many fits, one live line for a long one, a clock for any other wait.

On a terminal nothing of it is left at the end.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Whether to show a bar, or a function to call with (done, total) instead.
Progress: TypeAlias = "bool | Callable[[int, int], None]"

_WIDTH = 30

#: The least number of seconds between two updates, so that printing costs nothing.
_PAUSE = 0.1

#: Seconds without output after which the clock is shown.
_PATIENCE = 1.0

#: The width to which a line is padded, so that it overwrites the previous one.
_COLUMNS = 72


@contextmanager
def shown(progress: Progress, what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the number of steps done."""
    if callable(progress):
        yield lambda done: progress(done, total)
    elif not progress:
        yield lambda done: None
    else:
        try:
            yield lambda done: _draw(what, done, total)
        finally:
            _end()


def _draw(what: str, done: int, total: int) -> None:
    filled = _WIDTH * done // total
    if done in (1, total) or filled > _WIDTH * (done - 1) // total:
        _say(f"{what} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}")


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show on a terminal what the program is doing, and for how long, when nothing else was shown for a second."""
    if not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    clock = threading.Thread(target=_count, args=(what, over), daemon=True)
    clock.start()
    try:
        yield
    finally:
        over.set()
        clock.join()


def _count(what: str, over: threading.Event) -> None:
    """Show a clock until `over` is set, then erase it."""
    begun, shown_at = time.monotonic(), None
    while not over.wait(_PATIENCE):
        if shown_at == _last[0] or time.monotonic() - _last[0] >= _PATIENCE:
            _say(f"{what} ({time.monotonic() - begun:.0f} s)")
            shown_at = _last[0]
    if shown_at is not None and shown_at == _last[0]:
        _end()


#: The time when a line was last shown.
_last = [-_PATIENCE]


def _say(line: str) -> None:
    """Show a line in place of the previous one."""
    _last[0] = time.monotonic()
    sys.stderr.write(f"\r{line:<{_COLUMNS}}")
    sys.stderr.flush()


def _end() -> None:
    """Erase the line on a terminal; elsewhere, as in a log file, keep it and begin a new one."""
    sys.stderr.write(f"\r{'':<{_COLUMNS}}\r" if sys.stderr.isatty() else "\n")
    sys.stderr.flush()


#: The format of the line for each kind of report.
_LINES = {
    "search": "search: cost {:.8g}, at least {:.8g}",
    "reading": "pass {} over the data: {} points",
    "iteration": "iteration {:>6}  log-likelihood {:.8g}  largest move {:.2e}",
    "labels": "labels of {}{} points",
    "certificate": "certificate: {} regions, {} open, within {:.2g} of {:.8g}",
}


class ProgressLine:
    """A live line, called by the core after each iteration; as a context manager it ends the line."""

    def __init__(self) -> None:
        self._next = 0.0
        self._last: str | None = None

    def __call__(self, kind: str, *values: float | str) -> None:
        """Show a report, unless the last line was shown less than a tenth of a second ago."""
        self._last = _LINES[kind].format(*values)
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _PAUSE
            _say(self._last)

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._last is not None:
            _say(self._last)
            _end()
