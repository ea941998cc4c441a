"""Results against exact rational arithmetic (sixty digits for logarithms), where cancellation matters."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

import exact
import mindgap as mg

pytestmark = pytest.mark.slow

Floats = npt.NDArray[np.float64]

KINDS = ("plain", "far", "tiny", "huge", "ties", "clumps", "outlier")


def hard(rng: np.random.Generator, kind: str, n: int) -> Floats:
    """Data of one hard kind, sorted."""
    x = rng.normal(0, 1, n)
    if kind == "far":
        x = x * 100 + 1e15
    elif kind == "tiny":
        x *= 1e-130
    elif kind == "huge":
        x *= 1e130
    elif kind == "ties":
        x = np.round(x * 2) / 2 + 0.1
    elif kind == "clumps":
        x = x * 1e-7 + rng.integers(0, 4, n) * 1e7 / 3
    elif kind == "outlier":
        x[0] = 1e8
    return np.sort(x)


def uneven(rng: np.random.Generator, n: int) -> Floats:
    """Weights over fifteen orders of magnitude."""
    return np.asarray(10.0 ** rng.uniform(-7.5, 7.5, n))


def close(value: float, truth: Fraction, relative: float, absolute: Fraction = Fraction(0)) -> bool:
    return abs(Fraction(value) - truth) <= max(Fraction(relative) * abs(truth), absolute)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_inertia_within_and_centres_of_kmeans(kind: str, weighted: bool) -> None:
    rng = np.random.default_rng([1, *kind.encode()])
    for _ in range(40):
        n = int(rng.integers(5, 40))
        x = hard(rng, kind, n)
        k = min(4, len(np.unique(x)))
        w = uneven(rng, n) if weighted else np.ones(n)
        fit = mg.kmeans(x, k, sample_weight=w if weighted else None)
        points, masses = exact.rationals(x), exact.rationals(w)
        measured = []
        for cluster in range(k):
            inside = [i for i in range(n) if fit.labels[i] == cluster]
            measured.append(exact.mean_and_cost([points[i] for i in inside], [masses[i] for i in inside]))
        half_unit = Fraction(float(np.spacing(np.abs(x).max())))
        rounding = Fraction(float(np.ptp(x))) ** 2 * Fraction(1, 2**100)
        for cluster, (mean, cost) in enumerate(measured):
            assert abs(Fraction(float(fit.centers[cluster])) - mean) <= half_unit, "a centre is its mean, rounded"
            assert close(float(fit.within[cluster]), cost, 1e-12, rounding * sum(masses)), (kind, cluster)
        total = sum((cost for _, cost in measured), Fraction(0))
        assert close(fit.inertia, total, 1e-12, rounding * sum(masses))
        for gap, (left, right) in zip(fit.gaps, pairwise(measured), strict=True):
            assert close(float(gap), right[0] - left[0], 1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_lower_bound_is_below_the_optimum_in_rationals_and_the_cost_is_at_it(kind: str, weighted: bool) -> None:
    rng = np.random.default_rng([2, *kind.encode()])
    feasible = 0
    for case in range(40):
        n = int(rng.integers(4, 10))
        x = hard(rng, kind, n)
        k = min(int(rng.integers(2, 4)), len(np.unique(x)))
        w = uneven(rng, n) if weighted else np.ones(n)
        lower = rng.uniform(0, 0.7, k - 1) * np.ptp(x) / k
        upper = lower * 3 if case % 3 == 0 else np.full(k - 1, np.inf)
        points, masses = exact.rationals(np.sort(x)), exact.rationals(w)
        if weighted:
            # Equal points of unequal weight are one.
            points = exact.rationals(np.unique(x))
            masses = [sum(exact.rationals(w[x == value]), Fraction(0)) for value in np.unique(x)]
        low = exact.rationals(lower)
        high = [Fraction(float(u)) if math.isfinite(u) else None for u in upper]
        # Bounds are held to 1e-12 of a unit between the range and twice it.
        reach = Fraction(float(np.ptp(x)))
        tight, loose = (
            exact.least_separated(points, masses, k, low, high, reach * Fraction(slack))
            for slack in (0.999e-12, 2.001e-12)
        )
        try:
            fit = mg.kmeans(x, k, mg.PerGap(lower, upper), sample_weight=w if weighted else None, centers="means")
        except mg.InfeasibleError:
            assert tight is None, "a partition holds the bounds"
            continue
        feasible += 1
        assert loose is not None, "no partition holds the bounds"
        rounding = reach**2 * sum(masses) * Fraction(1, 2**90)
        assert Fraction(fit.inertia) >= loose * Fraction(1 - 1e-12) - rounding
        if tight is not None:
            assert Fraction(fit.inertia) <= tight * Fraction(1 + 1e-9) + rounding
            assert Fraction(fit.lower_bound) <= tight * Fraction(1 + 1e-12) + rounding
    assert feasible > 10


def mixture_of(rng: np.random.Generator, x: Floats, k: int) -> tuple[Floats, Floats, Floats]:
    weights = rng.uniform(0.2, 1, k)
    means = np.sort(rng.choice(x, k, replace=False))
    return weights / weights.sum(), means, (float(np.ptp(x)) * rng.uniform(0.05, 0.5, k)) ** 2


@pytest.mark.parametrize("kind", ["plain", "tiny", "huge", "ties", "clumps", "outlier"])
def test_one_iteration_of_em_with_its_quadratic_program(kind: str) -> None:
    rng = np.random.default_rng([3, *kind.encode()])
    for case in range(25):
        n, k = int(rng.integers(6, 25)), int(rng.integers(1, 4))
        x = hard(rng, kind, n)
        if len(np.unique(x)) < k:
            continue
        w = uneven(rng, n) if case % 2 else np.ones(n)
        start = mixture_of(rng, x, k)
        lower = rng.uniform(0, 1.0, k - 1) * np.ptp(x) / k
        upper = lower * 2 if case % 3 == 0 else np.full(k - 1, np.inf)
        fit = mg.mixture(x, k, mg.PerGap(lower, upper), init=start, method="paper", tol=0, max_iter=1, sample_weight=w)
        normalised = [start[0] / start[0].sum(), start[1], start[2]]
        logs = [exact.log_densities(float(at), *(part.tolist() for part in normalised)) for at in x]
        responsible = [exact.shares(row) for row in logs]
        points, masses = exact.rationals(x), exact.rationals(w)
        total = sum(masses, Fraction(0))
        mass: list[Fraction] = []
        mean: list[Fraction] = []
        for j in range(k):
            pulls = [r[j] * m for r, m in zip(responsible, masses, strict=True)]
            mass.append(sum(pulls, Fraction(0)))
            mean.append(sum((p * at for p, at in zip(pulls, points, strict=True)), Fraction(0)) / mass[j])
        stiffness = [m / Fraction(float(v)) for m, v in zip(mass, start[2], strict=True)]
        high = [Fraction(float(u)) if math.isfinite(u) else None for u in upper]
        means = exact.best_means(mean, stiffness, exact.rationals(lower), high)
        assert means is not None
        reach = Fraction(float(np.ptp(x)))
        assert all(close(float(a), b, 0, reach * Fraction(1e-10)) for a, b in zip(fit.means, means, strict=True))
        assert all(close(float(a), b / total, 1e-11) for a, b in zip(fit.weights, mass, strict=True))
        floor = Fraction(1e-10) * exact.cost_about(points, masses, exact.mean_and_cost(points, masses)[0]) / total
        for j in range(k):
            pulls = [r[j] * m for r, m in zip(responsible, masses, strict=True)]
            spread = max(exact.cost_about(points, pulls, means[j]) / mass[j], floor)
            assert close(float(fit.variances[j]), spread, 1e-9, reach**2 * Fraction(1e-13)), (kind, case, j)
        likelihood = sum((Fraction(exact.log_sum(row)) * m for row, m in zip(logs, masses, strict=True)), Fraction(0))
        size = sum((abs(Fraction(exact.log_sum(row))) * m for row, m in zip(logs, masses, strict=True)), Fraction(0))
        assert close(float(fit.history[0]), likelihood, 0, size * Fraction(1e-13)), "the log-likelihood"


def test_criteria() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        n, k = int(rng.integers(8, 40)), int(rng.integers(1, 4))
        x, w = rng.normal(0, 1, n), rng.uniform(0.1, 3, n)
        fit = mg.mixture(x, k, init="ckmeans", max_iter=5, sample_weight=w)
        parts = (fit.weights.tolist(), fit.means.tolist(), fit.variances.tolist())
        logs = [exact.log_densities(float(at), *parts) for at in x]
        masses = exact.rationals(w)
        likelihood = float(sum(Fraction(exact.log_sum(row)) * m for row, m in zip(logs, masses, strict=True)))
        certain = float(sum(Fraction(max(row) - exact.log_sum(row)) * m for row, m in zip(logs, masses, strict=True)))
        count, total = 3 * k - 1, float(sum(masses))
        assert fit.log_likelihood == pytest.approx(likelihood, rel=1e-12)
        assert fit.aic == pytest.approx(2 * count - 2 * likelihood, rel=1e-12)
        assert fit.bic == pytest.approx(count * math.log(total) - 2 * likelihood, rel=1e-12)
        assert fit.icl == pytest.approx(count * math.log(total) - 2 * likelihood - 2 * certain, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-130, 1.0, 1e130])
def test_far_tails(scale: float) -> None:
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(0, 1, 40), rng.normal(6, 0.5, 20)]) * scale
    fit = mg.mixture(x, 2)
    parts = (fit.weights.tolist(), fit.means.tolist(), fit.variances.tolist())
    at = np.array([-1e6, -1e3, -60.0, -5.0, 0.0, 3.0, 4.5, 6.0, 40.0, 1e4, 1e7]) * scale
    scores, chances = fit.score_samples(at), fit.predict_proba(at)
    for value, score, row in zip(at, scores, chances, strict=True):
        logs = exact.log_densities(float(value), *parts)
        truth = exact.log_sum(logs)
        assert score == pytest.approx(float(truth), rel=1e-12)
        for log, chance in zip(logs, row, strict=True):
            share = float((log - truth).exp()) if log - truth > -700 else 0.0
            assert chance == pytest.approx(share, rel=1e-9 * max(1.0, abs(float(truth)) * 1e-3), abs=1e-290)
        assert row.sum() == pytest.approx(1.0, abs=1e-15)
    assert np.array_equal(fit.predict(at), chances.argmax(axis=1))


@pytest.mark.parametrize("scale", [1e-130, 1.0, 1e130])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_draws_follow_the_mixture(scale: float, shift: float) -> None:
    fit = mg.mixture((np.random.default_rng(6).normal(0, 1, 200) + shift) * scale, 2)
    drawn, _ = fit.sample(20_000, rng=1)
    mean = float(np.sum(fit.weights * fit.means))
    variance = float(np.sum(fit.weights * (fit.variances + (fit.means - mean) ** 2)))
    assert abs(drawn.mean() - mean) < 5 * math.sqrt(variance / 20_000)
    assert drawn.var() == pytest.approx(variance, rel=0.1)
