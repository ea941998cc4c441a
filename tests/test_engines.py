"""The local engine against a plain loop, and what all engines share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindgap as mg

if TYPE_CHECKING:
    from collections.abc import Callable

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
    with pytest.raises(NotImplementedError, match="Engine does not implement load"):
        mg.Engine().load([1], None)
    with pytest.raises(NotImplementedError, match="Engine does not implement moments"):
        mg.Engine().moments(WEIGHTS, MEANS, VARIANCES)
    mg.Engine().close()


def test_a_subclass_of_the_local_engine_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    class Loud(mg.Local):
        name = "loud"

        def moments(self, weights: np.ndarray, means: np.ndarray, variances: np.ndarray) -> mg.Moments:
            print("asked")
            return super().moments(weights, means, variances)

    x = np.random.default_rng(1).normal(size=200)
    fit = mg.mixture(x, 2, engine=Loud(), method="paper", max_iter=5, tol=0)
    assert capsys.readouterr().out == "asked\n" * 6
    np.testing.assert_allclose(fit.means, mg.mixture(x, 2, method="paper", max_iter=5, tol=0).means, rtol=1e-12)


class Split(mg.Engine):
    """Two halves of the data, summarised; `looks` counts the closer looks."""

    name = "split"
    looks = 0

    def load(self, x: np.ndarray, sample_weight: np.ndarray | None) -> mg.Summary:
        self.parts = np.array_split(x, 2)
        return mg.Summary.merged(mg.Summary.of(part, cells=64) for part in self.parts)

    def moments(self, weights: np.ndarray, means: np.ndarray, variances: np.ndarray) -> mg.Moments:
        raise AssertionError("k-means needs no moments")

    def zoom(self, windows: np.ndarray) -> list[mg.Summary]:
        self.looks += 1
        first, second = (mg.Summary.of_windows(part, windows, cells=64) for part in self.parts)
        return [mg.Summary.merged(pair) for pair in zip(first, second, strict=True)]

    def labels(self, predict: Callable[[Any], np.ndarray]) -> list[np.ndarray]:
        return [predict(part) for part in self.parts]


@pytest.mark.parametrize("constraint", [None, mg.LowerOnly(1.2)])
def test_kmeans_looks_closer_until_it_is_proven(constraint: mg.Constraint | None) -> None:
    x = np.random.default_rng(2).normal(size=3000)
    engine = Split()
    there, here = mg.kmeans(x, 3, constraint, engine=engine), mg.kmeans(x, 3, constraint)
    assert engine.looks > 0
    assert there.optimal
    np.testing.assert_allclose(there.centers, here.centers, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(np.concatenate(there.labels), here.labels)
    assert mg.KMeansResult.from_json(there.to_json()).labels.size == 0


class NoCloserLook(Split):
    name = "no-closer-look"
    zoom = mg.Engine.zoom


def test_without_a_closer_look_the_bound_is_honest() -> None:
    x = np.random.default_rng(2).normal(size=3000)
    there, here = mg.kmeans(x, 3, engine=NoCloserLook()), mg.kmeans(x, 3)
    assert not there.optimal
    assert there.lower_bound <= here.inertia <= there.inertia


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (None, "returned None from zoom: not a list of mindgap.Summary"),
        ([], "0 summaries for"),
        ([3], "not a list of mindgap.Summary"),
    ],
)
def test_a_closer_look_must_be_summaries(answer: Any, fault: str) -> None:
    class Wrong(Split):
        name = "wrong"

        def zoom(self, windows: np.ndarray) -> Any:
            return answer

    with pytest.raises(mg.PluginError, match=fault):
        mg.kmeans(np.random.default_rng(2).normal(size=3000), 3, engine=Wrong())


class Forgetful(Split):
    """Answers a closer look with other points than those that it loaded."""

    name = "forgetful"

    def zoom(self, windows: np.ndarray) -> list[mg.Summary]:
        return [mg.Summary.of([window[0]]) for window in windows]


def test_a_closer_look_at_other_points_is_found_out() -> None:
    with pytest.raises(mg.PluginError, match=r"^engine 'forgetful' .* returned an invalid summary from zoom"):
        mg.kmeans(np.random.default_rng(2).normal(size=3000), 3, engine=Forgetful())


@pytest.mark.parametrize("init", ["auto", "ckmeans", "constrained-kmeans"])
def test_an_initializer_is_not_blamed_for_a_closer_look(init: str) -> None:
    x = np.random.default_rng(2).normal(size=3000)
    with pytest.raises(mg.PluginError, match=r"^engine 'forgetful' .* returned an invalid summary from zoom"):
        mg.mixture(x, 3, mg.LowerOnly(0.1), init=init, method="paper", engine=Forgetful())


@pytest.mark.parametrize(
    "answer",
    [
        np.array([0.0, 1.0]),
        np.array([[0, 1]]),
        np.array([0, 3]),
        np.array([-1, 0]),
        np.array([None]),
        np.array(["a"]),
    ],
    ids=str,
)
def test_labels_in_an_array_must_be_clusters(answer: Any) -> None:
    class Mislabelled(Split):
        name = "mislabelled"

        def labels(self, predict: Callable[[Any], np.ndarray]) -> Any:
            return answer

    with pytest.raises(mg.PluginError, match=r"^engine 'mislabelled' .* from labels: not integers from 0 to 2"):
        mg.kmeans(np.arange(9.0), 3, engine=Mislabelled())


def test_an_engine_is_not_blamed_for_the_start_that_it_is_given() -> None:
    descending = ([0.5, 0.5], [1.0, 0.0], [1.0, 1.0])
    with pytest.raises(mg.InvalidInputError, match="do not ascend") as caught:
        mg.mixture(np.arange(9.0), 2, init=descending, engine=Split())
    assert not isinstance(caught.value, mg.PluginError)
