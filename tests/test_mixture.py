"""What a mixture fit promises: the truth found, the constraint held, the same bits always."""

from __future__ import annotations

import os
import subprocess
import sys

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


def test_likelihood_rises_and_the_constraint_is_held() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        k = int(rng.integers(2, 6))
        x = np.concatenate([rng.normal(rng.normal(0, 4), rng.uniform(0.3, 2), 30) for _ in range(k)])
        lower = rng.uniform(0, 2, k - 1)
        upper = lower + np.where(rng.random(k - 1) < 0.4, np.inf, rng.uniform(0, 2, k - 1))
        fit = mg.mixture(x, k, mg.PerGap(lower, upper), init="ckmeans", max_iter=100)
        scale = np.ptp(x)
        assert np.all(fit.gaps >= lower - 1e-10 * scale)
        assert np.all(fit.gaps <= upper + 1e-10 * scale)
        # The start need not be feasible; everything after the first M step is.
        steps = np.diff(fit.history[1:])
        assert np.all(steps >= -1e-11 * np.abs(fit.history[1:-1]))


@pytest.mark.parametrize(("scale", "shift"), [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e8)])
def test_units_do_not_matter(scale: float, shift: float) -> None:
    plain = mg.mixture(X, 3, BOUNDS)
    moved = mg.mixture(X * scale + shift, 3, mg.TwoSided(1.9 * scale, 2.1 * scale))
    # A climb ends within 1e-8 log units of the top, and data shifted by 1e8 have lost seven digits of themselves.
    tolerance = 1e-8 if shift == 0 else 1e-6
    assert (moved.means - shift) / scale == pytest.approx(plain.means, rel=tolerance, abs=tolerance)
    assert moved.variances / scale**2 == pytest.approx(plain.variances, rel=tolerance)
    assert moved.weights == pytest.approx(plain.weights, rel=tolerance)
    assert np.array_equal(moved.labels, plain.labels)


def test_the_order_of_the_input_moves_no_bit() -> None:
    shuffled = np.random.default_rng(1).permutation(len(X))
    one, two = mg.mixture(X, 3, BOUNDS), mg.mixture(X[shuffled], 3, BOUNDS)
    assert np.array_equal(one.means, two.means)
    assert np.array_equal(one.history, two.history)
    assert np.array_equal(one.labels[shuffled], two.labels)


def test_the_number_of_threads_moves_no_bit() -> None:
    script = (
        "import mindgap as mg; from mindgap.datasets import paper_model;"
        "fit = mg.mixture(paper_model('D', 200_000, 1).values, 5, mg.LowerOnly(1.95), max_iter=5);"
        "print(fit.means.tobytes().hex(), fit.variances.tobytes().hex(), fit.history.tobytes().hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "RAYON_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "4")
    }
    assert len(outputs) == 1


def test_weights_are_repetitions() -> None:
    counts = np.random.default_rng(2).integers(0, 4, len(X))
    start = ([0.4, 0.2, 0.4], [0.0, 2.0, 4.0], [1.0, 1.0, 1.0])
    weighted = mg.mixture(X, 3, BOUNDS, sample_weight=counts, init=start)
    repeated = mg.mixture(np.repeat(X, counts), 3, BOUNDS, init=start)
    assert weighted.means == pytest.approx(repeated.means, rel=1e-8)
    for criterion in ("log_likelihood", "bic", "aic", "icl"):
        assert getattr(weighted, criterion) == pytest.approx(getattr(repeated, criterion), rel=1e-10)
    assert np.array_equal(np.repeat(weighted.labels, counts), repeated.labels)


def test_few_distinct_values_fit_as_they_stand() -> None:
    rng = np.random.default_rng(3)
    x = np.round(paper_model("B", 4000, rng=4).values, 1)
    start = ([0.4, 0.2, 0.4], [0.0, 2.0, 4.0], [1.0, 1.0, 1.0])
    together = mg.mixture(x, 3, BOUNDS, init=start)
    apart = mg.mixture(x + rng.normal(0, 1e-12, len(x)), 3, BOUNDS, init=start)
    assert together.n_iter == apart.n_iter
    assert together.means == pytest.approx(apart.means, rel=1e-8)


def test_one_component_is_the_normal_distribution() -> None:
    fit = mg.mixture(X, 1)
    assert fit.means[0] == pytest.approx(X.mean())
    assert fit.variances[0] == pytest.approx(X.var())
    assert fit.labels.max() == 0
    assert fit.gaps.shape == (0,)


def test_equal_variances_are_equal() -> None:
    fit = mg.mixture(X, 3, BOUNDS, variances="equal")
    assert len(set(fit.variances.tolist())) == 1
    assert fit.n_parameters == 6


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


def test_json_keeps_everything() -> None:
    fit = mg.mixture(X, 3, BOUNDS)
    stored = mg.MixtureResult.from_json(fit.to_json())
    for name in ("weights", "means", "variances", "labels", "history", "gaps"):
        assert np.array_equal(getattr(fit, name), getattr(stored, name))
    assert (stored.bounds, stored.status, stored.active) == (fit.bounds, fit.status, fit.active)
    assert stored.bic == fit.bic
    assert np.array_equal(stored.predict(X), fit.labels)


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
