"""Gaussian mixtures in one dimension, with or without a constraint on the gaps between means."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from mindgap import _core
from mindgap.fit.certifying import certified
from mindgap.fit.loading import loaded
from mindgap.fit.watching import watching
from mindgap.foundation.errors import InvalidInputError, MindgapError
from mindgap.host import guard, lookup
from mindgap.host.builtin.initializers import BUILT_IN
from mindgap.host.resolving import resolve
from mindgap.model.constraint import Constraint
from mindgap.model.parameters import Parameters
from mindgap.model.settings import MixtureSettings
from mindgap.results.mixture import MixtureResult
from mindgap.validation import RNG, as_count

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    import numpy.typing as npt

    from mindgap.fit.loading import Data
    from mindgap.fit.watching import Step
    from mindgap.model.engine import Engine
    from mindgap.model.initializer import Initializer
    from mindgap.model.sample import Sample


def mixture(
    x: Data,
    k: int,
    constraint: Constraint | str | None = None,
    *,
    init: Initializer | Parameters | MixtureResult | tuple[Any, Any, Any] | str = "auto",
    method: Literal["best", "paper"] = "best",
    tol: float | None = None,
    tol_scale: Literal["absolute", "data"] = "absolute",
    max_iter: int = 1000,
    variances: Literal["free", "equal"] = "free",
    min_variance: float | None = None,
    resolution: float | None = None,
    support: tuple[float, float] | None = None,
    starts: int = 12,
    rng: RNG = 0,
    sample_weight: npt.ArrayLike | None = None,
    missing: Literal["error", "drop"] = "error",
    engine: Engine | str = "local",
    certify: bool = False,
    proof: str | PathLike[str] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: bool = False,
    callback: Callable[[Step], Any] | None = None,
) -> MixtureResult:
    """Fit a mixture of `k` normal distributions whose means satisfy a constraint, by maximum likelihood.

    The likelihood has many local maxima. The fit is the highest one that a search finds: EM and Newton steps from many
    starts on a summary of the data, then from the best of them on the data themselves. The result says how reliable it
    is: how many starts ended there, the next best maximum, standard errors, and findings to check.

    Parameters
    ----------
    x : array-like of n numbers
        The data: a list, an array, one column of a frame or a `Sample`; `Binned` counts; `Chunks`, for data larger than
        memory; a `Summary`, which puts every point at the mean of its cell; or data of the engine's own kind.
    k : int
        The number of components.
    constraint : Constraint, str or None
        The constraint on the means: `LowerOnly(delta)`, `TwoSided(lower, upper)`, `PerGap(lower, upper)`; on the
        weights: `FixedWeights`, `WeightBounds`, `WeightRatio`; on the spreads: `SpreadRatio`, `EqualSpreads`,
        `FixedSpreads`, `ConstantCV`; a plugin's; several joined by ``&``; or a name with parameters, such as
        ``"two-sided:lower=1.9,upper=2.1"``.
    init : Initializer, Parameters, MixtureResult, (weights, means, variances) or str
        "auto" searches from many starts. Anything else is the start of a single climb, such as the result of an earlier
        fit. The start need not satisfy the constraint.
    method : "best" or "paper"
        "best" looks for the highest likelihood. "paper" is exactly the published EM: it starts from constrained k-means
        if all gaps have the same lower bound (and a partition satisfies it), else from k-means; it stops when no
        parameter moves by more than 1e-3 in units of the data; and it does not bound the ratio of spreads.
    tol : float, optional
        Converge when the log-likelihood can rise by less than this (default 1e-8); with method "paper", when no
        parameter moves by more than this (default 1e-3).
    tol_scale : "absolute" or "data"
        The unit of `tol` with method "paper": that of the data, or their standard deviation (variance for variances).
    max_iter : int
        The maximum number of passes over the data in a climb; with method "paper", of iterations.
    variances : "free" or "equal"
        Whether each component has its own variance, or all have the same. Free standard deviations differ at most
        tenfold, since without a bound the likelihood has no maximum.
    min_variance : float, optional
        The smallest variance of a component, in squared units of the data; by default a small fraction of the data's
        variance. If the data look rounded, and neither this nor the constraint bounds the spreads, the default is a
        standard deviation of half a rounding step.
    resolution : float, optional
        The step to which the values were rounded, such as 0.0254 for inches in metres. Each value then stands for the
        interval of half a step on either side, and the likelihood is the probability of these intervals.
    support : (low, high), optional
        The range outside which nothing was recorded, such as a detector's; either end may be infinite. The likelihood
        is conditional on lying in this range; the parameters are those of the whole mixture. Standard deviations are
        at most twice the range of the data.
    starts : int
        The number of random starts, in addition to about twenty deterministic ones and moves from the best.
    rng : int, Generator or None
        The seed of the random starts. The default is fixed, so that a fit can be repeated; None draws a new seed, which
        is in the `settings` of the result.
    sample_weight : array-like of n numbers, optional
        A weight for each point, not negative.
    missing : "error" or "drop"
        What to do about NaN, None or masked values: raise an error, or leave these points out and label them -1.
    engine : Engine or str
        The engine that holds the data and runs the E step.
    certify : bool
        Whether to prove an upper bound on the log-likelihood of every admissible mixture: `upper_bound` of the result.
        If the proof is completed, the bound is 0.1 above the best mixture known. Needs equal variances or a bounded
        ratio of spreads.
    proof : path, optional
        Where to write the proof of the certificate. `python -m mindgap.inference.check_certificate` checks it.
    time_limit : float, optional
        The maximum number of seconds for the fit and its certificate. After that the result is the best fit found, with
        status "time-limit" and the bound proven so far; or `SolverError` is raised if there is none.
    memory_limit : int, optional
        The maximum memory to use in addition to the data, in bytes. A computation that needs more raises
        `OutOfMemoryError` before it begins. By default there is no limit but the machine's memory.
    progress : bool
        Whether to show a live line on standard error.
    callback : callable, optional
        Called with a `Step` after each iteration. If it returns True, the fit stops with the best found so far and
        status "time-limit".

    Returns
    -------
    MixtureResult
        With `weights`, `means`, `variances`, `labels` and `log_likelihood`; how the fit ended: `status` and `message`;
        and how reliable it is: `findings`, `standard_errors`, `newton_decrement`, `starts`, `starts_at_best`,
        `runner_up`.

    Raises
    ------
    InvalidInputError
        If the data, the weights, the start or a setting are invalid.
    InfeasibleError
        If no means satisfy the constraint.

    Examples
    --------
    >>> values = mg.datasets.paper_model("B", 500, rng=1).values
    >>> fit = mg.mixture(values, 3, mg.TwoSided(1.9, 2.1))
    >>> fit.converged
    True
    >>> bool((fit.gaps >= 1.9 - 1e-9).all())
    True
    """
    count = as_count(k, "k")
    settings = MixtureSettings(
        method=method,
        tol=tol,
        tol_scale=tol_scale,
        max_iter=max_iter,
        variances=variances,
        min_variance=min_variance,
        resolution=resolution,
        support=support,
        starts=starts,
        rng=rng,  # type: ignore[arg-type]  # becomes a seed
        time_limit=time_limit,
        memory_limit=memory_limit,
    )
    chosen = constraint if constraint is None or isinstance(constraint, Constraint) else lookup.constraint(constraint)
    started = init if isinstance(init, Parameters) or (isinstance(init, str) and init == "auto") else _given(init)
    with (
        watching(progress, callback, settings.method == "paper") as watch,
        loaded(x, sample_weight, engine, missing, watch) as data,
    ):
        # Counting distinct values sorts the data, which a limit of memory may forbid; then the core counts them.
        countable = settings.memory_limit is None or count > len(data.sample)
        if countable and count > (distinct := data.sample.distinct):
            raise InvalidInputError(f"k is {count}, but the number of distinct values is {distinct}; ask for fewer")
        ready, rows, blocks = resolve(chosen, data.sample, count)
        wanted = certify or proof is not None
        if wanted and (data.engine is not None or data.bins is not None):
            raise InvalidInputError("only values in memory can be certified; fit them with the local engine")

        def climbed(start: Any) -> _core.MixtureFit:
            return _core.mixture(
                data.sample._core,
                count,
                start,
                None if rows is None else rows.arrays(),
                engine=None if data.engine is None else guard.answering(data.engine),
                watch=watch,
                bins=None if data.bins is None else (data.bins.edges, data.bins.counts),
                **blocks,
                **settings.keywords(),
            )

        try:
            start = _start(started, data.sample, count, ready, rows, settings)
            began = monotonic()
            fit = climbed(None if start is None else (start.weights, start.means, start.variances))
            upper_bound = None
            if wanted:
                left = None if settings.time_limit is None else settings.time_limit - (monotonic() - began)
                fit, upper_bound = certified(fit, climbed, data.sample, proof, left, watch)
        except MindgapError as error:
            guard.blame(error, chosen, started, data.engine)
            raise
        kept = data.bins or data.kept()
        return data.labelled(MixtureResult._of_fit(fit, settings, rows, kept, chosen, blocks, upper_bound))


def _given(init: Any) -> Parameters | Initializer:
    """Return `init` as parameters or an initializer."""
    if isinstance(init, MixtureResult):
        return Parameters(init.weights, init.means, init.variances)
    if isinstance(init, (tuple, list)):
        if len(init) != 3:
            raise InvalidInputError(f"init has {len(init)} parts; give weights, means and variances")
        return Parameters(*init)
    return init if type(init) in BUILT_IN else lookup.initializer(init)


def _start(
    init: Parameters | Initializer | str,
    sample: Sample,
    k: int,
    constraint: Constraint | None,
    rows: Any,
    settings: MixtureSettings,
) -> Parameters | None:
    """Return the start of a single climb, or None for a search."""
    if isinstance(init, Parameters):
        if init.k != k:
            raise InvalidInputError(f"the start has {init.k} components, but k is {k}")
        return init
    if isinstance(init, str):
        if settings.method == "best":
            return None
        return Parameters(*_core.paper_start(sample._core, k, None if rows is None else rows.arrays()))
    if type(init) in BUILT_IN:
        return init.start(sample, k, constraint)
    return guard.start(init, sample, k, constraint)
