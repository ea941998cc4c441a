"""Trials of summaries and chunks against the same data in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import mindgap as mg
from soak import draw
from soak.draw import Floats
from soak.kmeans_trials import agree, fit_or_none, noise


def pieces(rng: np.random.Generator, n: int) -> list[slice]:
    """The data cut anywhere, some pieces empty."""
    cuts = np.sort(rng.integers(0, n + 1, rng.integers(0, min(n, 12) + 1)))
    edges = [0, *cuts.tolist(), n]
    return [slice(start, end) for start, end in pairwise(edges)]


def chunks(rng: np.random.Generator) -> str:
    """K-means of chunks is that of the data wherever it is proven; its bound is never above the optimum."""
    n = int(10 ** rng.uniform(0.4, 4))
    x, w = draw.values(rng, n), draw.weights(rng, n)
    k = draw.clusters(rng, x, 5)
    lower, upper = draw.bounds(rng, x, k)
    centers = str(rng.choice(["means", "free"]))
    data = mg.Chunks([x[piece] if w is None else (x[piece], w[piece]) for piece in pieces(rng, n)])
    here = fit_or_none(x, k, lower, upper, w, centers=centers)
    try:
        there = mg.kmeans(data, k, mg.PerGap(lower, upper), centers=centers)  # type: ignore[arg-type]
    except mg.InfeasibleError:
        assert here is None, "infeasible in chunks alone"
        return "infeasible"
    except mg.SolverError:
        return "undecided"
    assert here is not None, "infeasible in memory alone"
    return compared(x, w, here, there)


def summaries(rng: np.random.Generator) -> str:
    """K-means of a coarse summary has a true cost and a true bound."""
    n = int(10 ** rng.uniform(0.4, 3))
    x, w = draw.values(rng, n), draw.weights(rng, n)
    k = draw.clusters(rng, x, 4)
    lower, upper = draw.bounds(rng, x, k)
    centers = str(rng.choice(["means", "free"]))
    cells = int(rng.integers(2, 60))
    parts = [mg.Summary.of(x[piece], None if w is None else w[piece], cells) for piece in pieces(rng, n)]
    here = fit_or_none(x, k, lower, upper, w, centers=centers)
    try:
        there = mg.kmeans(mg.Summary.merged(parts), k, mg.PerGap(lower, upper), centers=centers)  # type: ignore[arg-type]
    except (mg.InfeasibleError, mg.SolverError, mg.InvalidInputError):
        return "infeasible" if here is None else "too coarse"
    assert here is not None, "infeasible in memory alone"
    return compared(x, w, here, there)


def compared(x: Floats, w: Floats | None, here: mg.KMeansResult, there: mg.KMeansResult) -> str:
    """Whether the bounds and costs of two fits of the same data can both be true."""
    rough = 4 * noise(x, np.ones(len(x)) if w is None else w)
    assert there.lower_bound <= here.inertia * (1 + 1e-9) + rough, f"{there.lower_bound} above {here.inertia}"
    assert here.lower_bound <= there.inertia * (1 + 1e-9) + rough, f"{there.inertia} below {here.lower_bound}"
    if here.optimal and there.optimal:
        agree(there.inertia, here.inertia, 3e-9, rough, "proven costs")
    assert there.sizes.sum() == (len(x) if w is None else np.count_nonzero(w)), "sizes"
    return "proven" if there.optimal else "bounded"


def mixtures(rng: np.random.Generator) -> str:
    """A few iterations of EM on chunks are those on the data."""
    n = int(10 ** rng.uniform(1, 4))
    x, w = draw.values(rng, n), draw.weights(rng, n)
    k = draw.clusters(rng, x, 4)
    lower, upper = draw.bounds(rng, x, k)
    constraint = mg.PerGap(lower, upper) if k > 1 else None
    start = mg.mixture(x, k, constraint, init="ckmeans", sample_weight=w, max_iter=1)
    given = (start.weights, start.means, start.variances)
    data = mg.Chunks([x[piece] if w is None else (x[piece], w[piece]) for piece in pieces(rng, n)])
    em: dict[str, Any] = {"method": "paper", "max_iter": 3, "tol": 0}
    here = mg.mixture(x, k, constraint, init=given, sample_weight=w, **em)
    try:
        there = mg.mixture(data, k, constraint, init=given, **em)
    except mg.InvalidInputError as error:
        # Of data elsewhere the standard deviation stands for the range, which it may be far below.
        if "a million times the data's range away" not in str(error):
            raise
        return "bounds refused"
    # Engines are asked in the units of the data, in which means far from zero are rounded; an iteration that rounding
    # alone still moves ends one fit and not the other; equal means may change places.
    rounded = 100 * float(np.spacing(np.abs(x).max())) / (float(np.ptp(x)) + np.finfo(float).tiny)
    if rounded > 1e-6:
        return "rounded"
    assert np.abs(here.means - there.means).max() <= (1e-6 + rounded) * float(np.ptp(x)), "means"
    assert np.abs(np.sort(here.weights) - np.sort(there.weights)).max() <= 1e-6 + 100 * rounded, "weights"
    return here.status


def dask(rng: np.random.Generator) -> str:
    """Dask's k-means and mixtures are those of the data in memory, however they are cut; where Dask is installed."""
    if find_spec("distributed") is None:
        return "absent"
    engine, array = dask_engine()
    n = int(10 ** rng.uniform(0.4, 3.5))
    x, w = draw.values(rng, n), draw.weights(rng, n)
    k = draw.clusters(rng, x, 4)
    lower, upper = draw.bounds(rng, x, k)
    sizes = tuple(piece.stop - piece.start for piece in pieces(rng, n))
    data, masses = array(x, sizes), None if w is None else array(w, sizes)
    here = fit_or_none(x, k, lower, upper, w)
    try:
        there = mg.kmeans(data, k, mg.PerGap(lower, upper), sample_weight=masses, engine=engine)
    except mg.InfeasibleError:
        assert here is None, "infeasible on Dask alone"
        return "infeasible"
    except mg.SolverError:
        return "undecided"
    assert here is not None, "infeasible in memory alone"
    if w is None and here.optimal and there.optimal and len(np.unique(x)) == n:
        labels: Any = there.labels
        assert np.array_equal(np.bincount(labels.compute(), minlength=k), there.sizes), "lazy labels"
    return compared(x, w, here, there)


def dask_engine() -> tuple[mg.Engine, Callable[[Floats, tuple[int, ...]], Any]]:
    """The engine of the extension package beside this one, on threads, and what cuts an array into Dask's chunks."""
    beside = str(Path(__file__).parents[2] / "plugins" / "mindgap-dask" / "src")
    if beside not in sys.path:
        sys.path.append(beside)
    array = import_module("dask.array")
    engine: mg.Engine = import_module("mindgap_dask").DaskEngine()
    return engine, lambda values, sizes: array.from_array(values, chunks=(sizes,))


TRIALS = {"chunks": chunks, "summaries": summaries, "chunked-mixtures": mixtures, "dask": dask}
