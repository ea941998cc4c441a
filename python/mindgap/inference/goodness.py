"""Goodness of fit: the Kolmogorov-Smirnov distance, with a p-value from the parametric bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError, SolverError
from mindgap.inference.refitting import refit_like
from mindgap.inference.replicates import replicate
from mindgap.model.binned import Binned
from mindgap.model.sample import Sample
from mindgap.results.histogram import grid_of
from mindgap.results.rootogram import fitted_cdf
from mindgap.validation import RNG, as_count, as_seed

if TYPE_CHECKING:
    import numpy.typing as npt

    from mindgap.foundation.progress import Progress
    from mindgap.model.summary import Summary
    from mindgap.results.mixture import MixtureResult
    from mindgap.validation import FloatArray


@dataclass(frozen=True)
class GoodnessOfFit:
    """The distance of the data from a fitted mixture, and how often chance alone gives a distance as large.

    Attributes
    ----------
    statistic : float
        The Kolmogorov-Smirnov distance: the largest difference between the cumulative distributions of the data and of
        the mixture.
    p_value : float
        The fraction of data sets, drawn from the fit and fitted again, that are at least as far from their fit. A small
        value is evidence that the data are not from such a mixture; a large one means that there is no such evidence.
    n_bootstrap : int
        The number of data sets drawn, without those whose refits failed.
    seed : int
        The seed of the data sets; `rng=seed` draws them again.

    Examples
    --------
    >>> fit = mg.mixture(mg.datasets.paper_model("A", 300, rng=1).values, 2)
    >>> mg.goodness_of_fit(fit, n_bootstrap=9, rng=1).n_bootstrap
    9
    """

    statistic: float
    p_value: float
    n_bootstrap: int
    seed: int

    def summary(self) -> str:
        """Return the test in plain text."""
        return (
            f"Kolmogorov-Smirnov distance {self.statistic:.4g}, bootstrap p = {self.p_value:.3g} "
            f"from {self.n_bootstrap} data sets"
        )


def goodness_of_fit(
    result: MixtureResult,
    x: npt.ArrayLike | Sample | Summary | None = None,
    *,
    sample_weight: Any = None,
    n_bootstrap: int = 200,
    rng: RNG = None,
    threads: int | None = None,
    progress: Progress = False,
) -> GoodnessOfFit:
    """Test whether the data can come from the mixture that was fitted to them.

    The p-value is from the parametric bootstrap. Each data set is drawn from the fit and fitted again, since a fit is
    closer to its own data than the true mixture is. Data on a grid (integers, rounded measurements) are compared with
    draws rounded to that grid.

    Parameters
    ----------
    result : MixtureResult
        The fit.
    x, sample_weight : array-like, optional
        The data, if the result does not have them (it was stored, or fitted by an engine). A weight counts as that many
        equal points.
    n_bootstrap : int
        The number of data sets to draw.
    rng, threads, progress
        As in `MixtureResult.bootstrap`.

    Raises
    ------
    InvalidInputError
        If the data are not known, or the fit is degenerate.

    Examples
    --------
    >>> values = mg.datasets.paper_model("A", 300, rng=1).values
    >>> test = mg.goodness_of_fit(mg.mixture(values, 2), n_bootstrap=19, rng=1)
    >>> 0 < test.p_value <= 1
    True
    """
    if isinstance(x, Binned) or (x is None and isinstance(result.data, Binned)):
        raise InvalidInputError("the test is for values, not for counts in bins; plots.plot_residuals compares those")
    sample = result.data if x is None else Sample.of(x, sample_weight)
    if not isinstance(sample, Sample):
        raise InvalidInputError("this result does not have its data; give them as x")
    refit, seed = refit_like(result), as_seed(rng)
    as_count(n_bootstrap, "n_bootstrap")
    points = round(sample.total_weight)
    grid = grid_of(sample.values)

    def distance(stream: np.random.Generator) -> float | None:
        values = result.sample(points, stream)[0]
        if grid is not None:
            start, step = grid
            values = start + np.rint((values - start) / step) * step
        drawn = Sample(values)
        fit = refit(drawn)
        return None if fit is None else _distance(fit, drawn)

    drawn = replicate(distance, n_bootstrap, seed, threads=threads, progress=progress, what="goodness of fit")
    sound = [value for value in drawn if value is not None]
    if not sound:
        raise SolverError(f"none of {n_bootstrap} refits succeeded, so there is no p-value")
    statistic = _distance(result, sample)
    share = (1 + sum(value >= statistic for value in sound)) / (1 + len(sound))
    return GoodnessOfFit(statistic, share, len(sound), seed)


def _distance(result: MixtureResult, sample: Sample) -> float:
    """Return the Kolmogorov-Smirnov distance of a sample from a mixture."""
    values, firsts = np.unique(sample.values, return_index=True)
    if sample.weights is None:
        up_to: FloatArray = np.append(firsts[1:], len(sample.values)) / len(sample.values)
    else:
        up_to = np.cumsum(np.add.reduceat(sample.weights, firsts)) / sample.total_weight
    expected = fitted_cdf(result, values)
    before = np.concatenate([[0.0], up_to[:-1]])
    return float(max(np.abs(up_to - expected).max(), np.abs(before - expected).max()))
