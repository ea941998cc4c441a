"""What `mixture` returns."""

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
from mindgap.results import archive
from mindgap.results.frames import Backend, frame_of, gap_columns
from mindgap.results.histogram import Histogram
from mindgap.results.label_files import mixture_columns, write_labels
from mindgap.results.mixture_text import mixture_table
from mindgap.results.new_points import point_weights
from mindgap.results.pointwise import by_mixture, pointwise
from mindgap.results.stored_mixture import stored_mixture
from mindgap.results.sureness import Finding, Intervals, RunnerUp, StandardErrors, wald_intervals
from mindgap.results.thresholds import crossings
from mindgap.validation import RNG, FloatArray, freeze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from matplotlib.axes import Axes

    from mindgap.foundation.progress import Progress
    from mindgap.inference.bootstrapping import Bootstrap
    from mindgap.model.constraint import Constraint
    from mindgap.results.table import TextTable

#: How a fit ends that has nothing left to gain and all its components.
ARRIVED = ("converged", "doubtful")

#: How a fit ends whose parameters mean nothing: a component fell onto a point, or vanished.
DEGENERATE = ("collapsed", "lost-weight")

#: Rounding to steps below this share of every spread adds less than 0.1 % to any variance, and needs no hint.
_FELT = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class MixtureResult:
    """A Gaussian mixture fitted to one-dimensional data.

    Attributes
    ----------
    weights, means, variances : array of float
        The parameters of the components, by ascending mean.
    origins : array of int
        For each component, which one of the start it grew from: without a constraint the means may cross on their way.
    labels : array of int
        The most likely component of each point, in input order; -1 for a point without a value. Where an engine holds
        the data, what the engine has for them, such as a lazy array; else empty.
    log_likelihood : float
        The weighted sum of the log density at the points.
    history : array of float
        The log-likelihood of the start and of each iterate; the last is `log_likelihood`.
    n_iter : int
        The number of iterations.
    status : str
        How the fit ended: "converged", "doubtful" (converged, but look at `findings`), "max-iterations", "time-limit"
        (or stopped by a callback), "collapsed" (a variance fell to its floor) or "lost-weight" (a component has no
        weight left).
    message : str
        The status in words.
    gaps : array of float
        The distances between neighbouring means.
    active : tuple of str
        For each gap (or row, where the constraint is linear rows) the bound that holds it back: "free" (none), "lower",
        "upper" or "both".
    bounds : GapBounds or None
        The bounds on the gaps, where the constraint is of that form.
    rows : LinearRows or None
        The linear rows on the means, where the constraint is of that form.
    n_parameters : int
        The free parameters that the information criteria count: 3k-1, or 2k with equal spreads, however they are asked
        for.
    total_weight : float
        The sum of the sample weights: the number of points if there were none.
    entropy : float or None
        Minus twice the log of how surely the points belong to their components: what `icl` adds to `bic`. None where
        the engine that holds the data does not say.
    upper_bound : float or None
        No mixture that satisfies the constraint has a higher log-likelihood; None if that was not certified.
    newton_decrement : float or None
        How much log-likelihood the next Newton step would gain, as a bound of what is left on this hill; None for
        method "paper".
    passes : int
        The passes over the data; those of the search over its summary are not counted.
    starts, starts_at_best : int
        How many starts were climbed, and how many of them ended here.
    runner_up : RunnerUp or None
        The next best fit that the search found.
    standard_errors : StandardErrors or None
        Of weights, means, variances and gaps, and why they are unreliable, if they are; None for method "paper" and for
        engines that answer moments alone.
    findings : tuple of Finding
        What asks for a second look; empty for a plain "converged".
    degenerate : tuple of int
        The components that collapsed or lost their weight.
    settings : MixtureSettings or None
        The settings of the fit, to fit other data in the same way; None if they are not known.
    data : Sample, Binned, Histogram or None
        The data, for pictures; of a stored result only their histogram, or their bins.
    constraint : Constraint or None
        The constraint as given; the bootstrap asks it again for each replicate. That of a stored result holds what it
        asked, and shows as it did.
    blocks : mapping
        What the constraint asks of weights and spreads: any of `weight_rows`, `precision_rows`, `spread_ratio` and
        `variation`.

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
        # A fit on a few points takes less time than thirty assignments to a frozen object.
        found.__dict__.update(
            weights=fit.weights,
            means=fit.means,
            variances=fit.variances,
            origins=fit.origins,
            labels=fit.labels,
            log_likelihood=fit.log_likelihood,
            history=fit.history,
            n_iter=fit.n_iter,
            status=fit.status,
            message=fit.message,
            gaps=fit.gaps,
            active=tuple(fit.active),
            n_parameters=fit.n_parameters,
            total_weight=fit.total_weight,
            entropy=fit.entropy,
            upper_bound=upper_bound,
            newton_decrement=fit.newton_decrement,
            passes=fit.passes,
            starts=fit.starts,
            starts_at_best=fit.starts_at_best,
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
    def histogram(self) -> Histogram | None:
        """The data in bins; None if they are not known."""
        return Histogram.of(self.data)

    @property
    def name(self) -> str | None:
        """What the data are called: the name of the column that they came in, if it had one."""
        return None if self.data is None else self.data.name

    @cached_property
    def thresholds(self) -> tuple[float | None, ...]:
        """Where neighbouring components are equally likely, between their means.

        None where one of the two is the more likely all the way: it then takes the other's mean as well.
        """
        return crossings(self.weights, self.means, self.variances)

    @property
    def k(self) -> int:
        """The number of components."""
        return len(self.means)

    @property
    def converged(self) -> bool:
        """Whether nothing is left to gain: `newton_decrement` is below the tolerance.

        `status` and `findings` say whether what was found makes sense.
        """
        return self.status in ARRIVED or (self.status == "lost-weight" and self.newton_decrement is not None)

    @property
    def seen(self) -> float:
        """The probability of the support: 1 where there is none."""
        if self.settings is None or self.settings.support is None:
            return 1.0
        low, high = self.settings.support
        roots = np.sqrt(2 * self.variances)
        ends = [[math.erf(z) for z in (end - self.means) / roots] for end in (low, high)]
        return float(np.clip(self.weights @ (np.array(ends[1]) - np.array(ends[0])) / 2, 1e-300, 1.0))

    @cached_property
    def hint(self) -> str | None:
        """What would make a better fit: the argument `resolution`, where the data look rounded; else None."""
        settings = self.settings
        if settings is None or settings.resolution is not None or settings.method == "paper":
            return None
        if not isinstance(self.data, Sample):
            return None
        step = self.data.rounding_step
        if step is None or step < _FELT * float(np.sqrt(self.variances.min())):
            return None
        return f"the data look rounded: resolution={step:.6g} would fit them as intervals"

    @property
    def bic(self) -> float:
        """The Bayesian information criterion; less is better."""
        return float(self.n_parameters * np.log(self.total_weight) - 2 * self.log_likelihood)

    @property
    def aic(self) -> float:
        """Akaike's information criterion; less is better."""
        return 2 * self.n_parameters - 2 * self.log_likelihood

    @property
    def icl(self) -> float:
        """The integrated complete likelihood: `bic` with a penalty for components that overlap; less is better."""
        if self.entropy is None:
            raise InvalidInputError("icl is not known: the engine that held the data did not classify them")
        return self.bic + self.entropy

    def predict(self, x: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the most likely component of each of `x`; the lower one where two are equally likely.

        Of a Dask array this, the probabilities and the densities are Dask arrays, and nothing is computed yet.
        """
        labels: npt.NDArray[np.int32] = pointwise(x, by_mixture("predict", self._parameters()), np.int32)
        return labels

    def predict_proba(self, x: npt.ArrayLike) -> FloatArray:
        """Return the probability of each component (columns) for each of `x` (rows)."""
        shares: FloatArray = pointwise(x, by_mixture("predict_proba", self._parameters()), np.float64, self.k)
        return shares

    def write_labels(
        self,
        path: str | PathLike[str],
        x: Any,
        *,
        keys: Iterable[str] = (),
        column: str | None = None,
        progress: bool | Callable[[int, int | None], Any] = False,
    ) -> int:
        """Write the component of each point as Parquet, chunk by chunk, and return the number of rows.

        The columns are ``label`` and ``probability``, that of the label, in single precision; the rows are those of the
        data, in their order. Needs ``mindgap[parquet]``.

        Parameters
        ----------
        path : path
            The file to write; of Dask data a folder, with a file for each chunk.
        x : Chunks, what `Chunks` takes, or a Dask collection
            The data to label.
        keys : iterable of str
            Other columns of the data, to be written before the labels.
        column : str, optional
            The column of the values, where the data are a table and not `Chunks`.
        progress : bool or callable
            Whether to show a line on standard error; or what to call with the points done and their number, None where
            that is not known.
        """
        return write_labels(path, x, mixture_columns(self._parameters()), column, keys, progress)

    def score_samples(self, x: npt.ArrayLike) -> FloatArray:
        """Return the log density at each of `x`."""
        densities: FloatArray = pointwise(x, by_mixture("score_samples", self._parameters()), np.float64)
        return densities

    def score(self, x: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return the mean log density of `x`."""
        densities: Any = self.score_samples(x)
        if not isinstance(densities, np.ndarray):
            if sample_weight is not None:
                raise InvalidInputError("sample_weight is for data in memory; average score_samples(x) yourself")
            return float(densities.mean())
        if len(densities) == 0:
            raise InvalidInputError("x is empty; there is no mean of nothing")
        return float(np.average(densities, weights=point_weights(sample_weight, len(densities))))

    def sample(self, n: int, rng: RNG = None) -> tuple[FloatArray, npt.NDArray[np.int32]]:
        """Draw `n` values from the mixture, within its support, and the component that each came from."""
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
        """Refit data drawn again `n` times, in parallel, for intervals of all parameters.

        By default the data are drawn from the fitted mixture (the parametric bootstrap), which a stored result can do
        as well. Give `x` to draw from the data themselves with replacement. Each refit satisfies the constraint and
        settings of this one and starts at its parameters; components are matched by the order of their means.

        Parameters
        ----------
        n : int
            The number of replicates.
        rng : int, Generator or None
            The same seed gives the same replicates, whatever the number of threads and the order of `x`. The result
            says which one was used.
        x, sample_weight : array-like, optional
            The data, to resample them. Weights count as so many equal points.
        size : int, optional
            The number of points in a replicate; the total weight of the data by default.
        threads : int, optional
            How many refits run at once; as many as there are processors by default.
        progress : bool or callable
            Whether to show a bar on standard error; or what to call with (done, total).

        Returns
        -------
        Bootstrap
            With `interval(level)` for weights, means, variances and gaps.
        """
        from mindgap.inference.bootstrapping import bootstrap

        return bootstrap(self, n, rng, x=x, sample_weight=sample_weight, size=size, threads=threads, progress=progress)

    def interval(self, level: float = 0.95) -> Intervals:
        """Return intervals for weights, means, variances and gaps from the standard errors, without refits.

        They cost nothing, and are those of `bootstrap` where there are many points for each parameter. Where
        `standard_errors.unreliable` says that they cannot be relied on, bootstrap instead.

        Examples
        --------
        >>> fit = mg.mixture(mg.datasets.paper_model("A", 2000, rng=1).values, 2)
        >>> fit.interval(0.9).means.shape
        (2, 2)
        """
        return wald_intervals(self, level)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the components as a frame of `backend`: pandas, else polars, unless told, one row each."""
        parameters = {"weight": self.weights, "mean": self.means, "variance": self.variances}
        gaps = gap_columns(self.gaps, self.bounds, self.active)
        thresholds = np.array([*self.thresholds, None], dtype=np.float64)
        return frame_of(
            {"component": np.arange(self.k)} | parameters | gaps | {"threshold_to_next": thresholds}, backend
        )

    def _parameters(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.weights, self.means, self.variances

    def table(self) -> TextTable:
        """Return what `summary`, notebooks and the command line show: the components, and how the fit ended."""
        return mixture_table(self)

    def summary(self) -> str:
        """Return a table of the components, and how the fit ended, as plain text."""
        return self.table().plain()

    def _repr_html_(self) -> str:
        return self.table().html()

    def plot(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draw the data, the components and their sum, and the gaps with their bounds; needs ``mindgap[plot]``.

        Draws into `ax`, or into a new figure of pyplot's, and returns the axes. `label` says what the data are; by
        default it is the name of the column that they came in.
        """
        from mindgap.plots import plot_mixture

        return plot_mixture(self, ax, label=label)

    def __repr__(self) -> str:
        means = np.array2string(self.means, precision=6, threshold=8, separator=", ")
        fitted = f"log_likelihood={self.log_likelihood:.8g}, means={means}"
        return f"MixtureResult(k={self.k}, {fitted}, status={self.status!r})"

    def to_json(self) -> str:
        """Return the result as JSON text, to be read by `from_json`."""
        return archive.dump(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> MixtureResult:
        """Return the result that `to_json` stored, or raise InvalidInputError."""
        return cls(**stored_mixture(text))
