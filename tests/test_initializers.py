"""The built-in initializers, and starts made of clusters."""

from __future__ import annotations

import numpy as np
import pytest

import mindgap as mg

X = np.array([0.0, 1.0, 2.0, 10.0, 12.0, 30.0])


def test_a_start_has_the_shares_means_and_variances_of_its_clusters() -> None:
    start = mg.Ckmeans().start(mg.Sample(X), 3, None)
    np.testing.assert_allclose(start.weights, [3 / 6, 2 / 6, 1 / 6])
    np.testing.assert_allclose(start.means, [1, 11, 30])
    np.testing.assert_allclose(start.variances[:2], [2 / 3, 1])
    assert start.variances[2] == pytest.approx(4 / 6), "a single point takes the average variance within clusters"


def test_the_constraint_is_held_by_one_and_not_by_the_other() -> None:
    constraint = mg.LowerOnly(20)
    held = mg.ConstrainedKMeans().start(mg.Sample(X), 2, constraint)
    free = mg.Ckmeans().start(mg.Sample(X), 2, constraint)
    assert np.diff(held.means) >= 20
    assert np.array_equal(free.means, mg.kmeans(X, 2).centers)


def test_a_separation_of_its_own_replaces_the_constraint() -> None:
    own = mg.initializer("constrained-kmeans:delta=20").start(mg.Sample(X), 2, mg.LowerOnly(1))
    held = mg.ConstrainedKMeans().start(mg.Sample(X), 2, mg.LowerOnly(20))
    assert np.array_equal(own.means, held.means)
    with pytest.raises(mg.InvalidInputError, match=r"delta is -1\.0"):
        mg.ConstrainedKMeans(delta=-1)


def test_whole_weights_are_repetitions() -> None:
    values, counts = np.array([0.0, 1.0, 5.0, 6.0]), np.array([2.0, 1.0, 3.0, 4.0])
    weighted = mg.Ckmeans().start(mg.Sample(values, counts), 2, None)
    repeated = mg.Ckmeans().start(mg.Sample(np.repeat(values, counts.astype(int))), 2, None)
    for field in ("weights", "means", "variances"):
        np.testing.assert_allclose(getattr(weighted, field), getattr(repeated, field), rtol=1e-12)


def test_data_far_from_zero_keep_their_variances() -> None:
    start = mg.Ckmeans().start(mg.Sample(X + 1e9), 2, None)
    np.testing.assert_allclose(start.variances, mg.Ckmeans().start(mg.Sample(X), 2, None).variances, rtol=1e-6)


def test_data_without_spread_have_a_start() -> None:
    assert mg.Ckmeans().start(mg.Sample(np.full(4, 2.0)), 1, None).variances[0] > 0


def test_the_paper_s_program_can_be_asked_for() -> None:
    sample = mg.Sample(np.array([0.0, 2.0, 2.0, 5.0, 6.0]))
    paper = mg.initializer("constrained-kmeans:method=paper").start(sample, 3, mg.LowerOnly(2.5))
    exact = mg.initializer("constrained-kmeans").start(sample, 3, mg.LowerOnly(2.5))
    assert not np.array_equal(paper.means, exact.means)


def test_a_base_class_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="Initializer does not implement start"):
        mg.Initializer().start(mg.Sample(X), 1, None)
