"""Every documented tolerance and limit, just inside and just outside."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mindgap as mg

INSIDE, OUTSIDE = 0.99, 1.01


# Bounds on gaps are held to 1e-12 of the data's range. The range here is a power of two, so that it is the unit itself.


@pytest.mark.parametrize("unit", [1.0, 2.0**40, 2.0**-40])
@pytest.mark.parametrize("shift", [0.0, 3.0])
@pytest.mark.parametrize("method", ["exact", "paper"])
def test_a_lower_bound_is_held_to_1e_12_of_the_range(unit: float, shift: float, method: str) -> None:
    x = (np.array([0.0, 0.5, 1.0]) + shift) * unit
    missed = mg.kmeans(x, 3, mg.LowerOnly((0.5 + INSIDE * 1e-12) * unit), method=method, centers="means")  # type: ignore[arg-type]
    assert missed.gaps.tolist() == [0.5 * unit, 0.5 * unit]
    with pytest.raises(mg.InfeasibleError):
        mg.kmeans(x, 3, mg.LowerOnly((0.5 + OUTSIDE * 1e-12) * unit), method=method, centers="means")  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", [1.0, 2.0**40])
def test_an_upper_bound_is_held_to_1e_12_of_the_range(unit: float) -> None:
    x = np.array([0.0, 0.5, 1.0]) * unit
    assert mg.kmeans(x, 3, mg.TwoSided(0, (0.5 - INSIDE * 1e-12) * unit), centers="means").optimal
    with pytest.raises(mg.InfeasibleError):
        mg.kmeans(x, 3, mg.TwoSided(0, (0.5 - OUTSIDE * 1e-12) * unit), centers="means")


def test_a_mixture_holds_its_bounds_far_closer_than_1e_10_of_the_range() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        k = int(rng.integers(2, 7))
        x = rng.normal(0, 1, 80) * 10.0 ** rng.uniform(-100, 100)
        lower = rng.uniform(0, 1, k - 1) * np.ptp(x)
        fit = mg.mixture(x, k, mg.PerGap(lower, lower), init="ckmeans", max_iter=5)
        assert np.abs(fit.gaps - lower).max() <= 1e-12 * lower.sum()


# `active` names a bound within 1e-9: of the range for k-means, of the standard deviation for mixtures.


def test_a_gap_is_at_its_bound_within_1e_9_of_the_range() -> None:
    x = np.array([0.0, 0.5, 1.0])
    assert mg.kmeans(x, 3, mg.LowerOnly(0.5 - INSIDE * 1e-9), centers="means").active == ("lower", "lower")
    assert mg.kmeans(x, 3, mg.LowerOnly(0.5 - OUTSIDE * 1e-9), centers="means").active == ("free", "free")
    assert mg.kmeans(x, 3, mg.TwoSided(0.1, 0.5 + INSIDE * 1e-9), centers="means").active == ("upper", "upper")
    assert mg.kmeans(x, 3, mg.TwoSided(0.1, 0.5 + OUTSIDE * 1e-9), centers="means").active == ("free", "free")


def test_a_mixtures_gap_is_at_its_bound_within_1e_9_of_the_standard_deviation() -> None:
    x = np.concatenate([np.full(50, -1.0), np.full(50, 1.0)]) * 3
    deviation = float(x.std())
    gap = mg.mixture(x, 2, min_variance=0.01, method="paper", tol=0, max_iter=50).gaps[0]
    for near, expected in ((INSIDE, "lower"), (OUTSIDE, "free")):
        bound = mg.LowerOnly(gap - near * 1e-9 * deviation)
        assert mg.mixture(x, 2, bound, min_variance=0.01, method="paper", tol=0, max_iter=50).active == (expected,)


# Data span from 1e-140 to 1e140.


@pytest.mark.parametrize("span", [1e-140, 1e140])
def test_a_span_within_the_limits_loses_nothing(span: float) -> None:
    x = np.array([0.0, 0.25, 0.75, 1.0]) * span
    fit = mg.kmeans(x, 2, mg.LowerOnly(0.5 * span), centers="means")
    assert fit.inertia == pytest.approx(0.0625 * span * span, rel=1e-12)
    assert fit.optimal
    free = mg.kmeans(x, 2, mg.LowerOnly(0.9 * span), centers="free")
    assert free.gaps[0] == pytest.approx(0.9 * span, rel=1e-12)
    mixture = mg.mixture(x, 2, mg.LowerOnly(0.9 * span), init="ckmeans", max_iter=20)
    assert mixture.gaps[0] == pytest.approx(0.9 * span, rel=1e-10)
    assert np.all(np.isfinite(mixture.variances))


@pytest.mark.parametrize("span", [1e-146, 1e146, 1e-300, 1e300, 5e-324, math.inf])
def test_a_span_beyond_the_limits_is_refused(span: float) -> None:
    largest = np.finfo(float).max
    x = [-largest, largest] if math.isinf(span) else [0.0, span]
    for fit in (mg.kmeans, mg.mixture):
        with pytest.raises(mg.InvalidInputError, match="span is between 1e-140 and 1e140"):
            fit(x, 1)


def test_rows_whose_coefficients_cannot_be_squared_are_refused() -> None:
    def row(coefficient: float) -> mg.MixtureResult:
        class Row(mg.Constraint):
            name = "row"

            def rows(self, k: int) -> mg.LinearRows:
                return mg.LinearRows([[coefficient, 0.0]], [-coefficient], [coefficient])

        return mg.mixture([0.0, 1.0, 2.0, 3.0], 2, Row(), init="ckmeans", max_iter=2)

    for inside in (1e-140, 1e140):
        assert np.all(np.isfinite(row(inside).means))
    for outside in (OUTSIDE * 1e140, 1e-140 / OUTSIDE):
        with pytest.raises(mg.MindgapError, match="whose square is out of range"):
            row(outside)


# Weights: none below 1e-18 of their sum in k-means.


def test_weights_are_at_least_1e_18_of_their_sum() -> None:
    x = [0.0, 1.0, 3.0]
    assert mg.kmeans(x, 2, sample_weight=[OUTSIDE * 1e-18, 1.0, 1e-3]).sizes.tolist() == [2, 1]
    with pytest.raises(mg.InvalidInputError, match="make weights below 1e-18 of the sum zero"):
        mg.kmeans(x, 2, sample_weight=[INSIDE * 1e-18, 1.0, 1e-3])
    assert mg.kmeans(x, 2, sample_weight=[0.0, 1.0, 1e-3]).inertia == 0.0


# Centres at most a million ranges away. The range below is the unit itself.


def test_bounds_reach_a_million_times_the_range() -> None:
    x = np.array([0.0, 0.5, 1.0])
    for call in (
        lambda bound: mg.kmeans(x, 2, mg.LowerOnly(bound), centers="free"),
        lambda bound: mg.mixture(x, 2, mg.LowerOnly(bound), init="ckmeans", max_iter=2),
    ):
        assert call(INSIDE * 1e6).gaps[0] == pytest.approx(INSIDE * 1e6, rel=1e-12)
        with pytest.raises(mg.InvalidInputError, match="a million times the data's range"):
            call(OUTSIDE * 1e6)


def test_starts_are_at_most_a_million_ranges_away() -> None:
    x = np.array([0.0, 0.5, 1.0])

    def start(mean: float, variance: float) -> mg.MixtureResult:
        return mg.mixture(x, 2, init=([0.5, 0.5], [0.0, mean], [1.0, variance]), max_iter=2)

    start(INSIDE * 1e6, INSIDE * 1e12)
    with pytest.raises(mg.InvalidInputError, match="start's mean 1"):
        start(OUTSIDE * 1e6 + 1, 1.0)
    with pytest.raises(mg.InvalidInputError, match="start's variance 1"):
        start(1.0, OUTSIDE * 1e12)


def test_the_weights_of_a_start_sum_to_one() -> None:
    mg.Parameters([0.5, 0.5 + INSIDE * 1e-8], [0, 1], [1, 1])
    with pytest.raises(mg.InvalidInputError, match="sum to one"):
        mg.Parameters([0.5, 0.5 + OUTSIDE * 1e-8], [0, 1], [1, 1])


# The floor of variances.


def test_the_floor_is_1e_10_of_the_variance_of_the_data() -> None:
    x = np.array([0.0, 0.0, 0.0, 10.0, 10.0, 10.0])
    floor = 1e-10 * x.var()
    fit = mg.mixture(x, 2, method="paper", max_iter=50)
    assert fit.variances == pytest.approx([floor, floor], rel=1e-12)
    assert fit.status == "collapsed"
    # Clusters just wide enough are no collapse, and just too narrow ones are.
    for near, collapsed in ((1.001, False), (0.999, True)):
        half = math.sqrt(near * 1e-10 * 25)
        narrow = np.concatenate([np.array([-half, half]), 10 + np.array([-half, half])])
        floor = 1e-10 * narrow.var()
        fit = mg.mixture(narrow, 2, method="paper", max_iter=20)
        assert (fit.status == "collapsed") == collapsed, fit.status
        assert fit.variances.min() == pytest.approx(max(near * 1e-10 * 25, floor), rel=1e-9)


def test_min_variance_is_at_most_1e12_times_the_variance_of_the_data() -> None:
    x = np.array([-1.0, 1.0])
    assert mg.mixture(x, 1, min_variance=INSIDE * 1e12).variances[0] == INSIDE * 1e12
    with pytest.raises(mg.InvalidInputError, match="1e12 times the data's variance"):
        mg.mixture(x, 1, min_variance=OUTSIDE * 1e12)


def test_a_component_is_lost_below_a_weight_of_1e_16() -> None:
    # One iteration gives the second component exactly its responsibilities: about 1e-15 and 1e-17 of the whole.
    x = np.zeros(10)
    x[0] = 1e-3
    for exponent, status in ((-15, "max-iterations"), (-17, "lost-weight")):
        tiny = 10.0**exponent
        fit = mg.mixture(x, 2, init=([1 - tiny, tiny], [0.0, 0.0], [1.0, 1.0]), method="paper", tol=0, max_iter=1)
        assert fit.weights.min() == pytest.approx(tiny, rel=1e-3)
        assert fit.status == status


# `optimal`: cost and bound agree to one part in a billion.


def test_optimal_is_agreement_to_one_part_in_a_billion() -> None:
    fit = mg.kmeans([0.0, 1.0, 5.0, 7.0], 2)
    assert (fit.optimal, fit.lower_bound) == (True, fit.inertia)
    paper = mg.kmeans([0.0, 1.0, 5.0, 7.0], 2, mg.LowerOnly(1.0), method="paper", centers="means")
    assert (paper.optimal, paper.lower_bound) == (False, 0.0)


def test_the_tolerance_of_the_iterations() -> None:
    x = np.random.default_rng(3).normal(0, 1, 200)
    ended = mg.mixture(x, 2, method="paper", tol=1e-4, tol_scale="data", max_iter=1000)
    assert ended.converged

    def another(tol: float) -> mg.MixtureResult:
        start = (ended.weights, ended.means, ended.variances)
        return mg.mixture(x, 2, init=start, method="paper", tol=tol, tol_scale="data", max_iter=1)

    step = another(0)
    moves = [
        np.abs(step.weights - ended.weights).max(),
        np.abs(step.means - ended.means).max() / x.std(),
        np.abs(step.variances - ended.variances).max() / x.var(),
    ]
    assert another(max(moves) * 1.0001).converged
    assert not another(max(moves) * 0.9999).converged
