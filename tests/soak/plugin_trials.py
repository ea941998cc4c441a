"""Trials of plugins that return anything: a fit or an error of mindgap; KeyboardInterrupt and the like pass through."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import mindgap as mg
from soak.attempt import attempt
from soak.foreign_arrays import Converts, Raises, foreign

_X = np.array([0.0, 1.0, 1.5, 4.0, 5.0, 9.0, 9.5])


class Stop(BaseException):
    """An error that is no Exception."""


class MuteError(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise ZeroDivisionError


class Pretends:
    """Says that it is of another class."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self._kind


def unbuilt(kind: type) -> Any:
    """An object whose constructor never ran."""
    return object.__new__(kind)


def altered(rng: np.random.Generator, made: Any) -> Any:
    """A value that plugins speak in, with one of its parts put out afterwards."""
    name = str(rng.choice(list(vars(made))))
    junk = (
        None,
        3,
        "x",
        np.array([np.nan]),
        np.zeros((2, 2)),
        [1.0],
        Raises(KeyError()),
        -np.ones(2),
        np.full(2, 1e308),
    )
    object.__setattr__(made, name, junk[rng.integers(len(junk))])
    return made


def subclassed(made: Any) -> Any:
    """The same value as an object of a subclass whose methods all fail."""

    def fail(*_: Any) -> Any:
        raise RuntimeError("not today")

    kind = type("Own", (type(made),), {"__len__": fail, "__repr__": fail, "__eq__": fail, "arrays": fail})
    own: Any = object.__new__(kind)
    own.__dict__.update(vars(made))
    return own


def numbers(rng: np.random.Generator, n: int) -> Any:
    """A vector as it should be, or of another length, or of anything."""
    kind = rng.integers(8)
    if kind == 0:
        return foreign(rng)[0]
    length = n if kind < 6 else int(rng.integers(0, 5))
    scale = float(rng.choice([1.0, 1.0, 1.0, 5e-324, 1e-300, 1e150, 1e308]))
    made = np.sort(rng.normal(2, 2, length)) * scale
    if rng.random() < 0.1 and length:
        made[rng.integers(length)] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0])
    return made if rng.random() < 0.3 else np.abs(made)


def value(rng: np.random.Generator, k: int) -> Any:
    """What a plugin may answer, right or wrong, or raise."""
    builders: tuple[Callable[[], Any], ...] = (
        lambda: mg.GapBounds(numbers(rng, k - 1), None if rng.random() < 0.5 else numbers(rng, k - 1)),
        lambda: mg.LinearRows([numbers(rng, k)], numbers(rng, 1), numbers(rng, 1)),
        lambda: mg.Parameters(np.full(k, 1 / k), numbers(rng, k), numbers(rng, k)),
        lambda: mg.Moments(numbers(rng, k), numbers(rng, k), numbers(rng, k), float(rng.normal())),
        lambda: mg.Sample(numbers(rng, 5)),
    )
    rubbish: tuple[Callable[[], Any], ...] = (
        lambda: None, lambda: 3, lambda: "text", lambda: [1.0, 1.0], lambda: foreign(rng)[0],
        lambda: (i for i in "abc"), lambda: Raises(RuntimeError("no")), lambda: Converts(np.ones(2)),
        lambda: [0] * 10**6, lambda: mg.GapBounds,
        lambda: Pretends(mg.GapBounds), lambda: Pretends(mg.Parameters), lambda: Pretends(mg.Moments), lambda: 10**5000,
        lambda: unbuilt(mg.GapBounds), lambda: unbuilt(mg.LinearRows), lambda: unbuilt(mg.Parameters),
        lambda: unbuilt(mg.Moments), lambda: unbuilt(mg.Sample), lambda: raises(rng), lambda: raises(rng), recursion,
    )  # fmt: skip
    choice = rng.random()
    if choice < 0.4:
        return rubbish[rng.integers(len(rubbish))]()
    made = builders[rng.integers(len(builders))]()
    if choice < 0.5 and not isinstance(made, mg.Sample):
        return altered(rng, made)
    return subclassed(made) if choice < 0.6 else made


def raises(rng: np.random.Generator) -> Any:
    errors = (
        RuntimeError("no"), MuteError(), Stop("now"), MemoryError(), StopIteration(), StopAsyncIteration(),
        KeyError(MuteError()), asyncio.CancelledError(), RecursionError("deep"), OSError(5, "io"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), mg.InvalidInputError("asked wrongly"),
        mg.InfeasibleError("cannot"), mg.SolverError("gave up"), AssertionError(), KeyboardInterrupt(),
        SystemExit(3), GeneratorExit(),
    )  # fmt: skip
    raise errors[rng.integers(len(errors))]


def recursion() -> Any:
    return recursion()


class Odd(mg.Constraint):
    """Answers what it is told to."""

    name = "odd"

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def gaps(self, k: int) -> Any:
        return None if self._rng.random() < 0.4 else value(self._rng, k)

    def rows(self, k: int) -> Any:
        return value(self._rng, k)


class OddStart(mg.Initializer):
    """Starts where it is told to."""

    name = "odd-start"

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def start(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> Any:
        if self._rng.random() < 0.5:
            return mg.Parameters(np.full(k, 1 / k), numbers(self._rng, k), numbers(self._rng, k))
        return value(self._rng, k)


class OddEngine(mg.Engine):
    """Has the moments that it is told to, from some iteration on, and looks closer at whatever it is told to."""

    name = "odd-engine"

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._left, self._local = rng, int(rng.integers(0, 4)), mg.Local()

    def load(self, x: Any, sample_weight: Any) -> Any:
        sample = self._local.load(x, sample_weight)
        chance = self._rng.random()
        if chance < 0.2:
            return value(self._rng, 5)
        return mg.Summary.of(x, cells=int(self._rng.integers(2, 9))) if chance < 0.6 else sample

    def moments(self, weights: Any, means: Any, variances: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            return value(self._rng, len(means))
        return self._local.moments(weights, means, variances)

    def zoom(self, windows: Any) -> Any:
        kind = self._rng.integers(4)
        if kind == 0:
            return value(self._rng, len(windows))
        if kind == 1:
            return [mg.Summary.of(self._rng.normal(2, 2, 3)) for _ in windows]
        return mg.Summary.of_windows(_X, windows)

    def labels(self, predict: Callable[[Any], Any]) -> Any:
        kind = self._rng.integers(3)
        return None if kind == 0 else value(self._rng, 2) if kind == 1 else predict(_X)

    def close(self) -> None:
        if self._rng.random() < 0.1:
            raises(self._rng)


@contextmanager
def stops() -> Iterator[None]:
    """What asks the program to stop is none of mindgap's business."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit) as asked:
        raise PassedError from asked


class PassedError(Exception):
    """The program was asked to stop."""


@contextmanager
def registered() -> Iterator[None]:
    """Make the plugins known, whose origin would be looked for in every installed package otherwise."""
    for plugin in (Odd, OddStart, OddEngine):
        mg.register(plugin)
    try:
        yield
    finally:
        for plugin in (Odd, OddStart, OddEngine):
            mg.unregister(plugin)


def plugins(rng: np.random.Generator) -> str:
    """A fit with a plugin that answers anything."""
    k = int(rng.integers(1, 4))
    calls: tuple[Callable[[], Any], ...] = (
        lambda: mg.kmeans(_X, k, Odd(rng)),
        lambda: mg.kmeans(_X, k, Odd(rng), centers="free"),
        lambda: mg.mixture(_X, k, Odd(rng), max_iter=5),
        lambda: mg.mixture(_X, k, init=OddStart(rng), max_iter=5),
        lambda: mg.mixture(_X, k, mg.LowerOnly(0.5), init=OddStart(rng), max_iter=5),
        lambda: mg.mixture(_X, k, engine=OddEngine(rng), max_iter=5),
        lambda: mg.kmeans(_X, k, mg.LowerOnly(0.5), engine=OddEngine(rng)),
    )
    call = calls[rng.integers(len(calls))]

    def guarded() -> Any:
        with stops():
            return call()

    try:
        with registered():
            answer = attempt(guarded)
    except PassedError:
        return "asked to stop"
    if isinstance(answer, mg.MindgapError):
        return type(answer).__name__
    sound(answer)
    return "fitted"


def sound(answer: Any) -> None:
    """A result is finite and in order, whatever the plugin said."""
    centers = answer.centers if isinstance(answer, mg.KMeansResult) else answer.means
    assert np.isfinite(centers).all(), centers
    assert (np.diff(centers) >= 0).all(), centers
    if isinstance(answer, mg.MixtureResult):
        assert np.isfinite(answer.variances).all(), answer.variances
        assert (answer.variances > 0).all(), answer.variances
        assert np.isfinite(answer.log_likelihood), answer.log_likelihood
        assert answer.weights.min() >= 0, answer.weights
        assert abs(answer.weights.sum() - 1) < 1e-9, answer.weights
    assert answer.summary()
    assert type(answer).from_json(answer.to_json()).to_json() == answer.to_json()


TRIALS = {"plugins": plugins}
