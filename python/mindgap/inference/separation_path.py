"""The effect of a bound on the gaps: one mixture for each of a grid of bounds."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.fit.loading import sorted_once
from mindgap.fit.mixture import mixture
from mindgap.foundation.errors import InfeasibleError, InvalidInputError
from mindgap.foundation.progress import shown
from mindgap.host import lookup
from mindgap.host.builtin.constraints import LowerOnly, TwoSided
from mindgap.host.resolving import prepared, rows_of
from mindgap.inference.refitting import no_proof
from mindgap.model.bounds import GapBounds
from mindgap.model.parameters import Parameters
from mindgap.model.sample import Sample
from mindgap.results.frames import Backend, frame_of
from mindgap.results.gap_text import gap_states
from mindgap.results.mixture import CONVERGED, MixtureResult
from mindgap.results.table import Tabular, TextTable
from mindgap.validation import FloatArray, Frozen, as_count, as_vector, freeze, is_integer

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from mindgap.fit.loading import Data
    from mindgap.foundation.progress import Progress
    from mindgap.model.constraint import Constraint

#: The default number of bounds.
GRID = 21

#: A fall of the log-likelihood by more than this fraction is caused by the bound, not by an unfinished fit.
_FALLEN = 1e-6

#: A rise of the log-likelihood by less than this fraction is rounding.
_ROUNDING = 1e-12

#: The weight that a component without weight gets in a start: so small that it hardly changes the likelihood.
_LEAST_WEIGHT = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class GapPath(Frozen, Tabular):
    """Mixtures with the same number of components under a growing lower bound δ on the gaps.

    Attributes
    ----------
    deltas : array of float
        The lower bounds on every gap, ascending.
    results : tuple of MixtureResult
        The fit for each of `deltas`.
    width : float or None
        If not None, every gap is also at most δ + width.
    constraint : Constraint or None
        The constraint that holds at every δ in addition.

    Examples
    --------
    >>> path = mg.gap_path([0.0, 0.2, 0.3, 5.0, 5.1, 5.4], 2, deltas=[1, 8])
    >>> path.deltas.tolist(), path.bites_at
    ([1.0, 8.0], 8.0)
    """

    deltas: FloatArray
    results: tuple[MixtureResult, ...]
    width: float | None = None
    constraint: Constraint | None = None

    def __post_init__(self) -> None:
        freeze(self.deltas)

    @property
    def k(self) -> int:
        """The number of components."""
        return self.results[0].k

    @property
    def log_likelihoods(self) -> FloatArray:
        """The log-likelihood of each fit."""
        return np.array([result.log_likelihood for result in self.results])

    @property
    def means(self) -> FloatArray:
        """The means (columns) of each fit (rows)."""
        return np.array([result.means for result in self.results])

    @property
    def n_active(self) -> tuple[int, ...]:
        """The number of gaps of each fit at the bound δ."""
        return tuple(_held_at(*pair) for pair in zip(self.deltas.tolist(), self.results, strict=True))

    @property
    def bites_at(self) -> float | None:
        """The smallest δ of the grid that changes the fit: a gap is at its bound, or the likelihood is lower.

        None if no δ does. If a fit ran out of iterations, this can be a step of the grid too small. With a `width`,
        every δ can change the fit; then this is the smallest δ at which a gap is equal to δ.
        """
        best = self.results[0].log_likelihood
        fallen = (self.log_likelihoods < best - _FALLEN * abs(best)) & (self.width is None)
        held = np.array(self.n_active) > 0
        biting = np.flatnonzero(held | fallen)
        return float(self.deltas[biting[0]]) if biting.size else None

    def table(self) -> TextTable:
        """Return the table that `summary`, notebooks and the command line show."""
        head = ("delta", "log-likelihood", "active", "least gap", "iterations", "remarks")
        return TextTable(
            f"Gap path, k = {self.k}", head, [*map(self._cells, range(len(self.deltas)))], [self._verdict()]
        )

    def _cells(self, index: int) -> list[str]:
        result = self.results[index]
        least = f"{result.gaps.min():.6g}" if result.k > 1 else ""
        numbers = [f"{self.deltas[index]:.6g}", f"{result.log_likelihood:.8g}", f"{self.n_active[index]}", least]
        remarks = [] if result.status in CONVERGED else [result.status]
        if result.upper_bound is not None:
            remarks.append(f"proven within {result.upper_bound - result.log_likelihood:.2g}")
        return [*numbers, f"{result.n_iter}", ", ".join(remarks)]

    def _verdict(self) -> str:
        if self.width is not None:
            reached = "no gap is" if self.bites_at is None else f"from delta = {self.bites_at:.6g} on a gap is"
            return f"every gap is at most delta + {self.width:.6g}; {reached} at its lower bound"
        if self.bites_at is None:
            return f"no bound up to {self.deltas[-1]:.6g} changes the fit"
        return f"the bound changes the fit from delta = {self.bites_at:.6g}"

    def plot(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draw the means against δ into `ax`, or means, gaps and log-likelihood into a new figure; return the axes.

        `label` describes the data. Needs ``mindgap[plot]``.
        """
        from mindgap.plots import plot_path

        return plot_path(self, ax, label=label)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the path as a data frame: "pandas" or "polars", by default the first that is installed."""
        columns: dict[str, Any] = {
            "delta": self.deltas,
            "log_likelihood": self.log_likelihoods,
            "n_active": list(self.n_active),
            "status": [result.status for result in self.results],
        }
        if any(result.upper_bound is not None for result in self.results):
            columns["upper_bound"] = [result.upper_bound for result in self.results]
        return frame_of(columns | {f"mean_{index}": column for index, column in enumerate(self.means.T)}, backend)

    def __repr__(self) -> str:
        grid = f"{len(self.deltas)} deltas from {self.deltas[0]:.6g} to {self.deltas[-1]:.6g}"
        return f"GapPath(k={self.k}, {grid}, bites_at={self.bites_at})"


def gap_path(
    x: Data,
    k: int,
    deltas: npt.ArrayLike | int | None = None,
    constraint: Constraint | str | None = None,
    *,
    width: float | None = None,
    certify: bool = False,
    time_limit: float | None = None,
    progress: Progress = False,
    **settings: Any,
) -> GapPath:
    """Fit a mixture for each of several lower bounds δ on the gaps.

    A small δ changes nothing. From `bites_at` on, the bound changes the fit and lowers its log-likelihood.

    Each fit is the better of `mixture` and a climb from the previous fit. Unless there is a `width`, the next fit also
    satisfies the smaller bound; if it is better, the fit is repeated from there. So the log-likelihood never rises
    along the path.

    Parameters
    ----------
    x : array-like of n numbers
        The data.
    k : int
        The number of components.
    deltas : array-like of float, int or None
        The lower bounds, in any order; or their number: evenly spaced from zero to where the means would span the data,
        or as far as the constraint allows.
    constraint : Constraint, str or None
        A constraint that holds at every δ in addition.
    width : float, optional
        If given, every gap is also at most δ + width.
    certify : bool
        Whether to prove an upper bound on each log-likelihood: `upper_bound` of the results.
    time_limit : float, optional
        The maximum number of seconds for one fit and its certificate, as in `mixture`.
    progress : bool or callable
        Whether to show a bar on standard error; or a function to call with (done, total).
    **settings
        As in `mixture`; `init` is the start of the first fit.

    Returns
    -------
    GapPath
        With `deltas` ascending, `results`, `log_likelihoods` and `bites_at`.

    Examples
    --------
    >>> from mindgap.datasets import paper_model
    >>> path = mg.gap_path(paper_model("C", 2000, rng=1).values, 5, deltas=[0, 1, 2, 3])
    >>> path.bites_at in path.deltas
    True
    >>> bool((path.results[-1].gaps >= 3 - 1e-9).all())
    True
    """
    count = as_count(k, "k")
    no_proof(settings)
    base = None if constraint is None else lookup.constraint(constraint)
    data = sorted_once(x, settings)
    chosen = deltas is None or is_integer(deltas)
    grid = _even(deltas, data, count, base) if chosen else _given(deltas)
    settings["time_limit"] = time_limit
    proving = {"certify": certify}
    walk = _Walk(data, count, base, width, settings.pop("init", "auto"), settings, proving)
    with shown(progress, "path", len(grid)) as tick:
        for done, delta in enumerate(grid, start=1):
            try:
                walk.step(float(delta))
            except InfeasibleError:
                # The grid was chosen here, so the path may end where the constraint becomes infeasible.
                if done == 1 or not chosen:
                    raise
                break
            tick(done)
    if width is None:
        walk.retrace()
    results = tuple(walk.results)
    return GapPath(grid[: len(results)], results, None if width is None else float(width), base)


class _Walk:
    """The fits of a path so far: where each starts, and how one that is stuck at a local maximum is repeated."""

    def __init__(
        self,
        data: Any,
        k: int,
        base: Constraint | None,
        width: float | None,
        init: Any,
        settings: dict[str, Any],
        proving: dict[str, Any],
    ) -> None:
        self.data, self.k, self.base, self.width = data, k, base, width
        self.init, self.settings, self.proving = init, settings, proving
        self.deltas: list[float] = []
        self.results: list[MixtureResult] = []

    def step(self, delta: float) -> None:
        """Fit from scratch and from the previous fit, and keep the better."""
        fits = []
        # k-means may have no partition with so large a gap to start from.
        with suppress(InfeasibleError) if self.results else nullcontext():
            fits.append(self._fit(delta, self.init, self.proving))
        if self.results and (start := _start(self.results[-1])) is not None:
            fits.append(self._fit(delta, start, {} if fits else self.proving))
        self.deltas.append(delta)
        self.results.append(_with_bound(max(fits, key=_soundness), fits[0].upper_bound))

    def retrace(self) -> None:
        """Repeat, from the largest δ down, each fit that is worse than its successor, which satisfies its bound too."""
        for place in range(len(self.results) - 2, -1, -1):
            here, ahead = self.results[place : place + 2]
            rise = ahead.log_likelihood - here.log_likelihood
            start = _start(ahead)
            if rise > _ROUNDING * abs(here.log_likelihood) and start is not None:
                better = max(here, self._fit(self.deltas[place], start, {}), key=_soundness)
                self.results[place] = _with_bound(better, here.upper_bound)

    def _fit(self, delta: float, init: Any, proving: dict[str, Any]) -> MixtureResult:
        return mixture(self.data, self.k, self._bound(delta), init=init, **self.settings, **proving)

    def _bound(self, delta: float) -> Constraint:
        own = LowerOnly(delta) if self.width is None else TwoSided(delta, delta + LowerOnly(self.width).delta)
        return own if self.base is None else self.base & own


def _with_bound(result: MixtureResult, upper_bound: float | None) -> MixtureResult:
    """Return the fit with the proven upper bound, which is valid for every fit of the same problem."""
    return result if upper_bound is None else replace(result, upper_bound=upper_bound)


def _soundness(result: MixtureResult) -> tuple[bool, float]:
    """Return a key to compare fits: first that no component has collapsed, then the likelihood."""
    return result.status != "collapsed", result.log_likelihood


def _start(result: MixtureResult) -> Parameters | None:
    """Return the start of a climb from this fit; a component without weight gets a little."""
    if result.status == "collapsed":
        return None
    weights = np.maximum(result.weights, _LEAST_WEIGHT)
    return Parameters(weights / weights.sum(), result.means, result.variances)


def _held_at(delta: float, result: MixtureResult) -> int:
    """Return the number of gaps at δ, without those at a larger bound of the constraint."""
    at_lower = np.array([state in ("lower", "both") for state in gap_states(result)], dtype=bool)
    return int((at_lower & (result.gaps <= delta + _ROUNDING * (abs(delta) + np.ptp(result.means)))).sum())


def _even(number: Any, data: Any, k: int, base: Constraint | None) -> FloatArray:
    """Return evenly spaced bounds from zero to where the means span the data, or as far as the constraint allows."""
    if not isinstance(data, Sample):
        raise InvalidInputError("the range of the data is not known with this engine; give deltas as a list")
    largest = float(data.values[-1] - data.values[0]) / max(k - 1, 1)
    rows = None if base is None else rows_of(prepared(base, data), k)
    if isinstance(rows, GapBounds):
        largest = min(largest, float(rows.upper.min(initial=np.inf)))
    return np.linspace(0.0, largest, GRID if number is None else as_count(number, "deltas"))


def _given(deltas: Any) -> FloatArray:
    """Return the given bounds, ascending and without duplicates."""
    grid = np.unique(as_vector(deltas, "deltas"))
    if len(grid) == 0:
        raise InvalidInputError("deltas is empty; give the lower bounds to try")
    if not (np.isfinite(grid).all() and grid[0] >= 0):
        raise InvalidInputError(f"deltas are {grid.tolist()}; they must be finite and not negative")
    return grid
