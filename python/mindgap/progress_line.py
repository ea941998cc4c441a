"""One live line on standard error while a fit runs."""

from __future__ import annotations

import sys
import time

#: Seconds between two updates, so that printing costs nothing.
_PAUSE = 0.1


class ProgressLine:
    """Called by the core after each iteration; used as a context that ends the line."""

    def __init__(self) -> None:
        self._next = 0.0
        self._last: tuple[int, float, float] | None = None

    def __call__(self, kind: str, iteration: int, log_likelihood: float, movement: float) -> None:
        """Show the iteration if the last one shown is old enough."""
        self._last = (iteration, log_likelihood, movement)
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
            text = "iteration {:>6}  log-likelihood {:.8g}  largest move {:.2e}".format(*self._last)
            print(f"\r{text}", end=end, file=sys.stderr, flush=True)
