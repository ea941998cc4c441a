"""Gaussian mixtures in one dimension, with or without a constraint on the gaps between means."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Literal

from mindgap import _core
from mindgap.errors import InvalidInputError
from mindgap.fit.loading import loaded
from mindgap.foundation.progress import ProgressLine
from mindgap.host import guard, lookup
from mindgap.model.bounds import GapBounds
from mindgap.model.parameters import Parameters
from mindgap.results.mixture import MixtureResult
from mindgap.results.settings import FitSettings
from mindgap.validation import as_count, as_number, as_word

if TYPE_CHECKING:
    from mindgap.model.bounds import LinearRows
    from mindgap.model.constraint import Constraint
    from mindgap.model.engine import Engine
    from mindgap.model.initializer import Initializer
    from mindgap.model.sample import Sample


def mixture(
    x: Any,
    k: int,
    constraint: Constraint | str | None = None,
    *,
    init: Initializer | Parameters | tuple[Any, Any, Any] | str = "auto",
    tol: float = 1e-6,
    tol_scale: Literal["data", "absolute"] = "data",
    max_iter: int = 1000,
    variances: Literal["free", "equal"] = "free",
    min_variance: float | None = None,
    sample_weight: Any = None,
    engine: Engine | str = "local",
    progress: bool = False,
) -> MixtureResult:
    """Fit a mixture of `k` normal distributions whose means hold a constraint, by maximum likelihood.

    The EM of Jiang and Arias-Castro: its M step finds the means by a quadratic program, so that they hold the
    constraint after every iteration, and the likelihood never falls once they do.

    Parameters
    ----------
    x : array-like of n numbers
        The data: a list, an array, one column of a frame, a `Sample`; `Chunks` of data larger than memory; a `Summary`,
        of which every point is seen at the mean of its cell; or what the engine takes.
    k : int
        The number of components.
    constraint : Constraint, str or None
        What the means must hold: `LowerOnly(delta)`, `TwoSided(lower, upper)`, `PerGap(lower, upper)`, a plugin's,
        or a name with parameters, such as ``"two-sided:lower=1.9,upper=2.1"``.
    init : Initializer, Parameters, (weights, means, variances) or str
        Where the EM starts; it need not hold the constraint. "auto" is the paper's rule: constrained k-means where
        one lower bound serves all gaps (and some partition holds it), else k-means without a constraint.
    tol : float
        The fit has converged when no parameter moves by more.
    tol_scale : "data" or "absolute"
        Whether `tol` is measured in standard deviations (means) and variances of the data, or in their units, as the
        paper does (with 1e-3).
    max_iter : int
        The most iterations.
    variances : "free" or "equal"
        Whether each component has a variance of its own.
    min_variance : float, optional
        The least variance of a component, in squared units of the data; a small part of the data's by default.
    sample_weight : array-like of n numbers, optional
        A weight for each point, not negative.
    engine : Engine or str
        Where the data are and the E step runs.
    progress : bool
        Whether to show a live line on standard error.

    Returns
    -------
    MixtureResult
        With `weights`, `means`, `variances`, `labels`, `log_likelihood`, and how the fit ended: `status`, `message`.

    Raises
    ------
    InvalidInputError
        If the data, the weights, the start or a setting make no sense.
    InfeasibleError
        If no means hold the constraint.

    Examples
    --------
    >>> values = mg.datasets.paper_model("B", 500, seed=1).values
    >>> fit = mg.mixture(values, 3, mg.TwoSided(1.9, 2.1))
    >>> fit.converged
    True
    >>> bool((fit.gaps >= 1.9 - 1e-9).all())
    True
    """
    count = as_count(k, "k")
    chosen = None if constraint is None else lookup.constraint(constraint)
    with loaded(x, sample_weight, engine) as data:
        if count > (distinct := data.sample.distinct):
            raise InvalidInputError(f"k is {count}, but the number of distinct values is {distinct}; ask for fewer")
        asked = None if chosen is None else guard.restriction(chosen, count)
        settings = FitSettings(
            restriction=asked,
            variances=as_word(variances, "variances"),
            tol=as_number(tol, "tol"),
            tol_scale=as_word(tol_scale, "tol_scale"),
            max_iter=as_count(max_iter, "max_iter"),
            min_variance=None if min_variance is None else as_number(min_variance, "min_variance"),
        )
        start, initializer = _start(init, data.sample, count, chosen, asked)
        line = ProgressLine() if progress else nullcontext()
        with guard.infeasible_by(chosen), guard.started_by(initializer), line as watch:
            fit = _core.mixture(
                data.sample._core,
                (start.weights, start.means, start.variances),
                None if asked is None else asked.arrays(),
                engine=None if data.engine is None else guard.answering(data.engine),
                watch=watch,
                **settings.keywords(),
            )
        return data.labelled(MixtureResult._of_fit(fit, settings, data.kept()))


def _start(
    init: Any, sample: Sample, k: int, constraint: Constraint | None, asked: GapBounds | LinearRows | None
) -> tuple[Parameters, Initializer | None]:
    """The start that was given, or the one that an initializer finds, and which."""
    if isinstance(init, (tuple, list)):
        if len(init) != 3:
            raise InvalidInputError(f"init has {len(init)} parts; give weights, means and variances")
        init = Parameters(*init)
    if isinstance(init, Parameters):
        if init.k != k:
            raise InvalidInputError(f"the start has {init.k} components, but k is {k}")
        return init, None
    if isinstance(init, str) and init == "auto":
        return Parameters(*_core.auto_start(sample._core, k, None if asked is None else asked.arrays())), None
    initializer = lookup.initializer(init)
    return guard.start(initializer, sample, k, constraint), initializer
