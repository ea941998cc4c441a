"""Guarded calls of plugins: what they return is checked before it is used.

An invalid return value or an unexpected exception becomes a `PluginError` with the name of the plugin, its package and
what it returned. `InvalidInputError` and `InfeasibleError`, which a plugin raises about the user's request, are passed
on.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mindgap import _core
from mindgap.foundation.errors import (
    PASSING,
    ChangedDataError,
    InfeasibleError,
    InfeasiblePluginError,
    InvalidInputError,
    MindgapError,
    PluginError,
    SolverError,
    UnusableLookError,
    UnusableValueError,
)
from mindgap.foundation.messages import reason, shorten
from mindgap.host.manager import host
from mindgap.host.origin import Origin
from mindgap.host.registry import KINDS
from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.model.constraint import ABOUT_MIXTURES, Constraint
from mindgap.model.engine import Engine
from mindgap.model.fingerprint import ADVICE
from mindgap.model.moments import Moments
from mindgap.model.parameters import Parameters
from mindgap.model.plugin import Plugin
from mindgap.model.sample import Sample
from mindgap.model.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias, TypeGuard

    from mindgap.model.initializer import Initializer
    from mindgap.validation import FloatArray

    Answer: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, float, float | None]

_LONGEST_REPR = 200
T = TypeVar("T")


def prepare(constraint: Constraint, sample: Sample) -> Constraint:
    """Return the constraint for these data."""
    with _blaming(constraint, "prepare"):
        found = constraint.prepare(sample)
    if not isinstance(found, Constraint):
        raise _returned(constraint, "prepare", found, "not a mindgap.Constraint")
    return found


def rows(constraint: Constraint, k: int) -> GapBounds | LinearRows | None:
    """Return the bounds or rows of a constraint on k centres: rows if it has both, None if it has neither."""
    with _blaming(constraint, f"gaps({k})"):
        gaps = constraint.gaps(k)
        if gaps is not None:
            gaps = _expect(gaps, GapBounds, constraint, f"gaps({k})")
    if gaps is not None and len(gaps) != k - 1:
        raise _returned(constraint, f"gaps({k})", gaps, f"{len(gaps)} bounds, but {k} centres have {k - 1} gaps")
    with _blaming(constraint, f"rows({k})"):
        found = constraint.rows(k)
        if found is not None:
            found = _expect(found, LinearRows, constraint, f"rows({k})")
    if found is None:
        own = type(constraint)
        if gaps is None and all(getattr(own, name) is getattr(Constraint, name) for name in ABOUT_MIXTURES):
            raise PluginError(f"{title(constraint)} returned neither gaps({k}) nor rows({k})")
        return gaps
    if found.k != k:
        raise _returned(constraint, f"rows({k})", found, f"rows on {found.k} centres, but there are {k}")
    return found if gaps is None else gaps.as_rows() + found


def block_rows(constraint: Constraint, name: str, k: int) -> LinearRows | None:
    """Return the rows of a constraint on the weights or the precisions of k components."""
    call = f"{name}({k})"
    with _blaming(constraint, call):
        answer = getattr(constraint, name)(k)
        found = None if answer is None else _expect(answer, LinearRows, constraint, call)
    if found is not None and found.k != k:
        raise _returned(constraint, call, found, f"rows on {found.k} components, but there are {k}")
    return found


def spread_ratio(constraint: Constraint) -> float | None:
    """Return the largest ratio of spreads that a constraint allows."""
    with _blaming(constraint, "spread_ratio"):
        found = constraint.spread_ratio()
    if found is not None and not (isinstance(found, (int, float)) and 1 <= found < np.inf):
        raise _returned(constraint, "spread_ratio", found, "not a number of at least 1")
    return found


def variation(constraint: Constraint) -> float | None:
    """Return the coefficient of variation of a constraint."""
    with _blaming(constraint, "variation"):
        found = constraint.variation()
    if found is not None and not (isinstance(found, (int, float)) and found > 0):
        raise _returned(constraint, "variation", found, "not a positive number")
    return found


def start(initializer: Initializer, sample: Sample, k: int, constraint: Constraint | None) -> Parameters:
    """Return the start of an initializer for k components."""
    with _blaming(initializer, "start"):
        found = _expect(initializer.start(sample, k, constraint), Parameters, initializer, "start")
    if found.k != k:
        raise _returned(initializer, "start", found, f"{found.k} components, but k is {k}")
    return found


def load(engine: Engine, x: Any, sample_weight: Any) -> Sample:
    """Load the data into an engine and return the sample that k-means and initializers work on."""
    with _blaming(engine, "load"):
        found = engine.load(x, sample_weight)
        if isinstance(found, Summary):
            answers = type(engine).zoom is not Engine.zoom
            return Sample._of_summary(found, _zooming(engine) if answers else None)
    if not isinstance(found, Sample):
        raise _returned(engine, "load", found, "neither a mindgap.Sample nor a mindgap.Summary")
    if not isinstance(getattr(found, "_core", None), _core.Sample):
        raise _returned(engine, "load", found, "a Sample that was never built; call its constructor")
    return found


def _zooming(engine: Engine) -> Callable[[FloatArray], list[_core.Summary]]:
    """Return the function that the core calls for refined summaries of some windows."""

    def zoom(windows: FloatArray) -> list[_core.Summary]:
        with _blaming(engine, "zoom"):
            found = engine.zoom(windows)
        if not isinstance(found, list) or not all(isinstance(part, Summary) for part in found):
            raise _returned(engine, "zoom", found, "not a list of mindgap.Summary")
        if len(found) != len(windows):
            raise _returned(engine, "zoom", found, f"{len(found)} summaries for {len(windows)} windows")
        return [part._core for part in found]

    return zoom


def labels(engine: Engine, predict: Callable[[Any], Any], k: int, least: int, most: int | None) -> Any:
    """Return an engine's labels, in an array or in a form of its own; None if it has none.

    An array must have between `least` and `most` labels.
    """
    with _blaming(engine, "labels"):
        found = engine.labels(predict)
    if isinstance(found, np.ndarray):
        if found.ndim != 1 or found.dtype.kind not in "iu" or ((found < 0) | (found >= k)).any():
            raise _returned(engine, "labels", found, f"not integers from 0 to {k - 1}")
        if len(found) < least or (most is not None and len(found) > most):
            raise _returned(engine, "labels", found, f"{len(found)} labels for {least} points")
    return found


def mapped(engine: Engine, x: Any, work: Callable[[Any], Any], dtype: Any, columns: int | None) -> Any:
    """Apply a function of an array to an engine's own data."""
    with _blaming(engine, "map"):
        return engine.map(x, work, dtype, columns)


def written(
    engine: Engine,
    path: Path,
    x: Any,
    columns: Callable[[Any], dict[str, Any]],
    column: str | None,
    keys: tuple[str, ...],
    tell: Callable[[int, int | None], None],
) -> int:
    """Let an engine write the labels of its own data; return the number of rows."""
    with _blaming(engine, "write"):
        return engine.write(path, x, columns, column, keys, tell)


def moments(
    engine: Engine, weights: FloatArray, means: FloatArray, variances: FloatArray, last: bool = False
) -> Moments:
    """Return an engine's moments at the given parameters; `last` marks the end of the fit."""
    call = "finish" if last else "moments"
    with _blaming(engine, call):
        answer = engine.finish if last else engine.moments
        found = _expect(answer(weights, means, variances), Moments, engine, call)
    if len(found.weight) != len(means):
        what = f"moments of {len(found.weight)} components, but there are {len(means)}"
        raise _returned(engine, call, found, what)
    return found


def answering(engine: Engine) -> Callable[[FloatArray, FloatArray, FloatArray, bool], Answer]:
    """Return the function that the core calls for an engine's moments."""

    def answer(weights: FloatArray, means: FloatArray, variances: FloatArray, last: bool) -> Answer:
        found = moments(engine, weights, means, variances, last)
        return found.weight, found.first, found.second, found.log_likelihood, found.classification

    return answer


@contextmanager
def in_use(engine: Engine) -> Iterator[None]:
    """Use an engine in one fit at a time, and close it when the fit ends.

    An engine object holds the data that it loaded last. If the fit fails, its error hides an error of `close`.
    """
    mine = object()
    if _in_use.setdefault(id(engine), mine) is not mine:
        how = f"give each fit its own, or the name {_name(engine)!r}"
        raise InvalidInputError(f"this object of the engine {_name(engine)!r} is in use by another fit; {how}")
    try:
        try:
            yield
        except BaseException:
            with suppress(PluginError):
                _close(engine)
            raise
        _close(engine)
    finally:
        del _in_use[id(engine)]


#: The engines in use by id, each with a mark of its fit.
_in_use: dict[int, object] = {}


def _close(engine: Engine) -> None:
    with _blaming(engine, "close"):
        engine.close()


def blame(error: MindgapError, constraint: Constraint | None, start: object, engine: Engine | None) -> None:
    """Raise a PluginError if a solver failed because of a plugin's constraint, start or refined summary."""
    if isinstance(error, InfeasibleError) and _is_plugin(constraint) and not isinstance(error, PluginError):
        blamed = InfeasiblePluginError(f"{title(constraint)} is infeasible: {error}")
        blamed.__dict__.update(vars(error))
        raise blamed from error
    if isinstance(error, UnusableValueError) and _is_plugin(start):
        raise PluginError(f"{title(start)} returned an invalid start: {error}") from error
    if isinstance(error, UnusableLookError) and engine is not None and is_built_in(engine):
        raise ChangedDataError(f"{error}; {ADVICE}") from error
    if isinstance(error, UnusableLookError) and _is_plugin(engine):
        raise PluginError(f"{title(engine)} returned an invalid summary from zoom: {error}") from error


def _is_plugin(part: object) -> TypeGuard[Plugin]:
    return isinstance(part, Plugin) and not is_built_in(part)


def title(plugin: Plugin) -> str:
    """Return a plugin's kind, name and origin, for messages."""
    kind = next((kind.name for kind in KINDS.values() if isinstance(plugin, kind.base)), "plugin")
    entry = host.registry().entry_of(type(plugin))
    origin = entry.origin if entry else Origin.of_class(type(plugin))
    return f"{kind} {_name(plugin)!r} ({origin})"


def _name(plugin: Plugin) -> str:
    # From the class: the object may have overwritten the attribute.
    name = getattr(type(plugin), "name", None)
    return name if isinstance(name, str) and name else type(plugin).__qualname__


def is_built_in(plugin: Plugin) -> bool:
    """Return whether the plugin is one of mindgap's own."""
    return type(plugin).__module__.partition(".")[0] == "mindgap"


@contextmanager
def _blaming(plugin: Plugin, call: str) -> Iterator[None]:
    """Turn exceptions of a plugin into a PluginError, unless they are about the user's request."""
    try:
        yield
    except UnusableValueError as error:
        raise PluginError(f"{title(plugin)} built an invalid object in {call}: {error}") from error
    except (InvalidInputError, InfeasibleError, SolverError, PluginError, *PASSING):
        raise
    except BaseException as error:
        if is_built_in(plugin):
            raise
        raise PluginError(f"{title(plugin)} raised {type(error).__name__} in {call}: {reason(error)}") from error


def _expect(answer: T, kind: type[T], plugin: Plugin, call: str) -> T:
    """Return a copy of a plugin's answer. Building it checks its parts, which may have changed since it was built."""
    # By its type: __class__ can be overridden.
    if not issubclass(type(answer), kind):
        raise _returned(plugin, call, answer, f"not a mindgap.{kind.__name__}")
    parts = [part.name for part in fields(kind) if not part.name.startswith("_")]  # type: ignore[arg-type]
    return kind(*(getattr(answer, name) for name in parts))


def _returned(plugin: Plugin, call: str, answer: object, fault: str) -> PluginError:
    return PluginError(f"{title(plugin)} returned {shorten(answer, _LONGEST_REPR)} from {call}: {fault}")
