"""K-means in one dimension, exact, with or without a constraint on the gaps between centres."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mindgap import _core
from mindgap.fit.loading import loaded
from mindgap.fit.watching import watching
from mindgap.foundation.errors import InvalidInputError, MindgapError
from mindgap.host import guard, lookup
from mindgap.host.builtin.constraints import blocks_of, prepared, rows_of
from mindgap.model.binned import Binned
from mindgap.model.constraint import Constraint
from mindgap.model.settings import KMeansSettings
from mindgap.results.kmeans import KMeansResult
from mindgap.validation import as_count

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from mindgap.fit.loading import Data
    from mindgap.fit.watching import Step
    from mindgap.model.engine import Engine


def kmeans(
    x: Data,
    k: int,
    constraint: Constraint | str | None = None,
    *,
    centers: Literal["free", "means"] = "free",
    method: Literal["exact", "paper"] = "exact",
    ties: Literal["split", "together"] = "split",
    sample_weight: npt.ArrayLike | None = None,
    missing: Literal["error", "drop"] = "error",
    engine: Engine | str = "local",
    time_limit: float | None = None,
    tol: float = 1e-9,
    memory_limit: int | None = None,
    progress: bool = False,
    callback: Callable[[Step], Any] | None = None,
) -> KMeansResult:
    """Cluster one-dimensional data into `k` clusters whose centres satisfy a constraint, at the least cost.

    Parameters
    ----------
    x : array-like of n numbers
        The data: a list, an array, one column of a frame, a `Sample`; `Chunks` of data larger than memory; a `Summary`;
        or what the engine takes.
    k : int
        The number of clusters; each keeps at least one point.
    constraint : Constraint, str or None
        The constraint on the centres: `LowerOnly(delta)`, `TwoSided(lower, upper)`, `PerGap(lower, upper)`, a plugin's,
        or a name with parameters, such as ``"lower-only:delta=1.75"``. Bounds are held to 1e-12 of the data's range.
    centers : "free" or "means"
        Whether a centre is any position that satisfies the constraint, and points belong to the nearest one (the
        problem as the paper states it), or each centre is its cluster's mean (the paper's program). Without a
        constraint these are the same. Under linear rows, which cluster means cannot satisfy in general, centres are
        free either way.
    method : "exact" or "paper"
        "exact" finds the optimum and proves it (under linear rows: the best that alternating assignment and a
        quadratic program finds from several starts, with `lower_bound` to judge it by); "paper" is the published
        program to the letter, which misses the optimum on some data, for comparison; it needs ``centers="means"``.
    ties : "split" or "together"
        Whether equal points may fall into neighbouring clusters.
    sample_weight : array-like of n numbers, optional
        A weight for each point, not negative.
    missing : "error" or "drop"
        Whether a NaN, None or masked value is an error, or its point is left out and labelled -1.
    engine : Engine or str
        Where the data are.
    time_limit : float, optional
        The most seconds to search for a proof. Then the result is the best found, with what is proven of it in
        `lower_bound`; it is a `SolverError` if nothing was found by then.
    tol : float
        End the search when the cost is proven to exceed the optimum by at most this fraction of itself. The default
        asks for the optimum.
    memory_limit : int, optional
        The most bytes of memory to take beside the data; what is known to need more is an `OutOfMemoryError` before it
        begins. By default as much as the machine gives.
    progress : bool
        Whether to show a live line on standard error.
    callback : callable, optional
        Called with a `Step` as the search goes on. When it returns True, the result is the best found so far.

    Returns
    -------
    KMeansResult
        With `labels`, `centers`, `inertia`, and the proof: `lower_bound` and `optimal`.

    Raises
    ------
    InvalidInputError
        If the data, the weights, `k` or the constraint are invalid.
    InfeasibleError
        If no partition satisfies the constraint; it says which lower bound one would hold, or which rows clash.

    Examples
    --------
    >>> result = mg.kmeans([-2, 1, 2, 4, 5, 6, 9, 10], 5, mg.LowerOnly(1.75))
    >>> result.labels.tolist()
    [0, 1, 1, 2, 3, 3, 4, 4]
    >>> result.centers.round(4).tolist()
    [-2.0, 1.5, 3.8333, 5.5833, 9.5]
    >>> result.optimal
    True
    """
    count = as_count(k, "k")
    settings = KMeansSettings(
        centers=centers, method=method, ties=ties, time_limit=time_limit, tol=tol, memory_limit=memory_limit
    )
    chosen = constraint if constraint is None or isinstance(constraint, Constraint) else lookup.constraint(constraint)
    if isinstance(x, Binned):
        raise InvalidInputError("Binned is for mixture and select; k-means takes points: give its `sample`")
    with watching(progress, callback) as watch, loaded(x, sample_weight, engine, missing, watch) as data:
        # Nobody is asked for the gaps of more clusters than there are points; the core says what is wrong then.
        ready = prepared(chosen, data.sample)
        rows = None if ready is None or count > data.sample._core.points else rows_of(ready, count)
        if blocks_of(ready, count):
            raise InvalidInputError(
                f"{ready!r} is about weights or spreads, which the clusters of k-means do not have; fit a mixture"
            )
        try:
            bounds = None if rows is None else rows.arrays()
            fit = _core.kmeans(data.sample._core, count, bounds, watch=watch, **settings.keywords())
        except MindgapError as error:
            guard.blame(error, chosen, None, data.engine)
            raise
        return data.labelled(KMeansResult._of_fit(fit, settings, rows, data.kept()))
