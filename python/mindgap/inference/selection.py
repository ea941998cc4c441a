"""Models compared by a criterion: the number of components, the variances, the constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.results.frames import Backend, frame_of
from mindgap.results.mixture import CONVERGED, MixtureResult
from mindgap.results.table import Tabular, TextTable
from mindgap.validation import FloatArray, Frozen, freeze

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Frozen, Tabular):
    """Mixtures of several models, and the best of them by a criterion.

    The models are all combinations of the constraints, the models of the variances and the numbers of components, in
    that order; `ranking` orders them from best to worst.

    Attributes
    ----------
    criterion : str
        "bic", "aic", "icl" or the name of a function; lower is better.
    ks : tuple of int
        The number of components of each model.
    variances : tuple of str
        The variances of each model: "free", "equal" or "bounded".
    constraints : tuple of str
        The constraint of each model, "none" if there is none.
    results : tuple of MixtureResult or None
        The fit of each model; None if it failed.
    values : array of float
        The criterion of each model; NaN if there is no fit.
    reasons : tuple of str or None
        Why there is no fit, or why the fit cannot be chosen; None for a valid fit.

    Examples
    --------
    >>> models = mg.select([0.0, 0.2, 0.3, 5.0, 5.1, 5.4], range(1, 3))
    >>> models.ks, len(models.results)
    ((1, 2), 2)
    """

    criterion: str
    ks: tuple[int, ...]
    variances: tuple[str, ...]
    constraints: tuple[str, ...]
    results: tuple[MixtureResult | None, ...]
    values: FloatArray
    reasons: tuple[str | None, ...]

    def __post_init__(self) -> None:
        freeze(self.values)

    @property
    def ranking(self) -> tuple[int, ...]:
        """The indices of the models from best to worst; those that cannot be chosen come last."""
        places = range(len(self.ks))
        return tuple(sorted(places, key=lambda place: (self.reasons[place] is not None, self._value(place), place)))

    def _value(self, place: int) -> float:
        return float(np.nan_to_num(self.values[place], nan=np.inf))

    @property
    def best(self) -> int:
        """The number of components of the best model."""
        return self.ks[self.ranking[0]]

    @property
    def best_result(self) -> MixtureResult:
        """The fit of the best model."""
        result = self.results[self.ranking[0]]
        assert result is not None  # there is a valid fit
        return result

    @property
    def is_grid(self) -> bool:
        """Whether the models differ in more than the number of components."""
        return len({*self.variances}) > 1 or len({*self.constraints}) > 1

    def table(self) -> TextTable:
        """Return the table that `summary`, notebooks and the command line show.

        Models that differ in more than the number of components are ranked.
        """
        places = range(len(self.ks))
        notes = [f"{self.name_of(place)}: {self.reasons[place]}" for place in places if self.reasons[place] is not None]
        if not self.is_grid:
            head = ("k", self.criterion.upper(), "log-likelihood", "parameters", "remarks")
            return TextTable("Number of components", head, [*map(self._cells, places)], notes)
        title = self.criterion.upper()
        heads = ("rank", "k", "variances", title, "behind", "log-likelihood", "parameters", "constraint")
        ranked = [self._ranked_cells(rank, place) for rank, place in enumerate(self.ranking, start=1)]
        return TextTable("Models", heads, ranked, notes)

    def name_of(self, place: int) -> str:
        """Return a description of a model that distinguishes it from the others."""
        name = f"k = {self.ks[place]}"
        return f"{name}, {self.variances[place]} variances, {self.constraints[place]}" if self.is_grid else name

    def _cells(self, place: int) -> list[str]:
        k, result = f"{self.ks[place]}", self.results[place]
        if result is None:
            return [k, "", "", "", "no fit"]
        remarks = ["best"] if place == self.ranking[0] else []
        if result.status not in CONVERGED:
            remarks.append(result.status)
        if result.upper_bound is not None:
            remarks.append(f"proven within {result.upper_bound - result.log_likelihood:.2g}")
        numbers = [f"{self.values[place]:.8g}", f"{result.log_likelihood:.8g}", f"{result.n_parameters}"]
        return [k, *numbers, ", ".join(remarks)]

    def _ranked_cells(self, rank: int, place: int) -> list[str]:
        result, model = self.results[place], [f"{self.ks[place]}", self.variances[place]]
        if result is None:
            return ["-", *model, "", "", "", "", self.constraints[place]]
        behind = f"{self.values[place] - self.values[self.ranking[0]]:.1f}"
        fit = [f"{self.values[place]:.8g}", behind, f"{result.log_likelihood:.8g}", f"{result.n_parameters}"]
        return [f"{rank}" if self.reasons[place] is None else "-", *model, *fit, self.constraints[place]]

    def plot(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draw the criterion against k into `ax` or a new figure, and return the axes; needs ``mindgap[plot]``."""
        from mindgap.plots import plot_selection

        return plot_selection(self, ax, label=label)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the models as a data frame: "pandas" or "polars", by default the first that is installed."""
        columns: dict[str, Any] = {"k": list(self.ks)}
        if self.is_grid:
            columns |= {"variances": list(self.variances), "constraint": list(self.constraints)}
        columns[self.criterion] = self.values.tolist()
        for name in ("log_likelihood", "n_parameters"):
            columns[name] = [np.nan if result is None else getattr(result, name) for result in self.results]
        if any(result is not None and result.upper_bound is not None for result in self.results):
            columns["upper_bound"] = [None if result is None else result.upper_bound for result in self.results]
        columns["status"] = [None if result is None else result.status for result in self.results]
        columns["reason"] = list(self.reasons)
        columns["best"] = [place == self.ranking[0] for place in range(len(self.ks))]
        return frame_of(columns, backend)

    def __repr__(self) -> str:
        value = self.values[self.ranking[0]]
        of = f"{len(self.ks)} models" if self.is_grid else f"ks={list(self.ks)}"
        return f"Selection(best={self.best}, {self.criterion}={value:.8g}, {of})"
