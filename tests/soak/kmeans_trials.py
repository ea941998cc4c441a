"""Trials of k-means on hard data: against brute force, against a peer, and against other routes to the same result."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise

import numpy as np

import mindgap as mg
import oracle
from soak import draw
from soak.draw import Floats

#: The fit holds bounds to 1e-12 of its frame, which is up to twice the data's range.
SLACK = 2.5e-12


def agree(left: float, right: float, relative: float, absolute: float, what: str) -> None:
    """Raise unless the two numbers are the same to a tolerance."""
    if not abs(left - right) <= max(relative * max(abs(left), abs(right)), absolute):
        raise AssertionError(f"{what}: {left!r} and {right!r}")


def fit_or_none(
    x: Floats, k: int, lower: Floats, upper: Floats, w: Floats | None, **how: str
) -> mg.KMeansResult | None:
    """The fit, or None where no partition holds the bounds."""
    try:
        return mg.kmeans(x, k, mg.PerGap(lower, upper), sample_weight=w, **how)  # type: ignore[arg-type]
    except mg.InfeasibleError:
        return None


def is_sound(x: Floats, w: Floats | None, fit: mg.KMeansResult, lower: Floats, upper: Floats) -> None:
    """What a result says of itself is true: labels, sizes, costs, gaps, bounds, boundaries."""
    reach = float(np.ptp(x))
    weights = np.ones(len(x)) if w is None else w
    assert fit.labels.min() == 0, "labels start at 0"
    assert fit.labels.max() == fit.k - 1, "labels end at k - 1"
    assert np.array_equal(np.bincount(fit.labels, minlength=fit.k), fit.sizes), "sizes"
    order = np.argsort(x, kind="stable")
    edges = [(x[fit.labels == c].min(), x[fit.labels == c].max()) for c in range(fit.k)]
    assert all(left[1] <= right[0] for left, right in pairwise(edges)), "clusters are runs"
    assert np.all(np.diff(fit.centers) >= 0), "centres ascend"
    assert np.all(fit.gaps >= lower - SLACK * reach), f"gaps {fit.gaps} under {lower}"
    assert np.all(fit.gaps <= upper + SLACK * reach), f"gaps {fit.gaps} over {upper}"
    assert 0 <= fit.lower_bound <= fit.inertia < np.inf, f"{fit.lower_bound} <= {fit.inertia}"
    predicted = fit.predict(x)
    tied = np.zeros(len(x), bool)
    tied[order[1:]] = x[order[1:]] == x[order[:-1]]
    tied[order[:-1]] |= x[order[1:]] == x[order[:-1]]
    assert np.array_equal(predicted[~tied], fit.labels[~tied]), "predict gives back the labels"
    about = np.sum(weights / weights.max() * ((x - x[0]) - (fit.centers - x[0])[fit.labels]) ** 2) * weights.max()
    # Centres in the data's units are rounded to them.
    rounding = weights.sum() * (np.spacing(np.abs(x).max()) * 4) * (reach + np.spacing(np.abs(x).max()) * 4)
    agree(fit.inertia, float(about), 1e-9, float(rounding), "inertia")
    agree(fit.inertia, float(fit.within.sum()), 1e-12, 0.0, "within")


def brute_force(rng: np.random.Generator) -> str:
    """Centres that are means, n to 12: every partition is tried."""
    n = int(rng.integers(1, 13))
    x, w = draw.values(rng, n), draw.weights(rng, n)
    k = draw.clusters(rng, x, 5)
    lower, upper = draw.bounds(rng, x, k)
    weights = np.ones(n) if w is None else w
    order = np.lexsort((weights, x))
    best = oracle.best_partition(x[order], weights[order], k, lower, upper)
    fit = fit_or_none(x, k, lower, upper, w)
    if fit is None:
        assert best is None, f"infeasible, but {best}"
        return "infeasible"
    is_sound(x, w, fit, lower, upper)
    if best is None:
        # Between the oracle's tolerance and the fit's.
        return "at the edge of the tolerance"
    # The oracle's sums lose digits where clusters are narrow and far apart; its partition is measured again.
    labels = np.repeat(np.arange(k), np.diff([0, *best.ends]))
    cost = oracle.cost_of(x[order], weights[order], labels, k)
    agree(fit.inertia, cost, 1e-9, noise(x, weights), "cost")
    assert fit.optimal or fit.inertia <= untold(x, weights), "not proven"
    return "feasible"


def noise(x: Floats, w: Floats) -> float:
    """What rounding makes of a cost of zero."""
    return float(w.sum() * (1e-13 * np.ptp(x)) ** 2)


def untold(x: Floats, w: Floats) -> float:
    """The largest cost of which sums over all points need not keep nine digits."""
    return float(2.5e-22 * np.sqrt(len(x)) * w.sum() * np.ptp(x) ** 2)


def tolerance(x: Floats) -> float:
    """What gaps may miss their bounds by: 1e-12 of the power of two that is next above the range."""
    half = float(x.max() * 0.5 - x.min() * 0.5)
    return float(1e-12 * 2.0 ** (np.floor(np.log2(half)) + 1)) if half > 0 else 0.0


def routes(rng: np.random.Generator) -> str:
    """N to 20000: other ways to say the same, and what must be cheaper than what."""
    n = int(10 ** rng.uniform(1, 4.3))
    x = draw.values(rng, n)
    k = draw.clusters(rng, x, 8)
    delta = float(rng.uniform(0, 0.9) * np.ptp(x) / max(k - 1, 1))
    least, none = np.full(k - 1, delta), np.full(k - 1, np.inf)
    fit = fit_or_none(x, k, least, none, None)
    if fit is None:
        assert fit_or_none(x, k, least, np.full(k - 1, 1e4 * np.ptp(x)), None) is None, "two-sided finds a partition"
        return "infeasible"
    is_sound(x, None, fit, least, none)
    named = mg.kmeans(x, k, f"lower-only:delta={delta!r}")
    assert np.array_equal(named.labels, fit.labels), "per-gap and lower-only differ"
    wide = mg.kmeans(x, k, mg.TwoSided(delta, float(max(1e4 * np.ptp(x), delta))))
    agree(wide.inertia, fit.inertia, 1e-9, noise(x, np.ones(n)), "a huge upper bound")
    assert mg.kmeans(x, k).inertia <= fit.inertia * (1 + 1e-9), "a constraint made it cheaper"
    free = mg.kmeans(x, k, mg.LowerOnly(delta), centers="free")
    is_sound(x, None, free, least, none)
    assert free.inertia <= fit.inertia * (1 + 1e-9) + noise(x, np.ones(n)), ("free", free.inertia, fit.inertia)
    assert free.lower_bound <= fit.inertia * (1 + 1e-12), "the bound of free centres is above the means'"
    together = fit_or_none(x, k, least, none, None, ties="together")
    if together is not None:
        assert together.inertia >= fit.inertia * (1 - 1e-9) - noise(x, np.ones(n)), "ties together are cheaper"
        assert np.array_equal(together.predict(x), together.labels), "together: predict gives back the labels"
    return "feasible"


def units(rng: np.random.Generator) -> str:
    """Powers of two, shifts that round nothing, and the order of the input: not one bit moves."""
    n = int(rng.integers(2, 600))
    x = np.round(draw.plain(rng, n) * 1024) / 1024
    w = rng.integers(1, 64, n) / 16.0 if rng.random() < 0.5 else None
    k = draw.clusters(rng, x, 6)
    lower = np.round(draw.bounds(rng, x, k)[0] * 1024) / 1024
    upper = lower + np.where(rng.random(k - 1) < 0.5, np.inf, np.round(rng.uniform(0, 4, k - 1) * 1024) / 1024)
    how = {"centers": "free"} if rng.random() < 0.4 else {}
    fit = fit_or_none(x, k, lower, upper, w, **how)
    scale, shift = 2.0 ** rng.integers(-300, 300), 2.0 ** rng.integers(0, 30)
    turned = rng.permutation(n)
    moved = fit_or_none(
        ((x + shift) * scale)[turned], k, lower * scale, upper * scale, None if w is None else w[turned], **how
    )
    if fit is None or moved is None:
        assert fit is moved, "units decide feasibility"
        return "infeasible"
    assert np.array_equal(moved.labels, fit.labels[turned]) or len(np.unique(x)) < n, "labels move"
    assert np.array_equal(moved.sizes, fit.sizes), "sizes move"
    assert moved.inertia == fit.inertia * scale**2, "the inertia moves"
    assert np.array_equal(moved.gaps, fit.gaps * scale), "gaps move"
    return how.get("centers", "means")


def repetitions(rng: np.random.Generator) -> str:
    """A weight is a number of repetitions, where ties stay together."""
    n = int(rng.integers(1, 300))
    x = np.unique(draw.values(rng, n))
    counts = rng.integers(1, 6, len(x))
    k = draw.clusters(rng, x, 6)
    lower, upper = draw.bounds(rng, x, k)
    how = {"centers": str(rng.choice(["means", "free"])), "ties": "together"}
    weighted = fit_or_none(x, k, lower, upper, counts.astype(np.float64), **how)
    repeated = fit_or_none(np.repeat(x, counts), k, lower, upper, None, **how)
    if weighted is None or repeated is None:
        assert weighted is repeated, "repetition decides feasibility"
        return "infeasible"
    rough = noise(x, counts.astype(np.float64))
    if not (weighted.optimal and repeated.optimal):
        # Free centres may run out of steps before the proof: then the bounds alone must be true of both.
        assert how["centers"] == "free" or weighted.inertia <= rough, "means are not proven"
        assert max(weighted.lower_bound, repeated.lower_bound) <= weighted.inertia * (1 + 1e-9) + rough, "bounds"
        assert max(weighted.lower_bound, repeated.lower_bound) <= repeated.inertia * (1 + 1e-9) + rough, "bounds"
        return "not proven"
    agree(weighted.inertia, repeated.inertia, 1e-9, rough, "inertia")
    return how["centers"]


def free_brute_force(rng: np.random.Generator) -> str:
    """Free centres, n to 10: every partition and every set of gaps at their bounds."""
    n = int(rng.integers(2, 11))
    x, w = draw.values(rng, n), draw.weights(rng, n)
    k = draw.clusters(rng, x, 4)
    lower, upper = draw.bounds(rng, x, k)
    reach = float(np.ptp(x))
    fit = fit_or_none(x, k, lower, upper, w, centers="free")
    order = np.lexsort((np.ones(n) if w is None else w, x))
    masses = np.ones(n) if w is None else w[order]
    best = oracle.least_free_cost(x[order], masses, k, lower, upper, 1e-12 * reach)
    if fit is None:
        assert np.isinf(best), f"infeasible, but {best}"
        return "infeasible"
    is_sound(x, w, fit, lower, upper)
    assert np.isfinite(best), "centres that hold the bounds are found where there are none"
    # Bounds are held to a tolerance, which costs its share of the slope.
    rough = noise(x, masses) + 1e-11 * reach * float(np.sqrt(best) * np.sqrt(masses.sum()))
    assert fit.lower_bound <= best * (1 + 1e-9) + rough, "the bound is above the optimum"
    if not fit.optimal:
        # Weights many orders apart may keep the search from its proof, and from the best; it says so.
        assert fit.inertia >= best * (1 - 1e-9) - rough, "cheaper than the best"
        return "not proven"
    agree(fit.inertia, best, 1e-9, rough, "cost")
    return "proven"


def against_a_peer(rng: np.random.Generator) -> str:
    """No bounds, n to a million: ckwrap's partition can only cost more."""
    n = int(10 ** rng.uniform(3, 6))
    x = draw.values(rng, n)
    k = draw.clusters(rng, x, 40)
    fit = mg.kmeans(x, k)
    is_sound(x, None, fit, np.zeros(k - 1), np.full(k - 1, np.inf))
    if find_spec("ckwrap") is None:
        return "no peer"
    reached = oracle.cost_of(x, None, import_module("ckwrap").ckmeans(x, k).labels, k)
    assert fit.inertia <= reached * (1 + 1e-9) + noise(x, np.ones(n)), (fit.inertia, reached)
    assert fit.lower_bound <= reached * (1 + 1e-12) + noise(x, np.ones(n)), "the bound is above a partition's cost"
    return "cheaper" if fit.inertia < reached * (1 - 1e-9) else "same"


TRIALS = {
    "means": brute_force,
    "free": free_brute_force,
    "peer": against_a_peer,
    "routes": routes,
    "units": units,
    "repetitions": repetitions,
}
