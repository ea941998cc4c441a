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
from mindgap.host.builtin.constraints import blocks_of, prepared, rows_of
from mindgap.host.builtin.initializers import BUILT_IN
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

    The fit is the highest likelihood that a search finds: many starts are climbed on a summary of the data, the best of
    them on the data themselves, by Newton steps on the constraint until nothing is left to gain. It says how sure it
    is: how many starts ended there, the next best fit, standard errors, and findings that ask for a second look.

    Parameters
    ----------
    x : array-like of n numbers
        The data: a list, an array, one column of a frame, a `Sample`; `Binned` counts; `Chunks` of data larger than
        memory; a `Summary`, of which every point is seen at the mean of its cell; or what the engine takes.
    k : int
        The number of components.
    constraint : Constraint, str or None
        The constraint on the means: `LowerOnly(delta)`, `TwoSided(lower, upper)`, `PerGap(lower, upper)`; on the
        weights: `FixedWeights`, `WeightBounds`, `WeightRatio`; on the spreads: `SpreadRatio`, `EqualSpreads`,
        `FixedSpreads`, `ConstantCV`; a plugin's; several, joined by ``&``; or a name with parameters, such as
        ``"two-sided:lower=1.9,upper=2.1"``.
    init : Initializer, Parameters, MixtureResult, (weights, means, variances) or str
        "auto" searches. Anything else is where one climb starts, such as the result of an earlier fit, perhaps stored;
        it need not satisfy the constraint.
    method : "best" or "paper"
        The highest likelihood; or the published EM to the letter: started by constrained k-means where one lower bound
        serves all gaps (and some partition holds it), else by k-means, and iterated until no parameter moves by more
        than 1e-3 in units of the data, with no bound on the ratio of spreads.
    tol : float, optional
        The fit has converged when less than this is left to gain, in log units (1e-8 by default); with method "paper",
        when no parameter moves by more (1e-3 by default).
    tol_scale : "absolute" or "data"
        Whether the `tol` of method "paper" is measured in units of the data, or in their standard deviations (means)
        and variances.
    max_iter : int
        The most passes over the data of a climb; with method "paper", the most iterations.
    variances : "free" or "equal"
        Whether each component has a variance of its own; the standard deviations then differ at most tenfold, since
        without a bound the likelihood has no maximum.
    min_variance : float, optional
        The least variance of a component, in squared units of the data; a small part of the data's by default. Where
        neither this nor the constraint says anything, a component on data that look rounded is at least half a step
        wide.
    resolution : float, optional
        The step that the values were recorded to, such as 0.0254 for inches in metres. Each value then stands for the
        interval of half a step on either side, and the log-likelihood is that of the intervals' probabilities.
    support : (low, high), optional
        The range outside which nothing was recorded, such as a detector's; either end may be infinite. The likelihood
        is that of the mixture given that a point lies within; the parameters are those of the whole mixture. The
        standard deviations are at most twice the range of the data.
    starts : int
        How many starts are drawn at random, beside some twenty deterministic ones and the moves from the best.
    rng : int, Generator or None
        What they are drawn with. The default is a fixed seed, so that a fit can be repeated; None draws a new one, and
        `settings` of the result says which.
    sample_weight : array-like of n numbers, optional
        A weight for each point, not negative.
    missing : "error" or "drop"
        Whether a NaN, None or masked value is an error, or its point is left out and labelled -1.
    engine : Engine or str
        Where the data are and the E step runs.
    certify : bool
        Whether to prove how far from the maximum the likelihood can be at most: `upper_bound` of the result, 0.1 above
        the best mixture known where the search comes to its end. Needs equal variances or a bounded ratio of spreads.
    proof : path, optional
        Where to write the proof of the certificate. `python -m mindgap.inference.check_certificate` checks it.
    time_limit : float, optional
        The most seconds that the fit and its certificate may take. Then the result is the best found, of status
        "time-limit", with what is proven by then; it is a `SolverError` if nothing was found.
    memory_limit : int, optional
        The most bytes of memory to take beside the data; what is known to need more is an `OutOfMemoryError` before it
        begins. By default as much as the machine gives.
    progress : bool
        Whether to show a live line on standard error.
    callback : callable, optional
        Called with a `Step` after each iteration. When it returns True, the fit ends with the best found so far, of
        status "time-limit".

    Returns
    -------
    MixtureResult
        With `weights`, `means`, `variances`, `labels`, `log_likelihood`; how the fit ended, `status` and `message`; and
        how sure it is: `findings`, `standard_errors`, `newton_decrement`, `starts`, `starts_at_best`, `runner_up`.

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
        if count > (distinct := data.sample.distinct):
            raise InvalidInputError(f"k is {count}, but the number of distinct values is {distinct}; ask for fewer")
        ready = prepared(chosen, data.sample)
        rows = None if ready is None else rows_of(ready, count)
        blocks = blocks_of(ready, count)
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
    """Return the parameters or the initializer that were given, perhaps by name."""
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
    """Return the parameters that the climb starts from; None for a search."""
    if isinstance(init, Parameters):
        if init.k != k:
            raise InvalidInputError(f"the start has {init.k} components, but k is {k}")
        return init
    if isinstance(init, str):
        if settings.method == "best":
            return None
        return Parameters(*_core.auto_start(sample._core, k, None if rows is None else rows.arrays()))
    if type(init) in BUILT_IN:
        return init.start(sample, k, constraint)
    return guard.start(init, sample, k, constraint)
