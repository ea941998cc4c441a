"""Input that a mixture refuses, with the message for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.validation import as_seed

X = np.random.default_rng(0).normal(0, 1, 40)
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("x", "k", "message"),
    [
        ([1.0, NAN], 1, "the data hold NaN at index 1"),
        ([1.0, INF], 1, "the data hold inf at index 1"),
        ([], 1, "the data are empty"),
        (3.0, 1, "x is a single number"),
        (np.ones((4, 2)), 1, "x has shape"),
        (["a"], 1, "x has dtype"),
        ([1 + 2j], 1, "x has dtype complex128"),
        (X, 0, "k is 0; it must be at least 1"),
        (X, 1.5, "k is 1.5; it must be an integer"),
        ([1.0, 2.0], 3, "k is 3, but"),
        ([1.0, 1.0, 2.0], 3, "the number of distinct values is 2"),
    ],
)
def test_bad_data(x: Any, k: Any, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.mixture(x, k)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tol": -1.0}, "tol is -1.0; it must be finite and not negative"),
        ({"tol": NAN}, "tol is NaN"),
        ({"tol": "small"}, "tol is 'small'; it must be one number"),
        ({"tol_scale": "relative"}, "tol_scale must be 'absolute' or 'data', not 'relative'"),
        ({"max_iter": 0}, "max_iter is 0; it must be at least 1"),
        ({"max_iter": 2**70}, "too large"),
        ({"variances": "same"}, "variances must be 'free' or 'equal', not 'same'"),
        ({"min_variance": 0.0}, "min_variance is 0.0; it must be finite and positive"),
        ({"sample_weight": -np.ones(40)}, "the weight at index 0 is -1.0"),
        ({"sample_weight": np.zeros(40)}, "the weights sum to zero"),
        ({"sample_weight": np.ones(3)}, "3 weights were given for 40 points"),
        ({"engine": "spark"}, "there is no engine 'spark'"),
        ({"init": "kmean"}, "there is no initializer 'kmean'; did you mean 'ckmeans'.*init='auto' is the search"),
        ({"init": 3}, "3 is not a valid initializer"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.mixture(X, 2, **settings)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (([0.5, 0.5], [0.0, 1.0]), "init has 2 parts"),
        (([1.0], [0.0], [1.0]), "the start has 1 components, but k is 2"),
        (([0.5, 0.5], [0.0], [1.0, 1.0]), "2 weights, 1 means and 2 variances"),
        (([0.5, 0.6], [0.0, 1.0], [1.0, 1.0]), "sum to 1.1; they must sum to one"),
        (([1.5, -0.5], [0.0, 1.0], [1.0, 1.0]), "the weight -0.5 in component 1"),
        (([0.5, 0.5], [0.0, 1.0], [1.0, -1.0]), "the variance -1.0 in component 1"),
        (([0.5, 0.5], [0.0, 1.0], [1.0, 0.0]), "the variance 0.0 in component 1"),
        (([0.5, 0.5], [NAN, 1.0], [1.0, 1.0]), "means holds nan at index 0"),
        (([0.5, 0.5], [1.0, 0.0], [1.0, 1.0]), "do not ascend"),
        (([0.5, 0.5], [1e12, 2e12], [1.0, 1.0]), "over a million times the data's range off"),
    ],
)
def test_bad_starts(start: Any, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.mixture(X, 2, init=start)


class Clashing(mg.Constraint):
    name = "clashing"

    def rows(self, k: int) -> mg.LinearRows:
        matrix = np.zeros((3, k))
        matrix[0, 0] = matrix[1, 0] = matrix[2, k - 1] = 1.0
        return mg.LinearRows(matrix, [1.0, -INF, 0.0], [INF, 0.0, INF])


def test_clashing_rows_are_named_before_the_first_iteration() -> None:
    with pytest.raises(mg.InfeasibleError, match=r"rows \[0, 1\]") as caught:
        mg.mixture(X, 2, Clashing())
    assert caught.value.rows == [0, 1]


def test_a_start_that_no_partition_gives_is_explained() -> None:
    with pytest.raises(mg.InfeasibleError, match=r"start failed.*largest feasible lower bound") as caught:
        mg.mixture(X, 3, mg.LowerOnly(100.0), init="constrained-kmeans")
    assert caught.value.largest is not None


def test_means_may_be_farther_apart_than_any_clusters() -> None:
    automatic = mg.mixture(X, 3, mg.LowerOnly(100.0))
    assert automatic.gaps == pytest.approx(100.0)
    climbed = mg.mixture(X, 3, mg.LowerOnly(100.0), init="ckmeans")
    assert automatic.log_likelihood >= climbed.log_likelihood


def test_seeds_come_from_generators() -> None:
    seeds = [as_seed(np.random.default_rng(start)) for start in range(20)]
    assert len(set(seeds)) == 20
    assert min(seeds) >= 0
    assert max(seeds) > 2**60
    assert as_seed(np.random.default_rng(3)) == seeds[3]
    assert as_seed(np.random.SeedSequence(7)) == 7
    assert as_seed(None) != as_seed(None)
