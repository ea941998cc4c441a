"""Fits of data that are read in chunks against fits of the same data in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.host import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RNG = np.random.default_rng(5)
X = np.concatenate([RNG.normal(centre, 1, 7000) for centre in (0, 2, 4, 6, 8)])
W = RNG.integers(0, 3, len(X)).astype(float)
RNG.shuffle(X)

CONSTRAINTS = [None, mg.LowerOnly(1.9), mg.TwoSided(1.8, 2.3), mg.PerGap([2.5, 1, 1, 2.5])]


def chunked(size: int, weights: Any = None) -> mg.Chunks:
    return mg.Chunks(X, weights, size)


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
@pytest.mark.parametrize("weights", [None, W], ids=["", "weighted"])
def test_kmeans_is_that_of_the_data_in_memory(constraint: mg.Constraint | None, weights: Any) -> None:
    here = mg.kmeans(X, 5, constraint, sample_weight=weights)
    there = mg.kmeans(chunked(4000, weights), 5, constraint)
    assert there.optimal
    assert there.inertia == pytest.approx(here.inertia, rel=1e-12)
    np.testing.assert_allclose(there.centers, here.centers, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(there.sizes, here.sizes)
    # A boundary may be anywhere between two points.
    np.testing.assert_array_equal(there.predict(X), here.predict(X))


@pytest.mark.parametrize("k", [2, 40])
def test_kmeans_with_few_and_many_clusters(k: int) -> None:
    here, there = mg.kmeans(X, k), mg.kmeans(chunked(5000), k)
    assert there.optimal
    np.testing.assert_allclose(there.centers, here.centers, rtol=1e-12, atol=1e-12)


def test_free_centres_are_as_good_and_never_claimed_to_be_better() -> None:
    here = mg.kmeans(X, 5, mg.LowerOnly(2.2), centers="free")
    there = mg.kmeans(chunked(5000), 5, mg.LowerOnly(2.2), centers="free")
    assert there.lower_bound <= here.inertia * (1 + 1e-12)
    assert there.inertia == pytest.approx(here.inertia, rel=1e-6)


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
@pytest.mark.parametrize("size", [999, 20000, 10**6])
def test_a_mixture_is_that_of_the_data_in_memory(constraint: mg.Constraint | None, size: int) -> None:
    best, there = mg.mixture(X, 5, constraint), mg.mixture(chunked(size), 5, constraint)
    # The searches see other cells, and may return another of several equally high maxima.
    assert there.log_likelihood == pytest.approx(best.log_likelihood, abs=0.05)
    there = mg.mixture(chunked(size), 5, constraint, init=best)
    assert (there.status == "lost-weight") == (best.status == "lost-weight")
    np.testing.assert_allclose(there.means, best.means, rtol=1e-5, atol=1e-5)
    assert there.log_likelihood == pytest.approx(best.log_likelihood, rel=1e-12)
    here = mg.mixture(X, 5, constraint, method="paper", max_iter=40)
    there = mg.mixture(chunked(size), 5, constraint, method="paper", max_iter=40)
    assert (there.status, there.n_iter) == (here.status, here.n_iter)
    for name in ("weights", "means", "variances"):
        np.testing.assert_allclose(getattr(there, name), getattr(here, name), rtol=1e-12, atol=1e-12)
    assert there.log_likelihood == pytest.approx(here.log_likelihood, rel=1e-12)
    assert there.icl == pytest.approx(here.icl, rel=1e-11)


def test_weights_count_in_a_mixture() -> None:
    here = mg.mixture(X, 5, mg.LowerOnly(1.9), sample_weight=W, method="paper", max_iter=30)
    there = mg.mixture(chunked(3000, W), 5, mg.LowerOnly(1.9), method="paper", max_iter=30)
    np.testing.assert_allclose(there.means, here.means, rtol=1e-12, atol=1e-12)


def test_every_source_of_the_same_chunks_gives_the_same_bits(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "w.npy", W)
    pieces = [(X[i : i + 6000], W[i : i + 6000]) for i in range(0, len(X), 6000)]

    def generated() -> Iterator[Any]:
        yield from pieces

    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    sources = [
        mg.Chunks(X, W, 6000),
        mg.Chunks(mapped, W, 6000),
        mg.Chunks(tmp_path / "x.npy", str(tmp_path / "w.npy"), 6000),
        mg.Chunks(pieces),
        mg.Chunks(generated),
    ]
    fits = [mg.mixture(source, 5, mg.LowerOnly(1.9), max_iter=5) for source in sources]
    assert len({fit.means.tobytes() for fit in fits}) == 1
    assert len({mg.kmeans(source, 5).centers.tobytes() for source in sources}) == 1


def test_small_and_empty_chunks_are_chunks() -> None:
    few = X[:50]
    pieces = [[], *([value] for value in few), []]
    here, there = mg.kmeans(few, 3), mg.kmeans(mg.Chunks(pieces), 3)
    np.testing.assert_allclose(there.centers, here.centers, rtol=1e-13)
    here_too, there_too = (mg.mixture(x, 2, method="paper", max_iter=9) for x in (few, mg.Chunks(pieces)))
    np.testing.assert_allclose(there_too.means, here_too.means, rtol=1e-11)


def test_few_distinct_values_with_a_bound_that_parts_equal_points() -> None:
    x = np.repeat([0.0, 1.0, 2.0], 60)
    here = mg.kmeans(x, 3, mg.LowerOnly(0.99), centers="means")
    there = mg.kmeans(mg.Chunks(x, size=50), 3, mg.LowerOnly(0.99), centers="means")
    assert there.inertia == pytest.approx(here.inertia, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("shift", [0.0, 1.5e10, -1e12])
def test_data_far_from_zero_keep_their_digits(shift: float) -> None:
    # Weights, so that the means of cells are no doubles of this size.
    x, mass = shift + np.round(X[:3000] * 2**10) / 2**10, W[:3000] + 0.3
    here = mg.kmeans(x, 4, mg.LowerOnly(2.2), sample_weight=mass)
    there = mg.kmeans(mg.Chunks(x, mass, 700), 4, mg.LowerOnly(2.2))
    assert there.optimal
    assert there.inertia == pytest.approx(here.inertia, rel=1e-12)


def test_an_upper_bound_that_no_gap_can_reach_changes_nothing() -> None:
    rng = np.random.default_rng(8)
    x = rng.integers(0, 4, 18_000) * 1e7 + rng.normal(0, 1, 18_000)
    data, delta = mg.Chunks(x, size=5000), 1.87e6
    for upper in (float(np.ptp(x)), 1e4 * float(np.ptp(x))):
        bounds = mg.TwoSided(delta, upper)
        assert (
            mg.kmeans(data, 4, bounds, centers="means").inertia
            == mg.kmeans(data, 4, mg.LowerOnly(delta), centers="means").inertia
        )
        with pytest.raises(mg.InfeasibleError):
            mg.kmeans(data, 8, bounds, centers="means")


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (iter([[1.0, 2.0]]), "an iterator can be read only once"),
        (3, "int is not a source of chunks"),
        (np.zeros((2, 2)), r"source has shape \(2, 2\)"),
        (np.array(["a"]), "give one column of numbers"),
        ("nowhere.npy", "cannot read 'nowhere.npy'"),
    ],
)
def test_what_is_no_source_is_refused(source: Any, fault: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=fault):
        mg.Chunks(source)


@pytest.mark.parametrize("content", [b"", b"1,2,3", b"PK\x03\x04 cut"], ids=["empty", "text", "cut"])
def test_a_file_that_is_no_npy_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "several.npz"
    path.write_bytes(content)
    with pytest.raises(mg.InvalidInputError, match=r"several\.npz is not a \.np[yz] file"):
        mg.Chunks(path)
    with pytest.raises(mg.InvalidInputError, match=r"sample_weight .*several\.npz is not a \.npy file of numbers"):
        mg.Chunks(X, str(path))


def test_a_file_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "values.dat"
    path.write_text("1\n2\n")
    with pytest.raises(mg.InvalidInputError, match=r"values\.dat is of no known kind; give a \.npy, \.npz, \.parquet"):
        mg.Chunks(path)
    with path.open("wb") as file:
        np.save(file, X)
    assert mg.kmeans(mg.Chunks(path), 3).k == 3


def test_a_matrix_without_a_choice_of_column_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((3, 2)))
    with pytest.raises(mg.InvalidInputError, match=r"x\.npy has shape \(3, 2\) .* name one column with column=0"):
        mg.Chunks(tmp_path / "x.npy")


def test_a_function_that_returns_nothing_is_refused() -> None:
    with pytest.raises(mg.InvalidInputError, match="returned None; it must return an iterator"):
        mg.kmeans(mg.Chunks(lambda: None), 2)


def test_a_matrix_of_one_column_is_a_column(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X[:, None])
    expected = mg.kmeans(mg.Chunks(X, W), 3).centers.tobytes()
    for source in (X[:, None], tmp_path / "x.npy"):
        assert mg.kmeans(mg.Chunks(source, W[:, None]), 3).centers.tobytes() == expected


def test_weights_go_with_arrays() -> None:
    with pytest.raises(mg.InvalidInputError, match="give pairs"):
        mg.Chunks([X], W)
    with pytest.raises(mg.InvalidInputError, match="2 weights were given for"):
        mg.Chunks(X, np.ones(2))
    with pytest.raises(mg.InvalidInputError, match="sample_weight is a single number"):
        mg.Chunks(X, 2.0)
    with pytest.raises(mg.InvalidInputError, match="give the weights to the Chunks"):
        mg.kmeans(chunked(100), 2, sample_weight=W)


def test_a_fault_names_its_chunk() -> None:
    with pytest.raises(mg.InvalidInputError, match="in chunk 2, the data hold NaN at index 1"):
        mg.kmeans(mg.Chunks([[1.0], [2.0, 3.0], [4.0, np.nan]]), 2)
    with pytest.raises(mg.InvalidInputError, match="chunk 1 is text"):
        mg.kmeans(mg.Chunks([[1.0], "no"]), 2)
    with pytest.raises(mg.InvalidInputError, match="in chunk 0, the weight at index 1 is -1"):
        mg.mixture(mg.Chunks([([1.0, 2.0], [1.0, -1.0])]), 1)


def test_a_source_that_dries_up_is_found_out() -> None:
    once = iter([X[:100], X[100:200]])
    with pytest.raises(mg.ChangedDataError, match="returned 0 chunks, but 2 in the first pass"):
        mg.mixture(mg.Chunks(lambda: once), 2)
    with pytest.raises(mg.InvalidInputError, match="returned none; "):
        mg.kmeans(mg.Chunks([]), 2)


def after_the_first_pass(change: Any, weighted: bool = False) -> mg.Chunks:
    """Two chunks, of which the second is another one from the second pass on."""
    passes = 0

    def read() -> Iterator[Any]:
        nonlocal passes
        passes += 1
        yield (X[:9000], W[:9000] + 1) if weighted else X[:9000]
        second = (X[9000:], W[9000:] + 1) if weighted else X[9000:]
        yield change(second) if passes > 1 else second

    return mg.Chunks(read)


@pytest.mark.parametrize("fit", [lambda data: mg.kmeans(data, 5), lambda data: mg.mixture(data, 2)], ids=["k", "m"])
@pytest.mark.parametrize(
    ("change", "weighted", "what"),
    [
        (lambda x: x[:-1], False, "chunk 1 had 25999 points, where the first pass had 26000"),
        (lambda x: x + 1e-9, False, "chunk 1 had other values than the first pass"),
        (lambda pair: (pair[0], pair[1] * 2), True, "chunk 1 had a total weight of"),
        (lambda pair: (pair[0], np.roll(pair[1], 1)), True, "chunk 1 had other values"),
    ],
)
def test_a_source_that_changes_between_passes_is_found_out(fit: Any, change: Any, weighted: bool, what: str) -> None:
    with pytest.raises(mg.ChangedDataError, match=f"{what}.*several times: fit a copy"):
        fit(after_the_first_pass(change, weighted))


def test_chunks_in_another_order_are_the_same_data() -> None:
    fit = mg.mixture(after_the_first_pass(lambda x: x[::-1].copy()), 2)
    np.testing.assert_allclose(fit.means, mg.mixture(X, 2).means, rtol=1e-6)


def test_a_source_that_raises_is_heard() -> None:
    def broken() -> Iterator[Any]:
        yield X[:10]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        mg.kmeans(mg.Chunks(broken), 2)


def test_other_functions_say_that_chunks_are_not_for_them() -> None:
    with pytest.raises(mg.InvalidInputError, match="Chunks are for kmeans and mixture"):
        mg.select(chunked(1000), [2, 3])


def test_a_fingerprint_is_that_of_the_parts() -> None:
    values, weights = np.arange(7.0), np.linspace(0.5, 2.0, 7)
    for cut in range(8):
        for given in (None, weights):
            parts = [
                Fingerprint.of(values[part], None if given is None else given[part])
                for part in (slice(cut), slice(cut, None))
            ]
            assert (parts[0] + parts[1]).difference(Fingerprint.of(values, given)) is None
    exchanged = Fingerprint.of(values, weights[::-1].copy())
    assert exchanged.difference(Fingerprint.of(values, weights)) == "other values than the first pass had"
