"""Samples and their copies in other processes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mindgap as mg

X = np.random.default_rng(4).normal(size=200)
W = np.arange(200.0) % 3


@pytest.mark.parametrize("weights", [None, W], ids=["", "weighted"])
def test_a_copy_keeps_the_order_of_the_points(weights: np.ndarray | None) -> None:
    sample = mg.Sample(X, weights)
    copy = pickle.loads(pickle.dumps(sample))
    assert copy.values.tobytes() == sample.values.tobytes()
    found, expected = mg.kmeans(copy, 3), mg.kmeans(X, 3, sample_weight=weights)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.centers.tobytes() == expected.centers.tobytes()
    np.testing.assert_array_equal(mg.mixture(copy, 2).labels, mg.mixture(X, 2, sample_weight=weights).labels)


def test_a_copy_of_cells_keeps_what_is_known_of_their_points() -> None:
    summary = mg.Summary.of(X, cells=16)
    sample = mg.Sample.of(summary)
    expected = mg.kmeans(summary, 3)
    summary.add(X + 100.0)  # the sample is of what there was
    found = mg.kmeans(pickle.loads(pickle.dumps(sample)), 3)
    assert (found.inertia, found.lower_bound) == (expected.inertia, expected.lower_bound)
    np.testing.assert_array_equal(found.sizes, expected.sizes)
