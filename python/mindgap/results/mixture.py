"""The result of `mixture`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mindgap import _core
from mindgap.foundation.errors import InvalidInputError
from mindgap.model.binned import Binned
from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.model.parameters import draw_mixture
from mindgap.model.sample import Sample
from mindgap.model.settings import MixtureSettings
from mindgap.results.fit_result import FitResult
from mindgap.results.frames import Backend, frame_of, gap_columns
from mindgap.results.histogram import Histogram
from mindgap.results.label_files import mixture_columns
from mindgap.results.mixture_text import mixture_table
from mindgap.results.new_points import point_weights
from mindgap.results.pointwise import by_mixture, pointwise, within
from mindgap.results.reliability import Finding, Intervals, RunnerUp, StandardErrors, wald_intervals
from mindgap.results.stored_mixture import stored_mixture
from mindgap.results.thresholds import crossings
from mindgap.validation import RNG, FloatArray, freeze

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from mindgap.foundation.progress import Progress
    from mindgap.inference.bootstrapping import Bootstrap
    from mindgap.model.constraint import Constraint
    from mindgap.results.label_files import Columns
    from mindgap.results.table import TextTable

#: The status of a converged fit with all its components.
CONVERGED = ("converged", "doubtful")

#: The status of a fit whose parameters are meaningless: a component collapsed onto a point, or vanished.
DEGENERATE = ("collapsed", "lost-weight")

#: The attributes that are those of the core's fit.
_MEASURED = (
    *("weights", "means", "variances", "origins", "labels", "log_likelihood", "history", "n_iter", "status", "message"),
    *("gaps", "n_parameters", "total_weight", "entropy", "newton_decrement", "passes", "starts", "starts_at_best"),
)

#: Rounding to a step below this fraction of every spread adds less than 0.1 % to any variance, and needs no hint.
_NEGLIGIBLE_STEP = 0.1


def _between(low: float, high: float) -> float:
    """Return the probability from low to high, in units of a standard deviation times the root of 2."""
    if low > 0:  # differences of erf would cancel
        return (math.erfc(low) - math.erfc(high)) / 2
    return _between(-high, -low) if high < 0 else (math.erf(high) - math.erf(low)) / 2


@dataclass(frozen=True, eq=False, repr=False)
class MixtureResult(FitResult):
    """A Gaussian mixture fitted to one-dimensional data.

    Attributes
    ----------
    weights, means, variances : array of float
        The parameters of the components, ordered by mean.
    origins : array of int
        The component of the start that each component came from: without a constraint the means may cross.
    labels : array of int
        The most likely component of each point, in input order; -1 for a missing value. If an engine holds the data,
        whatever the engine returns for them, such as a lazy array; else empty.
    log_likelihood : float
        The weighted sum of the log density at the points.
    history : array of float
        The log-likelihood of the start and of each iterate; the last is `log_likelihood`.
    n_iter : int
        The number of iterations.
    status : str
        How the fit ended: "converged", "doubtful" (converged, but see `findings`), "max-iterations", "time-limit"
        (or stopped by a callback), "collapsed" (a variance fell to its floor) or "lost-weight" (a component has no
        weight).
    message : str
        The status in words.
    gaps : array of float
        The distances between neighbouring means.
    active : tuple of str
        The active bound of each gap (or of each row, under linear rows): "free" (none), "lower", "upper" or "both".
    bounds : GapBounds or None
        The bounds on the gaps, if the constraint has this form.
    rows : LinearRows or None
        The linear rows on the means, if the constraint has this form.
    n_parameters : int
        The number of free parameters for the information criteria: 3k-1, less one for each independent equality (equal
        spreads, a fixed weight, a gap whose bounds are equal). Bounds are not counted.
    total_weight : float
        The sum of the sample weights; the number of points if there are none.
    entropy : float or None
        The penalty for overlap that `icl` adds to `bic`: minus twice the weighted sum of the log probability of each
        point's label. None if the engine does not compute it.
    upper_bound : float or None
        A proven upper bound on the log-likelihood of every mixture that satisfies the constraint; None if not
        certified.
    newton_decrement : float or None
        The gain in log-likelihood that the next Newton step predicts: an estimate of the distance to the local maximum.
        None for method "paper".
    passes : int
        The number of passes over the data, without those of the search over its summary.
    starts, starts_at_best : int
        The number of starts, and how many of them ended at this fit.
    runner_up : RunnerUp or None
        The next best local maximum that the search found.
    standard_errors : StandardErrors or None
        The standard errors of weights, means, variances and gaps, and why they are unreliable, if they are. None for
        method "paper" and for engines that only return moments.
    findings : tuple of Finding
        Properties of the fit that you should check; empty if the status is "converged".
    degenerate : tuple of int
        The components that collapsed or lost their weight.
    settings : MixtureSettings or None
        The settings of the fit, to fit other data in the same way; None if they are not known.
    data : Sample, Binned, Histogram or None
        The data, for pictures; only their histogram or their bins if the result was stored.
    constraint : Constraint or None
        The constraint as given; the bootstrap resolves it again for each replicate. A stored result has an equivalent
        constraint with the same repr.
    blocks : mapping
        The constraints on weights and spreads: any of `weight_rows`, `precision_rows`, `spread_ratio` and `variation`.

    Examples
    --------
    >>> values = mg.datasets.paper_model("A", 500, rng=1).values
    >>> fit = mg.mixture(values, 2, mg.LowerOnly(1.5))
    >>> fit.predict([-1.0, 3.0]).tolist()
    [0, 1]
    >>> bool(np.isclose(fit.predict_proba([0.0]).sum(), 1.0))
    True
    """

    weights: FloatArray
    means: FloatArray
    variances: FloatArray
    origins: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int32]
    log_likelihood: float
    history: FloatArray
    n_iter: int
    status: str
    message: str
    gaps: FloatArray
    active: tuple[str, ...]
    n_parameters: int
    total_weight: float
    entropy: float | None
    upper_bound: float | None = None
    newton_decrement: float | None = None
    passes: int = 0
    starts: int = 1
    starts_at_best: int = 1
    runner_up: RunnerUp | None = None
    standard_errors: StandardErrors | None = None
    findings: tuple[Finding, ...] = ()
    degenerate: tuple[int, ...] = ()
    bounds: GapBounds | None = None
    rows: LinearRows | None = None
    settings: MixtureSettings | None = None
    data: Sample | Binned | Histogram | None = None
    constraint: Constraint | None = None
    blocks: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def _of_fit(
        cls,
        fit: _core.MixtureFit,
        settings: MixtureSettings,
        rows: GapBounds | LinearRows | None,
        data: Sample | Binned | Histogram,
        constraint: Constraint | None,
        blocks: Mapping[str, Any],
        upper_bound: float | None = None,
    ) -> MixtureResult:
        found = cls.__new__(cls)
        # Thirty assignments to a frozen object would take longer than a fit of a few points.
        vars(found).update(
            {name: getattr(fit, name) for name in _MEASURED},
            active=tuple(fit.active),
            upper_bound=upper_bound,
            runner_up=None if (second := fit.runner_up) is None else RunnerUp(*second[0], second[1]),
            standard_errors=None if (errors := fit.standard_errors) is None else StandardErrors.of_fit(*errors),
            findings=tuple([Finding(*finding) for finding in fit.findings]),
            degenerate=tuple(fit.degenerate),
            bounds=rows if isinstance(rows, GapBounds) else None,
            rows=rows if isinstance(rows, LinearRows) else None,
            settings=settings,
            data=data,
            constraint=constraint,
            blocks=blocks,
        )
        found.__post_init__()
        return found

    def __post_init__(self) -> None:
        freeze(self.weights, self.means, self.variances, self.origins, self.labels, self.history, self.gaps)

    @cached_property
    def thresholds(self) -> tuple[float | None, ...]:
        """The points between neighbouring means where both components are equally likely.

        None if one of the two components is more likely even at the other's mean.
        """
        return crossings(self.weights, self.means, self.variances)

    @property
    def k(self) -> int:
        """The number of components."""
        return len(self.means)

    @property
    def converged(self) -> bool:
        """Whether the fit converged: `newton_decrement` is below the tolerance.

        `status` and `findings` say whether the fit makes sense.
        """
        return self.status in CONVERGED or (self.status == "lost-weight" and self.newton_decrement is not None)

    @property
    def seen(self) -> float:
        """The probability of the support; 1 if there is none."""
        if self.settings is None or self.settings.support is None:
            return 1.0
        low, high = self.settings.support
        roots = np.sqrt(2 * self.variances)
        inside = [_between(*ends) for ends in zip((low - self.means) / roots, (high - self.means) / roots, strict=True)]
        return float(np.clip(self.weights @ inside, 1e-300, 1.0))

    @cached_property
    def hint(self) -> str | None:
        """A suggestion to give `resolution` if the data look rounded, else None."""
        settings = self.settings
        if settings is None or settings.resolution is not None or settings.method == "paper":
            return None
        if not isinstance(self.data, Sample):
            return None
        step = self.data.rounding_step
        if step is None or step < _NEGLIGIBLE_STEP * float(np.sqrt(self.variances.min())):
            return None
        return f"the data look rounded: resolution={step:.6g} would fit them as intervals"

    @property
    def bic(self) -> float:
        """The Bayesian information criterion; lower is better."""
        return float(self.n_parameters * np.log(self.total_weight) - 2 * self.log_likelihood)

    @property
    def aic(self) -> float:
        """Akaike's information criterion; lower is better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def icl(self) -> float:
        """The integrated complete likelihood: `bic` with a penalty for components that overlap; lower is better."""
        if self.entropy is None:
            raise InvalidInputError("icl is not known: the engine that held the data did not return the classification")
        return self.bic + self.entropy

    def predict(self, x: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the most likely component of each value of `x`; the lower one if two are equally likely.

        For a Dask array, labels, probabilities and densities are lazy Dask arrays.
        """
        labels: npt.NDArray[np.int32] = pointwise(x, by_mixture("predict", self._parameters()), np.int32)
        return labels

    def predict_proba(self, x: npt.ArrayLike) -> FloatArray:
        """Return the probability of each component (columns) for each value of `x` (rows)."""
        shares: FloatArray = pointwise(x, by_mixture("predict_proba", self._parameters()), np.float64, self.k)
        return shares

    def score_samples(self, x: npt.ArrayLike) -> FloatArray:
        """Return the log density at each value of `x`, within the support if there is one."""
        work = by_mixture("score_samples", self._parameters())
        if self.settings is not None and self.settings.support is not None:
            work = within(self.settings.support, math.log(self.seen), work)
        densities: FloatArray = pointwise(x, work, np.float64)
        return densities

    def score(self, x: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return the mean log density of `x`."""
        densities: Any = self.score_samples(x)
        if not isinstance(densities, np.ndarray):
            if sample_weight is not None:
                raise InvalidInputError("sample_weight is for data in memory; average score_samples(x) yourself")
            return float(densities.mean())
        if len(densities) == 0:
            raise InvalidInputError("x is empty; give at least one value")
        return float(np.average(densities, weights=point_weights(sample_weight, len(densities))))

    def sample(self, n: int, rng: RNG = None) -> tuple[FloatArray, npt.NDArray[np.int32]]:
        """Draw `n` values from the mixture, within its support; return them and their components."""
        support = None if self.settings is None else self.settings.support
        values, components = draw_mixture(n, self.weights, self.means, np.sqrt(self.variances), rng, support)
        return values, components.astype(np.int32)

    def bootstrap(
        self,
        n: int = 200,
        rng: RNG = None,
        *,
        x: npt.ArrayLike | Sample | None = None,
        sample_weight: npt.ArrayLike | None = None,
        size: int | None = None,
        threads: int | None = None,
        progress: Progress = False,
    ) -> Bootstrap:
        """Refit `n` bootstrap replicates in parallel, for intervals of all parameters.

        By default the replicates are drawn from the fitted mixture (the parametric bootstrap), which also works for a
        stored result. Give `x` to draw from the data with replacement. Each refit uses the constraint and settings of
        this fit and starts at its parameters; components are matched by the order of their means.

        Parameters
        ----------
        n : int
            The number of replicates.
        rng : int, Generator or None
            The same seed gives the same replicates, whatever the number of threads and the order of `x`. The seed is in
            the result.
        x, sample_weight : array-like, optional
            The data to resample. A weight counts as that many equal points.
        size : int, optional
            The number of points in a replicate; the total weight of the data by default.
        threads : int, optional
            The number of refits at a time; by default the number of processors.
        progress : bool or callable
            Whether to show a bar on standard error; or a function to call with (done, total).

        Returns
        -------
        Bootstrap
            With `interval(level)` for weights, means, variances and gaps.
        """
        from mindgap.inference.bootstrapping import bootstrap

        return bootstrap(self, n, rng, x=x, sample_weight=sample_weight, size=size, threads=threads, progress=progress)

    def interval(self, level: float = 0.95) -> Intervals:
        """Return intervals for weights, means, variances and gaps from the standard errors, without refits.

        They cost nothing, and agree with those of `bootstrap` if there are many points for each parameter. If
        `standard_errors.unreliable` is not empty, use the bootstrap instead.

        Examples
        --------
        >>> fit = mg.mixture(mg.datasets.paper_model("A", 2000, rng=1).values, 2)
        >>> fit.interval(0.9).means.shape
        (2, 2)
        """
        return wald_intervals(self, level)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the components as a data frame: "pandas" or "polars", by default the first that is installed."""
        parameters = {"weight": self.weights, "mean": self.means, "variance": self.variances}
        gaps = gap_columns(self.gaps, self.bounds, self.active)
        thresholds = np.array([*self.thresholds, None], dtype=np.float64)
        return frame_of(
            {"component": np.arange(self.k)} | parameters | gaps | {"threshold_to_next": thresholds}, backend
        )

    def _parameters(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.weights, self.means, self.variances

    def _label_columns(self) -> Columns:
        return mixture_columns(self._parameters())

    def table(self) -> TextTable:
        """Return the table that `summary`, notebooks and the command line show."""
        return mixture_table(self)

    def plot(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draw the data, the components and their sum, and the gaps with their bounds; needs ``mindgap[plot]``.

        Draws into `ax`, or into a new pyplot figure, and returns the axes. `label` describes the data; by default it is
        the name of their column.
        """
        from mindgap.plots import plot_mixture

        return plot_mixture(self, ax, label=label)

    def __repr__(self) -> str:
        means = np.array2string(self.means, precision=6, threshold=8, separator=", ")
        fitted = f"log_likelihood={self.log_likelihood:.8g}, means={means}"
        return f"MixtureResult(k={self.k}, {fitted}, status={self.status!r})"

    @classmethod
    def from_json(cls, text: str | bytes) -> MixtureResult:
        """Return the result that `to_json` stored, or raise InvalidInputError."""
        return cls(**stored_mixture(text))
