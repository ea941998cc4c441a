"""The local engine's moments against the plainest loop, and what engines have in common."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mindgap as mg

WEIGHTS, MEANS, VARIANCES = np.array([0.3, 0.7]), np.array([-1.0, 2.0]), np.array([0.5, 2.0])


def moments_one_by_one(x: list[float], sample_weight: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    sums, log_likelihood = np.zeros((3, 2)), 0.0
    for value, mass in zip(x, sample_weight, strict=True):
        densities = [
            p * math.exp(-((value - m) ** 2) / (2 * v)) / math.sqrt(2 * math.pi * v)
            for p, m, v in zip(WEIGHTS, MEANS, VARIANCES, strict=True)
        ]
        log_likelihood += mass * math.log(sum(densities))
        for component, density in enumerate(densities):
            share, offset = mass * density / sum(densities), value - MEANS[component]
            sums[:, component] += share, share * offset, share * offset**2
    return sums[0], sums[1], sums[2], log_likelihood


@pytest.mark.parametrize("weighted", [False, True])
def test_the_local_engine_says_what_the_loop_says(weighted: bool) -> None:
    rng = np.random.default_rng(3)
    x, mass = rng.normal(size=30), rng.uniform(0.5, 2, 30)
    engine = mg.engine("local")
    engine.load(x, mass if weighted else None)
    found = engine.moments(WEIGHTS, MEANS, VARIANCES)
    expected = moments_one_by_one(x.tolist(), mass.tolist() if weighted else [1.0] * 30)
    for answer, truth in zip((found.weight, found.first, found.second), expected[:3], strict=True):
        np.testing.assert_allclose(answer, truth, rtol=1e-12)
    assert found.log_likelihood == pytest.approx(expected[3], rel=1e-13)


def test_far_tails_are_finite() -> None:
    engine = mg.Local()
    engine.load([1e6], None)
    found = engine.moments(WEIGHTS, MEANS, VARIANCES)
    assert found.weight.tolist() == [0.0, 1.0]
    assert np.isfinite(found.log_likelihood)


def test_loading_checks_and_sorts() -> None:
    sample = mg.Local().load([3, 1, 2], [1, 0, 2])
    assert sample.values.tolist() == [2, 3]
    assert sample.weights is not None
    assert sample.weights.tolist() == [2, 1]
    assert len(sample) == 2
    assert repr(sample) == "Sample(2 values from 2 to 3, weighted)"
    with pytest.raises(ValueError, match="read-only"):
        sample.values[0] = 7
    with pytest.raises(mg.InvalidInputError, match="NaN at index 0"):
        mg.Local().load([np.nan], None)


def test_the_base_class_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="Engine does not answer load"):
        mg.Engine().load([1], None)
    with pytest.raises(NotImplementedError, match="Engine does not answer moments"):
        mg.Engine().moments(WEIGHTS, MEANS, VARIANCES)
    mg.Engine().close()
