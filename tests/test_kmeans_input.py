"""Input that k-means refuses, with the message for each, and input that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindgap as mg

X = [1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1.0, float("nan"), 2.0], "the data hold NaN at index 1"),
        ([1.0, float("inf")], "the data hold inf at index 1"),
        ([float("-inf"), 1.0], "the data hold -inf at index 0"),
        ([], "the data are empty"),
        (3.0, "x is a single number"),
        (np.ones((4, 2)), r"x has shape \(4, 2\)"),
        (np.ones((2, 2, 2)), r"x has shape \(2, 2, 2\)"),
        (["a", "b"], "x has dtype <U1"),
        ([1.0, "2"], "x has dtype"),
        (np.array([1.0, "2"], dtype=object), r"x holds text \('2'\) at index 1"),
        (np.array([1.0, None], dtype=object), "x holds objects that are not real numbers|NaN at index 1"),
        ([1 + 2j, 2], "x has dtype complex128"),
        (np.array(["2026-01-01"], dtype="datetime64[D]"), "x has dtype datetime64"),
        ([[1.0], [2.0, 3.0]], "x is not an array of numbers"),
        (np.ma.masked_invalid([1.0, float("nan")]), "x has 1 masked values"),
        ([0.0, 1e300], "the data span 1e300"),
        ([0.0, 1e-300], "the data span 1e-300"),
    ],
)
def test_bad_data(x: Any, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.kmeans(x, 1)


@pytest.mark.parametrize(
    ("k", "message"),
    [
        (0, "k is 0; it must be at least 1"),
        (-1, "k is -1; it must be at least 1"),
        (2.5, "k is 2.5; it must be an integer"),
        (True, "k is True; it must be an integer"),
        ("3", "k is '3'; it must be an integer"),
        (None, "k is None; it must be an integer"),
        (5, "k is 5, but there are only 4 points"),
        (2**70, "k is 1180591620717411303424, which is too large"),
    ],
)
def test_bad_k(k: Any, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.kmeans(X, k)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1, 1], "the weight at index 1 is -1"),
        ([1, float("nan"), 1, 1], "the weight at index 1 is NaN"),
        ([1, 1, float("inf"), 1], "the weight at index 2 is inf"),
        ([0, 0, 0, 0], "the weights sum to zero"),
        ([1, 1], "2 weights were given for 4 points"),
        (["a"] * 4, "sample_weight has dtype"),
        (1.0, "sample_weight is a single number"),
    ],
)
def test_bad_weights(weights: Any, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.kmeans(X, 2, sample_weight=weights)


def test_too_few_points_of_positive_weight() -> None:
    with pytest.raises(mg.InvalidInputError, match="only 1 points"):
        mg.kmeans(X, 2, sample_weight=[0, 0, 0, 1])


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"centers": "median"}, "centers must be 'free' or 'means', not 'median'"),
        ({"method": "magic"}, "method must be 'exact' or 'paper', not 'magic'"),
        ({"ties": "break"}, "ties must be 'split' or 'together', not 'break'"),
        ({"tol": True}, "tol is True; it must be one number"),
        ({"min_size": np.array([1.0, 2.0])}, "min_size is .*; it must be one number"),
    ],
)
def test_bad_settings(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.kmeans(X, 2, **setting)


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (mg.TwoSided(1.0, 2.0), "takes no upper bounds"),
        (mg.PerGap([1.0, 2.0, 1.0]), "one lower bound"),
    ],
)
def test_the_papers_program_takes_one_lower_bound(constraint: mg.Constraint, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.kmeans(X, len(X), constraint, method="paper", centers="means")


@pytest.mark.parametrize(
    "x",
    [
        [1, 2, 4, 8],
        (1.0, 2.0, 4.0, 8.0),
        np.array([1, 2, 4, 8], dtype=np.int8),
        np.array([1, 2, 4, 8], dtype=np.uint64),
        np.array([1, 2, 4, 8], dtype=np.float32),
        np.array([1, 2, 4, 8], dtype=np.float16),
        np.array([1, 2, 4, 8], dtype=">f8"),
        np.array([[1.0], [2.0], [4.0], [8.0]]),
        np.array([1.0, 0, 2, 0, 4, 0, 8, 0])[::2],
        np.array([8.0, 4, 2, 1])[::-1],
        np.ma.array([1.0, 2, 4, 8]),
        range(1, 9),
    ],
)
def test_takes_whatever_holds_numbers(x: Any) -> None:
    assert mg.kmeans(x, 2).optimal


def test_takes_read_only_arrays_and_leaves_them_alone() -> None:
    x = np.array([4.0, 1.0, 8.0, 2.0])
    x.setflags(write=False)
    assert mg.kmeans(x, 2).labels.tolist() == [0, 0, 1, 0]
    assert x.tolist() == [4.0, 1.0, 8.0, 2.0]


def test_takes_pandas_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"height": [1, 2, 4, 8]}, index=[7, 3, 5, 1])
    assert mg.kmeans(frame["height"], 2).labels.tolist() == [0, 0, 0, 1]
    assert mg.kmeans(frame[["height"]], 2).labels.tolist() == [0, 0, 0, 1]
    assert mg.kmeans(frame["height"].astype("Float64"), 2).optimal
    with pytest.raises(mg.InvalidInputError):
        mg.kmeans(pandas.Series([1.0, None, 3.0]), 2)


def test_missing_values_are_dropped_when_asked() -> None:
    x: Any = [1.0, float("nan"), 1.5, None, 7.0, 8.0]
    result = mg.kmeans(x, 2, missing="drop")
    assert result.labels.tolist() == [0, -1, 0, -1, 1, 1]
    assert result.centers.tolist() == [1.25, 7.5]
    assert mg.KMeansResult.from_json(result.to_json()).labels.tolist() == result.labels.tolist()
    fit = mg.mixture(np.ma.masked_invalid([0.0, 0.1, np.nan, 0.3, 5.0, 5.1, 5.3]), 2, missing="drop")
    assert fit.labels.tolist() == [0, 0, -1, 0, 1, 1, 1]
    weighted = mg.kmeans([1.0, 2.0, 7.0, 9.0], 2, sample_weight=[1, 1, 1, np.nan], missing="drop")
    assert weighted.labels.tolist() == [0, 0, 1, -1]
    with pytest.raises(mg.InvalidInputError, match="NaN"):
        mg.kmeans(x, 2)
    with pytest.raises(mg.InvalidInputError, match="missing"):
        mg.kmeans([np.nan, np.nan], 1, missing="drop")
    with pytest.raises(mg.InvalidInputError, match="'error' or 'drop'"):
        mg.kmeans(x, 2, missing="fill")  # type: ignore[arg-type]
