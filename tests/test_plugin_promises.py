"""What fits guarantee to plugins: no return value is lost, and no fit sees the data of another."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from command_line import Command

X = np.array([0.0, 1.0, 1.5, 4.0, 5.0, 9.0, 9.5, 13.0])


class Both(mg.Constraint):
    """Gaps of two at least, and a first centre at one."""

    name = "both"

    def gaps(self, k: int) -> mg.GapBounds:
        return mg.GapBounds(np.full(k - 1, 2.0))

    def rows(self, k: int) -> mg.LinearRows:
        return mg.LinearRows(np.eye(k)[:1], [1.0], [1.0])


def test_a_constraint_may_answer_both_gaps_and_rows() -> None:
    for centers in (mg.kmeans(X, 3, Both()).centers, mg.mixture(X, 3, Both()).means):
        assert centers[0] == pytest.approx(1.0)
        assert (np.diff(centers) >= 2 - 1e-9).all()
    rows = mg.mixture(X, 3, Both()).rows
    assert rows == mg.LinearRows([[-1, 1, 0], [0, -1, 1], [1, 0, 0]], [2, 2, 1], [np.inf, np.inf, 1])


class Waits(mg.Local):
    """Stops in `load` until it is told to go on."""

    name = "waits"

    def __init__(self) -> None:
        self.loading, self.go_on = threading.Event(), threading.Event()

    def load(self, x: Any, sample_weight: Any) -> mg.Sample:
        self.loading.set()
        assert self.go_on.wait(20)
        return super().load(x, sample_weight)


def test_an_engine_object_serves_one_fit_at_a_time() -> None:
    engine, found = Waits(), []
    fit = threading.Thread(target=lambda: found.append(mg.kmeans(X, 2, engine=engine)))
    fit.start()
    assert engine.loading.wait(20)
    with pytest.raises(mg.InvalidInputError, match="this object of the engine 'waits' is in use by another fit"):
        mg.mixture(X, 2, engine=engine)
    engine.go_on.set()
    fit.join(20)
    assert found[0].inertia == mg.kmeans(X, 2).inertia
    assert mg.kmeans(X, 3, engine=engine).inertia == mg.kmeans(X, 3).inertia  # afterwards it is free again


def test_an_engine_is_free_again_after_a_fit_that_failed() -> None:
    engine = type("Own", (mg.Local,), {"name": "own"})()
    for _ in range(2):
        with pytest.raises(mg.InvalidInputError, match="NaN at index 0"):
            mg.kmeans([np.nan], 1, engine=engine)


class Labels(mg.Local):
    name = "labels"

    def __init__(self, count: int) -> None:
        self.count = count

    def labels(self, predict: Any) -> Any:
        return np.zeros(self.count, dtype=np.int32)


@pytest.mark.parametrize("count", [0, 7, 9])
def test_labels_are_one_for_each_point(count: int) -> None:
    for fit in (mg.kmeans, mg.mixture):
        with pytest.raises(mg.PluginError, match=f"engine 'labels' .* from labels: {count} labels for 8 points"):
            fit(X, 2, engine=Labels(count))
    assert len(mg.kmeans(X, 2, engine=Labels(8)).labels) == 8
    # Points of weight zero have labels, too, though no fit sees them.
    assert len(mg.kmeans(X, 2, sample_weight=[0, 1, 1, 1, 1, 1, 1, 1], engine=Labels(8)).labels) == 8


class Deviations(mg.Constraint):
    """Neighbouring centres are at least `least` standard deviations of the data apart."""

    name = "deviations"

    def __init__(self, least: float) -> None:
        self.least = mg.validation.as_number(least, "least")

    def prepare(self, sample: mg.Sample) -> mg.Constraint:
        return mg.LowerOnly(self.least * sample.variance() ** 0.5)


def bound(x: np.ndarray) -> float:
    return 0.9 * float(np.std(x))


@pytest.mark.usefixtures("fresh_host")
def test_a_constraint_may_depend_on_the_data(command: Command) -> None:
    mg.register(Deviations)
    for spec in (Deviations(0.9), "deviations:least=0.9"):
        for scale in (1.0, 7.0):
            x = X * scale
            assert mg.kmeans(x, 3, spec).inertia == mg.kmeans(x, 3, mg.LowerOnly(bound(x))).inertia
            fit = mg.mixture(x, 3, spec)
            np.testing.assert_array_equal(fit.means, mg.mixture(x, 3, mg.LowerOnly(bound(x))).means)
            assert fit.bounds is not None
            assert fit.bounds.lower.tolist() == [bound(x)] * 2
    lines = "\n".join(map(str, X)).encode()
    for name in ("kmeans", "mixture"):
        ended = command(name, "-", "-k", 3, "--constraint", "deviations:least=0.9", stdin=lines)
        assert (ended.code, ended.err) == (0, "")


def test_each_bootstrap_replicate_has_its_own_bounds() -> None:
    asked = []

    class Counting(Deviations):
        def prepare(self, sample: mg.Sample) -> mg.Constraint:
            asked.append(sample.variance())
            return super().prepare(sample)

    x = np.concatenate([X, X + 0.3, X - 0.2])
    fit = mg.mixture(x, 2, Counting(0.9))
    fit.bootstrap(10, 1, x=x)
    assert len(asked) == 11
    assert len(set(asked)) > 5
    stored = mg.MixtureResult.from_json(fit.to_json())
    assert stored.bounds == fit.bounds
    stored.bootstrap(3, 1, x=x)
    assert len(asked) == 11


@pytest.mark.parametrize(("answer", "fault"), [(None, "returned None from prepare"), (1 / 3, "returned 0.3")])
def test_what_prepare_returns_must_be_a_constraint(answer: Any, fault: str) -> None:
    odd = type("Odd", (Deviations,), {"prepare": lambda self, sample: answer})(1.0)
    with pytest.raises(mg.PluginError, match=rf"constraint 'deviations' .* {fault}.*: not a mindgap\.Constraint"):
        mg.kmeans(X, 2, odd)


def test_what_the_data_cannot_hold_is_the_plugins() -> None:
    with pytest.raises(mg.InfeasibleError, match=r"constraint 'deviations' .* is infeasible") as caught:
        mg.kmeans(X, 3, Deviations(9.0), centers="means")
    assert isinstance(caught.value, mg.PluginError)


def test_a_plugin_may_use_any_attribute_of_its_own() -> None:
    class Busy(mg.Local):
        name = "busy"

        def __init__(self, size: int = 2) -> None:
            self.size = size
            self._values = self._key = self._parts = [1.0]

    engine = Busy()
    assert repr(engine) == "Busy(size=2)"
    assert engine == engine
    assert mg.kmeans(X, 2, engine=engine).inertia == mg.kmeans(X, 2).inertia


def test_each_fold_has_its_own_bounds() -> None:
    model_selection = pytest.importorskip("sklearn.model_selection")
    from mindgap.sklearn import GaussianMixture1D, KMeans1D

    asked: list[float] = []

    class Counting(Deviations):
        def prepare(self, sample: mg.Sample) -> mg.Constraint:
            asked.append(sample.variance())
            return super().prepare(sample)

    x = np.concatenate([X, 2 * X, 3 * X])[:, None]
    for estimator in (GaussianMixture1D(2, constraint=Counting(0.5)), KMeans1D(2, constraint=Counting(0.5))):
        asked.clear()
        model_selection.cross_val_score(estimator, x, cv=3)
        assert len(asked) == len(set(asked)) == 3
