"""Summaries: sums of the points however they are divided, and the refusal of damaged files."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import mindgap as mg

RNG = np.random.default_rng(11)
X = np.concatenate([RNG.normal(centre, 1, 4000) for centre in (0, 4, 9)])
W = RNG.integers(0, 4, len(X)).astype(float)


def test_what_it_says_of_the_points() -> None:
    summary = mg.Summary.of(X, W)
    assert summary.count == np.count_nonzero(W)
    assert summary.total_weight == W.sum()
    assert (summary.low, summary.high) == (X[W > 0].min(), X[W > 0].max())
    assert summary.mean == pytest.approx(np.average(X, weights=W), rel=1e-14)
    variance = np.average((X - np.average(X, weights=W)) ** 2, weights=W)
    assert summary.variance == pytest.approx(variance, rel=1e-13)
    assert repr(mg.Summary.of([1.0, 2.5])) == "Summary(2 values from 1 to 2.5)"
    assert repr(mg.Summary()) == "Summary(0 values)"


@pytest.mark.parametrize("size", [1, 17, 1000, len(X)])
def test_parts_merge_to_the_whole(size: int) -> None:
    x, w = (X, W) if size > 1 else (X[:300], W[:300])
    whole = mg.Summary.of(x, w, cells=500)
    parts = [mg.Summary.of(x[i : i + size], w[i : i + size], cells=500) for i in range(0, len(x), size)]
    for merged in (mg.Summary.merged(parts), mg.Summary.merged(parts[::-1])):
        assert merged.count == whole.count
        ours, theirs = (json.loads(summary.to_json()) for summary in (merged, whole))
        for exact in ("limit", "exponent", "index", "count", "weight", "low", "high"):
            assert ours[exact] == theirs[exact]
        for rounded in ("offset", "within"):
            np.testing.assert_allclose(ours[rounded], theirs[rounded], rtol=1e-12, atol=1e-12)


def test_merging_with_itself_doubles_every_point() -> None:
    summary = mg.Summary.of(X)
    summary.merge(summary)
    assert summary.count == 2 * len(X)
    assert summary.mean == pytest.approx(X.mean(), rel=1e-13)


def test_the_smaller_of_two_limits_holds() -> None:
    summary = mg.Summary.of(X, cells=1000)
    with pytest.warns(
        UserWarning, match="of at most 10 and 1000 cells merge into one of at most 10: the finer one loses"
    ):
        summary.merge(mg.Summary.of(X, cells=10))
    assert summary.cells == 10
    assert len(json.loads(summary.to_json())["index"]) <= 10


def test_windows_hold_the_points_inside() -> None:
    windows = np.array([[-1.0, 0.5], [3.0, 3.0], [4.0, 5.0]])
    found = mg.Summary.of_windows(X, windows, W)
    expected = [W[(low <= X) & (low <= high) & (high >= X)].sum() for low, high in windows]
    assert [part.total_weight for part in found] == expected
    columns = mg.Summary.of_windows(X, np.asfortranarray(windows), W)
    assert [part.total_weight for part in columns] == expected
    with pytest.raises(mg.InvalidInputError, match="window 1 is not an interval after the one before"):
        mg.Summary.of_windows(X, [[1, 2], [2, 3]])
    with pytest.raises(mg.InvalidInputError, match=r"shape \(3,\)"):
        mg.Summary.of_windows(X, [1, 2, 3])


@pytest.mark.parametrize(
    ("windows", "fault"),
    [
        (3.0, r"windows has shape \(\)"),
        ("no", "windows is text"),
        ([[0.0, 1.0, 2.0]], r"windows has shape \(1, 3\); give a row of two numbers for each"),
        ([[0.0, "one"]], "windows has dtype|windows holds text"),
        ([[1.0, 2.0], [0.0, 3.0]], "window"),
        ([[np.nan, 2.0]], "window"),
    ],
)
def test_what_are_no_windows_is_refused(windows: Any, fault: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=fault):
        mg.Summary.of_windows(X, windows)


def test_copies_by_json_and_pickle_are_the_same_to_the_bit() -> None:
    summary = mg.Summary.of(X, W)
    for copy in (mg.Summary.from_json(summary.to_json()), pickle.loads(pickle.dumps(summary))):
        assert copy.to_json() == summary.to_json()
    for cells in (2, 7, 2**24):
        assert mg.Summary.from_json(mg.Summary(cells).to_json()).cells == cells


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("mindgap", "KMeansResult", "not a stored Summary"),
        ("version", 2, "stored in version 2"),
        ("limit", 1, "bad 'limit'"),
        ("limit", 2**24 + 1, "bad 'limit'"),
        ("count", [1, 2**63], "bad 'count'"),
        ("count", [1, 2**63 + 1], "bad 'count'"),
        ("index", [0, 2**62], "bad 'index'"),
        ("exponent", 10**6, "bad 'exponent'"),
        ("exponent", 1, "its cells are not those of its values"),
        ("index", [1, 0], "not in ascending order"),
        ("index", [0], "expected a list of"),
        ("count", [0, 1], "cannot be those of points"),
        ("weight", [1.0, -1.0], "cannot be those of points"),
        ("offset", [9.0, 0.0], "cannot be those of points"),
        ("low", [None, 0.0], "bad 'low'"),
        ("high", [1.0, 1e300], "this is not a summary|square is out of range"),
    ],
)
def test_what_is_no_summary_is_refused(field: str, value: Any, fault: str) -> None:
    document = json.loads(mg.Summary.of([0.0, 3.0]).to_json())
    document[field] = value
    with pytest.raises(mg.InvalidInputError, match=fault):
        mg.Summary.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("x", "weights", "fault"),
    [
        ([1.0, np.nan], None, "NaN at index 1"),
        ([1.0], [-1.0], "weight at index 0 is -1"),
        ([1.0], [1.0, 2.0], "2 weights were given for 1 points"),
        ([0.0, 1e200], None, "change the units"),
        ("12", None, "x is text"),
    ],
)
def test_what_is_refused_leaves_no_trace(x: Any, weights: Any, fault: str) -> None:
    summary = mg.Summary.of([5.0])
    before = summary.to_json()
    with pytest.raises(mg.InvalidInputError, match=fault):
        summary.add(x, weights)
    assert summary.to_json() == before


def test_an_empty_summary_says_so() -> None:
    summary = mg.Summary()
    summary.add([])
    for name in ("low", "high", "mean", "variance"):
        with pytest.raises(mg.InvalidInputError, match="holds no points yet"):
            getattr(summary, name)
    with pytest.raises(mg.InvalidInputError, match="the data are empty"):
        mg.kmeans(summary, 1)
    with pytest.raises(mg.InvalidInputError, match="no summary to merge"):
        mg.Summary.merged([])
    with pytest.raises(mg.InvalidInputError, match=r"not a mindgap\.Summary"):
        summary.merge(3)  # type: ignore[arg-type]
    with pytest.raises(mg.InvalidInputError, match="between 2 and"):
        mg.Summary(1)


def test_kmeans_of_a_summary_has_a_true_cost_and_a_true_bound() -> None:
    for cells in (30, 300, 2**14):
        fit = mg.kmeans(mg.Summary.of(X, W, cells=cells), 4, mg.LowerOnly(2.5))
        best = mg.kmeans(X, 4, mg.LowerOnly(2.5), sample_weight=W)
        labels = fit.predict(X)
        cost = sum(W[i] * (X[i] - fit.centers[labels[i]]) ** 2 for i in range(len(X)))
        assert fit.inertia == pytest.approx(cost, rel=1e-12)
        assert fit.lower_bound <= best.inertia * (1 + 1e-12)
        assert fit.inertia >= best.inertia * (1 - 1e-12)
        assert fit.sizes.sum() == np.count_nonzero(W)
        assert len(fit.labels) == 0
        assert fit.to_json()


def test_more_clusters_than_cells_is_no_reason_to_forget_the_bounds() -> None:
    summary = mg.Summary.of([0.0, 1.0, 2.0, 3.0, 10.0], cells=2)
    with pytest.raises(mg.InvalidInputError, match="k is 3, but the data are known in only 2 cells"):
        mg.kmeans(summary, 3, mg.LowerOnly(1.0))


def test_a_mixture_of_a_summary_sees_points_at_their_cells_means() -> None:
    fit = mg.mixture(mg.Summary.of(X, W), 3, mg.LowerOnly(4.2))
    best = mg.mixture(X, 3, mg.LowerOnly(4.2), sample_weight=W)
    np.testing.assert_allclose(fit.means, best.means, atol=1e-4)
    np.testing.assert_allclose(fit.variances, best.variances, atol=1e-3)
    assert len(fit.labels) == 0


def test_weights_belong_to_the_summary() -> None:
    with pytest.raises(mg.InvalidInputError, match="give the weights to the Summary"):
        mg.kmeans(mg.Summary.of(X), 2, sample_weight=W)


def test_it_is_read_from_buffers_that_are_not_aligned() -> None:
    summary, buffers = mg.Summary.of(np.arange(100.0)), list[pickle.PickleBuffer]()
    head = pickle.dumps(summary, protocol=5, buffer_callback=buffers.append)
    shifted = [memoryview(bytearray(b"-" + buffer.raw()))[1:] for buffer in buffers]
    assert shifted
    assert pickle.loads(head, buffers=shifted).to_json() == summary.to_json()


def test_summaries_are_equal_by_value() -> None:
    summary = mg.Summary.of(X, W)
    assert summary == mg.Summary.of(X, W)
    assert summary == mg.Summary.from_json(summary.to_json())
    assert summary == pickle.loads(pickle.dumps(summary))
    assert mg.Summary() == mg.Summary()
    assert summary != mg.Summary.of(X, W, cells=10)
    assert summary != mg.Summary.of(X)
    assert summary != mg.Summary.of(np.append(X, 1.0), np.append(W, 1.0))
    assert summary != "summary"
    with pytest.raises(TypeError, match="unhashable"):
        hash(summary)


@pytest.mark.parametrize(
    "summary",
    [mg.Summary.of(X), mg.Summary.of(X, W), mg.Summary(), mg.Summary.of([3.0]), mg.Summary.of(X * 1e9, cells=7)],
    ids=["points", "weighted", "empty", "one", "coarse"],
)
def test_the_binary_form_comes_back_to_the_bit(summary: mg.Summary) -> None:
    content = summary.to_bytes()
    again = mg.Summary.from_bytes(content)
    assert again == summary
    assert again.to_bytes() == content
    assert mg.Summary.from_bytes(bytes(bytearray(content))) == summary
    again.add([1.0, 2.0])  # it is a summary like any other
    assert again.count == summary.count + 2


def test_the_binary_form_is_compact() -> None:
    summary = mg.Summary.of(np.random.default_rng(0).normal(size=500_000))
    assert len(summary.to_bytes()) < 0.4 * len(summary.to_json())


def test_a_damaged_binary_form_is_refused() -> None:
    content = mg.Summary.of(X[:500]).to_bytes()
    with pytest.raises(mg.InvalidInputError, match="not a stored Summary"):
        mg.Summary.from_bytes(b"something else")
    with pytest.raises(mg.InvalidInputError, match="not a stored Summary"):
        mg.Summary.from_bytes("text")  # type: ignore[arg-type]
    for length in range(0, len(content), 97):
        with pytest.raises(mg.InvalidInputError):
            mg.Summary.from_bytes(content[:length])
    rng = np.random.default_rng(0)
    for _ in range(300):
        bad = bytearray(content)
        bad[rng.integers(len(bad))] ^= 1 << rng.integers(8)
        try:
            read = mg.Summary.from_bytes(bytes(bad))
        except mg.InvalidInputError:
            continue
        assert read.count == 500  # another limit, which no check can tell


@pytest.mark.parametrize(
    ("column", "value"), [("index", 2**62), ("low", np.nan), ("within", -1.0), ("weight", -5.0), ("high", -1e9)]
)
def test_the_binary_form_is_checked_as_json_is(column: str, value: Any) -> None:
    from mindgap.model import summary_bytes

    limit, weighted, exponent, index, count, floats = mg.Summary.of(X, W)._core.columns()
    index, floats = index.copy(), floats.copy()
    if column == "index":
        index[3] = value
    else:
        floats[("weight", "low", "high", "offset", "within").index(column), 3] = value
    with pytest.raises(mg.InvalidInputError):
        mg.Summary.from_bytes(summary_bytes.dump(limit, weighted, exponent, index, count, floats))
