"""Objects shared by many threads, with the interpreter's lock and on a free-threaded Python."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import pytest

import mindgap as mg
from mindgap.host.manager import PluginHost
from mindgap.host.origin import Origin
from mindgap.host.registry import KINDS, Entry, Registry

pytestmark = pytest.mark.slow

THREADS = 64
X = np.random.default_rng(0).normal(0, 3, 2000)

T = TypeVar("T")


@pytest.fixture(autouse=True)
def hurried() -> Iterator[None]:
    """Where there is a lock, let it change hands as often as it can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def at_once(work: Callable[[int], T], threads: int = THREADS) -> list[T]:
    """What as many threads return that begin at the same moment, each given its number."""
    begin = threading.Barrier(threads)

    def turn(number: int) -> T:
        begin.wait(timeout=60)
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(turn, range(threads)))


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has its lock")
def test_the_lock_of_the_interpreter_stays_off() -> None:
    script = (
        "import sys, mindgap as mg, mindgap._core, mindgap.inference, mindgap.datasets, mindgap.results.archive\n"
        "mg.mixture([0.0, 1.0, 5.0, 6.0], 2, mg.LowerOnly(1.0))\n"
        "assert not sys._is_gil_enabled()"
    )
    # A module that needs the lock turns it on with a warning, unless it was told to stay off.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    command = [sys.executable, "-W", "error", "-c", script]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


def test_one_summary_takes_in_what_many_threads_add() -> None:
    summary, parts = mg.Summary(), np.split(X[: 31 * THREADS], THREADS)

    def add(number: int) -> None:
        for _ in range(20):
            summary.add(parts[number])
            assert summary.count >= len(parts[number])
            assert summary.low <= parts[number].min()
            assert summary.high >= parts[number].max()

    at_once(add)
    alone = mg.Summary.of(np.tile(X[: 31 * THREADS], 20))
    assert (summary.count, summary.low, summary.high) == (alone.count, alone.low, alone.high)
    assert summary.mean == pytest.approx(alone.mean, rel=1e-12)
    assert summary.variance == pytest.approx(alone.variance, rel=1e-12)
    assert mg.kmeans(summary, 3).centers == pytest.approx(mg.kmeans(alone, 3).centers, rel=1e-9)


def test_summaries_are_merged_into_each_other() -> None:
    summaries = [mg.Summary.of(X[:10], cells=64), mg.Summary.of(X[10:20], cells=64)]

    def merge(number: int) -> None:
        one, other = summaries[number % 2], summaries[1 - number % 2]
        one.merge(other)
        if number < 4:
            one.merge(one)
        mg.Summary.from_json(other.to_json())
        mg.kmeans(one, 2)

    at_once(merge)
    for summary in summaries:
        assert summary.count > 20
        assert (summary.low, summary.high) == (X[:20].min(), X[:20].max())


def test_one_sample_has_the_same_fits_in_every_thread() -> None:
    sample = mg.Sample(X)

    def fit(number: int) -> tuple[bytes, ...]:
        means, mixture = mg.kmeans(sample, 4, mg.LowerOnly(2.0)), mg.mixture(sample, 3, mg.LowerOnly(1.0), max_iter=9)
        return sample.values.tobytes(), means.centers.tobytes(), mixture.means.tobytes(), mixture.variances.tobytes()

    assert set(at_once(fit)) == {fit(0)}


@pytest.mark.parametrize("fit", [mg.kmeans, mg.mixture])
def test_one_result_says_the_same_to_every_thread(fit: Callable[..., Any]) -> None:
    def said(result: Any) -> tuple[Any, ...]:
        parts = result.histogram, result.to_json(), repr(result), str(result.table()), result._repr_html_()
        return (result.predict(X).tobytes(), *map(repr, parts))

    shared = fit(X, 3, mg.LowerOnly(1.0))
    assert set(at_once(lambda _: said(shared))) == {said(fit(X, 3, mg.LowerOnly(1.0)))}


def test_the_first_use_by_many_threads_loads_everything_once(fresh_host: PluginHost) -> None:
    seen = at_once(lambda _: [(entry.kind.name, entry.name) for entry in fresh_host.load()])
    assert {"lower-only", "local"} <= {name for _, name in seen[0]}
    assert all(names == seen[0] for names in seen)


def constraint_of(name: str) -> type[mg.Constraint]:
    def gaps(self: mg.Constraint, k: int) -> mg.GapBounds:
        return mg.GapBounds(np.full(k - 1, 1.0))

    return type(name, (mg.Constraint,), {"name": name, "gaps": gaps})


@pytest.mark.usefixtures("fresh_host")
def test_many_threads_register_plugins_of_their_own() -> None:
    def come_and_go(number: int) -> None:
        name = f"own-{number}"
        plugin = constraint_of(name)
        for _ in range(3):
            mg.register(plugin)
            assert mg.kmeans([0, 1, 5, 6], 2, name).k == 2
            mg.unregister(plugin)
            with pytest.raises(mg.InvalidInputError, match="there is no constraint"):
                mg.constraint(name)

    at_once(come_and_go)
    assert not [record for record in mg.plugins() if record.name.startswith("own-")]


def test_a_plugin_is_seen_as_a_whole_or_not_at_all() -> None:
    registry = Registry()
    origin = Origin(None, None, __name__)
    family = [
        Entry(KINDS["constraint"], f"member-{number}", constraint_of(f"member-{number}"), origin, ())
        for number in range(20)
    ]
    gone = threading.Event()

    def use(number: int) -> set[int]:
        seen = set()
        if number == 0:
            for _ in range(2000):
                registry.add(family)
                registry.discard(family)
            gone.set()
        while not gone.is_set():
            seen.add(len(list(registry)))
        return seen

    assert set().union(*at_once(use, 4)) <= {0, len(family)}


def test_who_looks_while_a_plugin_comes_or_goes_sees_all_of_it_or_nothing() -> None:
    registry = Registry()
    origin = Origin(None, None, __name__)
    family = [
        Entry(KINDS["constraint"], f"member-{number}", constraint_of(f"member-{number}"), origin, ())
        for number in range(3)
    ]
    seen = []

    def watched() -> Iterator[Entry]:
        for entry in family:
            yield entry
            seen.append(len(list(registry)))

    registry.add(watched())
    registry.discard(watched())
    assert seen == [0, 0, 0, 3, 3, 3]


def weighted_sample(x: Any) -> mg.Sample:
    return mg.Sample(x, np.ones(len(x)))


def moments(x: Any) -> mg.Moments:
    return mg.Moments.of(x, None, [0.5, 0.5], [0.0, 1.0], [1.0, 1.0])


def windows(x: Any) -> list[mg.Summary]:
    return mg.Summary.of_windows(x, [[-1.0, 0.0], [1.0, 2.0]])


def clusters(x: Any) -> None:
    """Fit an array that the core reads without a copy."""
    result = mg.kmeans(x, 5)
    assert len(result.labels) == len(x)
    assert 0 <= result.labels.min() <= result.labels.max() < 5


@pytest.mark.parametrize("take", [mg.Sample, weighted_sample, mg.Summary.of, windows, moments, clusters])
def test_an_array_that_another_thread_changes_is_fitted_or_refused(take: Callable[[Any], Any]) -> None:
    x = np.random.default_rng(1).normal(0, 1, 40_000 if take is clusters else 20_000)
    done = threading.Event()

    def change() -> None:
        scales = np.array([1.0, -1e6, 1e9, 1e-9])
        number = 0
        while not done.is_set():
            x[number % 7 :: 7] *= -scales[number % 4]
            x[number % 5 :: 5] = number % 3
            x[number % len(x)] = np.nan if number % 16 == 0 else 0.5
            x[~(np.abs(x) < 1e12)] = 1.0
            number += 1

    writer = threading.Thread(target=change)
    writer.start()
    try:
        for _ in range(400):
            with contextlib.suppress(mg.InvalidInputError):
                take(x)
    finally:
        done.set()
        writer.join()
    x[~(np.abs(x) < 1e12)] = 1.0
    take(x)
