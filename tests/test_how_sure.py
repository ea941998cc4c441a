"""What a mixture says about itself: how it was found, how sure it is, and what asks for a second look."""

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


def test_standard_errors_are_those_of_the_bootstrap() -> None:
    x = np.concatenate([np.random.default_rng(2).normal(0, 1, 400), np.random.default_rng(3).normal(5, 1.5, 600)])
    fit = mg.mixture(x, 2)
    assert fit.standard_errors is not None
    drawn = fit.bootstrap(200, rng=4).standard_errors()
    for name in ("weights", "means", "variances"):
        np.testing.assert_allclose(getattr(fit.standard_errors, name), getattr(drawn, name), rtol=0.3)
    assert fit.findings == ()
    assert fit.status == "converged"


def test_it_is_all_stored() -> None:
    fit = mg.mixture(paper_model("D", 300, rng=5).values, 5)
    again = mg.MixtureResult.from_json(fit.to_json())
    assert (again.newton_decrement, again.passes) == (fit.newton_decrement, fit.passes)
    assert (again.starts, again.starts_at_best, again.findings) == (fit.starts, fit.starts_at_best, fit.findings)
    assert fit.runner_up is not None
    assert again.runner_up is not None
    assert again.runner_up.log_likelihood == fit.runner_up.log_likelihood <= fit.log_likelihood
    assert fit.standard_errors is not None
    assert again.standard_errors is not None
    np.testing.assert_array_equal(again.standard_errors.means, fit.standard_errors.means)


def test_one_more_component_never_costs_likelihood() -> None:
    for name in ("A", "D"):
        x = paper_model(name, 250, rng=8).values
        for constraint in (None, mg.LowerOnly(1.5)):
            path = mg.select(x, range(1, 6), constraint)
            heights = [result.log_likelihood for result in path.results if result is not None]
            assert (np.diff(heights) >= -1e-6).all()
            for k, result in zip(path.ks, path.results, strict=True):
                assert result is not None
                assert result.log_likelihood >= mg.mixture(x, k, constraint).log_likelihood - 1e-9


def test_another_seed_may_be_asked_for() -> None:
    assert mg.mixture(X, 2, rng=7).settings == mg.mixture(X, 2, rng=7).settings
    drawn = mg.mixture(X, 2, rng=np.random.default_rng(1))
    assert drawn.settings is not None
    assert isinstance(drawn.settings.rng, int)
    assert mg.mixture(X, 2, rng=drawn.settings.rng).means.tolist() == drawn.means.tolist()
