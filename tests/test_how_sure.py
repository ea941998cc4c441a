"""What a mixture reports about itself: its search, its standard errors, its findings."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mindgap as mg
from mindgap.datasets import paper_model

X = paper_model("A", 800, rng=3).values
ORACLE = Path(__file__).parents[2] / "shared" / "oracle" / "mixtures.json"


def waiting() -> np.ndarray:
    if not ORACLE.exists():
        pytest.skip(f"{ORACLE} is absent")
    entries = json.loads(ORACLE.read_text(encoding="utf-8"))
    return np.array(next(entry["values"] for entry in entries if entry["data"] == "waiting" and "values" in entry))


def test_a_fit_says_how_it_was_found() -> None:
    fit = mg.mixture(X, 2)
    assert fit.converged
    assert fit.newton_decrement is not None
    assert fit.newton_decrement < 1e-8
    assert fit.starts > 10
    assert 1 <= fit.starts_at_best <= fit.starts
    assert fit.passes < 60
    assert "starts, of which" in fit.summary()
    one = mg.mixture(X, 2, init="ckmeans")
    assert (one.starts, one.starts_at_best, one.runner_up) == (1, 1, None)
    assert "starts, of which" not in one.summary()


def test_the_published_em_says_none_of_it() -> None:
    fit = mg.mixture(X, 2, method="paper")
    assert (fit.newton_decrement, fit.standard_errors, fit.findings, fit.runner_up) == (None, None, (), None)


def test_no_start_leads_higher() -> None:
    rng = np.random.default_rng(0)
    for name, k in (("B", 3), ("D", 5)):
        x = paper_model(name, 300, rng=5).values
        best = mg.mixture(x, k)
        for _ in range(15):
            means = np.sort(rng.choice(x, k, replace=False))
            tried = mg.mixture(x, k, init=(np.full(k, 1 / k), means, np.full(k, x.var() / k**2)))
            assert tried.log_likelihood <= best.log_likelihood + 1e-3


def test_a_component_that_holds_nothing_is_named() -> None:
    fit = mg.mixture(waiting(), 2, mg.LowerOnly(60))
    assert fit.status != "converged"
    assert "empty" in {finding.code for finding in fit.findings}
    assert any("points" in str(finding) for finding in fit.findings)
    assert str(fit.findings[0]) in fit.summary()


def test_a_wide_gap_keeps_both_components_of_old_faithful() -> None:
    fit = mg.mixture(waiting(), 2, mg.LowerOnly(28))
    assert fit.log_likelihood == pytest.approx(-1039.54, abs=0.01)
    assert fit.weights.min() > 0.3
    assert "bound-decides" in {finding.code for finding in fit.findings}


def test_a_spike_on_equal_values_is_named() -> None:
    x = np.append(np.random.default_rng(1).normal(0, 1, 300), np.full(40, 2.5))
    assert {"spike", "spread-at-bound"} <= {finding.code for finding in mg.mixture(x, 2).findings}


@pytest.mark.parametrize("step", [0.0254, 1.0, 1e-30])
def test_no_component_stands_on_the_lines_of_rounded_data(step: float) -> None:
    rng = np.random.default_rng(5)
    x = np.round(np.append(rng.normal(64, 2.8, 600), rng.normal(69, 3.1, 600))) * step
    for k in range(2, 7):
        fit = mg.mixture(x, k)
        assert fit.variances.min() >= (0.5 * step) ** 2 * (1 - 1e-9)
        assert "spike" not in {finding.code for finding in fit.findings}
        asked = mg.mixture(x, k, mg.SpreadRatio(10))
        assert asked.log_likelihood >= fit.log_likelihood - 1e-6
    assert "spike" in {finding.code for finding in asked.findings}


def test_one_component_is_the_sample_whatever_the_step() -> None:
    x = np.append(np.zeros(500), np.arange(5.0))
    assert mg.mixture(x, 1).variances[0] == pytest.approx(x.var(), rel=1e-9)


def test_standard_errors_are_those_of_the_bootstrap() -> None:
    x = np.concatenate([np.random.default_rng(2).normal(0, 1, 400), np.random.default_rng(3).normal(5, 1.5, 600)])
    fit = mg.mixture(x, 2)
    assert fit.standard_errors is not None
    drawn = fit.bootstrap(200, rng=4).standard_errors()
    for name in ("weights", "means", "variances"):
        np.testing.assert_allclose(getattr(fit.standard_errors, name), getattr(drawn, name), rtol=0.3)
    assert fit.findings == ()
    assert fit.status == "converged"


def numerical_errors(fit: mg.MixtureResult, x: np.ndarray, held: float | None, equal: bool) -> dict[str, np.ndarray]:
    """Standard errors by central differences, in free coordinates: k-1 weights, the means (a gap held), variances."""
    k = fit.k
    count = 1 if equal else k

    def unpacked(free: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        weights, rest = np.append(free[: k - 1], 1 - free[: k - 1].sum()), free[k - 1 :]
        means = rest[:k] if held is None else np.append(rest[: k - 1], rest[k - 2] + held)
        return weights, means, np.full(k, rest[-1]) if equal else rest[-k:]

    def height(free: np.ndarray) -> float:
        weights, means, variances = unpacked(free)
        density = weights * np.exp(-((x[:, None] - means) ** 2) / (2 * variances)) / np.sqrt(2 * np.pi * variances)
        return float(np.log(density.sum(axis=1)).sum())

    means = fit.means if held is None else fit.means[:-1]
    at = np.concatenate([fit.weights[:-1], means, fit.variances[:count]])
    steps = 1e-4 * np.eye(len(at))
    hessian = np.array(
        [
            [(height(at + a + b) - height(at + a - b) - height(at - a + b) + height(at - a - b)) / 4e-8 for b in steps]
            for a in steps
        ]
    )
    covariance = np.linalg.inv(-hessian)

    def error(which: int, combine: np.ndarray) -> np.ndarray:
        jacobian = np.array([(unpacked(at + step)[which] - unpacked(at - step)[which]) / 2e-4 for step in steps])
        return np.sqrt(np.diag(combine @ jacobian.T @ covariance @ jacobian @ combine.T))

    each = np.eye(k)
    parts = {name: error(which, each) for which, name in enumerate(("weights", "means", "variances"))}
    return parts | {"gaps": error(1, np.diff(each, axis=0))}


@pytest.mark.parametrize("equal", [False, True])
@pytest.mark.parametrize("held", [None, 4.3])
def test_standard_errors_are_those_of_numerical_derivatives(held: float | None, equal: bool) -> None:
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(0, 1, 200), rng.normal(5, 1.2, 300), rng.normal(9, 0.8, 250)])
    constraint = None if held is None else mg.PerGap([0, held])
    fit = mg.mixture(x, 3, constraint, variances="equal" if equal else "free")
    errors = fit.standard_errors
    assert errors is not None
    for name, expected in numerical_errors(fit, x, held, equal).items():
        np.testing.assert_allclose(getattr(errors, name), expected, rtol=1e-3, atol=1e-6, err_msg=name)
    assert errors.reliable == (held is None)


def test_standard_errors_say_where_they_are_unreliable() -> None:
    faithful = mg.mixture(waiting(), 2, mg.LowerOnly(28)).standard_errors
    assert faithful is not None
    assert "a bound is active" in faithful.unreliable
    assert faithful.gaps[0] < 1e-9
    empty = mg.mixture(waiting(), 2, mg.LowerOnly(60))
    assert empty.standard_errors is not None
    assert not empty.standard_errors.reliable
    assert empty.standard_errors.unreliable[0] in empty.summary()
    crowded = mg.mixture(paper_model("A", 200, rng=4).values, 4).standard_errors
    assert crowded is not None
    assert not crowded.reliable


def test_intervals_follow_from_the_standard_errors() -> None:
    fit = mg.mixture(paper_model("A", 5000, rng=1).values, 2)
    assert fit.standard_errors is not None
    intervals = fit.interval(0.95)
    np.testing.assert_allclose(np.diff(intervals.means, axis=1)[:, 0], 2 * 1.959964 * fit.standard_errors.means)
    for name in ("weights", "means", "variances", "gaps"):
        low, high = getattr(intervals, name).T
        assert (low < getattr(fit, name)).all()
        assert (getattr(fit, name) < high).all()
    assert (intervals.weights > 0).all()
    assert (intervals.weights < 1).all()
    with pytest.raises(mg.InvalidInputError, match="between 0 and 1"):
        fit.interval(1.0)
    with pytest.raises(mg.InvalidInputError, match="no standard errors"):
        mg.mixture(X, 2, method="paper").interval()
    alone = mg.mixture(X, 1).interval()
    np.testing.assert_array_equal(alone.weights, [[1.0, 1.0]])
    lost = mg.mixture(waiting(), 2, mg.LowerOnly(60)).interval()
    assert not any(np.isnan(getattr(lost, name)).any() for name in ("weights", "means", "variances", "gaps"))


def test_a_component_without_weight_leaves_nothing_to_gain() -> None:
    fit = mg.mixture(waiting(), 2, mg.LowerOnly(60))
    if fit.status == "lost-weight":
        assert fit.converged
    assert fit.newton_decrement is not None
    assert fit.newton_decrement < 1e-8


def test_a_component_without_weight_comes_back_where_it_is_wanted() -> None:
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.normal(0, 1, 400), rng.normal(6, 1, 200)])
    lost = mg.mixture(x, 2, init=([1 - 1e-16, 1e-16], [x.mean(), 6.0], [x.var(), 1.0]))
    assert lost.weights.min() > 0.2
    assert lost.log_likelihood == pytest.approx(mg.mixture(x, 2).log_likelihood, abs=1e-6)


def test_another_seed_may_be_asked_for() -> None:
    assert mg.mixture(X, 2, rng=7).settings == mg.mixture(X, 2, rng=7).settings
    drawn = mg.mixture(X, 2, rng=np.random.default_rng(1))
    assert drawn.settings is not None
    assert isinstance(drawn.settings.rng, int)
    assert mg.mixture(X, 2, rng=drawn.settings.rng).means.tolist() == drawn.means.tolist()


def three_groups() -> np.ndarray:
    """Draw three equal groups, the same seen from either side."""
    return np.concatenate([np.linspace(center - 0.5, center + 0.5, 60) for center in (-5.5, 0.0, 5.5)])


def test_a_mean_beyond_the_data_is_named() -> None:
    x = np.linspace(0, 1, 100)
    fit = mg.mixture(x, 2, mg.FixedWeights([0.5, 0.5]) & mg.LowerOnly(3))
    outside = [finding.component for finding in fit.findings if finding.code == "outside"]
    assert outside == [c for c in range(2) if not 0 <= fit.means[c] <= 1]
    assert outside
    assert fit.status == "doubtful"
    within = mg.mixture(x, 2, mg.FixedWeights([0.5, 0.5]))
    assert "outside" not in {finding.code for finding in within.findings}


def test_a_fit_that_is_about_as_good_is_named() -> None:
    x = three_groups()
    fit = mg.mixture(x, 2, mg.LowerOnly(6))
    [rival] = [finding for finding in fit.findings if finding.code == "rival"]
    assert fit.runner_up is not None
    assert rival.value == pytest.approx(fit.log_likelihood - fit.runner_up.log_likelihood, abs=1e-9)
    # The data are symmetric, and so is the choice of the group that stands alone.
    np.testing.assert_allclose(fit.runner_up.means, -fit.means[::-1], atol=1e-3)
    assert fit.standard_errors is not None
    assert "a different fit is about as good" in fit.standard_errors.unreliable
    clear = mg.mixture(x, 3)
    assert "rival" not in {finding.code for finding in clear.findings}


def test_a_component_that_the_data_do_not_determine_is_named() -> None:
    x = mg.datasets.paper_model("B", 500, rng=1).values
    fit = mg.mixture(x, 3, mg.TwoSided(1.9, 2.1))
    named = {finding.component for finding in fit.findings if finding.code == "undetermined"}
    errors = fit.standard_errors
    assert errors is not None
    moved = np.maximum(errors.means / np.sqrt(fit.variances), errors.weights / fit.weights)
    assert named == {c for c in range(3) if max(moved[c], errors.variances[c] / fit.variances[c]) >= 1}
    assert named
    assert mg.mixture(three_groups(), 3).findings == ()
