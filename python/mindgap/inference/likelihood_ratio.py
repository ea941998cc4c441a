"""Whether the data contradict a constraint: the likelihood ratio of a constrained and a free fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindgap.errors import InvalidInputError, SolverError
from mindgap.inference.bootstrapping import parametric
from mindgap.inference.chi_square import chi_square_tail
from mindgap.inference.refitting import refit_like
from mindgap.inference.replicates import replicate
from mindgap.validation import RNG, as_seed

if TYPE_CHECKING:
    from mindgap.foundation.progress import Progress
    from mindgap.model.sample import Sample
    from mindgap.results.mixture import MixtureResult

#: A free fit may be worse by this share of the log-likelihood before it is called stuck: EM stops short of the top.
_SHORTFALL = 1e-6


@dataclass(frozen=True)
class LikelihoodRatio:
    """The likelihood ratio of two fits of the same data, one of them held by a constraint.

    Attributes
    ----------
    statistic : float
        Twice the difference of the log-likelihoods, not negative.
    df : int
        The number of bounds that the constrained fit is at.
    p_value : float
        The upper tail of the chi-square distribution with `df` degrees of freedom; 1 where no bound is active.
    bootstrap_p_value : float or None
        The share of data sets drawn from the constrained fit whose statistic is at least as large; None if not asked.
    n_bootstrap : int
        The number of data sets behind it, without those whose refits failed.
    seed : int or None
        What they were drawn with; `rng=seed` draws them again.

    Examples
    --------
    >>> values = mg.datasets.paper_model("A", 200, rng=1).values
    >>> mg.compare(mg.mixture(values, 2, mg.LowerOnly(0.1)), mg.mixture(values, 2)).df
    0
    """

    statistic: float
    df: int
    p_value: float
    bootstrap_p_value: float | None = None
    n_bootstrap: int = 0
    seed: int | None = None

    def summary(self) -> str:
        """Return the comparison in plain text."""
        text = f"2 x log-likelihood difference {self.statistic:.6g}, {self.df} active bounds, p <= {self.p_value:.4g}"
        if self.bootstrap_p_value is None:
            return text
        return f"{text}\nparametric bootstrap p = {self.bootstrap_p_value:.4g} from {self.n_bootstrap} data sets"


def compare(
    constrained: MixtureResult,
    free: MixtureResult,
    *,
    n_bootstrap: int = 0,
    rng: RNG = None,
    threads: int | None = None,
    progress: Progress = False,
) -> LikelihoodRatio:
    """Compare a fit under a constraint with one without it: whether the data contradict the constraint.

    If the constraint is true, the statistic follows (for large samples) a chi-bar-squared distribution: a mixture of
    chi-squares whose degrees of freedom are the number of bounds that the constrained fit is at. Given that number,
    it is chi-square with as many degrees of freedom where the true means lie on those bounds, and smaller where they
    lie inside. `p_value` is that tail, which is thus on the safe side.

    Mind these before you rely on it:

    - it is for large samples, and for components that are all there: with a weight near zero or two equal components
      the theory of likelihood ratios fails, and only the bootstrap is left (and even that is rough);
    - both fits must be the best there are, while EM finds a local one. Start the constrained fit also from "ckmeans",
      and the free one also from the constrained one, ``init=(result.weights, result.means, result.variances)``, and
      keep the better of each. A constrained fit that is stuck looks like evidence against the constraint;
    - bounds that were chosen after a look at the data make any p-value too small or too large;
    - a large p-value says that the data do not contradict the constraint, not that it is true.

    Parameters
    ----------
    constrained, free : MixtureResult
        Fits of the same data with the same k; `free` without the constraint, or with a weaker one.
    n_bootstrap : int
        If positive, also draw so many data sets from the constrained fit, fit each both ways, and count.
    rng, threads, progress
        As in `MixtureResult.bootstrap`.

    Raises
    ------
    InvalidInputError
        If the fits are not of the same data, or the free fit is worse than the constrained one.
    """
    _check_same(constrained, free)
    statistic = _statistic(constrained, free)
    df = sum(active != "free" for active in constrained.active)
    p_value = chi_square_tail(statistic, df) if df else 1.0
    if n_bootstrap == 0:
        return LikelihoodRatio(statistic, df, p_value)
    seed = as_seed(rng)
    drawn = _drawn_statistics(constrained, free, n_bootstrap, seed, threads, progress)
    share = (1 + sum(other >= statistic for other in drawn)) / (1 + len(drawn))
    return LikelihoodRatio(statistic, df, p_value, share, len(drawn), seed)


def _check_same(constrained: MixtureResult, free: MixtureResult) -> None:
    for name in ("k", "total_weight"):
        one, other = getattr(constrained, name), getattr(free, name)
        if one != other:
            raise InvalidInputError(f"the fits differ in {name} ({one} and {other}); compare fits of the same data")


def _statistic(constrained: MixtureResult, free: MixtureResult) -> float:
    difference = free.log_likelihood - constrained.log_likelihood
    if _holds_back(free) and not _holds_back(constrained) and difference < 0:
        raise InvalidInputError(
            "a constraint holds the second fit back and none the first: the order is compare(constrained, free)"
        )
    if difference < -_SHORTFALL * max(1.0, abs(free.log_likelihood)):
        raise InvalidInputError(
            f"the free fit has the lower log-likelihood ({free.log_likelihood:.10g}, constrained "
            f"{constrained.log_likelihood:.10g}): it is stuck at a local optimum; start it from the constrained fit, "
            "init=(result.weights, result.means, result.variances)"
        )
    return max(0.0, 2 * difference)


def _holds_back(fit: MixtureResult) -> bool:
    return any(active != "free" for active in fit.active)


def _drawn_statistics(
    constrained: MixtureResult,
    free: MixtureResult,
    n: int,
    seed: int,
    threads: int | None,
    progress: Progress,
) -> list[float]:
    hold, release = refit_like(constrained), refit_like(free)
    draw = parametric(constrained, round(constrained.total_weight))

    def statistic(sample: Sample) -> float | None:
        held = hold(sample)
        if held is None:
            return None
        # Also from the held fit, so that the free one is not stuck below it.
        released = [fit for fit in (release(sample), release(sample, held)) if fit is not None]
        if not released:
            return None
        return max(0.0, 2 * (max(fit.log_likelihood for fit in released) - held.log_likelihood))

    drawn = replicate(
        lambda stream: statistic(draw(stream)),
        n,
        seed,
        threads=threads,
        progress=progress,
        what="likelihood ratio",
    )
    sound = [value for value in drawn if value is not None]
    if not sound:
        raise SolverError(f"none of {n} pairs of refits succeeded; there is no bootstrap p-value")
    return sound
