"""The bootstrap: how uncertain the parameters of a mixture are, from refits in parallel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError, SolverError
from mindgap.inference.refitting import refit_like
from mindgap.inference.replicates import replicate
from mindgap.model.binned import Binned
from mindgap.model.sample import Sample
from mindgap.results.frames import Backend, frame_of
from mindgap.results.reliability import Intervals, PerParameter, as_level
from mindgap.results.table import TextTable, position_texts
from mindgap.validation import RNG, FloatArray, as_count, as_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from mindgap.foundation.progress import Progress
    from mindgap.results.mixture import MixtureResult

PARAMETERS = ("weights", "means", "variances", "gaps")


class Replicates(PerParameter):
    """The parameters of every refit: one row per replicate, one column per component or gap."""


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Bootstrap replicates of a fit, and their intervals.

    Components are matched by the order of their means, so that there is no label switching.

    Attributes
    ----------
    estimate : MixtureResult
        The original fit.
    replicates : Replicates
        The parameters of the refits that succeeded.
    n_failed : int
        The number of refits that failed or lost a component; they are left out.
    seed : int
        The seed of the replicates; `rng=seed` draws them again.

    Examples
    --------
    >>> values = mg.datasets.paper_model("A", 200, rng=1).values
    >>> drawn = mg.mixture(values, 2, mg.LowerOnly(1.5)).bootstrap(20, rng=1)
    >>> drawn.interval(0.9).means.shape
    (2, 2)
    """

    estimate: MixtureResult
    replicates: Replicates
    n_failed: int
    seed: int

    def __len__(self) -> int:
        return len(self.replicates.weights)

    def interval(self, level: float = 0.95) -> Intervals:
        """Return the percentile intervals that contain the fraction `level` of the replicates."""
        level = as_level(level)
        tails = [(1 - level) / 2, (1 + level) / 2]
        ends = {name: np.quantile(getattr(self.replicates, name), tails, axis=0).T for name in PARAMETERS}
        return Intervals(**ends, level=level)

    def standard_errors(self) -> Replicates:
        """Return the standard deviation of each parameter over the replicates."""
        return Replicates(**{name: getattr(self.replicates, name).std(axis=0) for name in PARAMETERS})

    def table(self, level: float = 0.95) -> TextTable:
        """Return the table that `summary` and notebooks show: the estimates and their intervals."""
        failed = f", {self.n_failed} more failed and are left out" if self.n_failed else ""
        note = f"{100 * level:g}% intervals from {len(self)} replicates{failed}"
        rows = [
            [*self._texts(name, np.array([low, estimate, high])), name]
            for name, estimate, low, high in self._rows(level)
        ]
        return TextTable(f"Bootstrap, k = {self.estimate.k}", ("from", "estimate", "to", "parameter"), rows, [note])

    def _texts(self, name: str, values: FloatArray) -> list[str]:
        if name.startswith("mean"):
            return position_texts(values, float(np.sqrt(self.estimate.variances.max())))
        return [f"{value:.6g}" for value in values]

    def _rows(self, level: float) -> list[tuple[str, float, float, float]]:
        """Yield the name, the estimate and the ends of the interval of each parameter."""
        intervals = self.interval(level)
        return [
            (f"{name.removesuffix('s')} {index}", float(estimate), float(low), float(high))
            for name in PARAMETERS
            for index, (estimate, (low, high)) in enumerate(
                zip(getattr(self.estimate, name), getattr(intervals, name), strict=True)
            )
        ]

    def summary(self, level: float = 0.95) -> str:
        """Return the estimates and their intervals as a table in plain text."""
        return self.table(level).plain()

    def _repr_html_(self) -> str:
        return self.table().html()

    def to_frame(self, level: float = 0.95, backend: Backend | None = None) -> Any:
        """Return estimates and intervals as a data frame: "pandas" or "polars", by default the first installed."""
        names, estimates, lows, highs = zip(*self._rows(level), strict=True)
        return frame_of({"parameter": names, "estimate": estimates, "low": lows, "high": highs}, backend)

    def __repr__(self) -> str:
        return f"Bootstrap({len(self)} replicates, {self.n_failed} failed, k={self.estimate.k})"


def bootstrap(
    result: MixtureResult,
    n: int,
    rng: RNG = None,
    *,
    x: npt.ArrayLike | Sample | None = None,
    sample_weight: npt.ArrayLike | None = None,
    size: int | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Bootstrap:
    """Refit `n` replicates, as described in `MixtureResult.bootstrap`."""
    if x is None and sample_weight is not None:
        raise InvalidInputError("sample_weight is for resampling data; give x as well")
    refit = refit_like(result)
    points = as_count(round(result.total_weight) if size is None else size, "size")
    draw = parametric(result, points) if x is None else resampling(x, sample_weight, size)
    seed = as_seed(rng)
    fits = replicate(lambda stream: refit(draw(stream)), n, seed, threads=threads, progress=progress, what="bootstrap")
    sound = [fit for fit in fits if fit is not None]
    if not sound:
        raise SolverError(f"none of {n} refits succeeded; the fit has more components than the data support")
    rows = {name: np.array([getattr(fit, name) for fit in sound]) for name in PARAMETERS}
    return Bootstrap(result, Replicates(**rows), len(fits) - len(sound), seed)


def parametric(result: MixtureResult, points: int) -> Callable[[np.random.Generator], Sample | Binned]:
    """Return a function that draws a replicate from the fitted mixture, rounded or binned as the data are."""
    step = None if result.settings is None else result.settings.resolution

    def draw(rng: np.random.Generator) -> Sample | Binned:
        values = result.sample(points, rng)[0]
        if isinstance(result.data, Binned):
            return result.data.redrawn(values)
        return Sample(values if step is None else np.rint(values / step) * step)

    return draw


def resampling(x: Any, sample_weight: Any, size: int | None) -> Callable[[np.random.Generator], Sample | Binned]:
    """Return a function that draws from the data with replacement, in proportion to their weights.

    A draw is a count for each distinct value, so that it does not depend on the order of the data.
    """
    if isinstance(x, Binned):
        total = float(x.counts.sum())
        points = as_count(round(total) if size is None else size, "size")
        return lambda rng: Binned(x.edges, rng.multinomial(points, x.counts / total).astype(np.float64))
    sample = Sample.of(x, sample_weight)
    values, places = np.unique(sample.values, return_inverse=True)
    shares = np.bincount(places, sample.weights) / sample.total_weight
    points = as_count(round(sample.total_weight) if size is None else size, "size")

    def draw(rng: np.random.Generator) -> Sample:
        counts = rng.multinomial(points, shares / shares.sum())
        return Sample(values, counts.astype(np.float64))

    return draw
