"""Fits that are stopped by Ctrl-C or by a callback, in this process."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

import mindgap as mg
from mindgap import _core

pytestmark = pytest.mark.slow

X = np.random.default_rng(0).normal(0, 3, 100_000)
#: Fits that would take half a minute and hours.
LONG: dict[str, Callable[[], object]] = {
    "kmeans": lambda: mg.kmeans(X[:9000], 60, mg.LowerOnly(0.05), centers="means", method="paper"),
    "mixture": lambda: mg.mixture(X, 20, mg.LowerOnly(0.1), init="ckmeans", tol=0, max_iter=10**6),
}


@pytest.mark.parametrize("fit", LONG.values(), ids=LONG)
def test_an_interrupt_ends_a_long_fit(fit: Callable[[], object]) -> None:
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        fit()
    timer.join()
    assert mg.kmeans([1.0, 2.0, 9.0], 2).optimal, "the process goes on as if nothing had happened"


def test_an_interrupt_ends_a_start_at_once() -> None:
    # Two points whose weights are so far apart that the search spends all it may, which takes many seconds.
    sample = mg.Sample([0.0, 1.0], [1e17, 0.1])
    timer = threading.Timer(0.3, _thread.interrupt_main)
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mg.ConstrainedKMeans(centers="free").start(sample, 2, mg.LowerOnly(2.0))
    assert time.monotonic() - began < 3
    timer.join()


def test_what_watches_a_search_is_told_of_it_and_may_end_it() -> None:
    seen: list[tuple[object, ...]] = []
    sample = mg.Sample(X[:5000])
    bounds = mg.GapBounds([0.5] * 9).arrays()
    _core.kmeans(sample._core, 10, bounds, watch=lambda *report: seen.append(report))
    assert seen
    assert {report[0] for report in seen} == {"search"}

    def refuse(*report: object) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        _core.kmeans(sample._core, 10, bounds, watch=refuse)


def test_the_start_that_the_papers_program_does_not_find_is_infeasible() -> None:
    with pytest.raises(mg.InfeasibleError) as caught:
        mg.mixture([0, 2, 2, 5, 7], 3, mg.LowerOnly(3.0), init=mg.ConstrainedKMeans(method="paper"))
    assert (caught.value.k, caught.value.delta) == (3, 3.0)
