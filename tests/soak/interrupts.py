"""Ctrl-C at random moments: a KeyboardInterrupt soon after, and a process that still fits right.

Run as a program it is the process that is interrupted: ``python -m soak.interrupts SEED TIMES [CALL ...]``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import mindgap as mg


class Equal(mg.Constraint):
    """Gaps of one length, whatever it is: linear rows."""

    name = "equal"

    def rows(self, k: int) -> mg.LinearRows:
        """Return second differences of the centres, all zero."""
        return mg.LinearRows(np.diff(np.eye(k), 2, axis=0), np.zeros(k - 2), np.zeros(k - 2))


X = np.random.default_rng(0).normal(0, 3, 200_000)

#: Work of some seconds or minutes, of every kind.
LONG: dict[str, Callable[[], object]] = {
    "kmeans": lambda: mg.kmeans(np.concatenate([X + shift for shift in range(10)]), 20_000),
    "kmeans-lower": lambda: mg.kmeans(X, 60, mg.LowerOnly(0.2)),
    "kmeans-many": lambda: mg.kmeans(X, 3_000, mg.LowerOnly(0.001)),
    "kmeans-infeasible": lambda: mg.kmeans(X, 500, mg.LowerOnly(0.5)),
    "kmeans-free": lambda: mg.kmeans(X, 100, mg.LowerOnly(0.2), centers="free"),
    "kmeans-paper": lambda: mg.kmeans(X[:9_000], 20, mg.LowerOnly(0.1), centers="means", method="paper"),
    "kmeans-rows": lambda: mg.kmeans(X, 40, Equal()),
    "mixture": lambda: mg.mixture(X, 20, mg.LowerOnly(0.1), init="ckmeans", tol=0, max_iter=10**6),
    "mixture-start": lambda: mg.mixture(X, 60, mg.LowerOnly(0.2)),
    "mixture-many": lambda: mg.mixture(X, 400, mg.LowerOnly(0.05), init="ckmeans", tol=0, max_iter=10**6),
    "select": lambda: mg.select(X, range(1, 40), mg.LowerOnly(0.1), init="ckmeans"),
    "path": lambda: mg.gap_path(X, 8, np.linspace(0, 3, 50)),
    "bootstrap": lambda: mg.mixture(X[:2_000], 3, max_iter=5).bootstrap(100_000),
}


def interrupt(name: str, seed: int, times: int) -> tuple[int, float]:
    """Interrupt one kind of work at random moments; how often it was, and the longest that it took to end."""
    rng = np.random.default_rng([seed, *name.encode()])
    caught, longest = 0, 0.0
    expected = mg.kmeans(X[:500], 4, mg.LowerOnly(0.5)).centers.tobytes()
    for _ in range(times):
        sent = threading.Event()
        moment = [0.0]

        def send(sent: threading.Event = sent, moment: list[float] = moment) -> None:
            moment[0] = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)
            sent.set()

        timer = threading.Timer(float(rng.uniform(0, 0.8)), send)
        try:
            timer.start()
            LONG[name]()
            # The work ended first; the signal finds this process waiting.
            sent.wait()
            time.sleep(0.2)
            raise AssertionError("the signal was lost")
        except KeyboardInterrupt:
            late = time.monotonic() - moment[0]
        sent.wait()
        caught += 1
        longest = max(longest, late)
        assert mg.kmeans(X[:500], 4, mg.LowerOnly(0.5)).centers.tobytes() == expected, "a fit afterwards is another"
    return caught, longest


def interrupts(times: int = 8, seed: int = 0, names: tuple[str, ...] = tuple(LONG)) -> dict[str, float]:
    """The longest that each kind of work took to end, in a process of its own."""
    command = [sys.executable, "-m", "soak.interrupts", str(seed), str(times), *names]
    folder = Path(__file__).parent.parent
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=3600)
    assert ended.returncode == 0, ended.stderr
    return {name: float(late) for name, late in (line.split() for line in ended.stdout.splitlines())}


if __name__ == "__main__":
    for work in sys.argv[3:] or LONG:
        _, late = interrupt(work, int(sys.argv[1]), int(sys.argv[2]))
        print(f"{work} {late:.2f}", flush=True)
