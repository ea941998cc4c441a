"""The likelihood ratio test of a constrained against a free fit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mindgap as mg
from mindgap.inference.chi_square import chi_square_tail

RNG = np.random.default_rng(1)
X = np.concatenate([RNG.normal(0, 1, 200), RNG.normal(4, 1, 200)])


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 10, 31, 100])
def test_the_tail_of_chi_square(df: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    for value in (1e-12, 0.1, 1.0, df, 3.84, 10 * df, 500.0):
        assert chi_square_tail(value, df) == pytest.approx(float(stats.chi2.sf(value, df)), rel=1e-10)
    assert chi_square_tail(0.0, df) == 1.0
    assert chi_square_tail(1e5, df) == 0.0


def test_known_quantiles() -> None:
    assert chi_square_tail(3.841458820694124, 1) == pytest.approx(0.05, rel=1e-12)
    assert chi_square_tail(5.991464547107979, 2) == pytest.approx(0.05, rel=1e-12)
    assert chi_square_tail(1.0, 0) == 0.0


def fits(bound: float) -> tuple[mg.MixtureResult, mg.MixtureResult]:
    held = mg.mixture(X, 2, mg.LowerOnly(bound), init="ckmeans")
    return held, mg.mixture(X, 2, init=(held.weights, held.means, held.variances))


def test_a_bound_that_does_not_bite() -> None:
    held, free = fits(0.1)
    ratio = mg.compare(held, free)
    assert ratio.df == 0
    assert ratio.p_value == 1.0
    assert ratio.statistic < 1e-3


def test_a_bound_that_bites() -> None:
    held, free = fits(5.0)
    ratio = mg.compare(held, free, n_bootstrap=40, rng=1)
    assert ratio.df == 1
    assert ratio.statistic == pytest.approx(2 * (free.log_likelihood - held.log_likelihood), rel=1e-9)
    assert ratio.p_value is not None
    assert ratio.p_value == pytest.approx(math.erfc(math.sqrt(ratio.statistic / 2)), rel=1e-9)
    assert ratio.p_value < 1e-6
    assert ratio.bootstrap_p_value == 1 / (1 + ratio.n_bootstrap)
    assert "p <= " in ratio.summary()
    assert "parametric bootstrap" in ratio.summary()
    assert ratio == mg.compare(held, free, n_bootstrap=40, rng=1, threads=1)


def test_a_true_bound_is_not_rejected() -> None:
    held, free = fits(4.05)
    ratio = mg.compare(held, free, n_bootstrap=40, rng=2)
    assert ratio.bootstrap_p_value is not None
    assert ratio.bootstrap_p_value > 0.05


def test_under_the_bound_the_p_value_is_on_the_safe_side() -> None:
    """At the least favourable truth (the gap is exactly the bound) it rejects at most about as often as it says."""
    rejected = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = np.concatenate([rng.normal(0, 1, 150), rng.normal(4, 1, 150)])
        held = mg.mixture(x, 2, mg.LowerOnly(4.0), init="ckmeans")
        free = mg.mixture(x, 2, init=(held.weights, held.means, held.variances))
        p_value = mg.compare(held, free).p_value
        assert p_value is not None
        rejected += p_value < 0.1
    assert rejected <= 12  # of 60, at the level 0.1


class FirstMean(mg.Constraint):
    """The first mean is at least `least`."""

    name = "first-mean"

    def __init__(self, least: float) -> None:
        self.least = least

    def rows(self, k: int) -> mg.LinearRows:
        return mg.LinearRows(1e3 * np.eye(1, k), [1e3 * self.least], [np.inf])


@pytest.mark.parametrize(
    ("one", "other"),
    [(mg.LowerOnly(5), mg.LowerOnly(6.5)), (mg.LowerOnly(5), mg.TwoSided(0, 2)), (FirstMean(2), FirstMean(2.5))],
    ids=repr,
)
def test_a_constraint_is_compared_with_a_weaker_one(one: mg.Constraint, other: mg.Constraint) -> None:
    weaker, stronger = mg.mixture(X, 2, one), mg.mixture(X, 2, other)
    with pytest.raises(mg.InvalidInputError, match="does not satisfy the constraint of the second"):
        mg.compare(weaker, stronger)
    if not isinstance(other, mg.TwoSided):
        assert mg.compare(stronger, weaker).statistic >= 0


def test_fits_that_do_not_belong_together() -> None:
    held, free = fits(5.0)
    with pytest.raises(mg.InvalidInputError, match="differ in k"):
        mg.compare(held, mg.mixture(X, 1))
    with pytest.raises(mg.InvalidInputError, match="differ in total_weight"):
        mg.compare(held, mg.mixture(X[1:], 2))
    with pytest.raises(mg.InvalidInputError, match="different data"):
        mg.compare(held, mg.mixture(X * 0.1, 2))
    values, counts = np.unique(np.round(X), return_counts=True)
    weighted = mg.mixture(values, 2, sample_weight=counts)
    assert mg.compare(mg.mixture(np.round(X), 2, mg.LowerOnly(5)), weighted).statistic > 0
    with pytest.raises(mg.InvalidInputError, match=r"the order is compare\(constrained, free\)"):
        mg.compare(free, held)
    with pytest.raises(mg.InvalidInputError, match=r"two results of mixture, not KMeansResult"):
        mg.compare(mg.kmeans(X, 2), free)  # type: ignore[arg-type]
    stuck = mg.mixture(X, 2, init=([0.5, 0.5], [0.0, 0.001], [50.0, 50.0]), method="paper", max_iter=1)
    with pytest.raises(mg.InvalidInputError, match="it is stuck at a local optimum"):
        mg.compare(held, stuck)


def test_spread_models_have_degrees_of_freedom() -> None:
    equal, free = mg.mixture(X, 2, variances="equal"), mg.mixture(X, 2)
    ratio = mg.compare(equal, free)
    assert ratio.df == 1
    assert ratio.p_value == pytest.approx(chi_square_tail(ratio.statistic, 1))
    rng = np.random.default_rng(4)
    unequal = np.concatenate([rng.normal(0, 1, 200), rng.normal(8, 3, 200)])
    p_value = mg.compare(mg.mixture(unequal, 2, variances="equal"), mg.mixture(unequal, 2)).p_value
    assert p_value is not None
    assert p_value < 1e-6
    with pytest.raises(mg.InvalidInputError, match=r"the order is compare\(constrained, free\)"):
        mg.compare(free, equal)


def test_a_component_more_is_judged_by_the_bootstrap() -> None:
    one, two, three = (mg.mixture(X[::4], k) for k in (1, 2, 3))
    needed = mg.compare(one, two, n_bootstrap=19, rng=1)
    assert needed.p_value is None
    assert needed.df == 3
    assert needed.bootstrap_p_value == 1 / 20
    spare = mg.compare(two, three, n_bootstrap=19, rng=1)
    assert spare.bootstrap_p_value is not None
    assert spare.bootstrap_p_value > 0.05
    assert "no chi-square p-value" in spare.summary()


def test_what_has_no_reference_is_refused() -> None:
    shared = mg.mixture(X, 2, mg.FixedWeights([0.3, 0.7]))
    with pytest.raises(mg.InvalidInputError, match="give n_bootstrap"):
        mg.compare(shared, mg.mixture(X, 2))
    ratio = mg.compare(shared, mg.mixture(X, 2), n_bootstrap=19, rng=1)
    assert ratio.p_value is None
    assert ratio.bootstrap_p_value == 1 / 20


def test_a_stuck_fit_is_climbed_from_the_other() -> None:
    held, free = fits(5.0)
    stuck = mg.mixture(X, 2, init=([0.5, 0.5], [0.0, 0.001], [50.0, 50.0]), max_iter=1)
    assert stuck.log_likelihood < free.log_likelihood
    assert mg.compare(held, stuck).statistic > 0


def test_drawn_data_are_judged_as_the_data_are() -> None:
    """Both fits of a draw are searched for, as those of the data were; else true bounds are rejected too often."""
    bound = mg.TwoSided(2, 2)
    x = mg.datasets.paper_model("B", 300, rng=5).values
    held, free = mg.mixture(x, 3, bound), mg.mixture(x, 3)
    ratio = mg.compare(held, free, n_bootstrap=19, rng=1)
    drawn = [held.sample(300, np.random.default_rng(stream))[0] for stream in np.random.SeedSequence(1).spawn(19)]
    statistics = [mg.compare(mg.mixture(values, 3, bound), mg.mixture(values, 3)).statistic for values in drawn]
    assert ratio.bootstrap_p_value == (1 + sum(value >= ratio.statistic for value in statistics)) / 20


def test_a_chi_square_that_is_not_valid_is_named() -> None:
    """Where components overlap, four of five true constraints would be rejected at p = 0.2 instead of one."""
    x = mg.datasets.paper_model("B", 300, rng=5).values
    doubtful = mg.compare(mg.mixture(x, 3, mg.TwoSided(2, 2)), mg.mixture(x, 3))
    assert doubtful.unreliable
    assert "p about" in doubtful.summary()
    assert "use the bootstrap" in doubtful.summary()
    assert not mg.compare(*fits(5.0)).unreliable
