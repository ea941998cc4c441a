"""Ending a run before its time, by Ctrl-C or SIGTERM, without losing what it has counted."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


def mind_ctrl_c() -> None:
    """Take Ctrl-C also in the background, where a shell has a program ignore it, and whatever that starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def told_to_stop() -> Iterator[Sequence[int]]:
    """The signals that have come to this process; it tells the processes that it has started, and goes on.

    Nothing is raised: an interrupt in the middle of a trial would count as its failure.
    """
    told: list[int] = []

    def hear(number: int, _: object) -> None:
        told.append(number)
        for child in multiprocessing.active_children():
            child.terminate()

    before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
