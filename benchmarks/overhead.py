"""What a call costs beside the core: eight points, everything built in; and how many files it runs through."""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

import mindgap as mg
from mindgap import _core

if TYPE_CHECKING:
    from collections.abc import Callable

X = np.array([-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0])
START = mg.Parameters([0.5, 0.5], [1.0, 7.0], [1.0, 1.0])


def calls(console: Console) -> None:
    bounds = np.full(4, 1.75), np.full(4, np.inf)
    whole = mg.mixture(X, 2, init=START, max_iter=3)
    assert whole.settings is not None
    mixture_settings = whole.settings.keywords()
    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "kmeans(x, 5, LowerOnly(1.75))": (
            lambda: mg.kmeans(X, 5, mg.LowerOnly(1.75)),
            lambda: _core.kmeans(_core.Sample(X, None), 5, bounds),
        ),
        "kmeans(x, 5, LowerOnly(1.75), centers='means')": (
            lambda: mg.kmeans(X, 5, mg.LowerOnly(1.75), centers="means"),
            lambda: _core.kmeans(_core.Sample(X, None), 5, bounds, centers="means"),
        ),
        "mixture(x, 2, init=start, max_iter=3)": (
            lambda: mg.mixture(X, 2, init=START, max_iter=3),
            lambda: _core.mixture(
                _core.Sample(X, None), 2, (START.weights, START.means, START.variances), None, **mixture_settings
            ),
        ),
    }
    for name, (call, core) in pairs.items():
        full, alone = microseconds(call), microseconds(core)
        console.print(f"{name}: {full:.1f} µs, of which the core {alone:.1f} µs: {full - alone:.1f} µs beside it")
    files, switches = walk(lambda: mg.kmeans(X, 5, mg.LowerOnly(1.75)))
    console.print(f"kmeans(x, 5, LowerOnly(1.75)) goes through {files} files of the package, with {switches} switches")


def microseconds(call: Callable[[], Any], n: int = 1000, repeats: int = 30) -> float:
    """Return the least mean time of a call; processor time, so that other work on the machine counts little."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(n):
            call()
        best = min(best, (time.process_time() - start) / n)
    return float(1e6 * best)


def walk(call: Callable[[], Any]) -> tuple[int, int]:
    """Return the number of the package's files that a call runs through, and how often it goes from one to another."""
    call()
    visited: list[str] = []

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        path = frame.f_code.co_filename
        if event in ("call", "return") and "/mindgap/" in path:
            back = frame.f_back.f_code.co_filename if event == "return" and frame.f_back else path
            visited.append(back)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    inside = [path for path in visited if "/mindgap/" in path]
    return len(set(inside)), sum(one != other for one, other in pairwise(inside))


if __name__ == "__main__":
    calls(Console(width=120))
