"""Mixture fits: known truths, active bounds, statuses, predictions, engines, progress."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import mindgap as mg
from mindgap.datasets import NYPANS_LOWER, NYPANS_UPPER, nypans_heights, paper_model
from mindgap.datasets.measures import mean_center_error, mean_parameter_error, rand_index

Floats = npt.NDArray[np.float64]
X = paper_model("B", 600, rng=3).values
BOUNDS = mg.TwoSided(1.9, 2.1)


@pytest.mark.parametrize(
    ("constraint", "center", "everything", "rand", "iterations"),
    [
        (None, 6.70, 15.60, 0.5665, 33),
        (mg.PerGap(NYPANS_LOWER, NYPANS_UPPER), 0.460, 3.18, 0.5957, 9),
    ],
)
def test_the_papers_table_of_heights(
    constraint: mg.Constraint | None, center: float, everything: float, rand: float, iterations: int
) -> None:
    heights = nypans_heights()
    fit = mg.mixture(heights.values, 4, constraint, init="ckmeans", method="paper")
    truth = (heights.shares(), heights.means(), heights.variances())
    assert 100 * mean_center_error(fit, heights.means()) == pytest.approx(center, abs=5e-3 if center > 1 else 5e-4)
    assert 100 * mean_parameter_error(fit, *truth) == pytest.approx(everything, abs=5e-3)
    assert rand_index(fit.labels, heights.groups) == pytest.approx(rand, abs=5e-5)
    assert fit.n_iter == iterations


def test_active_says_which_bounds_hold_the_fit_back() -> None:
    fit = mg.mixture(X, 3, mg.LowerOnly(3.0), init="ckmeans")
    assert "lower" in fit.active
    assert [side == "lower" for side in fit.active] == (fit.gaps < 3.0 + 1e-9).tolist()
    assert mg.mixture(X, 3, mg.LowerOnly(1e-3), init="ckmeans").active == ("free", "free")
    assert mg.mixture(X, 3, mg.TwoSided(2.0, 2.0), init="ckmeans").active == ("both", "both")


def test_a_collapse_is_a_status_on_a_usable_result() -> None:
    x = np.append(np.random.default_rng(5).normal(0, 1, 50), [30.0, 30.0])
    fit = mg.mixture(x, 2, method="paper")
    assert fit.status == "collapsed"
    assert "collapsed onto a point" in fit.message
    assert np.all(fit.variances > 0)
    assert np.isfinite(fit.log_likelihood)
    assert fit.labels.tolist()[-2:] == [1, 1]


def test_the_iterations_may_run_out() -> None:
    fit = mg.mixture(X, 3, method="paper", max_iter=2, tol=0)
    assert (fit.status, fit.converged, fit.n_iter, len(fit.history)) == ("max-iterations", False, 2, 3)


def test_predictions_follow_the_density() -> None:
    fit = mg.mixture(X, 3, BOUNDS)
    probabilities = fit.predict_proba(X)
    assert probabilities.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(fit.predict(X), fit.labels)
    assert np.array_equal(probabilities.argmax(axis=1), fit.labels)
    normal = np.exp(-((X[:, None] - fit.means) ** 2) / (2 * fit.variances)) / np.sqrt(2 * np.pi * fit.variances)
    assert fit.score_samples(X) == pytest.approx(np.log(normal @ fit.weights), rel=1e-10)
    assert fit.score(X) * len(X) == pytest.approx(fit.log_likelihood, rel=1e-12)
    assert fit.predict_proba([1e6])[0].sum() == pytest.approx(1.0)


def test_icl_counts_the_certainty_of_the_labels() -> None:
    fit = mg.mixture(X, 3, BOUNDS)
    certainty = np.log(fit.predict_proba(X).max(axis=1)).sum()
    assert fit.icl == pytest.approx(fit.bic - 2 * certainty, rel=1e-10)


def test_samples_come_from_the_mixture() -> None:
    fit = mg.mixture(X, 3, BOUNDS)
    values, components = fit.sample(100_000, rng=1)
    assert np.bincount(components) / 100_000 == pytest.approx(fit.weights, abs=0.01)
    assert [values[components == c].mean() for c in range(3)] == pytest.approx(fit.means, abs=0.05)
    assert np.array_equal(values, fit.sample(100_000, rng=1)[0])


def test_an_engine_of_ones_own_gives_the_same_fit() -> None:
    class Halves(mg.Engine):
        name = "halves"

        def load(self, x: Floats, sample_weight: Floats | None) -> mg.Sample:
            self.parts = []
            for half in np.array_split(x, 2):
                part = mg.Local()
                part.load(half, None)
                self.parts.append(part)
            return mg.Sample(x)

        def moments(self, weights: Floats, means: Floats, variances: Floats) -> mg.Moments:
            one, two = (part.moments(weights, means, variances) for part in self.parts)
            assert one.classification is not None
            assert two.classification is not None
            return mg.Moments(
                one.weight + two.weight,
                one.first + two.first,
                one.second + two.second,
                one.log_likelihood + two.log_likelihood,
                one.classification + two.classification,
            )

    local, halves = mg.mixture(X, 3, BOUNDS), mg.mixture(X, 3, BOUNDS, engine=Halves())
    assert halves.means == pytest.approx(local.means, rel=1e-6)
    assert halves.log_likelihood == pytest.approx(local.log_likelihood, rel=1e-12)
    assert halves.icl == pytest.approx(local.icl, rel=1e-6)
    assert halves.labels.shape == (0,)


def test_progress_is_one_line_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    fit = mg.mixture(X, 3, BOUNDS, init="ckmeans", progress=True)
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert f"iteration {fit.n_iter - 1:>6}" in shown


def test_a_sample_is_sorted_once_for_many_fits() -> None:
    sample = mg.Sample(X)
    assert np.array_equal(mg.mixture(sample, 3, BOUNDS).means, mg.mixture(X, 3, BOUNDS).means)
    with pytest.raises(mg.InvalidInputError, match="in addition to a Sample"):
        mg.mixture(sample, 3, sample_weight=np.ones(len(X)))
