"""The likelihood ratio of two fits: do the data contradict a constraint, or need more components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mindgap.foundation.errors import InvalidInputError, SolverError
from mindgap.foundation.messages import shorten
from mindgap.host.resolving import blocks_of
from mindgap.inference.bootstrapping import parametric
from mindgap.inference.chi_square import chi_square_tail
from mindgap.inference.refitting import climbed_like, searched_like
from mindgap.inference.replicates import replicate
from mindgap.model.binned import Binned
from mindgap.model.sample import Sample
from mindgap.results.mixture import MixtureResult
from mindgap.validation import RNG, as_seed

if TYPE_CHECKING:
    from mindgap.foundation.progress import Progress
    from mindgap.model.bounds import GapBounds, LinearRows

#: A free fit is called stuck if it is worse by more than this fraction of the log-likelihood.
_SHORTFALL = 1e-6

#: Bounds hold, and means are equal, to this fraction of the spread: far above rounding, far below what matters.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class LikelihoodRatio:
    """The likelihood ratio of two fits of the same data, where the first model is a special case of the second.

    Attributes
    ----------
    statistic : float
        Twice the difference of the log-likelihoods, not negative.
    df : int
        The number of active bounds of the constrained fit, plus the number of parameters that it has fewer.
    p_value : float or None
        The upper tail of the chi-square distribution with `df` degrees of freedom; 1 if `df` is 0. None if the numbers
        of components differ, since no chi-square approximation holds then.
    bootstrap_p_value : float or None
        The fraction of data sets drawn from the constrained fit whose statistic is at least as large; None if not
        computed.
    n_bootstrap : int
        The number of data sets drawn, without those whose refits failed.
    seed : int or None
        The seed of the data sets; `rng=seed` draws them again.
    unreliable : tuple of str
        Why `p_value` may be far too small: what makes the standard errors of the free fit unreliable. Use
        `bootstrap_p_value` then.

    Examples
    --------
    >>> values = mg.datasets.paper_model("A", 200, rng=1).values
    >>> mg.compare(mg.mixture(values, 2, mg.LowerOnly(0.1)), mg.mixture(values, 2)).df
    0
    """

    statistic: float
    df: int
    p_value: float | None
    bootstrap_p_value: float | None = None
    n_bootstrap: int = 0
    seed: int | None = None
    unreliable: tuple[str, ...] = ()

    def summary(self) -> str:
        """Return the comparison in plain text."""
        sign = "about" if self.unreliable else "<="
        p_value = "no chi-square p-value" if self.p_value is None else f"p {sign} {self.p_value:.4g}"
        degrees = f"{self.df} degree{'' if self.df == 1 else 's'} of freedom"
        lines = [f"2 x log-likelihood difference {self.statistic:.6g}, {degrees}, {p_value}"]
        if self.unreliable:
            lines.append(f"this p-value may be far too small ({', '.join(self.unreliable)}): use the bootstrap")
        if self.bootstrap_p_value is not None:
            lines.append(f"parametric bootstrap p = {self.bootstrap_p_value:.4g} from {self.n_bootstrap} data sets")
        return "\n".join(lines)


def compare(
    constrained: MixtureResult,
    free: MixtureResult,
    *,
    n_bootstrap: int = 0,
    rng: RNG = None,
    threads: int | None = None,
    progress: Progress = False,
) -> LikelihoodRatio:
    """Compare a fit with a more general one: do the data contradict the constraint, or need another component.

    If the constraint is true, the statistic has (for large samples) a chi-bar-squared distribution: a mixture of
    chi-squares whose degrees of freedom are the number of active bounds. Given that number, it is chi-square with as
    many degrees of freedom if the true means lie on these bounds, and smaller if they do not. `p_value` is this tail,
    so it is conservative. Equal variances against free ones add k - 1 degrees of freedom.

    If the results have their data, each fit is first repeated from the optimum of the other and the higher one is used,
    since a fit that is stuck at a local maximum would look like evidence.

    Limits:

    - The theory needs a large sample and components with distinct means and positive weights. Otherwise `p_value` can
      be far too small, which `unreliable` says, and only the bootstrap is left. For different numbers of components no
      chi-square is valid: give `n_bootstrap`.
    - If the bounds were chosen after a look at the data, no p-value is valid.
    - A large p-value means that the data do not contradict the constraint, not that it is true.

    Parameters
    ----------
    constrained, free : MixtureResult
        Fits of the same data; `free` without the constraint, or with a weaker one, or with more components.
    n_bootstrap : int
        If positive, also draw this many data sets from the constrained fit, search for both optima of each and compare
        them in the same way.
    rng, threads, progress
        As in `MixtureResult.bootstrap`.

    Raises
    ------
    InvalidInputError
        If the fits are not of the same data, the free fit is worse than the constrained one, or the distribution of the
        statistic is not known: constraints on weights and spreads, or more components, need `n_bootstrap`.

    Examples
    --------
    >>> x = [1, 1.5, 2, 2.5, 3, 3.5, 4.5, 6, 6.5, 7, 7.5, 8]
    >>> ratio = mg.compare(mg.mixture(x, 2, mg.LowerOnly(6)), mg.mixture(x, 2))
    >>> ratio.df, round(ratio.p_value, 3)
    (1, 0.011)
    """
    for fit in (constrained, free):
        if not isinstance(fit, MixtureResult):
            raise InvalidInputError(f"compare takes two results of mixture, not {shorten(fit)}")
    _check_same(constrained, free)
    _check_nested(constrained, free)
    _check_reference(constrained, free, n_bootstrap)
    constrained, free = _climbed(constrained, free), _climbed(free, constrained)
    statistic = _statistic(constrained, free)
    # Equalities ("both") are already missing from the number of parameters.
    active = sum(side in ("lower", "upper") for side in constrained.active)
    df = active + free.n_parameters - constrained.n_parameters
    p_value = _p_value(constrained, free, statistic, df)
    errors = free.standard_errors
    unreliable = errors.unreliable if errors is not None and p_value is not None and df else ()
    if n_bootstrap == 0:
        return LikelihoodRatio(statistic, df, p_value, unreliable=unreliable)
    seed = as_seed(rng)
    drawn = _drawn_statistics(constrained, free, n_bootstrap, seed, threads, progress)
    share = (1 + sum(other >= statistic for other in drawn)) / (1 + len(drawn))
    return LikelihoodRatio(statistic, df, p_value, share, len(drawn), seed, unreliable)


def _p_value(constrained: MixtureResult, free: MixtureResult, statistic: float, df: int) -> float | None:
    """Return the tail of the chi-square distribution if it is known to be right or conservative."""
    if constrained.k != free.k or _other_rows(constrained):
        return None
    return chi_square_tail(statistic, df) if df else 1.0


def _other_rows(fit: MixtureResult) -> bool:
    """Return whether a fit has constraints other than bounds and rows on its means."""
    return fit.constraint is not None and bool(blocks_of(fit.constraint, fit.k))


def _check_reference(constrained: MixtureResult, free: MixtureResult, n_bootstrap: int) -> None:
    """Refuse a statistic whose distribution is not known."""
    if constrained.k != free.k and not n_bootstrap:
        raise InvalidInputError(
            f"the fits differ in k ({constrained.k} and {free.k}), for which no chi-square distribution is valid; "
            "give n_bootstrap, such as 200"
        )
    if constrained.n_parameters > free.n_parameters:
        raise InvalidInputError(
            f"the first fit has more parameters ({constrained.n_parameters}) than the second ({free.n_parameters}): "
            "the order is compare(constrained, free)"
        )
    if _other_rows(constrained) and not n_bootstrap:
        raise InvalidInputError(
            f"{constrained.constraint!r} is about weights or spreads, for which no chi-square is known to be valid; "
            "give n_bootstrap, such as 200"
        )


def _climbed(fit: MixtureResult, other: MixtureResult) -> MixtureResult:
    """Return a fit, or a higher one that a climb from the optimum of the other reaches."""
    unknown = not isinstance(fit.data, Sample) or fit.settings is None or fit.settings.method == "paper"
    if unknown or fit.k != other.k or fit.status == "collapsed" or not (other.weights > 0).all():
        return fit
    again = climbed_like(fit)(fit.data, other)
    return again if again is not None and again.log_likelihood > fit.log_likelihood else fit


def _check_same(constrained: MixtureResult, free: MixtureResult) -> None:
    one, other = constrained.total_weight, free.total_weight
    if one != other:
        raise InvalidInputError(f"the fits differ in total_weight ({one} and {other}); compare fits of the same data")
    if not _alike(constrained.data, free.data):
        raise InvalidInputError("the fits are of different data; compare fits of the same data")
    for name in ("resolution", "support"):
        mine, theirs = getattr(constrained.settings, name, None), getattr(free.settings, name, None)
        if mine != theirs:
            raise InvalidInputError(
                f"the fits differ in {name} ({mine} and {theirs}); their likelihoods cannot be compared"
            )


def _alike(one: object, other: object) -> bool:
    """Return whether two data sets may be the same: equal ends and means, since weights may stand for equal points."""
    if isinstance(one, Binned) and isinstance(other, Binned):
        return one == other
    if not (isinstance(one, Sample) and isinstance(other, Sample)) or one._cells or other._cells:
        return True
    ends = [(data.values[0], data.values[-1]) for data in (one, other)]
    means = [np.average(data.values, weights=data.weights) for data in (one, other)]
    return ends[0] == ends[1] and bool(abs(means[0] - means[1]) <= _ROUNDING * (ends[0][1] - ends[0][0]))


def _check_nested(constrained: MixtureResult, free: MixtureResult) -> None:
    """Refuse a first fit that the constraint on the means of the second does not allow."""
    if constrained.k != free.k:
        return
    bounds: GapBounds | LinearRows | None = free.bounds
    values, slack = constrained.gaps, _ROUNDING * (np.ptp(constrained.means) + np.sqrt(constrained.variances.max()))
    if free.rows is not None:
        bounds, values = free.rows, free.rows.matrix @ constrained.means
        slack *= np.abs(free.rows.matrix).max(initial=0.0)
    if bounds is not None and ((values < bounds.lower - slack) | (values > bounds.upper + slack)).any():
        raise InvalidInputError(
            "the first fit does not satisfy the constraint of the second, which must be the weaker one: "
            "the order is compare(constrained, free)"
        )


def _statistic(constrained: MixtureResult, free: MixtureResult) -> float:
    difference = free.log_likelihood - constrained.log_likelihood
    if difference < -_SHORTFALL * max(1.0, abs(free.log_likelihood)):
        raise InvalidInputError(
            f"the free fit has the lower log-likelihood ({free.log_likelihood:.10g}, constrained "
            f"{constrained.log_likelihood:.10g}): it is stuck at a local optimum; start it from the constrained fit, "
            "init=(result.weights, result.means, result.variances)"
        )
    return max(0.0, 2 * difference)


def _drawn_statistics(
    constrained: MixtureResult,
    free: MixtureResult,
    n: int,
    seed: int,
    threads: int | None,
    progress: Progress,
) -> list[float]:
    # Searched and climbed as the fits of the data were: a draw whose fit is stuck would make the data look extreme.
    hold, release = map(searched_like, (constrained, free))
    draw = parametric(constrained, round(constrained.total_weight))

    def statistic(sample: Sample | Binned) -> float | None:
        held, released = hold(sample), release(sample)
        if held is None or released is None:
            return None
        climbed = _climbed(held, released), _climbed(released, held)
        return max(0.0, 2 * (climbed[1].log_likelihood - climbed[0].log_likelihood))

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
        raise SolverError(f"none of {n} pairs of refits succeeded, so there is no bootstrap p-value")
    return sound
