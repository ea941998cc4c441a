"""`kmeans_rows` gives the same bits as `kmeans` of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindgap as mg

RNG = np.random.default_rng(7)
MATRIX = RNG.normal(size=(30, 60))
WEIGHTS = RNG.uniform(0.5, 2.0, size=MATRIX.shape)
MANY = RNG.normal(size=(300, 500))  # enough for threads


def assert_rows_agree(matrix: Any, result: Any, k: int, *args: Any, weights: Any = None, **kwargs: Any) -> None:
    for row, values in enumerate(matrix):
        weight = None if weights is None else np.broadcast_to(weights, matrix.shape)[row]
        alone = mg.kmeans(values, k, *args, sample_weight=weight, **kwargs)
        assert np.array_equal(result.labels[row], alone.labels)
        assert np.array_equal(result.centers[row], alone.centers)
        assert result.inertia[row] == alone.inertia
        assert result.lower_bound[row] == alone.lower_bound
        assert result.optimal[row] == alone.optimal


@pytest.mark.parametrize("matrix", [MATRIX, MATRIX.astype(np.float32), MATRIX.round(1), MANY[:, :50], MANY.T[:20]])
@pytest.mark.parametrize("k", [1, 2, 7])
def test_every_row_is_as_alone(matrix: Any, k: int) -> None:
    result = mg.kmeans_rows(matrix, k)
    assert result.labels.dtype == np.uint8
    assert (result.k, len(result)) == (k, len(matrix))
    assert_rows_agree(matrix, result, k)


@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS.astype(np.float32), WEIGHTS[0]])
def test_weights_of_values_and_of_columns(weights: Any) -> None:
    result = mg.kmeans_rows(MATRIX, 4, None, weights)
    assert_rows_agree(MATRIX, result, 4, weights=weights)


@pytest.mark.parametrize("centers", ["means", "free"])
def test_constraints(centers: Any) -> None:
    for constraint in (mg.LowerOnly(0.9), "two-sided:lower=0.5,upper=1.5"):
        result = mg.kmeans_rows(MATRIX, 3, constraint, centers=centers)
        assert_rows_agree(MATRIX, result, 3, constraint, centers=centers)


def test_threads_change_nothing() -> None:
    assert_rows_agree(MANY, mg.kmeans_rows(MANY, 5), 5)


def test_more_clusters_than_a_byte_numbers() -> None:
    matrix = RNG.normal(size=(2, 300))
    result = mg.kmeans_rows(matrix, 257)
    assert result.labels.dtype == np.uint32
    assert_rows_agree(matrix, result, 257)
    assert mg.kmeans_rows(matrix, 256).labels.max() == 255


def test_decoded_is_the_nearest_centre() -> None:
    result = mg.kmeans_rows(MATRIX, 6)
    nearest = np.abs(MATRIX[:, :, None] - result.centers[:, None, :]).min(axis=2)
    assert np.allclose(np.abs(MATRIX - result.decoded()), nearest)
    assert result.decoded(np.float32).dtype == np.float32


def test_the_first_faulty_row_is_named() -> None:
    bad = MANY.copy()
    bad[[250, 17, 40], 3] = np.nan
    with pytest.raises(mg.InvalidInputError, match="in row 17, the data hold NaN at index 3"):
        mg.kmeans_rows(bad, 3)
    with pytest.raises(mg.InfeasibleError, match="in row 0, ") as caught:
        mg.kmeans_rows(MANY, 3, mg.LowerOnly(100.0), centers="means")
    assert caught.value.k == 3


@pytest.mark.parametrize(
    ("x", "k", "weights", "message"),
    [
        ([1.0, 2.0], 1, None, "x has shape"),
        (np.ones((2, 0)), 1, None, "give at least one value in each row"),
        (MATRIX, 0, None, "k is 0"),
        (MATRIX, 61, None, "in row 0, k is 61, but there are only 60 points"),
        (MATRIX, 2, WEIGHTS[:, :5], "sample_weight has shape"),
        (MATRIX, 2, WEIGHTS[:2], "sample_weight has shape"),
        (MATRIX, 2, WEIGHTS[0, :5], "sample_weight has shape"),
        (MATRIX, 2, -WEIGHTS, "in row 0, the weight at index 0"),
        ([["a"]], 1, None, "x has dtype"),
    ],
)
def test_bad_input(x: Any, k: int, weights: Any, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.kmeans_rows(x, k, sample_weight=weights)


def test_a_constraint_must_hold_for_all_rows() -> None:
    class Half(mg.Constraint):
        name = "half-the-spread"

        def prepare(self, sample: mg.Sample) -> mg.Constraint:
            return mg.LowerOnly(0.5 * sample.variance() ** 0.5)

    with pytest.raises(mg.InvalidInputError, match="differ from row to row"):
        mg.kmeans_rows(MATRIX, 2, Half() & mg.LowerOnly(0.1))
    with pytest.raises(mg.InvalidInputError, match="fit a mixture"):
        mg.kmeans_rows(MATRIX, 2, mg.EqualSpreads())


def test_no_rows_are_no_work_and_results_are_read_only() -> None:
    empty = mg.kmeans_rows(np.empty((0, 5)), 2)
    assert (empty.labels.shape, empty.centers.shape, len(empty)) == ((0, 5), (0, 2), 0)
    result = mg.kmeans_rows(MATRIX, 2)
    assert not result.labels.flags.writeable
    assert repr(result) == "KMeansRows(30 rows of 60 values, k=2, 30 proven optimal)"
