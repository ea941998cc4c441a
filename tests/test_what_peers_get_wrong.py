"""Faults measured in other packages, one test a fault: none of them is ours."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import mindgap as mg
from mindgap.datasets import paper_model
from mindgap.sklearn import GaussianMixture1D
from soak.free_centers import least_cost

FITS = {
    "kmeans": lambda x: mg.kmeans(x, 2),
    "kmeans-gap": lambda x: mg.kmeans(x, 2, mg.LowerOnly(1.0)),
    "kmeans-free": lambda x: mg.kmeans(x, 2, mg.LowerOnly(1.0), centers="free"),
    "mixture": lambda x: mg.mixture(x, 2),
}


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_is_refused_with_its_place(fit: object, bad: float) -> None:
    """kmeans1d, ckwrap, ckmeans-1d-dp, Ckmeans.1d.dp: NaN in gives NaN out, silently."""
    assert callable(fit)
    with pytest.raises(mg.InvalidInputError, match=f"(?i){abs(bad)} at index 3"):
        fit([0.0, 1.0, 5.0, bad, 6.0])


@pytest.mark.parametrize("centers", ["means", "free"])
def test_more_clusters_than_values_are_refused(centers: str) -> None:
    """kmeans1d: more clusters than distinct values gives phantom centres at 0.0."""
    with pytest.raises(mg.InvalidInputError, match="2 distinct"):
        mg.kmeans([5.0, 5.0, 7.0, 7.0], 3, ties="together", centers=centers)  # type: ignore[arg-type]
    split = mg.kmeans([5.0, 5.0, 7.0, 7.0], 2)
    assert split.centers.tolist() == [5.0, 7.0]


def test_empty_input_is_an_error_and_not_the_end_of_the_process() -> None:
    """ckmeans-1d-dp: empty input kills the process."""
    script = (
        "import mindgap as mg\n"
        "for fit in (mg.kmeans, mg.mixture):\n"
        "    try:\n        fit([], 2)\n    except mg.InvalidInputError as error:\n        print(error)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert len(ended.stdout.splitlines()) == 2
    assert "empty" in ended.stdout


@pytest.mark.parametrize("shift", [0.0, 1e8, -1e8, 1e12])
@pytest.mark.parametrize("constraint", [None, mg.LowerOnly(0.5)])
def test_a_far_shift_keeps_a_clean_split(shift: float, constraint: mg.Constraint | None) -> None:
    """kmeans1d: data shifted by 1e8 turn a clean 50/50 split into 73/27."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0.0, 0.1, 50), rng.uniform(1.0, 1.1, 50)]) + shift
    assert mg.kmeans(x, 2, constraint).sizes.tolist() == [50, 50]


@pytest.mark.parametrize("scale", [1e-3, 1e-9, 1e6])
def test_small_units_need_no_setting(scale: float) -> None:
    """scikit-learn's GaussianMixture: data at a scale of 1e-3 defeat an absolute reg_covar."""
    x = paper_model("D", 3000, 1).values
    plain, small = mg.mixture(x, 5, mg.LowerOnly(1.9)), mg.mixture(x * scale, 5, mg.LowerOnly(1.9 * scale))
    assert small.means / scale == pytest.approx(plain.means, rel=1e-6)
    assert small.variances / scale**2 == pytest.approx(plain.variances, rel=1e-5)


@pytest.mark.parametrize("constraint", [None, mg.LowerOnly(0.1)])
def test_means_come_back_in_order(constraint: mg.Constraint | None) -> None:
    """scikit-learn, mixtools: means come back in any order."""
    rng = np.random.default_rng(1)
    x = rng.permutation(np.concatenate([rng.normal(0, 1, 300), rng.normal(3, 0.3, 200), rng.normal(3, 4, 100)]))
    assert np.all(np.diff(mg.kmeans(x, 3).centers) > 0)
    for _ in range(20):
        # Components that begin close together, one wide and one narrow, pass one another on their way.
        start = mg.Start(rng.dirichlet(np.ones(3)), np.sort(rng.normal(2, 0.5, 3)), rng.uniform(0.01, 9, 3))
        assert np.all(np.diff(mg.mixture(x, 3, constraint, init=start, max_iter=300).means) >= 0)


def test_a_mixture_takes_weights() -> None:
    """scikit-learn's GaussianMixture takes no sample weights."""
    x = np.concatenate([np.random.default_rng(2).normal(5 * group, 1, 300) for group in range(2)])
    counts = np.random.default_rng(3).integers(1, 5, len(x))
    weighted = GaussianMixture1D(2).fit(x.reshape(-1, 1), sample_weight=counts)
    repeated = GaussianMixture1D(2).fit(np.repeat(x, counts).reshape(-1, 1))
    assert weighted.means_ == pytest.approx(repeated.means_, rel=1e-6)


@pytest.mark.parametrize("upper", [np.inf, 2.5])
def test_free_centres_are_right_on_tied_data_and_under_an_upper_bound(upper: float) -> None:
    """gfpop: wrong on some tied data under a lower gap, no upper bound, 95 s at N=5000."""
    rng = np.random.default_rng(4)
    for _ in range(12):
        x = np.concatenate([[0.0, 3.0, 5.0], rng.integers(0, 6, 5)])
        fit = mg.kmeans(x, 3, mg.TwoSided(1.5, upper), centers="free")
        least = least_cost(np.sort(x), np.ones(8), 3, np.full(2, 1.5), np.full(2, upper), 1e-12)
        assert fit.inertia == pytest.approx(least, rel=1e-9, abs=1e-12)


def test_free_centres_of_many_points_are_proven() -> None:
    """gfpop takes 95 s and 4.8 GB at N=5000; here that is a test among others."""
    fit = mg.kmeans(paper_model("D", 5000, 1).values, 5, mg.LowerOnly(1.95), centers="free")
    assert fit.optimal
