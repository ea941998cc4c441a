"""Moments of parts of the data: those of the local engine, with the same bits for any division."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mindgap as mg

MIXTURE = [0.3, 0.7], [-1.0, 2.0], [0.5, 2.0]
RNG = np.random.default_rng(8)
X = RNG.permutation(np.concatenate([RNG.normal(-1, 1, 3000), RNG.normal(2, 2, 7001)]))
W = RNG.uniform(0, 3, len(X))


def numbers(moments: mg.Moments) -> list[float]:
    assert moments.classification is not None
    scalars = [moments.log_likelihood, moments.classification]
    return [*moments.weight, *moments.first, *moments.second, *scalars]


@pytest.mark.parametrize("weights", [None, W])
def test_unsorted_points_have_the_moments_of_the_local_engine(weights: np.ndarray | None) -> None:
    local = mg.Local()
    local.load(X, weights)
    found = mg.Moments.of(X, weights, *MIXTURE)
    np.testing.assert_allclose(numbers(found), numbers(local.moments(*map(np.array, MIXTURE))), rtol=1e-12)


@pytest.mark.parametrize("weights", [None, W])
@pytest.mark.parametrize("runs", [1, 2, 5])
def test_cuts_between_runs_do_not_show(weights: np.ndarray | None, runs: int) -> None:
    starts = range(0, len(X), runs * mg.Moments.RUN)
    pieces = [slice(start, start + runs * mg.Moments.RUN) for start in starts]
    parts = [mg.Moments.of(X[piece], None if weights is None else weights[piece], *MIXTURE) for piece in pieces]
    whole = numbers(mg.Moments.of(X, weights, *MIXTURE))
    for order in (parts, parts[::-1], list(RNG.permutation(np.array(parts, dtype=object)))):
        total = order[0]
        for part in order[1:]:
            total = total + pickle.loads(pickle.dumps(part))
        assert numbers(total) == whole


def test_moments_of_no_points_add_nothing() -> None:
    some = mg.Moments.of(X, None, *MIXTURE)
    assert numbers(some + mg.Moments.of([], None, *MIXTURE)) == numbers(some)


def test_leaving_the_classification_out_changes_nothing_else() -> None:
    quick, whole = mg.Moments.of(X, W, *MIXTURE, classify=False), mg.Moments.of(X, W, *MIXTURE)
    total = pickle.loads(pickle.dumps(quick + mg.Moments.of([], None, *MIXTURE, classify=False)))
    assert total.classification is None
    assert total.log_likelihood == whole.log_likelihood
    assert total.second.tolist() == whole.second.tolist()


def test_moments_that_an_engine_built_add_up_plainly() -> None:
    built = mg.Moments([1, 2], [0, 1], [3, 4], -5.0, -1.0)
    assert numbers(built + built) == [2, 4, 0, 2, 6, 8, -10.0, -2.0]
    assert (built + mg.Moments([1, 2], [0, 1], [3, 4], -5.0)).classification is None
    again = pickle.loads(pickle.dumps(built))
    assert numbers(again) == numbers(built)


@pytest.mark.parametrize(
    ("x", "weights", "message"),
    [
        ([1.0, float("nan")], None, "the data hold NaN at index 1"),
        ([0.0] * 600 + [float("inf")], None, "the data hold inf at index 600"),
        ([1.0, 2.0], [1.0, -1.0], r"the weight at index 1 is -1\.0"),
        ([1.0, 2.0], [1.0], "1 weights were given for 2 points"),
        (["a"], None, "x has dtype <U1"),
    ],
)
def test_faults_are_named_with_their_place(x: list[float], weights: list[float] | None, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.Moments.of(x, weights, *MIXTURE)


def test_moments_of_different_mixtures_are_not_added() -> None:
    with pytest.raises(mg.InvalidInputError, match="moments of 2 and of 1 components cannot be added"):
        mg.Moments.of(X, None, *MIXTURE) + mg.Moments.of(X, None, [1.0], [0.0], [1.0])
    with pytest.raises(TypeError):
        mg.Moments.of(X, None, *MIXTURE) + 1  # type: ignore[operator]
