"""Guarded calls: what a plugin answers is checked before anybody relies on it.

Whatever a plugin raises or returns that is of no use becomes a `PluginError` with its name, its package and what it
returned. `InvalidInputError` and `InfeasibleError` that it raises on purpose, about what the user asked of it, pass.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from mindgap.bounds import GapBounds, LinearRows
from mindgap.engines import Engine
from mindgap.errors import (
    InfeasibleError,
    InfeasiblePluginError,
    InvalidInputError,
    PluginError,
    SolverError,
    UnusableValueError,
)
from mindgap.host.origin import Origin
from mindgap.host.plugin_host import host
from mindgap.host.registry import KINDS
from mindgap.moments import Moments
from mindgap.sample import Sample
from mindgap.start import Start
from mindgap.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from mindgap import _core
    from mindgap.arrays import FloatArray
    from mindgap.constraints import Constraint
    from mindgap.host.plugin import Plugin
    from mindgap.initializers import Initializer

    Answer: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, float, float | None]

_LONGEST_REPR = 200
T = TypeVar("T")


def restriction(constraint: Constraint, k: int) -> GapBounds | LinearRows:
    """Return what a constraint asks of k centres: bounds on their gaps, or else linear rows."""
    with _blaming(constraint, f"gaps({k})"):
        gaps = constraint.gaps(k)
    if gaps is not None:
        _expect(gaps, GapBounds, constraint, f"gaps({k})")
        if len(gaps) != k - 1:
            raise _returned(constraint, f"gaps({k})", gaps, f"{len(gaps)} bounds, but {k} centres have {k - 1} gaps")
        return gaps
    with _blaming(constraint, f"rows({k})"):
        rows = constraint.rows(k)
    if rows is None:
        raise PluginError(f"{title(constraint)} answered neither gaps({k}) nor rows({k})")
    _expect(rows, LinearRows, constraint, f"rows({k})")
    if rows.k != k:
        raise _returned(constraint, f"rows({k})", rows, f"rows on {rows.k} centres, but there are {k}")
    return rows


def start(initializer: Initializer, sample: Sample, k: int, constraint: Constraint | None) -> Start:
    """Return where an initializer starts a fit of k components."""
    with _blaming(initializer, "start"):
        found = initializer.start(sample, k, constraint)
    _expect(found, Start, initializer, "start")
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
    return _expect(found, Sample, engine, "load")


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


@contextmanager
def closer_looks(engine: Engine) -> Iterator[None]:
    """Say whose closer look a fit could not use."""
    try:
        yield
    except UnusableValueError as error:
        if is_built_in(engine):
            raise InvalidInputError(str(error)) from error
        raise PluginError(f"{title(engine)} answered zoom with what a fit cannot use: {error}") from error


def labels(engine: Engine, predict: Callable[[Any], Any]) -> Any:
    """Return an engine's labels of its points; None if it gives none."""
    with _blaming(engine, "labels"):
        return engine.labels(predict)


def moments(engine: Engine, weights: FloatArray, means: FloatArray, variances: FloatArray) -> Moments:
    """Return an engine's moments at the given parameters."""
    with _blaming(engine, "moments"):
        found = engine.moments(weights, means, variances)
    _expect(found, Moments, engine, "moments")
    if len(found.weight) != len(means):
        what = f"moments of {len(found.weight)} components, but there are {len(means)}"
        raise _returned(engine, "moments", found, what)
    return found


def answering(engine: Engine) -> Callable[[FloatArray, FloatArray, FloatArray], Answer]:
    """Return what the core calls for an engine's moments."""

    def answer(weights: FloatArray, means: FloatArray, variances: FloatArray) -> Answer:
        found = moments(engine, weights, means, variances)
        return found.weight, found.first, found.second, found.log_likelihood, found.classification

    return answer


@contextmanager
def infeasible_by(constraint: Constraint | None) -> Iterator[None]:
    """Name the plugin whose constraint turns out to be one that no centres can hold."""
    try:
        yield
    except InfeasibleError as error:
        if constraint is None or is_built_in(constraint) or isinstance(error, PluginError):
            raise
        blamed = InfeasiblePluginError(f"{title(constraint)} cannot be held: {error}")
        blamed.__dict__.update(vars(error))
        raise blamed from error


def title(plugin: Plugin) -> str:
    """Return what a message calls a plugin: its kind, its name and where it comes from."""
    kind = next((kind.name for kind in KINDS.values() if isinstance(plugin, kind.base)), "plugin")
    entry = host.registry_so_far().entry_of(type(plugin))
    origin = entry.origin if entry else Origin.of_class(type(plugin))
    name = plugin.name or type(plugin).__qualname__
    return f"{kind} {name!r} ({origin})"


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
    except (InvalidInputError, InfeasibleError, SolverError, PluginError):
        raise
    except Exception as error:
        if is_built_in(plugin):
            raise
        raise PluginError(f"{title(plugin)} raised {type(error).__name__} in {call}: {error}") from error


def _expect(answer: T, kind: type[T], plugin: Plugin, call: str) -> T:
    if not isinstance(answer, kind):
        raise _returned(plugin, call, answer, f"not a mindgap.{kind.__name__}")
    return answer


def _returned(plugin: Plugin, call: str, answer: object, fault: str) -> PluginError:
    try:
        text = repr(answer)
    except Exception:  # the answer is rubbish; its repr may be, too
        text = f"an object of type {type(answer).__qualname__}"
    if len(text) > _LONGEST_REPR:
        text = f"{text[:_LONGEST_REPR]}..."
    return PluginError(f"{title(plugin)} returned {text} from {call}: {fault}")
