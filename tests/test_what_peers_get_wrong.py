"""Bugs measured in other packages, one test each."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import mindgap as mg
import oracle

NAN = float("nan")
TWO_CLUMPS = np.concatenate([np.random.default_rng(seed).normal(5.0 * seed, 1.0, 500) for seed in range(2)])


@pytest.mark.parametrize("bad", [NAN, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_nan_in_is_an_error_and_not_nan_out(bad: float, place: int) -> None:
    """kmeans1d, ckwrap, ckmeans-1d-dp, Ckmeans.1d.dp: NaN out, silently."""
    x = np.array([1.0, 2.0, 4.0])
    x[place] = bad
    for fit in (mg.kmeans, mg.mixture):
        with pytest.raises(mg.InvalidInputError, match=f"at index {place}"):
            fit(x, 2)
        with pytest.raises(mg.InvalidInputError, match=f"weight at index {place}"):
            fit([1.0, 2.0, 4.0], 2, sample_weight=x)


@pytest.mark.parametrize("centers", ["means", "free"])
@pytest.mark.parametrize("method", ["exact", "paper"])
@pytest.mark.parametrize("ties", ["split", "together"])
def test_more_clusters_than_distinct_values_is_an_error_and_no_phantom_at_zero(
    centers: str, method: str, ties: str
) -> None:
    """kmeans1d: the clusters that cannot be have centres at 0.0."""
    with pytest.raises(mg.InvalidInputError, match="k is 3, but the number of distinct values is 2"):
        mg.kmeans([7.0, 7.0, 9.0, 9.0], 3, centers=centers, method=method, ties=ties)  # type: ignore[arg-type]
    with pytest.raises(mg.InvalidInputError, match="k is 3, but the number of distinct values is 2"):
        mg.mixture([7.0, 7.0, 9.0, 9.0], 3)
    fit = mg.kmeans([7.0, 7.0, 9.0, 9.0], 2)
    assert fit.centers.tolist() == [7.0, 9.0]


def test_empty_input_is_an_error_and_the_process_lives() -> None:
    """ckmeans-1d-dp: the process is killed."""
    code = (
        "import mindgap as mg\n"
        "for fit in (mg.kmeans, mg.mixture):\n"
        "    for x in ([], ()):\n"
        "        try: fit(x, 1)\n"
        "        except mg.InvalidInputError as error: print(error)\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == ["the data are empty; give at least one value"] * 4


@pytest.mark.parametrize("shift", [1e8, -1e8, 1e12, 1e15])
def test_a_shift_of_the_data_moves_no_point_to_another_cluster(shift: float) -> None:
    """kmeans1d: a shift by 1e8 turns a clean 50/50 split into 73/27."""
    # Quarters, which none of the shifts rounds.
    x = np.round(TWO_CLUMPS * 4) / 4
    for constraint in (None, mg.LowerOnly(2.0)):
        for centers in ("means", "free"):
            here = mg.kmeans(x, 2, constraint, centers=centers)
            there = mg.kmeans(x + shift, 2, constraint, centers=centers)
            assert abs(here.sizes[0] - 500) < 20, "a clean split"
            assert np.array_equal(here.labels, there.labels)
            assert (there.inertia, there.gaps.tolist()) == (here.inertia, here.gaps.tolist())
    near, far = mg.mixture(x, 2), mg.mixture(x + shift, 2)
    assert np.array_equal(near.labels, far.labels)
    # Starts are rounded to the units of the data, so the iterations end within their tolerance of each other.
    assert far.variances == pytest.approx(near.variances, rel=1e-5)


@pytest.mark.parametrize("scale", [1e-3, 1e-9, 1e-100, 1e9])
def test_data_of_a_small_scale_are_fitted_as_well_as_any(scale: float) -> None:
    """scikit-learn: an absolute reg_covar of 1e-6 is as large as the variances of data at a scale of 1e-3."""
    plain = mg.mixture(TWO_CLUMPS, 2)
    scaled = mg.mixture(TWO_CLUMPS * scale, 2)
    assert scaled.converged
    assert scaled.means / scale == pytest.approx(plain.means, rel=1e-6)
    assert scaled.variances / scale / scale == pytest.approx(plain.variances, rel=1e-6)


def test_scikit_learn_is_defeated_by_a_scale_of_a_thousandth() -> None:
    """The peer's own figures, so that the test above keeps its point."""
    mixture = pytest.importorskip("sklearn.mixture")
    x = TWO_CLUMPS[:, None] * 1e-3
    theirs = mixture.GaussianMixture(2, random_state=0).fit(x)
    ours = mg.mixture(x, 2)
    assert theirs.covariances_.ravel().min() > 1.5 * ours.variances.max()
    assert theirs.score(x) < ours.score(x) - 0.1


def test_means_come_in_ascending_order_whatever_the_start() -> None:
    """scikit-learn, mixtools: in any order."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        k = int(rng.integers(2, 6))
        x = rng.normal(rng.choice(np.arange(k) * 3.0, 200), 1.0)
        means = np.sort(rng.normal(0, 9, k))
        fit = mg.mixture(x, k, init=(np.full(k, 1 / k), means, rng.uniform(0.5, 2, k)), max_iter=30)
        assert np.all(np.diff(fit.means) >= 0)
        assert sorted(fit.origins) == list(range(k))
        assert np.all(np.diff(mg.kmeans(x, k).centers) > 0)


def test_a_mixture_takes_sample_weights_and_a_weight_is_a_number_of_repetitions() -> None:
    """scikit-learn's GaussianMixture takes none, asked for since 2019."""
    rng = np.random.default_rng(6)
    x, counts = rng.normal(rng.choice([0.0, 4.0], 300), 1.0), rng.integers(0, 5, 300)
    start = ([0.5, 0.5], [0.0, 4.0], [1.0, 1.0])
    weighted = mg.mixture(x, 2, mg.LowerOnly(3.0), init=start, sample_weight=counts)
    repeated = mg.mixture(np.repeat(x, counts), 2, mg.LowerOnly(3.0), init=start)
    assert weighted.means == pytest.approx(repeated.means, rel=1e-10)
    assert weighted.variances == pytest.approx(repeated.variances, rel=1e-10)
    for criterion in ("log_likelihood", "bic", "aic", "icl"):
        assert getattr(weighted, criterion) == pytest.approx(getattr(repeated, criterion), rel=1e-10)
    assert np.array_equal(np.repeat(weighted.labels, counts), repeated.labels)


def test_free_centres_are_right_on_tied_data() -> None:
    """gfpop: wrong on some."""
    rng = np.random.default_rng(7)
    for _ in range(200):
        n, k = int(rng.integers(4, 10)), int(rng.integers(2, 5))
        x = np.sort(rng.integers(0, 4, n)).astype(np.float64)
        if len(np.unique(x)) < k:
            continue
        lower = np.full(k - 1, rng.choice([0.5, 1.0, 1.5, 2.0]))
        fit = mg.kmeans(x, k, mg.PerGap(lower), centers="free")
        best = oracle.least_free_cost(x, np.ones(n), k, lower, np.full(k - 1, np.inf), 1e-12)
        assert fit.inertia == pytest.approx(best, rel=1e-9, abs=1e-20)
        assert fit.optimal or best < 1e-20


def test_free_centres_of_five_thousand_points_take_a_few_megabytes() -> None:
    """gfpop: 4.8 GB at N = 5000 (and 95 s, of which no test can speak)."""
    code = (
        "import resource, numpy as np, mindgap as mg\n"
        "x = np.random.default_rng(0).normal(0, 1, 5000) + 1.95 * np.arange(5000) // 1000\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\n"
        "fit = mg.kmeans(x, 5, mg.LowerOnly(1.95), centers='free')\n"
        "print(fit.optimal, peak() - before)\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    optimal, grown = answer.stdout.split()
    unit = 1 if sys.platform == "darwin" else 1024
    assert optimal == "True"
    assert int(grown) * unit < 100e6


def test_free_centres_have_upper_bounds() -> None:
    """gfpop: none."""
    x = np.array([0.0, 1.0, 10.0, 11.0, 30.0])
    fit = mg.kmeans(x, 3, mg.TwoSided(1.0, 8.0), centers="free")
    assert np.all(fit.gaps <= 8.0 * (1 + 1e-12))
    assert "upper" in fit.active
    best = oracle.least_free_cost(x, np.ones(5), 3, np.full(2, 1.0), np.full(2, 8.0), 1e-12)
    assert fit.inertia == pytest.approx(best, rel=1e-9)
