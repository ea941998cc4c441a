"""Which model: mixtures over numbers of components, models of the spreads and constraints, ranked by one criterion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mindgap.errors import InvalidInputError, MindgapError
from mindgap.fit.loading import sorted_once
from mindgap.foundation.messages import shorten
from mindgap.foundation.progress import shown
from mindgap.host import lookup
from mindgap.host.builtin.constraints import SpreadRatio
from mindgap.inference.selection import select
from mindgap.results.frames import Backend, frame_of
from mindgap.results.table import TextTable
from mindgap.validation import as_choice, as_positive

if TYPE_CHECKING:
    from mindgap.fit.loading import Data
    from mindgap.foundation.progress import Progress
    from mindgap.model.constraint import Constraint
    from mindgap.results.mixture import MixtureResult

SPREADS = ("equal", "free", "bounded")

#: How many times the least deviation the largest may be in the "bounded" model, unless told.
RATIO = 3.0


@dataclass(frozen=True, eq=False)
class RankedModel:
    """One model of a ranking.

    Attributes
    ----------
    k : int
        The number of components.
    spreads : str
        "equal", "free" or "bounded".
    constraint : str
        The name of the constraint.
    result : MixtureResult or None
        The fit; None if there is none.
    value : float or None
        The criterion; None if there is no fit.
    reason : str or None
        Why the model cannot be chosen; None for a sound fit.
    """

    k: int
    spreads: str
    constraint: str
    result: MixtureResult | None
    value: float | None
    reason: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """Models of the same data, the best first; those that cannot be chosen come last.

    Attributes
    ----------
    criterion : str
        What they are ranked by; less is better.
    models : tuple of RankedModel
        The models.

    Examples
    --------
    >>> ranking = mg.rank_models([0.0, 0.2, 0.3, 5.0, 5.1, 5.4], [1, 2], spreads=["equal"])
    >>> [(model.k, model.spreads) for model in ranking.models]
    [(2, 'equal'), (1, 'equal')]
    """

    criterion: str
    models: tuple[RankedModel, ...]

    @property
    def best(self) -> RankedModel:
        """The first of the models."""
        return self.models[0]

    def table(self) -> TextTable:
        """Return what `summary`, notebooks and the command line show: a line for each model."""
        head = ("rank", "k", "spreads", self.criterion.upper(), "behind", "log-likelihood", "parameters", "constraint")
        notes = [f"{_title(model)}: {model.reason}" for model in self.models if model.reason is not None]
        return TextTable("Models", head, [*map(self._cells, range(len(self.models)))], notes)

    def _cells(self, index: int) -> list[str]:
        model = self.models[index]
        rank = "-" if model.reason is not None else f"{index + 1}"
        if model.result is None or model.value is None or self.best.value is None:
            return [rank, f"{model.k}", model.spreads, "", "", "", "", model.constraint]
        behind = model.value - self.best.value
        fit = [f"{model.result.log_likelihood:.8g}", f"{model.result.n_parameters}"]
        return [rank, f"{model.k}", model.spreads, f"{model.value:.8g}", f"{behind:.1f}", *fit, model.constraint]

    def summary(self) -> str:
        """Return the models as a table in plain text, and why some cannot be chosen."""
        return self.table().plain()

    def _repr_html_(self) -> str:
        return self.table().html()

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the models as a frame of `backend`: pandas, else polars, unless told, one row for each."""
        columns: dict[str, Any] = {
            name: [getattr(model, name) for model in self.models] for name in ("k", "spreads", "constraint", "reason")
        }
        columns[self.criterion] = [np.nan if model.value is None else model.value for model in self.models]
        for name in ("log_likelihood", "n_parameters"):
            columns[name] = [np.nan if model.result is None else getattr(model.result, name) for model in self.models]
        return frame_of(columns, backend)

    def __repr__(self) -> str:
        return f"Ranking(best={_title(self.best)}, {len(self.models)} models by {self.criterion})"


def _title(model: RankedModel) -> str:
    return f"k = {model.k}, {model.spreads} spreads, {model.constraint}"


def rank_models(
    x: Data,
    k: Iterable[int] = range(1, 9),
    constraints: Mapping[str, Constraint | str | None] | Constraint | str | None = None,
    *,
    spreads: Iterable[Literal["equal", "free", "bounded"]] = ("equal", "free"),
    ratio: float = RATIO,
    criterion: Literal["bic", "aic", "icl"] | Callable[[MixtureResult], float] = "bic",
    progress: Progress = False,
    **settings: Any,
) -> Ranking:
    """Fit every model of a grid, and rank them: numbers of components, models of the spreads, constraints.

    The criteria count 3k-1 parameters with free or bounded spreads and 2k with equal ones, whether or not a bound is
    active, so that they do not favour a constraint. To test one model against a more general one, use `compare`.

    Parameters
    ----------
    x : array-like of n numbers
        The data.
    k : iterable of int
        The numbers of components to try.
    constraints : mapping of names to constraints, or one constraint
        Each is tried; None stands for no constraint.
    spreads : iterable of "equal", "free" or "bounded"
        One deviation for all components; one for each; or one for each, the largest at most `ratio` times the least.
    ratio : float
        The bound of "bounded".
    criterion, progress, **settings
        As in `select`.

    Returns
    -------
    Ranking
        The models, the best first.

    Raises
    ------
    MindgapError
        If no model has a sound fit.

    Examples
    --------
    >>> values = mg.datasets.paper_model("B", 300, rng=1).values
    >>> ranking = mg.rank_models(values, [2, 3], {"none": None, "apart": mg.LowerOnly(1.9)})
    >>> len(ranking.models)
    8
    """
    if "variances" in settings:
        raise InvalidInputError("variances is what is ranked here; give spreads instead")
    named = _named(constraints)
    kinds = [as_choice(kind, "spreads", SPREADS) for kind in spreads]
    if not kinds or not named:
        raise InvalidInputError("there are no models to rank; give spreads and constraints")
    bound = SpreadRatio(as_positive(ratio, "ratio"))
    data, ks, name = sorted_once(x, settings), list(k), "criterion"
    models: list[RankedModel] = []
    first: MindgapError | None = None
    with shown(progress, "models", len(named) * len(kinds)) as tick:
        for done, (title, kind) in enumerate(((title, kind) for title in named for kind in kinds), start=1):
            held = named[title]
            if kind == "bounded":
                held = bound if held is None else held & bound
            more = settings | ({"variances": "equal"} if kind == "equal" else {})
            try:
                found = select(data, ks, held, criterion=criterion, **more)
            except MindgapError as error:
                first = first or error
                models.append(RankedModel(0, kind, title, None, None, str(error)))
            else:
                name = found.criterion
                rows = zip(found.ks, found.results, found.values.tolist(), found.reasons, strict=True)
                models += [
                    RankedModel(number, kind, title, fit, None if fit is None or np.isnan(value) else value, reason)
                    for number, fit, value, reason in rows
                ]
            tick(done)
    if first is not None and all(model.reason is not None for model in models):
        raise first
    return Ranking(name, tuple(sorted(models, key=_order)))


def _order(model: RankedModel) -> tuple[bool, float]:
    return model.reason is not None, np.inf if model.value is None else model.value


def _named(constraints: Any) -> dict[str, Constraint | None]:
    """Return the constraints by name."""
    if not isinstance(constraints, Mapping):
        title = "none" if constraints is None else constraints if isinstance(constraints, str) else repr(constraints)
        constraints = {title: constraints}
    if not all(isinstance(name, str) for name in constraints):
        raise InvalidInputError(f"constraints is {shorten(constraints)}; give names and constraints")
    return {name: None if held is None else lookup.constraint(held) for name, held in constraints.items()}
