"""Many points, which are clustered without a sort: the same results in every order, labels on request."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import numpy as np
import pytest

import mindgap as mg

N = 50_000
RNG = np.random.default_rng(4)
X = np.concatenate([RNG.normal(3 * group, 1, N // 5) for group in range(5)])
W = RNG.uniform(0.5, 2, N)


def facts(fit: mg.KMeansResult) -> tuple[Any, ...]:
    arrays = (fit.centers, fit.boundaries, fit.sizes, fit.within, fit.gaps, fit.weights)
    return fit.inertia, fit.lower_bound, fit.optimal, *(array.tobytes() for array in arrays)


@pytest.mark.parametrize("constraint", [None, mg.LowerOnly(3.1)])
@pytest.mark.parametrize("weights", [None, W])
def test_the_order_of_the_points_does_not_show(constraint: mg.Constraint | None, weights: Any) -> None:
    order = np.random.default_rng(5).permutation(N)
    here = mg.kmeans(X, 5, constraint, sample_weight=weights)
    there = mg.kmeans(X[order], 5, constraint, sample_weight=None if weights is None else weights[order])
    assert here.optimal
    assert facts(here) == facts(there)
    assert np.array_equal(here.labels[order], there.labels)
    if weights is None:
        ascending = mg.kmeans(np.sort(X), 5, constraint)
        assert facts(here) == facts(ascending)
        assert (np.diff(ascending.labels) >= 0).all()


def test_labels_centres_and_cost_are_those_of_the_points() -> None:
    fit = mg.kmeans(X, 5, sample_weight=W)
    assert np.array_equal(fit.labels, np.abs(X[:, None] - fit.centers).argmin(axis=1))
    assert np.array_equal(fit.labels, fit.predict(X))
    assert np.array_equal(fit.sizes, np.bincount(fit.labels))
    means = np.bincount(fit.labels, W * X) / np.bincount(fit.labels, W)
    assert np.allclose(fit.centers, means, rtol=1e-13, atol=1e-13)
    assert fit.inertia == pytest.approx((W * (X - means[fit.labels]) ** 2).sum(), rel=1e-12)


@pytest.mark.parametrize("far", [1e3, 1e6, 1e8])
def test_an_outlier_is_a_cluster_of_its_own(far: float) -> None:
    x = np.append(X, far)
    fit = mg.kmeans(x, 6)
    assert fit.optimal
    assert fit.sizes[-1] == 1
    assert fit.centers[-1] == far
    inner = mg.kmeans(X, 5)
    assert fit.inertia == pytest.approx(inner.inertia, rel=1e-9)
    assert np.array_equal(fit.labels[:-1], inner.labels)


def test_a_fit_leaves_the_data_as_they_were_given() -> None:
    sample = mg.Sample(X, W)
    first = mg.kmeans(sample, 5)
    assert (np.diff(sample.values) >= 0).all()
    assert facts(mg.kmeans(sample, 5)) == facts(first)
    assert np.array_equal(mg.kmeans(sample, 5).labels, first.labels)


@pytest.mark.parametrize("n", [6, N])
def test_labels_are_left_out_if_none_are_asked_for(n: int) -> None:
    x = X[:: N // n].copy()
    labelled = mg.kmeans(x, 3)
    fit = mg.kmeans(x, 3, labels=False)
    assert len(fit.labels) == 0
    assert facts(fit) == facts(labelled)
    assert np.array_equal(fit.predict(x), labelled.labels)
    x[1] = np.nan
    assert len(mg.kmeans(x, 3, missing="drop", labels=False).labels) == 0
    assert mg.kmeans(x, 3, missing="drop").labels[1] == -1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_value_among_many_is_named(bad: float) -> None:
    x = X.copy()
    x[N - 3] = bad
    with pytest.raises(mg.InvalidInputError, match=f"at index {N - 3}"):
        mg.kmeans(x, 5)


def test_a_summary_of_a_fit_without_labels_is_complete() -> None:
    fit = mg.kmeans(X, 5, labels=False)
    assert "proven optimal" in fit.summary()
    again = mg.KMeansResult.from_json(fit.to_json())
    assert again.inertia == fit.inertia
    assert len(again.labels) == 0


@pytest.mark.parametrize("weighted", [False, True])
def test_an_array_that_another_thread_changes_harms_nothing(weighted: bool) -> None:
    kept = np.random.default_rng(0).normal(size=100_000)
    x = kept.copy()
    weights = np.ones(len(x)) if weighted else None
    done = threading.Event()

    def write() -> None:
        rng = np.random.default_rng(1)
        strange = np.array([np.nan, np.inf, -1e300, 1e-310, 7.0, 0.0])
        while not done.is_set():
            places = rng.integers(0, len(x), 3)
            x[places] = rng.choice(strange, 3)
            x[places] = kept[places]
            if weights is not None:
                weights[places] = rng.choice(strange, 3)
                weights[places] = 1.0

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for k in [*range(1, 20), 60]:
            with contextlib.suppress(mg.InvalidInputError):
                labels = mg.kmeans(x, k, sample_weight=weights).labels
                assert len(labels) == len(x)
                assert 0 <= labels.min() <= labels.max() < k
    finally:
        done.set()
        writer.join()
