"""Guarded calls: what a plugin answers is checked before anybody relies on it.

Whatever a plugin raises or returns that is of no use becomes a `PluginError` with its name, its package and what it
returned. `InvalidInputError` and `InfeasibleError` that it raises on purpose, about what the user asked of it, pass.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mindgap import _core
from mindgap.errors import (
    PASSING,
    InfeasibleError,
    InfeasiblePluginError,
    InvalidInputError,
    MindgapError,
    PluginError,
    SolverError,
    UnusableLookError,
    UnusableValueError,
)
from mindgap.foundation.messages import brief, reason
from mindgap.host.manager import host
from mindgap.host.origin import Origin
from mindgap.host.registry import KINDS
from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.model.engine import Engine
from mindgap.model.moments import Moments
from mindgap.model.parameters import Parameters
from mindgap.model.plugin import Plugin
from mindgap.model.sample import Sample
from mindgap.model.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias, TypeGuard

    from mindgap.model.constraint import Constraint
    from mindgap.model.initializer import Initializer
    from mindgap.validation import FloatArray

    Answer: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, float, float | None]

_LONGEST_REPR = 200
T = TypeVar("T")


def rows(constraint: Constraint, k: int) -> GapBounds | LinearRows:
    """Return what a constraint asks of k centres: bounds on their gaps, or else linear rows."""
    with _blaming(constraint, f"gaps({k})"):
        gaps = constraint.gaps(k)
        if gaps is not None:
            answer = _expect(gaps, GapBounds, constraint, f"gaps({k})")
            gaps = GapBounds(answer.lower, answer.upper)
    if gaps is not None:
        if len(gaps) != k - 1:
            raise _returned(constraint, f"gaps({k})", gaps, f"{len(gaps)} bounds, but {k} centres have {k - 1} gaps")
        return gaps
    with _blaming(constraint, f"rows({k})"):
        said = constraint.rows(k)
        if said is None:
            raise PluginError(f"{title(constraint)} answered neither gaps({k}) nor rows({k})")
        said = _expect(said, LinearRows, constraint, f"rows({k})")
        found = LinearRows(said.matrix, said.lower, said.upper)
    if found.k != k:
        raise _returned(constraint, f"rows({k})", found, f"rows on {found.k} centres, but there are {k}")
    return found


def start(initializer: Initializer, sample: Sample, k: int, constraint: Constraint | None) -> Parameters:
    """Return where an initializer starts a fit of k components."""
    with _blaming(initializer, "start"):
        answer = _expect(initializer.start(sample, k, constraint), Parameters, initializer, "start")
        found = Parameters(answer.weights, answer.means, answer.variances)
    if found.k != k:
        raise _returned(initializer, "start", found, f"{found.k} components, but {k} were asked for")
    return found


def load(engine: Engine, x: Any, sample_weight: Any) -> Sample:
    """Hand the data to an engine and return what it lets k-means and initializers see of them."""
    with _blaming(engine, "load"):
        found = engine.load(x, sample_weight)
        if isinstance(found, Summary):
            answers = type(engine).zoom is not Engine.zoom
            return Sample._of_summary(found, _zooming(engine) if answers else None)
        sample = _expect(found, Sample, engine, "load")
        if not isinstance(getattr(sample, "_core", None), _core.Sample):
            raise _returned(engine, "load", sample, "a Sample that was never built; call its constructor")
    return sample


def _zooming(engine: Engine) -> Callable[[FloatArray], list[_core.Summary]]:
    """Return what the core calls for a closer look at some windows."""

    def zoom(windows: FloatArray) -> list[_core.Summary]:
        with _blaming(engine, "zoom"):
            found = engine.zoom(windows)
        if not isinstance(found, list) or not all(isinstance(part, Summary) for part in found):
            raise _returned(engine, "zoom", found, "not a list of mindgap.Summary")
        if len(found) != len(windows):
            raise _returned(engine, "zoom", found, f"{len(found)} summaries of {len(windows)} windows")
        return [part._core for part in found]

    return zoom


def labels(engine: Engine, predict: Callable[[Any], Any], k: int) -> Any:
    """Return an engine's labels of its points, in an array or in a form of its own; None if it gives none."""
    with _blaming(engine, "labels"):
        found = engine.labels(predict)
    if isinstance(found, np.ndarray):
        whole = found.ndim == 1 and found.dtype.kind in "iu"
        if not whole or ((found < 0) | (found >= k)).any():
            raise _returned(engine, "labels", found, f"not whole numbers from 0 to {k - 1}")
    return found


def moments(
    engine: Engine, weights: FloatArray, means: FloatArray, variances: FloatArray, last: bool = False
) -> Moments:
    """Return an engine's moments at the given parameters, which may be the last."""
    call = "finish" if last else "moments"
    with _blaming(engine, call):
        answer = engine.finish if last else engine.moments
        said = _expect(answer(weights, means, variances), Moments, engine, call)
        found = Moments(said.weight, said.first, said.second, said.log_likelihood, said.classification)
    if len(found.weight) != len(means):
        what = f"moments of {len(found.weight)} components, but there are {len(means)}"
        raise _returned(engine, call, found, what)
    return found


def answering(engine: Engine) -> Callable[[FloatArray, FloatArray, FloatArray, bool], Answer]:
    """Return what the core calls for an engine's moments."""

    def answer(weights: FloatArray, means: FloatArray, variances: FloatArray, last: bool) -> Answer:
        found = moments(engine, weights, means, variances, last)
        return found.weight, found.first, found.second, found.log_likelihood, found.classification

    return answer


@contextmanager
def closing(engine: Engine) -> Iterator[None]:
    """Close the engine when the fit is over; where the fit failed, its own error is the one to see."""
    try:
        yield
    except BaseException:
        with suppress(PluginError):
            _close(engine)
        raise
    _close(engine)


def _close(engine: Engine) -> None:
    with _blaming(engine, "close"):
        engine.close()


def blame(error: MindgapError, constraint: Constraint | None, start: object, engine: Engine | None) -> None:
    """Raise a PluginError where a plugin's constraint, start or closer look is what a solver could not work with."""
    if isinstance(error, InfeasibleError) and _is_plugin(constraint) and not isinstance(error, PluginError):
        blamed = InfeasiblePluginError(f"{title(constraint)} cannot be held: {error}")
        blamed.__dict__.update(vars(error))
        raise blamed from error
    if isinstance(error, UnusableValueError) and _is_plugin(start):
        raise PluginError(f"{title(start)} returned what a fit cannot start from: {error}") from error
    if isinstance(error, UnusableLookError) and _is_plugin(engine):
        raise PluginError(f"{title(engine)} answered zoom with what a fit cannot use: {error}") from error


def _is_plugin(part: object) -> TypeGuard[Plugin]:
    return isinstance(part, Plugin) and not is_built_in(part)


def title(plugin: Plugin) -> str:
    """Return what a message calls a plugin: its kind, its name and where it comes from."""
    kind = next((kind.name for kind in KINDS.values() if isinstance(plugin, kind.base)), "plugin")
    entry = host.registry().entry_of(type(plugin))
    origin = entry.origin if entry else Origin.of_class(type(plugin))
    return f"{kind} {_name(plugin)!r} ({origin})"


def _name(plugin: Plugin) -> str:
    # The class's: a plugin may have made something of its own of the attribute.
    name = getattr(type(plugin), "name", None)
    return name if isinstance(name, str) and name else type(plugin).__qualname__


def is_built_in(plugin: Plugin) -> bool:
    """Whether mindgap itself brings the plugin."""
    return type(plugin).__module__.partition(".")[0] == "mindgap"


@contextmanager
def _blaming(plugin: Plugin, call: str) -> Iterator[None]:
    """Turn what a plugin raises into a PluginError, unless it is about what the user asked or gave."""
    try:
        yield
    except UnusableValueError as error:
        raise PluginError(f"{title(plugin)} built something unusable in {call}: {error}") from error
    except (InvalidInputError, InfeasibleError, SolverError, PluginError, *PASSING):
        raise
    except BaseException as error:
        if is_built_in(plugin):
            raise
        raise PluginError(f"{title(plugin)} raised {type(error).__name__} in {call}: {reason(error)}") from error


def _expect(answer: T, kind: type[T], plugin: Plugin, call: str) -> T:
    # By its type: what an object says of its own class need not be true, nor an answer.
    if not issubclass(type(answer), kind):
        raise _returned(plugin, call, answer, f"not a mindgap.{kind.__name__}")
    return answer


def _returned(plugin: Plugin, call: str, answer: object, fault: str) -> PluginError:
    return PluginError(f"{title(plugin)} returned {brief(answer, _LONGEST_REPR)} from {call}: {fault}")
