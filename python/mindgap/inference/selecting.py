"""Fit a grid of models: numbers of components, models of the variances, constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mindgap.fit.loading import sorted_once
from mindgap.fit.mixture import mixture
from mindgap.foundation.errors import InfeasibleError, InvalidInputError, MindgapError, PluginError, SolverError
from mindgap.foundation.messages import shorten
from mindgap.foundation.progress import shown
from mindgap.host import lookup
from mindgap.host.builtin.constraints import SpreadRatio
from mindgap.inference.refitting import constraint_of, no_proof
from mindgap.inference.selection import Selection
from mindgap.model.parameters import Parameters
from mindgap.results.mixture import DEGENERATE, MixtureResult
from mindgap.validation import as_choice, as_count, as_number, as_positive

if TYPE_CHECKING:
    from mindgap.fit.loading import Data
    from mindgap.foundation.progress import Progress
    from mindgap.model.constraint import Constraint

CRITERIA = ("bic", "aic", "icl")

Variances: TypeAlias = Literal["free", "equal", "bounded"]
VARIANCES = ("free", "equal", "bounded")

#: The default ratio of the largest to the smallest standard deviation with "bounded" variances.
RATIO = 3.0

#: The weight of an added component: so small that it changes the likelihood by less than the tolerance of a fit.
_NO_WEIGHT = 1e-12


def select(
    x: Data,
    k: Iterable[int] = range(1, 9),
    constraint: Mapping[str, Constraint | str | None] | Constraint | str | None = None,
    *,
    variances: Variances | Iterable[Variances] = "free",
    ratio: float = RATIO,
    criterion: Literal["bic", "aic", "icl"] | Callable[[MixtureResult], float] = "bic",
    certify: bool = False,
    time_limit: float | None = None,
    progress: Progress = False,
    **settings: Any,
) -> Selection:
    """Fit a mixture for each number of components and choose the best by an information criterion.

    Give several models of the variances, or several constraints, to rank all combinations. The criteria count 3k-1
    parameters (2k with equal variances), whether or not a bound is active, so that they do not favour a constraint. To
    test one model against a more general one, use `compare`.

    Parameters
    ----------
    x : array-like of n numbers
        The data.
    k : iterable of int
        The numbers of components to try.
    constraint : Constraint, str, None, or a mapping of names to them
        The constraint on the means; one that is valid for every k, such as `LowerOnly`. If it is invalid or infeasible
        for a k, `reasons` says so. All constraints of a mapping are tried; None means no constraint.
    variances : "free", "equal", "bounded", or several of them
        One variance per component; one for all; or one per component, with the largest standard deviation at most
        `ratio` times the smallest.
    ratio : float
        The bound of "bounded".
    criterion : "bic", "aic", "icl" or callable
        BIC finds the number of components if the model is right; AIC aims at prediction and picks more; ICL prefers
        components that do not overlap and picks fewer. Or a function that returns a number for a `MixtureResult`; lower
        is better.
    certify : bool
        Whether to prove an upper bound on each log-likelihood: `upper_bound` of the results.
    time_limit : float, optional
        The maximum number of seconds for one fit and its certificate, as in `mixture`.
    progress : bool or callable
        Whether to show a bar on standard error; or a function to call with (done, total).
    **settings
        As in `mixture`.

    Returns
    -------
    Selection
        All models, with `ranking`, `best` and `best_result`. A fit in which a component collapsed or vanished is never
        the best.

    Raises
    ------
    MindgapError
        If no model has a valid fit; the class is that of the fits' errors.

    Examples
    --------
    >>> from mindgap.datasets import paper_model
    >>> values = paper_model("C", 2000, rng=1).values
    >>> models = mg.select(values, range(1, 5), "lower-only:delta=1")
    >>> models.ks
    (1, 2, 3, 4)
    >>> models.best_result.k == models.best
    True

    Equal and free variances, with and without a constraint:

    >>> models = mg.select(values[:300], [2, 3], {"none": None, "apart": mg.LowerOnly(1)}, variances=["equal", "free"])
    >>> len(models.results)
    8
    """
    name, value_of = _criterion(criterion)
    ks, named, kinds = _numbers(k), _named(constraint), _kinds(variances)
    bound = SpreadRatio(as_positive(ratio, "ratio"))
    no_proof(settings)
    settings |= {"certify": certify, "time_limit": time_limit}
    data = sorted_once(x, settings)
    fits: list[Any] = []
    models = [(title, kind) for title in named for kind in kinds]
    with shown(progress, "select", len(models) * len(ks)) as tick:
        for title, kind in models:
            asked, more = _model(named[title], kind, bound), settings | {"variances": _SETTING[kind]}
            fewer = None
            for number in ks:
                fewer = _not_below(fewer, _attempt(data, number, asked, more), data, more)
                fits.append(fewer)
                tick(len(fits))
    results = tuple(fit if isinstance(fit, MixtureResult) else None for fit in fits)
    values = np.array([np.nan if result is None else value_of(result) for result in results])
    reasons = tuple(_reason(fit, value) for fit, value in zip(fits, values, strict=True))
    titles, spreads = ([model[part] for model in models for _ in ks] for part in (0, 1))
    selection = Selection(name, ks * len(models), tuple(spreads), tuple(titles), results, values, reasons)
    if all(reason is not None for reason in reasons):
        raise _nothing_sound(selection, fits)
    return selection


#: The `variances` argument of `mixture` for each model.
_SETTING = {"free": "free", "equal": "equal", "bounded": "free"}


def _model(constraint: Constraint | str | None, kind: str, bound: SpreadRatio) -> Constraint | str | None:
    """Return the constraint of a model."""
    if kind != "bounded":
        return constraint
    return bound if constraint is None else lookup.constraint(constraint) & bound


def _kinds(variances: Any) -> list[str]:
    """Return the distinct models of the variances."""
    given = [variances] if isinstance(variances, str) or not isinstance(variances, Iterable) else [*variances]
    if not given:
        raise InvalidInputError("variances is empty; give 'free', 'equal' or 'bounded', or several of them")
    return list(dict.fromkeys(as_choice(kind, "variances", VARIANCES) for kind in given))


def _named(constraint: Any) -> dict[str, Constraint | str | None]:
    """Return the constraints by name."""
    if not isinstance(constraint, Mapping):
        title = "none" if constraint is None else constraint if isinstance(constraint, str) else repr(constraint)
        return {title: constraint}
    if not constraint or not all(isinstance(name, str) for name in constraint):
        raise InvalidInputError(f"constraint is {shorten(constraint)}; give names and constraints")
    return {name: None if given is None else lookup.constraint(given) for name, given in constraint.items()}


def _criterion(criterion: Any) -> tuple[str, Callable[[MixtureResult], float]]:
    """Return the name of a criterion and its values."""
    if isinstance(criterion, str) and criterion in CRITERIA:
        return criterion, lambda result: getattr(result, criterion)
    if not callable(criterion):
        raise InvalidInputError(
            f"criterion is {shorten(criterion)}; it must be one of {', '.join(CRITERIA)}, or callable"
        )
    name = getattr(criterion, "__name__", "criterion")
    return name, lambda result: as_number(criterion(result), f"{name} of the fit with k = {result.k}")


def _numbers(k: Any) -> tuple[int, ...]:
    try:
        numbers = list(k)
    except Exception:  # a foreign iterator may raise anything
        numbers = None
    if numbers is None or isinstance(k, (str, bytes)):
        raise InvalidInputError(f"k is {shorten(k)}; give the numbers of components to try, such as range(1, 9)")
    ks = tuple(sorted({as_count(number, "k") for number in numbers}))
    if not ks:
        raise InvalidInputError("k is empty; give the numbers of components to try, such as range(1, 9)")
    return ks


def _not_below(fewer: Any, fit: Any, data: Any, settings: dict[str, Any]) -> Any:
    """Return the fit, or a climb from the fit with fewer components if that ends higher."""
    if not (isinstance(fewer, MixtureResult) and isinstance(fit, MixtureResult)):
        return fit
    if fit.log_likelihood >= fewer.log_likelihood or settings.get("method") == "paper":
        return fit
    while fewer.k < fit.k:
        fewer = _one_more(fewer, fit)
    others = {name: value for name, value in settings.items() if name != "init"}
    again = _attempt(data, fit.k, constraint_of(fit), others | {"init": fewer})
    return again if isinstance(again, MixtureResult) and again.log_likelihood > fit.log_likelihood else fit


def _one_more(fit: Any, wider: MixtureResult) -> Parameters:
    """Return the parameters of a fit with one more component, of negligible weight, above the last."""
    gap = np.sqrt(fit.variances[-1])
    if wider.bounds is not None:
        place = len(fit.means) - 1
        gap = float(np.clip(gap, wider.bounds.lower[place], wider.bounds.upper[place]))
    weights = np.append(np.maximum(fit.weights, _NO_WEIGHT), _NO_WEIGHT)
    return Parameters(
        weights / weights.sum(), np.append(fit.means, fit.means[-1] + gap), np.append(fit.variances, fit.variances[-1])
    )


def _attempt(data: Any, k: int, constraint: Constraint | str | None, settings: dict[str, Any]) -> Any:
    try:
        return mixture(data, k, constraint, **settings)
    except (InvalidInputError, InfeasibleError, SolverError) as error:
        return error


def _reason(fit: MixtureResult | MindgapError, value: float) -> str | None:
    if isinstance(fit, MindgapError):
        return str(fit)
    # A collapsed component makes the likelihood arbitrarily large.
    if fit.status in DEGENERATE:
        return fit.message
    return "its criterion is NaN" if np.isnan(value) else None


def _nothing_sound(selection: Selection, fits: list[Any]) -> MindgapError:
    """Return the common error of all fits, or an error of the first one's class that lists them all."""
    errors = [fit for fit in fits if isinstance(fit, MindgapError)]
    if len(errors) == len(fits) and len({*selection.reasons}) == 1:
        return errors[0]
    kinds = [
        kind for kind in (PluginError, InfeasibleError, InvalidInputError) if any(isinstance(e, kind) for e in errors)
    ]
    listed = "; ".join(f"{selection.name_of(place)}: {reason}" for place, reason in enumerate(selection.reasons))
    what = "model" if selection.is_grid else "number of components"
    return (kinds[0] if kinds else SolverError)(f"no {what} gave a valid fit: {listed}")
