"""Checks for the tests of plugins: that a constraint, an initializer or an engine does what mindgap relies on.

Each raises `AssertionError` at the first requirement that is not met. They take well under a second:

>>> from mindgap.testing import check_constraint
>>> check_constraint(mg.LowerOnly(1.5))
"""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

import numpy as np

import mindgap as mg
from mindgap.foundation.errors import UnusableValueError
from mindgap.foundation.messages import shorten
from mindgap.host.registry import NAME
from mindgap.model.constraint import ABOUT_MIXTURES
from mindgap.model.plugin import Plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mindgap.validation import FloatArray

__all__ = ["check_constraint", "check_engine", "check_initializer"]

#: The largest violation of a bound by a fitted centre, as a fraction of the data's range.
_HELD = 1e-9

#: The same for weights and spreads, as a fraction of the terms of the row: the M step solves for them iteratively.
_HELD_ABOUT = 1e-7

#: The largest relative difference between an engine's sums and the core's, which adds in another order.
_AGREE = 1e-9


def check_constraint(constraint: mg.Constraint, *, x: Any = None, ks: Iterable[int] = range(1, 6)) -> None:
    """Check that a constraint returns valid bounds or rows, always the same, and that fits satisfy it.

    Parameters
    ----------
    constraint : Constraint
        The object to check. Its numeric parameters are also tried with invalid values.
    x : array-like of numbers, optional
        Data that can satisfy the constraint for some k (default: 100 points from 0 to 50).
    ks : iterable of int
        The numbers of centres to try. The constraint may raise `InvalidInputError` for those it does not support.

    Examples
    --------
    >>> from mindgap.testing import check_constraint
    >>> check_constraint(mg.PerGap([3, 5]), ks=[3])
    """
    _check_plugin(constraint, mg.Constraint)
    sample = mg.Sample(_groups(5) if x is None else x)
    prepared = constraint.prepare(sample)
    _expect(isinstance(prepared, mg.Constraint), constraint, f"prepare(sample) returned {shorten(prepared)}")
    answers = {k: answer for k in ks if (answer := _answer(prepared, k)) is not None}
    _expect(bool(answers), constraint, f"supports none of k = {', '.join(map(str, ks))}; give `ks` that it supports")
    for twin in (copy.deepcopy(constraint), constraint):
        again = {k: _answer(twin.prepare(sample), k) for k in answers}
        _expect(again == answers, constraint, "a copy of it, or a second call, returns other bounds or rows")
    fitted = [k for k in answers if k <= sample.distinct and _holds(constraint, sample, k, *answers[k])]
    _expect(bool(fitted), constraint, "no fit of the data can satisfy it; give `x` that can")


def check_initializer(initializer: mg.Initializer, *, ks: Iterable[int] = (1, 2, 3)) -> None:
    """Check that an initializer returns a start for all kinds of data, always the same, and that fits run from it.

    Parameters
    ----------
    initializer : Initializer
        The object to check. Its numeric parameters are also tried with invalid values.
    ks : iterable of int
        The numbers of components to try.

    Examples
    --------
    >>> from mindgap.testing import check_initializer
    >>> check_initializer(mg.Ckmeans())
    """
    _check_plugin(initializer, mg.Initializer)
    values = _groups(3)
    samples = {
        "groups": mg.Sample(values),
        "weighted data": mg.Sample(values, np.linspace(0.5, 2, len(values))),
        "data with ties": mg.Sample(np.repeat([1.0, 2.0, 2.5, 7.0], [5, 1, 9, 3])),
        "equal values": mg.Sample(np.full(4, 3.0)),
        "data far from zero": mg.Sample(values + 1e9),
        "tiny data": mg.Sample(values * 1e-9),
    }
    found = [
        _check_start(initializer, name, sample, k)
        for name, sample in samples.items()
        for k in ks
        if k <= sample.distinct
    ]
    _expect(any(found), initializer, "it returns no start for any of the data")


def check_engine(
    engine: mg.Engine,
    *,
    as_input: Callable[[FloatArray, FloatArray | None], tuple[Any, Any]] = lambda x, sample_weight: (x, sample_weight),
) -> None:
    """Check that an engine gives the same results as the core does for the same data in memory.

    Parameters
    ----------
    engine : Engine
        The object to check. Its numeric parameters are also tried with invalid values.
    as_input : callable
        Converts an array and its weights (or None) to what the engine takes, such as a table in a database.
        Returns the arguments `x` and `sample_weight` of a fit.

    Examples
    --------
    >>> from mindgap.testing import check_engine
    >>> check_engine(mg.Local())
    """
    _check_plugin(engine, mg.Engine)
    values = np.random.default_rng(1).permutation(_groups(3))
    weights = np.linspace(0.5, 2, len(values))
    for x, mass in ((values, None), (values, weights), (values[::2], None)):
        _check_answers(engine, x, mass, as_input(x, mass))
        _check_fits(engine, x, mass, as_input(x, mass))
    for bad, what in ((np.array([1.0, np.nan, 3.0]), "a NaN"), (np.array([]), "no points")):
        try:
            mg.kmeans(as_input(bad, None)[0], 1, engine=engine)
        except mg.InvalidInputError:
            continue
        raise AssertionError(f"{engine!r} accepts data with {what}; raise mindgap.InvalidInputError")


_PARAMETERS = ("weights", "means", "variances")


def _groups(k: int) -> FloatArray:
    """Return k groups of twenty points around 0, 10, 20 and so on, with no two gaps between points equal."""
    spread = np.sinh(np.linspace(-1.5, 1.5, 20))
    return np.concatenate([10 * group + (1 + 0.1 * group) * spread for group in range(k)])


def _expect(valid: bool, plugin: Plugin, fault: str) -> None:
    if not valid:
        raise AssertionError(f"{plugin!r}: {fault}")


def _check_plugin(plugin: Any, base: type[Plugin]) -> None:
    """Check the name and the parameters, which every kind of plugin has."""
    if not isinstance(plugin, base):
        raise AssertionError(f"{shorten(plugin)} is not an object of a subclass of mindgap.{base.__name__}")
    _expect(bool(NAME.fullmatch(str(plugin.name))), plugin, f"its name {plugin.name!r} is not lower case with hyphens")
    for name in plugin.parameters():
        _expect(hasattr(plugin, name), plugin, f"it does not keep its parameter {name!r} as an attribute")
    _expect(type(plugin).__name__ in repr(plugin), plugin, "its repr does not name its class")
    given = {name: getattr(plugin, name) for name in plugin.parameters()}
    for name, value in given.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            _check_number(plugin, given, name, value)


def _check_number(plugin: Plugin, given: dict[str, Any], name: str, value: float) -> None:
    """Check that a numeric parameter accepts numpy's numbers and refuses everything else."""
    numpy_number = np.int64(value) if isinstance(value, int) else np.float64(value)
    type(plugin)(**(given | {name: numpy_number}))
    for bad in (True, math.nan, "text", [1.0, 2.0]):
        try:
            type(plugin)(**(given | {name: bad}))
        except mg.InvalidInputError:
            continue
        except Exception as error:
            fault = f"raises {type(error).__name__}"
        else:
            fault = "accepts it"
        advice = "raise mindgap.InvalidInputError, as the functions of mindgap.validation do"
        raise AssertionError(f"{type(plugin).__name__}({name}={bad!r}) {fault}; {advice}")


def _check_start(initializer: mg.Initializer, data: str, sample: mg.Sample, k: int) -> bool:
    """Check the starts for one sample; return False if they are infeasible for it."""
    for constraint in (None, mg.LowerOnly(0.0)):
        what = f"start({data}, {k}, {constraint})"
        try:
            start, again = (initializer.start(sample, k, constraint) for _ in range(2))
        except mg.InfeasibleError:
            return False
        except UnusableValueError as error:
            raise AssertionError(f"{initializer!r}: {what} is invalid: {error}") from error
        _expect(isinstance(start, mg.Parameters), initializer, f"{what} returned {shorten(start)}")
        _expect(start.k == k, initializer, f"{what} has {start.k} components")
        same = all(np.array_equal(getattr(start, part), getattr(again, part)) for part in _PARAMETERS)
        _expect(same, initializer, f"{what} differs from call to call; draw from a fixed seed")
    fit = mg.mixture(sample, k, init=initializer, max_iter=3)
    _expect(bool(np.isfinite(fit.means).all()), initializer, f"a fit of {data} from it is not finite")
    return True


def _answer(constraint: mg.Constraint, k: int) -> tuple[mg.LinearRows | None, dict[str, Any]] | None:
    """Return the rows on k centres and what there is about weights and spreads; None if k is not supported."""
    try:
        gaps, rows = constraint.gaps(k), constraint.rows(k)
        found = {name: getattr(constraint, name)(*[k] * name.endswith("rows")) for name in ABOUT_MIXTURES}
    except mg.InvalidInputError as error:
        if type(error) is mg.InvalidInputError:
            return None
        raise AssertionError(f"{constraint!r}: its answer for k = {k} is invalid: {error}") from error
    about = {name: value for name, value in found.items() if value is not None}
    said = gaps is not None or rows is not None or bool(about)
    _expect(said, constraint, f"implements neither gaps({k}) nor rows({k}), nor a method about weights or spreads")
    parts = []
    if gaps is not None:
        _expect(isinstance(gaps, mg.GapBounds), constraint, f"gaps({k}) returned {shorten(gaps)}")
        _expect(len(gaps) == k - 1, constraint, f"gaps({k}) has {len(gaps)} bounds; {k} centres have {k - 1} gaps")
        parts.append(gaps.as_rows())
    if rows is not None:
        _check_rows(constraint, f"rows({k})", rows, k)
        parts.append(rows)
    for name in {"weight_rows", "precision_rows"} & about.keys():
        _check_rows(constraint, f"{name}({k})", about[name], k)
    return (parts[0] if len(parts) == 1 else parts[0] + parts[1]) if parts else None, about


def _check_rows(constraint: mg.Constraint, call: str, rows: Any, k: int) -> None:
    _expect(isinstance(rows, mg.LinearRows), constraint, f"{call} returned {shorten(rows)}")
    _expect(rows.k == k, constraint, f"{call} have {rows.k} columns; there are {k} centres")


def _holds(
    constraint: mg.Constraint, sample: mg.Sample, k: int, rows: mg.LinearRows | None, about: dict[str, Any]
) -> bool:
    """Check that fits of the sample satisfy a constraint; return False if that is infeasible."""
    try:
        fit = mg.mixture(sample, k, constraint, max_iter=20)
        centers = {"a mixture": fit.means}
        if not about:
            centers["k-means"] = mg.kmeans(sample, k, constraint, centers="means").centers
    except mg.InfeasibleError:
        return False
    slack = _HELD * max(np.ptp(sample.values), np.abs(sample.values).max())
    for what, found in centers.items():
        held = rows is None or _satisfied(rows, found, slack * (1 + np.abs(rows.matrix).sum(axis=1)))
        _expect(held, constraint, f"{what} with {k} centres at {found.tolist()} does not satisfy it")
    _check_about(constraint, about, fit)
    return True


def _check_about(constraint: mg.Constraint, about: dict[str, Any], fit: mg.MixtureResult) -> None:
    """Check that the weights and spreads of a fit satisfy a constraint on them."""
    spreads = np.sqrt(fit.variances)
    for name, values in (("weight_rows", fit.weights), ("precision_rows", 1 / fit.variances)):
        if name in about:
            size = _HELD_ABOUT * (np.abs(about[name].matrix) @ values)
            held = _satisfied(about[name], values, size)
            _expect(held, constraint, f"a mixture with {values.tolist()} does not satisfy {name}")
    ratio = float(spreads.max() / spreads.min())
    held = ratio <= about.get("spread_ratio", math.inf) * (1 + _HELD_ABOUT)
    _expect(held, constraint, f"a mixture with spreads {spreads.tolist()} does not satisfy spread_ratio")
    variation, sizes = about.get("variation", math.inf), np.abs(fit.means)
    held = variation == math.inf or bool(np.allclose(spreads, variation * sizes, rtol=_HELD_ABOUT, atol=0.0))
    found = f"means {fit.means.tolist()} and spreads {spreads.tolist()}"
    _expect(held, constraint, f"a mixture with {found} does not satisfy variation")


def _satisfied(rows: mg.LinearRows, values: FloatArray, size: FloatArray) -> bool:
    sides = rows.matrix @ values
    return bool((sides >= rows.lower - size).all() and (sides <= rows.upper + size).all())


def _check_answers(engine: mg.Engine, x: FloatArray, mass: FloatArray | None, given: tuple[Any, Any]) -> None:
    """Check an engine's moments and classification against the core's."""
    loaded = engine.load(*given)
    try:
        _expect(isinstance(loaded, (mg.Sample, mg.Summary)), engine, f"load returned {shorten(loaded)}")
        total = float(len(x) if mass is None else mass.sum())
        _expect(
            math.isclose(loaded.total_weight, total, rel_tol=_AGREE),
            engine,
            f"load returned data of total weight {loaded.total_weight:g}, not {total:g}",
        )
        for k in (1, 3):
            mixture = np.full(k, 1 / k), np.linspace(1, 19, k), np.full(k, 9.0)
            during, last = engine.moments(*mixture), engine.finish(*mixture)
            for call, found in (("moments", during), ("finish", last)):
                _expect(isinstance(found, mg.Moments), engine, f"{call} returned {shorten(found)}")
            _compare(engine, "moments", during, mg.Moments.of(x, mass, *mixture))
            _expect(last.classification is not None, engine, "finish returns no classification: fits have no ICL")
            _compare(engine, "finish", last, mg.Moments.of(x, mass, *mixture))
    finally:
        engine.close()


def _compare(engine: mg.Engine, call: str, found: mg.Moments, core: mg.Moments) -> None:
    for name in ("weight", "first", "second", "log_likelihood", "classification"):
        one, two = getattr(found, name), getattr(core, name)
        # First moments cancel, so their error is measured by the size of the second moments.
        size = float(np.sqrt(core.weight.sum() * core.second.sum())) if name == "first" else 0.0
        if one is not None and not np.allclose(one, two, rtol=_AGREE, atol=_AGREE * size):
            raise AssertionError(f"{engine!r}: {call} has {name} {one}, but the core has {two}")


def _check_fits(engine: mg.Engine, x: FloatArray, mass: FloatArray | None, given: tuple[Any, Any]) -> None:
    """Check whole fits against those in memory: costs, clusters, likelihoods and labels."""
    there, here = mg.kmeans(given[0], 3, sample_weight=given[1], engine=engine), mg.kmeans(x, 3, sample_weight=mass)
    if there.optimal:
        _expect(
            math.isclose(there.inertia, here.inertia, rel_tol=_AGREE),
            engine,
            f"k-means costs {there.inertia}, but {here.inertia} in memory",
        )
    _check_labels(engine, there.labels, here.labels)
    constraint = mg.LowerOnly(10.5)
    mixture: dict[str, Any] = {"init": "ckmeans", "max_iter": 50}
    far = mg.mixture(given[0], 3, constraint, sample_weight=given[1], engine=engine, **mixture)
    near = mg.mixture(x, 3, constraint, sample_weight=mass, **mixture)
    # A fit stops within 1e-8 log units of the maximum; the means are then off by about 1e-4 of their errors.
    _expect(
        math.isclose(far.log_likelihood, near.log_likelihood, rel_tol=_AGREE, abs_tol=1e-6),
        engine,
        f"a mixture has a log-likelihood of {far.log_likelihood}, but {near.log_likelihood} in memory",
    )
    _expect(
        bool(np.allclose(far.means, near.means, rtol=0, atol=1e-4)),
        engine,
        f"a mixture has means {far.means.tolist()}, but {near.means.tolist()} in memory",
    )
    _check_labels(engine, far.labels, near.labels)


def _check_labels(engine: mg.Engine, found: Any, expected: Any) -> None:
    """Check labels that are an array; the author of an engine checks labels in a form of its own."""
    if isinstance(found, np.ndarray) and len(found):
        _expect(bool(np.array_equal(found, expected)), engine, "its labels differ from those of the fit in memory")
