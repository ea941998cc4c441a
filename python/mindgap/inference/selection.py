"""How many components: one mixture for each number of them, ranked by an information criterion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mindgap.errors import InfeasibleError, InvalidInputError, MindgapError, PluginError, SolverError
from mindgap.fit.loading import sorted_once
from mindgap.fit.mixture import mixture
from mindgap.foundation.messages import shorten
from mindgap.foundation.progress import shown
from mindgap.inference.refitting import held, no_proof
from mindgap.model.parameters import Parameters
from mindgap.results.frames import Backend, frame_of
from mindgap.results.mixture import ARRIVED, DEGENERATE, MixtureResult
from mindgap.results.table import TextTable
from mindgap.validation import FloatArray, as_count, as_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mindgap.fit.loading import Data
    from mindgap.foundation.progress import Progress
    from mindgap.model.constraint import Constraint

CRITERIA = ("bic", "aic", "icl")

#: What a component gets that is only there to be one more; it takes less from the likelihood than a fit leaves.
_NO_WEIGHT = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """Mixtures with different numbers of components, and the best of them by a criterion.

    Attributes
    ----------
    criterion : str
        "bic", "aic", "icl" or the name of a function; less is better.
    ks : tuple of int
        The numbers of components, ascending.
    results : tuple of MixtureResult or None
        The fit for each of `ks`; None where there is none.
    values : array of float
        The criterion for each of `ks`; NaN where there is no fit.
    reasons : tuple of str or None
        Why there is no fit, or why the fit cannot be chosen; None for a sound fit.
    best : int
        The number of components of the sound fit with the least value.

    Examples
    --------
    >>> path = mg.select([0.0, 0.2, 0.3, 5.0, 5.1, 5.4], range(1, 3))
    >>> path.ks, len(path.results)
    ((1, 2), 2)
    """

    criterion: str
    ks: tuple[int, ...]
    results: tuple[MixtureResult | None, ...]
    values: FloatArray
    reasons: tuple[str | None, ...]
    best: int

    @property
    def best_result(self) -> MixtureResult:
        """The fit with `best` components."""
        result = self.results[self.ks.index(self.best)]
        assert result is not None  # `best` is chosen among the fits
        return result

    def table(self) -> TextTable:
        """Return what `summary`, notebooks and the command line show: the path, and why a k cannot be chosen."""
        head = ("k", self.criterion.upper(), "log-likelihood", "parameters", "remarks")
        notes = [f"k = {k}: {reason}" for k, reason in zip(self.ks, self.reasons, strict=True) if reason is not None]
        return TextTable("Number of components", head, [*map(self._cells, range(len(self.ks)))], notes)

    def _cells(self, index: int) -> list[str]:
        k, result = f"{self.ks[index]}", self.results[index]
        if result is None:
            return [k, "", "", "", "no fit"]
        remarks = ["best"] if self.ks[index] == self.best else []
        if result.status not in ARRIVED:
            remarks.append(result.status)
        if result.upper_bound is not None:
            remarks.append(f"proven within {result.upper_bound - result.log_likelihood:.2g}")
        numbers = [f"{self.values[index]:.8g}", f"{result.log_likelihood:.8g}", f"{result.n_parameters}"]
        return [k, *numbers, ", ".join(remarks)]

    def summary(self) -> str:
        """Return the path as a table in plain text, the best marked, and why others cannot be chosen."""
        return self.table().plain()

    def _repr_html_(self) -> str:
        return self.table().html()

    def plot(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draw the criterion against k into `ax` or a new figure, and return the axes; needs ``mindgap[plot]``."""
        from mindgap.plots import plot_selection

        return plot_selection(self, ax, label=label)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the path as a frame of `backend`: pandas, else polars, unless told, one row for each k."""
        columns: dict[str, Any] = {"k": list(self.ks)}
        columns[self.criterion] = self.values.tolist()
        for name in ("log_likelihood", "n_parameters"):
            columns[name] = [np.nan if result is None else getattr(result, name) for result in self.results]
        if any(result is not None and result.upper_bound is not None for result in self.results):
            columns["upper_bound"] = [None if result is None else result.upper_bound for result in self.results]
        columns["status"] = [None if result is None else result.status for result in self.results]
        columns["reason"] = list(self.reasons)
        columns["best"] = [k == self.best for k in self.ks]
        return frame_of(columns, backend)

    def __repr__(self) -> str:
        value = self.values[self.ks.index(self.best)]
        return f"Selection(best={self.best}, {self.criterion}={value:.8g}, ks={list(self.ks)})"


def select(
    x: Data,
    k: Iterable[int] = range(1, 9),
    constraint: Constraint | str | None = None,
    *,
    criterion: Literal["bic", "aic", "icl"] | Callable[[MixtureResult], float] = "bic",
    certify: bool = False,
    time_limit: float | None = None,
    progress: Progress = False,
    **settings: Any,
) -> Selection:
    """Fit a mixture for each number of components, and say which is best by an information criterion.

    The criteria count 3k-1 parameters (2k with equal variances), whether or not a bound is active, so that they do
    not favour a constraint.

    Parameters
    ----------
    x : array-like of n numbers
        The data.
    k : iterable of int
        The numbers of components to try.
    constraint : Constraint, str or None
        The constraint on the means; one that serves every k, such as `LowerOnly`. A k for which it has no meaning or
        cannot be held is recorded in `reasons`.
    criterion : "bic", "aic", "icl" or callable
        BIC finds the number of components when the model is right; AIC aims at prediction and picks more; ICL wants
        components that do not overlap and picks fewer. A function of a `MixtureResult` returns a number of its own
        making, of which less is better.
    certify : bool
        Whether to prove how far from its maximum each likelihood can be at most: `upper_bound` of the results.
    time_limit : float, optional
        The most seconds that the certificate of one fit may take.
    progress : bool or callable
        Whether to show a bar on standard error; or what to call with (done, total).
    **settings
        As in `mixture`.

    Returns
    -------
    Selection
        The whole path, with `best` and `best_result`. A fit in which a component collapsed or vanished is on the path
        but never the best.

    Raises
    ------
    MindgapError
        If no k has a sound fit; of the kind that the fits failed with.

    Examples
    --------
    >>> from mindgap.datasets import paper_model
    >>> path = mg.select(paper_model("C", 2000, rng=1).values, range(1, 5), "lower-only:delta=1")
    >>> path.ks
    (1, 2, 3, 4)
    >>> path.best_result.k == path.best
    True
    """
    name, value_of = _criterion(criterion)
    ks = _numbers(k)
    no_proof(settings)
    settings |= {"certify": certify, "time_limit": time_limit}
    data = sorted_once(x, settings)
    fits: list[Any] = []
    with shown(progress, "select", len(ks)) as tick:
        for number in ks:
            fits.append(
                _not_below(fits[-1] if fits else None, _attempt(data, number, constraint, settings), data, settings)
            )
            tick(len(fits))
    results = tuple(fit if isinstance(fit, MixtureResult) else None for fit in fits)
    values = np.array([np.nan if result is None else value_of(result) for result in results])
    reasons = tuple(_reason(fit, value) for fit, value in zip(fits, values, strict=True))
    sound = [index for index, reason in enumerate(reasons) if reason is None]
    if not sound:
        raise _nothing_sound(ks, fits, reasons)
    best = min(sound, key=lambda index: (values[index], index))
    return Selection(name, ks, results, values, reasons, ks[best])


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
    except Exception:  # whatever its own iterator raises
        numbers = None
    if numbers is None or isinstance(k, (str, bytes)):
        raise InvalidInputError(f"k is {shorten(k)}; give the numbers of components to try, such as range(1, 9)")
    ks = tuple(sorted({as_count(number, "k") for number in numbers}))
    if not ks:
        raise InvalidInputError("k is empty; give the numbers of components to try, such as range(1, 9)")
    return ks


def _not_below(fewer: Any, fit: Any, data: Any, settings: dict[str, Any]) -> Any:
    """Return the fit, or a climb from that with fewer components where it is lower: one more never costs likelihood."""
    if not (isinstance(fewer, MixtureResult) and isinstance(fit, MixtureResult)):
        return fit
    if fit.log_likelihood >= fewer.log_likelihood or settings.get("method") == "paper":
        return fit
    while fewer.k < fit.k:
        fewer = _one_more(fewer, fit)
    others = {name: value for name, value in settings.items() if name != "init"}
    again = _attempt(data, fit.k, held(fit), others | {"init": fewer})
    return again if isinstance(again, MixtureResult) and again.log_likelihood > fit.log_likelihood else fit


def _one_more(fit: Any, wider: MixtureResult) -> Parameters:
    """Return the parameters of a fit with one more component, of next to no weight, beyond the last."""
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
    # A collapsed component makes the likelihood as large as one likes.
    if fit.status in DEGENERATE:
        return fit.message
    return "its criterion is NaN" if np.isnan(value) else None


def _nothing_sound(ks: tuple[int, ...], fits: list[Any], reasons: tuple[str | None, ...]) -> MindgapError:
    """Return the error that they all are, or one of the first's kind that lists them."""
    errors = [fit for fit in fits if isinstance(fit, MindgapError)]
    if len(errors) == len(fits) and len(set(reasons)) == 1:
        return errors[0]
    kinds = [
        kind for kind in (PluginError, InfeasibleError, InvalidInputError) if any(isinstance(e, kind) for e in errors)
    ]
    listed = "; ".join(f"k = {k}: {reason}" for k, reason in zip(ks, reasons, strict=True))
    return (kinds[0] if kinds else SolverError)(f"no number of components gave a sound fit: {listed}")
