"""Constraints on the weights and spreads of a mixture."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mindgap as mg
from command_line import Command


@pytest.fixture
def x() -> np.ndarray:
    rng = np.random.default_rng(5)
    return np.concatenate([rng.normal(0, 1, 120), rng.normal(3, 0.5, 80), rng.normal(6, 1.5, 100)])


def spreads(fit: mg.MixtureResult) -> np.ndarray:
    return np.sqrt(fit.variances)


def test_weights_are_held(x: np.ndarray) -> None:
    fixed = mg.mixture(x, 3, mg.FixedWeights([0.2, 0.5, 0.3]))
    assert fixed.weights.tolist() == [0.2, 0.5, 0.3]
    bounded = mg.mixture(x, 3, mg.WeightBounds([0.5, 0, 0], [1, 0.2, 1]))
    assert bounded.weights[0] >= 0.5 - 1e-12
    assert bounded.weights[1] <= 0.2 + 1e-12
    tied = mg.mixture(x, 3, mg.LowerOnly(2) & mg.WeightRatio(0, 2, 2.0))
    assert tied.weights[0] == pytest.approx(2 * tied.weights[2], abs=1e-10)


def test_spreads_are_held(x: np.ndarray) -> None:
    free = mg.mixture(x, 3)
    bound = spreads(mg.mixture(x, 3, mg.SpreadRatio(1.5)))
    assert bound.max() / bound.min() <= 1.5 + 1e-12
    fixed = spreads(mg.mixture(x, 3, mg.FixedSpreads([1, None, 1.5])))
    assert (fixed[0], fixed[2]) == pytest.approx((1, 1.5), abs=1e-10)
    equal, pooled = mg.mixture(x, 3, mg.EqualSpreads()), mg.mixture(x, 3, variances="equal")
    assert np.ptp(equal.variances) < 1e-12
    assert equal.log_likelihood == pytest.approx(pooled.log_likelihood, abs=1e-3)
    assert free.log_likelihood >= equal.log_likelihood


def test_everything_at_once_by_name_and_on_the_command_line(x: np.ndarray, command: Command, tmp_path: Path) -> None:
    specs = ["lower-only:delta=2.5", "fixed-weights:weights=[0.4,0.3,0.3]", "spread-ratio:ratio=2"]
    fit = mg.mixture(x, 3, " & ".join(specs))
    assert (fit.gaps >= 2.5 - 1e-9).all()
    assert fit.weights.tolist() == [0.4, 0.3, 0.3]
    assert spreads(fit).max() <= 2 * spreads(fit).min() * (1 + 1e-12)
    file = tmp_path / "x.csv"
    np.savetxt(file, x)
    ended = command("mixture", file, "-k", 3, "--json", *(part for spec in specs for part in ("--constraint", spec)))
    assert json.loads(ended.out)["means"] == pytest.approx(fit.means.tolist(), abs=1e-9)


def test_a_bootstrap_keeps_the_weights(x: np.ndarray) -> None:
    fit = mg.mixture(x, 3, mg.LowerOnly(2) & mg.FixedWeights([0.4, 0.3, 0.3]))
    replicates = fit.bootstrap(5, rng=1).replicates
    assert np.allclose(replicates.weights, [0.4, 0.3, 0.3])


def test_a_plugin_answers_for_weights_and_precisions(x: np.ndarray) -> None:
    class Halving(mg.Constraint):
        name = "halving"

        def weight_rows(self, k: int) -> mg.LinearRows:
            return mg.LinearRows(np.eye(k - 1, k) - 2 * np.eye(k - 1, k, 1), np.zeros(k - 1), np.zeros(k - 1))

        def precision_rows(self, k: int) -> mg.LinearRows:
            return mg.LinearRows([[1, 0, -4]], [0], [0])

    fit = mg.mixture(x, 3, Halving())
    assert fit.weights == pytest.approx(np.array([4, 2, 1]) / 7, abs=1e-10)
    assert spreads(fit)[2] == pytest.approx(2 * spreads(fit)[0], rel=1e-9)


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (lambda: mg.FixedWeights([0.5, 0.6]), "sum to 1.1"),
        (lambda: mg.FixedWeights([1, 0]), "must be positive"),
        (lambda: mg.WeightBounds([0.5, 0.2], [0.4, 1]), "0 <= lower <= upper <= 1"),
        (lambda: mg.WeightRatio(1, 1, 2), "two different components"),
        (lambda: mg.SpreadRatio(0.5), "at least 1"),
        (lambda: mg.FixedSpreads([-1]), "must be positive"),
    ],
)
def test_what_makes_no_sense_is_refused(constraint: Callable[[], mg.Constraint], words: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=words):
        constraint()


def test_what_nobody_can_hold_is_named(x: np.ndarray) -> None:
    with pytest.raises(mg.InvalidInputError, match="2 weights were given for 3 components"):
        mg.mixture(x, 3, mg.FixedWeights([0.5, 0.5]))
    with pytest.raises(mg.InfeasibleError, match="no weights satisfy"):
        mg.mixture(x, 3, mg.FixedWeights([0.4, 0.3, 0.3]) & mg.WeightBounds([0.5, 0, 0], [1, 1, 1]))
    with pytest.raises(mg.InfeasibleError, match="no spreads satisfy"):
        mg.mixture(x, 3, mg.FixedSpreads([1, None, 9]) & mg.SpreadRatio(2))
    with pytest.raises(mg.InvalidInputError, match="k-means does not have"):
        mg.kmeans(x, 3, mg.LowerOnly(1) & mg.SpreadRatio(2))
