"""Array-likes of other libraries: each is read as its numbers or refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.datasets.measures import rand_index
from soak.foreign_arrays import Converts, Raises, boxed

X = np.array([0.0, 1.0, 1.5, 4.0, 5.0, 9.0])
FIT = mg.mixture(X, 2, max_iter=3)


class Given(mg.Constraint):
    name = "given"

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def rows(self, k: int) -> mg.LinearRows:
        return mg.LinearRows(self.matrix, [-1.0, -np.inf], [1.0, 3.0])


class Unsure:
    def __float__(self) -> float:
        raise ZeroDivisionError("perhaps")


def test_a_matrix_in_fortran_order_is_not_its_transpose() -> None:
    matrix = np.array([[1.0, -2.0], [0.0, 1.0]])
    plain, other = (mg.mixture(X, 2, Given(made)).means for made in (matrix, np.asfortranarray(matrix)))
    assert plain.tolist() == other.tolist()


def test_arrays_off_their_alignment_are_read() -> None:
    raw = np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64)
    assert not raw.flags.aligned
    assert mg.kmeans(raw, 2).centers.tolist() == mg.kmeans(X, 2).centers.tolist()


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (Raises(RuntimeError("requires grad")), "x is not an array of numbers: requires grad"),
        (Converts(3), "x is not an array of numbers"),
        (boxed(1.0, Raises(ZeroDivisionError())), "x holds"),
        (boxed(np.complex128(1 + 2j), 1.0), "at index 0, which is not a real number"),
        (boxed(np.datetime64("2026"), 1.0), "at index 0, which is not a real number"),
        (boxed(np.timedelta64(3), np.timedelta64(4)), "at index 0, which is not a real number"),
        (boxed(np.array([1.0]), 2.0), "at index 0, which is not a real number"),
        ([np.ma.masked, 1.0, 2.0], "x has 1 masked values"),
        ([[2**53 + 1], [1]], "integer 9007199254740993 at index 0, which no double represents"),
        (np.array([1, 2**64 - 1], dtype=">u8"), "integer 18446744073709551615 at index 1"),
        ([1, -(2**63) + 1], "integer -9223372036854775807 at index 1"),
        ([2**63 + 1, -1], "integer 9223372036854775809 at index 0"),
        ([2**53 + 1, 0.5], "integer 9007199254740993 at index 0"),
        ([10**400, 1], "x holds objects that are not real numbers"),
        (boxed(1.0, Unsure()), "x holds objects that are not real numbers: .* at index 1: perhaps"),
    ],
    ids=range(15),
)
def test_what_is_refused(x: Any, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.kmeans(x, 1)


@pytest.mark.parametrize("x", [[2**53, 0], [2**62, 2**63], np.array([-(2**63), 0]), [2**80, 2**81, 0.5]])
def test_whole_numbers_that_doubles_hold_are_taken(x: Any) -> None:
    assert mg.kmeans(x, 1).optimal


def test_a_long_double_beyond_the_largest_double_is_infinite() -> None:
    far = np.array(["1", "1e400"], dtype=np.longdouble)
    with pytest.raises(mg.InvalidInputError, match="inf at index 1" if np.isfinite(far[1]) else "inf"):
        mg.kmeans(far, 1)


def test_masked_rows_of_a_matrix_are_refused() -> None:
    with pytest.raises(mg.InvalidInputError, match="matrix has 1 masked values"):
        mg.LinearRows([np.ma.array([1.0, 2.0], mask=[True, False])], [0.0], [1.0])


@pytest.mark.parametrize("matrix", [np.array([[1 + 2j, 0]]), np.array([["1", "2"]]), np.ones((1, 2), "M8[D]")])
def test_a_matrix_of_something_else_is_refused(matrix: Any) -> None:
    with pytest.raises(mg.InvalidInputError, match="matrix has dtype"):
        mg.LinearRows(matrix, [0.0], [1.0])


@pytest.mark.parametrize(
    "value",
    [10**5000, -(10**5000), Raises(ZeroDivisionError()), np.timedelta64(2)],
    ids=["huge", "-huge", "sulky", "time"],
)
def test_settings_that_cannot_be_shown_are_refused_all_the_same(value: Any) -> None:
    for call in (
        lambda: mg.kmeans(X, value),
        lambda: mg.LowerOnly(value),
        lambda: mg.mixture(X, 2, tol=value),
        lambda: mg.kmeans(X, 2, value),
        lambda: mg.mixture(X, 2, init=value),
        lambda: mg.kmeans(X, 2, engine=value),
        lambda: mg.select(X, value),
        lambda: mg.select(X, [1], criterion=value),
        lambda: FIT.sample(3, value) if not isinstance(value, int) or value < 0 else mg.kmeans(X, value),
    ):
        with pytest.raises(mg.InvalidInputError):
            call()


@pytest.mark.parametrize("word", [3, None, "\ud800", b"free", Raises(KeyError())], ids=range(5))
def test_words_that_are_none_are_refused(word: Any) -> None:
    for name in ("centers", "method", "ties"):
        with pytest.raises(mg.InvalidInputError, match=f"{name} must be "):
            mg.kmeans(X, 2, **{name: word})
    for name in ("tol_scale", "variances"):
        with pytest.raises(mg.InvalidInputError, match=f"{name} must be "):
            mg.mixture(X, 2, **{name: word})
    with pytest.raises(mg.InvalidInputError, match="method must be "):
        mg.ConstrainedKMeans(method=word)


@pytest.mark.parametrize("weights", [[1.0], [0, 0], [-1, 1], [np.nan, 1], [np.inf, 1]])
def test_a_score_with_weights_that_make_no_sense_is_refused(weights: Any) -> None:
    with pytest.raises(mg.InvalidInputError, match="sample_weight"):
        FIT.score([1.0, 2.0], weights)


def test_a_score_with_huge_weights_is_the_mean() -> None:
    assert FIT.score([1.0, 2.0], [1e308, 1e308]) == pytest.approx(FIT.score([1.0, 2.0]))


def test_a_score_of_nothing_is_refused() -> None:
    with pytest.raises(mg.InvalidInputError, match="x is empty"):
        FIT.score([])


@pytest.mark.parametrize("rng", [-1, "a", 1.5, True])
def test_what_is_no_seed_is_refused(rng: Any) -> None:
    with pytest.raises(mg.InvalidInputError, match="rng is"):
        FIT.sample(3, rng)


def test_labellings_of_other_points_are_refused() -> None:
    with pytest.raises(mg.InvalidInputError, match="2 and 1 points"):
        rand_index([1, 2], [1])


@pytest.mark.parametrize("level", ["a", None, [0.5], float("nan"), 0, 1])
def test_a_level_that_is_none_is_refused(level: Any) -> None:
    with pytest.raises(mg.InvalidInputError, match="level is"):
        FIT.bootstrap(2, rng=2).interval(level)


def test_data_sets_of_no_size_seed_or_name_are_refused() -> None:
    for arguments in ((["A"], 10, 1), ("A", -1, 1), ("A", "x", 1), ("A", 10, "x"), ("A", 10, -1)):
        with pytest.raises(mg.InvalidInputError):
            mg.datasets.paper_model(*arguments)


def test_an_estimator_of_very_many_clusters_says_so() -> None:
    estimators = pytest.importorskip("mindgap.sklearn")
    with pytest.raises(ValueError, match="minimum of"):
        estimators.KMeans1D(10**5000).fit(X[:, None])


@pytest.mark.parametrize(
    ("x", "kind"),
    [
        (iter([1.0, 2.0]), "list_iterator"),
        ({1.0, 2.0}, "set"),
        ({"a": 1.0}, "dict"),
        (Path("x.npy"), "PosixPath|WindowsPath"),
    ],
)
def test_what_is_no_sequence_is_named_by_its_type(x: Any, kind: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=f"x is of type ({kind}); give a sequence of numbers"):
        mg.kmeans(x, 2)


def test_a_bound_that_is_none_is_named() -> None:
    with pytest.raises(mg.InvalidInputError, match="lower is None; give a sequence of numbers"):
        mg.PerGap(None, [2, 3])  # type: ignore[arg-type]
