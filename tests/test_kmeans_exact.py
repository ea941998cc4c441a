"""K-means against brute force over all partitions, and known hard cases."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest

import mindgap as mg
import oracle

Floats = npt.NDArray[np.float64]


def random_values(rng: np.random.Generator, n: int) -> Floats:
    """Ties, duplicates, integers, far shifts and small scales among them."""
    kind = rng.integers(6)
    if kind == 0:
        return rng.integers(0, 6, n).astype(float)
    if kind == 1:
        return np.round(rng.normal(0, 2, n), 1)
    if kind == 2:
        return rng.normal(1e6, 1, n)
    if kind == 3:
        return rng.normal(0, 1e-6, n)
    return rng.normal(0, 3, n)


def random_bounds(rng: np.random.Generator, k: int, scale: float) -> tuple[Floats, Floats]:
    """One lower bound, two-sided, per gap, or none; some that no partition holds."""
    kind = rng.integers(4)
    if kind == 0:
        return np.full(k - 1, rng.uniform(0, 1) * scale), np.full(k - 1, np.inf)
    if kind == 1:
        low = rng.uniform(0, 0.8) * scale
        return np.full(k - 1, low), np.full(k - 1, low + rng.uniform(0, 1) * scale)
    if kind == 2:
        lower = rng.uniform(0, 0.8, k - 1) * scale
        return lower, lower + np.where(rng.random(k - 1) < 0.3, np.inf, rng.uniform(0, 1, k - 1) * scale)
    return np.zeros(k - 1), np.full(k - 1, np.inf)


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_brute_force(seed: int) -> None:
    """250 instances a seed; the crate's own tests take thousands."""
    rng = np.random.default_rng(seed)
    judged = {"feasible": 0, "infeasible": 0}
    for _ in range(250):
        n = int(rng.integers(1, 13))
        x = random_values(rng, n)
        w = np.asarray(
            rng.integers(1, 5, n) * rng.uniform(0.5, 2) if rng.random() < 0.4 else np.ones(n), dtype=np.float64
        )
        k = int(rng.integers(1, min(5, len(np.unique(x))) + 1))
        lower, upper = random_bounds(rng, k, float(np.ptp(x)) / max(k - 1, 1))
        judged[check_instance(x, w, k, lower, upper)] += 1
    assert min(judged.values()) > 20, judged


def check_instance(x: Floats, w: Floats, k: int, lower: Floats, upper: Floats) -> str:
    points, masses = np.sort(x), w
    if np.any(w != w[0]):
        # Equal values of unequal weight are one point.
        points = np.unique(x)
        masses = np.array([w[x == point].sum() for point in points])
    best = oracle.best_partition(points, masses, k, lower, upper)
    weights = None if np.all(w == 1) else w
    if best is None:
        with pytest.raises(mg.InfeasibleError) as caught:
            mg.kmeans(x, k, mg.PerGap(lower, upper), sample_weight=weights, centers="means")
        if np.all(lower == lower[0]) and np.all(np.isinf(upper)):
            largest = oracle.largest_lower_bound(points, masses, k)
            assert caught.value.largest == pytest.approx(largest, rel=1e-9, abs=1e-12 * np.ptp(x))
        return "infeasible"
    result = mg.kmeans(x, k, mg.PerGap(lower, upper), sample_weight=weights, centers="means")
    scale = float(np.ptp(x))
    assert result.inertia == pytest.approx(best.cost, rel=1e-9, abs=1e-24 * scale**2)
    assert result.optimal
    assert result.lower_bound <= result.inertia
    assert np.all(result.gaps >= lower - 2e-12 * scale)
    assert np.all(result.gaps <= upper + 2e-12 * scale)
    check_consistency(x, w, result)
    return "feasible"


def check_consistency(x: Floats, w: Floats, result: mg.KMeansResult) -> None:
    """What the result says of its clusters is what its labels say."""
    assert len(result.labels) == len(x)
    for cluster in range(result.k):
        inside = result.labels == cluster
        assert inside.sum() == result.sizes[cluster] >= 1
        center = np.average(x[inside], weights=w[inside])
        assert result.centers[cluster] == pytest.approx(center, rel=1e-12, abs=1e-12 * np.ptp(x))
    assert np.all(np.diff(result.labels[np.argsort(x, kind="stable")]) >= 0) or len(np.unique(x)) < len(x)


@pytest.mark.parametrize(
    ("x", "k", "delta", "cost", "starts"),
    [
        ([0, 2, 2, 5, 6], 3, 2.5, 6.0, [1, 2, 5]),
        ([0, 2, 2, 5, 7], 3, 3.0, 6.0, [1, 2, 5]),
        ([-2, 1, 2, 4, 5, 6, 9, 10], 5, 1.75, 3.0, [1, 2, 3, 5, 7]),
    ],
)
def test_known_optima(x: list[float], k: int, delta: float, cost: float, starts: list[int]) -> None:
    result = mg.kmeans(x, k, mg.LowerOnly(delta), centers="means")
    assert result.inertia == pytest.approx(cost, rel=1e-12)
    assert (np.flatnonzero(np.diff(result.labels, prepend=-1)) + 1).tolist() == starts


def test_the_papers_program_misses_the_optimum() -> None:
    assert mg.kmeans([0, 2, 2, 5, 6], 3, mg.LowerOnly(2.5), method="paper", centers="means").inertia == pytest.approx(
        6.5
    )
    with pytest.raises(mg.InfeasibleError, match="paper's program"):
        mg.kmeans([0, 2, 2, 5, 7], 3, mg.LowerOnly(3.0), method="paper", centers="means")


def test_the_papers_program_proves_nothing() -> None:
    result = mg.kmeans([0, 2, 2, 5, 6], 3, mg.LowerOnly(2.5), method="paper", centers="means")
    assert not result.optimal
    assert result.lower_bound <= 6.0


def test_infeasible_says_what_would_do() -> None:
    with pytest.raises(mg.InfeasibleError, match="largest feasible lower bound") as caught:
        mg.kmeans([0.0, 1.0, 2.0, 10.0], 3, mg.LowerOnly(5.0), centers="means")
    assert caught.value.k == 3
    assert caught.value.lower == [5.0, 5.0]
    largest = caught.value.largest
    assert largest is not None
    assert mg.kmeans([0.0, 1.0, 2.0, 10.0], 3, mg.LowerOnly(largest), centers="means").optimal


def test_a_far_shift_changes_no_label() -> None:
    rng = np.random.default_rng(5)
    x = np.round(rng.normal(0, 3, 400), 3)
    near, far = (
        mg.kmeans(x, 4, mg.LowerOnly(2.0), centers="means"),
        mg.kmeans((x + 1e9), 4, mg.LowerOnly(2.0), centers="means"),
    )
    assert np.array_equal(near.labels, far.labels)
    # Powers of two lose nothing, so neither does the fit.
    exact = np.round(x * 1024) / 1024
    shifted = mg.kmeans(exact + 2.0**30, 4)
    assert mg.kmeans(exact, 4).inertia == shifted.inertia
    assert np.array_equal(mg.kmeans(exact, 4).labels, shifted.labels)


def test_ties_together_never_splits_a_value() -> None:
    x = [0, 2, 2, 5, 6]
    together = mg.kmeans(x, 3, mg.LowerOnly(2.0), ties="together", centers="means")
    assert together.labels[1] == together.labels[2]
    rng = np.random.default_rng(7)
    values = rng.integers(0, 30, 500).astype(float)
    split, joined = (
        mg.kmeans(values, 5, mg.LowerOnly(5), centers="means"),
        mg.kmeans(values, 5, mg.LowerOnly(5), ties="together", centers="means"),
    )
    assert split.inertia <= joined.inertia
    assert all(len(set(joined.labels[values == value])) == 1 for value in set(values))


def test_predict_gives_back_the_labels() -> None:
    x = np.random.default_rng(8).normal(0, 3, 500)
    result = mg.kmeans(x, 7, mg.LowerOnly(0.5), centers="means")
    assert np.array_equal(result.predict(x), result.labels)


def test_points_of_weight_zero_get_a_label_and_no_say() -> None:
    x = np.array([0.0, 1.0, 5.0, 6.0, 100.0])
    weighted = mg.kmeans(x, 2, sample_weight=[1, 1, 1, 1, 0])
    assert weighted.labels.tolist() == [0, 0, 1, 1, 1]
    assert weighted.centers.tolist() == [0.5, 5.5]
    assert weighted.sizes.tolist() == [2, 2]


@pytest.mark.parametrize("far", [1e6, 1e9, 1e15])
@pytest.mark.parametrize("centers", ["means", "free"])
def test_a_narrow_cluster_far_from_the_median_keeps_its_digits(far: float, centers: Literal["means", "free"]) -> None:
    x = [0.1, 0.2, 0.7, far, 2 * far, 3 * far]
    for constraint in (None, mg.LowerOnly(0.1)):
        result = mg.kmeans(x, 4, constraint, centers=centers)
        assert result.centers[0] == pytest.approx(1 / 3, rel=1e-15)
        assert result.inertia == pytest.approx(0.62 / 3, rel=1e-14)
        # Rounding in sums over all points may exceed the cost of so narrow a cluster: the allowance is a worst case.
        assert result.optimal == (far < 1e8)
        assert 0 <= result.lower_bound <= result.inertia


@pytest.mark.parametrize("far", [1e9, 1e14])
@pytest.mark.parametrize("constraint", [None, mg.LowerOnly(0.05)])
def test_neighbours_far_from_the_median_go_to_the_nearer_one(far: float, constraint: mg.Constraint | None) -> None:
    for middle, labels in ((0.2, [0, 0, 1, 2, 3, 4]), (0.6, [0, 1, 1, 2, 3, 4])):
        result = mg.kmeans([0.1, middle, 0.7, far, 2 * far, 3 * far], 5, constraint, centers="means")
        assert result.labels.tolist() == labels
        assert result.inertia == pytest.approx(0.005, rel=1e-14)


@pytest.mark.parametrize("far", [2e15, 1e16, 1e17])
def test_no_bound_is_above_the_optimum_where_sums_lose_their_digits(far: float) -> None:
    for middle in (0.2, 0.6):
        assert mg.kmeans([0.1, middle, 0.7, far, 2 * far, 3 * far], 5).lower_bound <= 0.005


def test_a_free_centre_that_no_bound_holds_is_the_mean() -> None:
    # The bound moves the last two apart; the first cluster, narrow and far from them, is none of its business.
    x = [0.1, 0.2, 0.7, 1e9, 1e9, 2e9, 2e9]
    result = mg.kmeans(x, 3, mg.PerGap([0.1, 1.1e9]), centers="free")
    assert result.labels.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert result.gaps[1] == 1.1e9
    assert result.centers[0] == pytest.approx(1 / 3, rel=1e-15)


def test_an_upper_bound_that_no_gap_can_reach_changes_nothing() -> None:
    rng = np.random.default_rng(8)
    x = rng.integers(0, 4, 18_000) * 1e7 + rng.normal(0, 1, 18_000)
    for k, delta in ((4, 1.87e6), (8, 1.87e6)):
        for upper in (float(np.ptp(x)), 1e4 * float(np.ptp(x))):
            if k == 4:
                assert (
                    mg.kmeans(x, k, mg.TwoSided(delta, upper), centers="means").inertia
                    == mg.kmeans(x, k, mg.LowerOnly(delta), centers="means").inertia
                )
                continue
            # A search that took the bound to be one could not decide this.
            with pytest.raises(mg.InfeasibleError):
                mg.kmeans(x, k, mg.TwoSided(delta, upper), centers="means")


def test_free_centres_of_few_points_are_the_best_where_rounding_spoils_the_proof() -> None:
    x = np.array([-3.97, -3.78, -1.29, -0.8, 1.46, 1.71, 2.24])
    w = np.array([4.5, 2.3e5, 0.25, 2.3, 32.0, 1.3e4, 8.6e-3])
    lower, upper = np.array([0.31, 0.87, 1.16]), np.array([np.inf, np.inf, 1.21])
    fit = mg.kmeans(x, 4, mg.PerGap(lower, upper), sample_weight=w, centers="free")
    best = oracle.least_free_cost(x, w, 4, lower, upper, 1e-12)
    assert fit.lower_bound <= best * (1 + 1e-9)
    assert fit.inertia == pytest.approx(best, rel=1e-9)


def test_free_centres_keep_the_groups_that_means_give_up() -> None:
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(0, 1, 100), rng.normal(4, 1, 170)])
    free = mg.kmeans(x, 2, mg.LowerOnly(4.5))
    means = mg.kmeans(x, 2, mg.LowerOnly(4.5), centers="means")
    assert free.optimal
    assert means.optimal
    assert free.inertia < 0.5 * means.inertia
    np.testing.assert_array_equal(free.labels, np.abs(x[:, None] - free.centers).argmin(axis=1))


def test_a_search_out_of_time_or_within_tol_gives_its_best_and_its_bound() -> None:
    x = np.random.default_rng(6).normal(size=20_000)
    bounds = mg.TwoSided(0.09, 0.1)
    for settings in ({"time_limit": 0.05}, {"tol": 0.5}):
        fit = mg.kmeans(x, 40, bounds, **settings)  # type: ignore[arg-type]
        assert 0 <= fit.lower_bound <= fit.inertia
        assert fit.gaps.min() >= 0.09 - 1e-12
        assert fit.gaps.max() <= 0.1 + 1e-12
