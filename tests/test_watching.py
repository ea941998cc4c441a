"""Callbacks see a fit as it runs and may stop it; a fit continues where another ended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindgap as mg

RNG = np.random.default_rng(4)
X = 1000.3 + RNG.normal(size=3000) + 2.2 * RNG.integers(0, 4, 3000)
GAP = mg.LowerOnly(2.0)
SOURCES: dict[str, Any] = {"memory": X, "chunks": mg.Chunks(X, size=512)}


def bits(fit: mg.MixtureResult) -> tuple[bytes, ...]:
    return tuple(getattr(fit, name).tobytes() for name in ("weights", "means", "variances"))


@pytest.mark.parametrize("method", ["best", "paper"])
@pytest.mark.parametrize("source", SOURCES)
def test_a_callback_sees_every_iterate_of_a_climb(source: str, method: Any) -> None:
    steps: list[mg.Step] = []
    start = mg.Parameters(np.full(4, 0.25), 1000 + 2.0 * np.arange(4), np.ones(4))
    fit = mg.mixture(SOURCES[source], 4, GAP, init=start, method=method, max_iter=8, tol=0, callback=steps.append)
    assert {step.stage for step in steps} == {"climb"}
    assert len(steps) >= 4
    heights = [step.log_likelihood for step in steps]
    assert heights == sorted(heights, key=lambda height: height or 0)
    for step in steps:
        assert step.parameters is not None
        assert step.parameters.k == 4
        assert (step.bound is None) == (method == "paper")
    assert steps[-1].parameters is not None
    np.testing.assert_allclose(steps[-1].parameters.means, fit.means, rtol=1e-3)
    assert bits(fit) == bits(mg.mixture(SOURCES[source], 4, GAP, init=start, method=method, max_iter=8, tol=0))


@pytest.mark.parametrize("method", ["best", "paper"])
@pytest.mark.parametrize("source", SOURCES)
def test_a_callback_stops_a_fit_which_keeps_what_it_has(source: str, method: Any) -> None:
    seen: list[mg.Step] = []

    def stop(step: mg.Step) -> bool:
        seen.append(step)
        return len(seen) == 2

    fit = mg.mixture(SOURCES[source], 4, GAP, method=method, init="ckmeans", tol=0, callback=stop)
    assert (fit.status, fit.converged) == ("time-limit", False)
    assert "go on from these parameters" in fit.message
    last = seen[-1].parameters
    assert last is not None
    np.testing.assert_array_equal(fit.means, last.means)
    again = mg.MixtureResult.from_json(fit.to_json())
    assert again.status == "time-limit"
    assert np.isfinite(fit.log_likelihood)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("constraint", [None, GAP, mg.TwoSided(2.0, 2.3), mg.FixedWeights([0.2, 0.3, 0.3, 0.2])])
def test_a_fit_by_iterations_goes_on_from_a_stored_result_to_the_bit(source: str, constraint: Any) -> None:
    settings: dict[str, Any] = {"method": "paper", "tol": 0}
    whole = mg.mixture(SOURCES[source], 4, constraint, max_iter=30, **settings)
    for after in (1, 13, 29):
        part = mg.mixture(SOURCES[source], 4, constraint, max_iter=after, **settings)
        stored = mg.MixtureResult.from_json(part.to_json())
        rest = mg.mixture(SOURCES[source], 4, constraint, init=stored, max_iter=30 - after, **settings)
        assert bits(rest) == bits(whole)
        assert rest.log_likelihood == whole.log_likelihood
        np.testing.assert_array_equal(np.append(part.history[:-1], rest.history), whole.history)


@pytest.mark.parametrize("source", SOURCES)
def test_a_climb_from_a_stored_result_is_that_from_the_result(source: str) -> None:
    stopped = mg.mixture(SOURCES[source], 4, GAP, callback=lambda step: True)
    stored = mg.MixtureResult.from_json(stopped.to_json())
    fits = [mg.mixture(SOURCES[source], 4, GAP, init=init) for init in (stopped, stored)]
    assert bits(fits[0]) == bits(fits[1])
    whole = mg.mixture(SOURCES[source], 4, GAP)
    assert fits[0].log_likelihood == pytest.approx(whole.log_likelihood, abs=1e-6)


@pytest.mark.parametrize("constraint", [None, mg.LowerOnly(2.5), mg.PerGap([2.5, 1, 1, 1])])
def test_kmeans_reports_cost_and_bound_and_can_be_stopped(constraint: Any) -> None:
    steps: list[mg.Step] = []
    result = mg.kmeans(X, 5, constraint, callback=steps.append)
    assert result.optimal
    for step in steps:
        assert step.stage == "search"
        assert step.cost is not None
        assert step.bound is not None
        assert step.bound <= result.inertia * (1 + 1e-9)
        assert step.cost >= result.inertia * (1 - 1e-9)
    if steps:
        try:
            early = mg.kmeans(X, 5, constraint, callback=lambda step: True)
        except mg.SolverError:
            return  # nothing was found by then
        assert early.inertia >= result.inertia * (1 - 1e-9)
        assert early.lower_bound <= result.inertia * (1 + 1e-9)


def test_a_search_for_free_centres_reports_until_its_bound_meets_the_cost() -> None:
    steps: list[mg.Step] = []
    x = np.random.default_rng(0).normal(size=20_000)
    result = mg.kmeans(x, 12, mg.PerGap([0.3] * 11, [0.5] * 11), callback=steps.append)
    bounds = [step.bound for step in steps if step.bound is not None]
    assert len(bounds) >= 2
    assert bounds == sorted(bounds)
    assert bounds[-1] <= result.inertia * (1 + 1e-9)


def test_a_certificate_can_be_stopped() -> None:
    stages = []

    def stop(step: mg.Step) -> bool:
        stages.append(step.stage)
        return step.stage == "certificate"

    mg.mixture(X[:60], 3, variances="equal", certify=True, callback=stop)
    assert "certificate" in stages


def test_a_callback_sees_components_that_pass_one_another_in_order() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(0, 1, 60), rng.normal(4, 3, 60)])
    seen: list[mg.Parameters | None] = []
    start = ([0.5, 0.5], [1.0, 1.1], [40.0, 0.2])
    mg.mixture(values, 2, mg.SpreadRatio(50), init=start, callback=lambda step: seen.append(step.parameters))
    assert seen
    assert all(parameters is not None and np.all(np.diff(parameters.means) >= 0) for parameters in seen)


def test_what_a_callback_raises_is_raised() -> None:
    def broken(step: mg.Step) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        mg.mixture(X, 3, callback=broken)
    with pytest.raises(mg.InvalidInputError, match="callback is of type int"):
        mg.mixture(X, 3, callback=3)  # type: ignore[arg-type]


def test_progress_of_kmeans_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    mg.kmeans(mg.Chunks(X, size=700), 3, progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "over the data" in captured.err
