"""K-means in one dimension, exact, with or without a constraint on the gaps between centres."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mindgap import _core
from mindgap.fit.loading import loaded, plain_points
from mindgap.fit.watching import watching
from mindgap.foundation.errors import InvalidInputError, MindgapError
from mindgap.host import guard, lookup
from mindgap.host.resolving import depends_on_data, refuse_mixture_blocks, resolve
from mindgap.model.binned import Binned
from mindgap.model.constraint import Constraint
from mindgap.model.sample import Sample, name_of
from mindgap.model.settings import KMeansSettings
from mindgap.results.kmeans import KMeansResult
from mindgap.validation import as_count

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from mindgap.fit.loading import Data
    from mindgap.fit.watching import Step, Watch
    from mindgap.model.bounds import GapBounds, LinearRows
    from mindgap.model.engine import Engine
    from mindgap.validation import FloatArray


def kmeans(
    x: Data,
    k: int,
    constraint: Constraint | str | None = None,
    *,
    centers: Literal["free", "means"] = "free",
    method: Literal["exact", "paper"] = "exact",
    ties: Literal["split", "together"] = "split",
    min_size: float | None = None,
    max_size: float | None = None,
    sample_weight: npt.ArrayLike | None = None,
    missing: Literal["error", "drop"] = "error",
    engine: Engine | str = "local",
    time_limit: float | None = None,
    tol: float = 1e-9,
    memory_limit: int | None = None,
    labels: bool = True,
    progress: bool = False,
    callback: Callable[[Step], Any] | None = None,
) -> KMeansResult:
    """Cluster one-dimensional data into `k` clusters of least cost whose centres satisfy a constraint.

    Parameters
    ----------
    x : array-like of n numbers
        The data: a list, an array, one column of a frame or a `Sample`; `Chunks`, for data larger than memory; a
        `Summary`; or data of the engine's own kind. A contiguous array of many doubles is read where it is, without a
        copy, unless its order is needed: bounds on means or sizes, active bounds on the gaps of a dozen or more free
        centres, linear rows, ``method="paper"``.
    k : int
        The number of clusters. Each has at least one point.
    constraint : Constraint, str or None
        The constraint on the centres: `LowerOnly(delta)`, `TwoSided(lower, upper)`, `PerGap(lower, upper)`, a plugin's,
        or a name with parameters, such as ``"lower-only:delta=1.75"``. Bounds are satisfied to 1e-12 of the data's
        range.
    centers : "free" or "means"
        With "free" the centres may be anywhere that satisfies the constraint, and each point belongs to the nearest
        one: the problem as the paper states it. With "means" each centre is its cluster's mean: the problem that the
        paper's program solves. Without a constraint both are the same. Under linear rows centres are always free, since
        cluster means cannot satisfy them in general.
    method : "exact" or "paper"
        "exact" finds the optimum and proves it. (Under linear rows it alternates between assignment and a quadratic
        program from several starts; `lower_bound` says how far from the optimum the result can be.) "paper" is exactly
        the published program, for comparison: it misses the optimum on some data and needs ``centers="means"``.
    ties : "split" or "together"
        Whether equal points may belong to different clusters.
    min_size, max_size : float, optional
        The smallest and the largest size of a cluster: its number of points, or the sum of their weights if
        `sample_weight` is given. The result is the best partition into runs of neighbouring points of these sizes; a
        label need not be that of the nearest centre. Not for linear rows, ``method="paper"``, summaries and data in
        chunks.
    sample_weight : array-like of n numbers, optional
        A weight for each point, not negative.
    missing : "error" or "drop"
        What to do about NaN, None or masked values: raise an error, or leave these points out and label them -1.
    engine : Engine or str
        The engine that holds the data.
    time_limit : float, optional
        The maximum number of seconds. After that the search stops with the best solution found and the `lower_bound`
        proven so far, or raises `SolverError` if it has found none.
    tol : float
        Stop when the cost is proven to exceed the optimum by at most this fraction. The default stops at the optimum.
    memory_limit : int, optional
        The maximum memory to use in addition to the data, in bytes. A computation that needs more raises
        `OutOfMemoryError` before it begins. By default there is no limit but the machine's memory.
    labels : bool
        Whether the result has `labels`. Without them a fit saves four bytes for each point and one pass over the data;
        `predict` returns the labels of any values.
    progress : bool
        Whether to show a live line on standard error.
    callback : callable, optional
        Called with a `Step` during the search. If it returns True, the search stops with the best solution found.

    Returns
    -------
    KMeansResult
        With `labels`, `centers`, `inertia`, and the proof: `lower_bound` and `optimal`.

    Raises
    ------
    InvalidInputError
        If the data, the weights, `k` or the constraint are invalid.
    InfeasibleError
        If no partition satisfies the constraint and the sizes. The error says which lower bound or size is feasible, or
        which rows conflict.

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
    settings = KMeansSettings.of(
        centers=centers,
        method=method,
        ties=ties,
        min_size=min_size,
        max_size=max_size,
        time_limit=time_limit,
        tol=tol,
        memory_limit=memory_limit,
    )
    chosen = constraint if constraint is None or isinstance(constraint, Constraint) else lookup.constraint(constraint)
    if isinstance(x, Binned):
        raise InvalidInputError("Binned is for mixture and select; for k-means, give its `sample`")
    problem = _Problem(count, chosen, settings, labels)
    # A constraint that is prepared for the data needs a sample of them.
    plain = chosen is None or not depends_on_data(chosen)
    if plain and (points := plain_points(x, sample_weight, engine, missing)) is not None:
        with watching(progress, callback) as watch:
            fit, rows = problem.solve(points.values, points.weights, None, None, watch)
        kept = None if (points_of_fit := fit.sample) is None else Sample._of_core(points_of_fit, name_of(x))
        return KMeansResult._of_fit(fit, settings, rows, kept)
    with watching(progress, callback) as watch, loaded(x, sample_weight, engine, missing, watch) as data:
        fit, rows = problem.solve(data.sample._core, None, data.sample, data.engine, watch)
        result = KMeansResult._of_fit(fit, settings, rows, data.kept())
        return data.labelled(result) if labels else result


class _Problem(NamedTuple):
    k: int
    constraint: Constraint | None
    settings: KMeansSettings
    labels: bool

    def solve(
        self,
        points: FloatArray | _core.Sample,
        weights: FloatArray | None,
        sample: Sample | None,
        engine: Engine | None,
        watch: Watch | None,
    ) -> tuple[_core.KMeansFit, GapBounds | LinearRows | None]:
        """Return the fit to the points, and the bounds or rows on the centres."""
        number = len(points) if sample is None else sample._core.points
        # With more clusters than points the core raises the error; bounds on so many gaps may not fit into memory.
        asked = None if self.k > number else self.constraint
        ready, rows, blocks = resolve(asked, sample, self.k)
        refuse_mixture_blocks(ready, blocks)
        try:
            bounds = None if rows is None else rows.arrays()
            settings = vars(self.settings)
            fit = _core.kmeans(points, self.k, bounds, weights=weights, labels=self.labels, watch=watch, **settings)
            return fit, rows
        except MindgapError as error:
            guard.blame(error, self.constraint, None, engine)
            raise
