"""Every kind of file, table and batch that `Chunks` takes, against the same numbers in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import mindgap as mg

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pq = pytest.importorskip("pyarrow.parquet")

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(7)
X = RNG.normal(size=5000) + 3.0 * RNG.integers(0, 3, 5000)
W = RNG.integers(1, 4, 5000).astype(float)
TABLE = pa.table({"id": np.arange(5000), "x": X, "w": W})


def read(chunks: mg.Chunks) -> tuple[Any, Any]:
    """Everything that the chunks hold, twice the same."""
    first, second = list(chunks), list(chunks)
    assert len(first) == len(second)
    values = np.concatenate([values for values, _ in first])
    np.testing.assert_array_equal(values, np.concatenate([values for values, _ in second]))
    weights = [weights for _, weights in first if weights is not None]
    return values, np.concatenate(weights) if weights else None


def expect(chunks: mg.Chunks, values: Any = X, weights: Any = None) -> None:
    found, masses = read(chunks)
    np.testing.assert_array_equal(found, values)
    if weights is None:
        assert masses is None
    else:
        np.testing.assert_array_equal(masses, weights)


@pytest.mark.parametrize("rows", [64, 999, 10_000])
@pytest.mark.parametrize("size", [100, 2**20])
def test_a_parquet_file(tmp_path: Path, rows: int, size: int) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet", row_group_size=rows)
    chunks = mg.Chunks(tmp_path / "t.parquet", column="x", size=size)
    expect(chunks)
    expect(mg.Chunks(str(tmp_path / "t.parquet"), "w", size, column="x"), X, W)
    assert mg.kmeans(chunks, 3).inertia == pytest.approx(mg.kmeans(X, 3).inertia, rel=1e-12)


def test_small_row_groups_are_read_together_and_large_ones_alone(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet", row_group_size=100)
    lengths = [len(values) for values, _ in mg.Chunks(tmp_path / "t.parquet", column="x", size=1000)]
    assert lengths == [1000] * 5
    assert [len(values) for values, _ in mg.Chunks(tmp_path / "t.parquet", column="x", size=10)] == [100] * 50


def test_a_folder_of_parquet_files_by_name(tmp_path: Path) -> None:
    (tmp_path / "day=2").mkdir()
    pq.write_table(TABLE.slice(3000), tmp_path / "day=2" / "a.parquet")
    pq.write_table(TABLE.slice(0, 3000), tmp_path / "b.parquet")
    found, _ = read(mg.Chunks(tmp_path, column="x"))
    names = sorted([tmp_path / "day=2" / "a.parquet", tmp_path / "b.parquet"])
    np.testing.assert_array_equal(found, read(mg.Chunks(names, column="x"))[0])
    np.testing.assert_array_equal(np.sort(found), np.sort(X))


def test_lists_of_files_of_any_kind(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X[:1000])
    np.savez_compressed(tmp_path / "b.npz", x=X[1000:2500], w=W[1000:2500])
    pd.DataFrame({"id": range(1500), "x": X[2500:4000]}).to_csv(tmp_path / "c.csv", index=False)
    pq.write_table(TABLE.slice(4000), tmp_path / "d.parquet")
    later = [tmp_path / name for name in ("b.npz", "c.csv", "d.parquet")]
    expect(mg.Chunks(later, column="x", size=333), X[1000:])
    np.save(tmp_path / "e.npy", X[1000:])
    expect(mg.Chunks([tmp_path / "a.npy", str(tmp_path / "e.npy")], size=700))
    np.save(tmp_path / "v.npy", W[:1000])
    np.save(tmp_path / "w.npy", W[1000:])
    weights = [tmp_path / "v.npy", tmp_path / "w.npy"]
    expect(mg.Chunks([tmp_path / "a.npy", tmp_path / "e.npy"], weights, 700), X, W)
    expect(mg.Chunks(tmp_path / "b.npz", "w", 512, column="x"), X[1000:2500], W[1000:2500])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("header", [True, False])
def test_delimited_texts(tmp_path: Path, separator: str, header: bool) -> None:
    frame = pd.DataFrame({"name": W, "x": X})
    frame.to_csv(tmp_path / "t.csv", index=False, sep=separator, header=header)
    expect(mg.Chunks(tmp_path / "t.csv", column="x" if header else "f1"))


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<i4", "?"])
def test_npy_files_of_every_kind_are_read_not_mapped(tmp_path: Path, dtype: str) -> None:
    x = (X * 3).astype(dtype)
    np.save(tmp_path / "x.npy", x)
    expect(mg.Chunks(tmp_path / "x.npy", size=777), x.astype(float))
    for order in ("C", "F"):
        matrix = np.array(np.column_stack([x, x[::-1]]), order=order)
        np.save(tmp_path / "m.npy", matrix)
        expect(mg.Chunks(tmp_path / "m.npy", size=777, column=1), x[::-1].astype(float))
        with pytest.raises(mg.InvalidInputError, match="one column"):
            mg.Chunks(tmp_path / "m.npy")
        with pytest.raises(mg.InvalidInputError, match="2 columns without names; there is no column 2"):
            mg.Chunks(tmp_path / "m.npy", column=2)
        (tmp_path / "m.npy").write_bytes((tmp_path / "m.npy").read_bytes()[: -x.itemsize])
        with pytest.raises(mg.InvalidInputError, match="truncated"):
            mg.Chunks(tmp_path / "m.npy", column=1)


def test_fields_of_a_structured_array(tmp_path: Path) -> None:
    np.save(tmp_path / "s.npy", np.array(list(zip(X, W, strict=True)), dtype=[("x", float), ("w", float)]))
    expect(mg.Chunks(tmp_path / "s.npy", size=512, column="w"), W)
    with pytest.raises(mg.InvalidInputError, match="has the fields x, w; name one"):
        mg.Chunks(tmp_path / "s.npy")


def test_tables_in_memory_and_in_batches() -> None:
    frame = pl.DataFrame({"x": X, "w": W})
    for table in (TABLE, frame, frame.to_pandas(), TABLE.combine_chunks().to_batches()[0]):
        expect(mg.Chunks(table, column="x", size=800))
        expect(mg.Chunks(table, "w", 800, column="x"), X, W)
    batches = TABLE.to_batches(max_chunksize=700)
    expect(mg.Chunks(batches, column="x"))
    expect(mg.Chunks(batches, "w", column="x"), X, W)
    expect(mg.Chunks(lambda: frame.iter_slices(900), "w", column="x"), X, W)
    expect(mg.Chunks([pl.Series(X[:10]), X[10:]]))
    expect(mg.Chunks(pl.DataFrame({"only": X})))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("decimal", pa.array([1, 2, 4], pa.decimal128(5, 2))),
        ("dictionary", pa.array([1.0, 2.0, 4.0]).dictionary_encode()),
        ("integer", pa.array([1, 2, 4], pa.int16())),
        ("single", pa.array([1, 2, 4], pa.float32())),
    ],
)
def test_numbers_of_every_type_of_arrow(tmp_path: Path, column: str, values: Any) -> None:
    pq.write_table(pa.table({column: values}), tmp_path / "t.parquet")
    expect(mg.Chunks(tmp_path / "t.parquet"), [1.0, 2.0, 4.0])


@pytest.mark.parametrize(
    ("build", "fault"),
    [
        (lambda path: mg.Chunks(path / "t.parquet"), "has the columns id, x, w; name one with column="),
        (lambda path: mg.Chunks(path / "t.parquet", column="y"), "has no column 'y'; it has id, x, w"),
        (lambda path: mg.Chunks(path / "t.parquet", "v", column="x"), "has no column 'v'"),
        (lambda path: mg.Chunks(path / "t.parquet", W, column="x"), "sample_weight must be the name of a column"),
        (lambda path: mg.Chunks(path / "t.parquet", column=3), "column must be the name of a column"),
        (lambda path: mg.Chunks(path / "damaged.parquet", column="x"), "cannot be read as Parquet"),
        (lambda path: mg.Chunks(path / "two.npz"), "holds the arrays x, w; name one with column="),
        (lambda path: mg.Chunks(path / "two.npz", column="y"), "has no array 'y'"),
        (lambda path: mg.Chunks(path / "empty"), "folder without"),
        (lambda path: mg.Chunks(path / "short.npy"), "it is truncated"),
        (lambda path: mg.Chunks(path / "object.npy"), "dtype object"),
        (lambda path: mg.Chunks([path / "t.parquet", path / "gone.npy"], column="x"), "gone.npy"),
        (lambda path: mg.Chunks(TABLE.to_reader(), column="x"), "can be read only once"),
        (lambda path: list(mg.Chunks([X], "w")), "chunk 0 is not a table with a column 'w'"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, build: Any, fault: str) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet")
    content = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "damaged.parquet").write_bytes(content[:500] + b"\0" * 300)
    np.savez(tmp_path / "two.npz", x=X, w=W)
    (tmp_path / "empty").mkdir()
    np.save(tmp_path / "short.npy", X)
    (tmp_path / "short.npy").write_bytes((tmp_path / "short.npy").read_bytes()[:-8])
    np.save(tmp_path / "object.npy", np.array([{}]))
    with pytest.raises(mg.InvalidInputError, match=fault):
        build(tmp_path)


def test_a_missing_value_is_found_where_it_is(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([1.0, 2.0, None, 4.0])})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    with pytest.raises(mg.InvalidInputError, match=r"in chunk 1 \(row group 1 of .*t\.parquet\), the data hold NaN"):
        mg.kmeans(mg.Chunks(tmp_path / "t.parquet", size=2), 2)


def test_text_in_a_column_of_numbers_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x\n1\n2\nthree\n")
    with pytest.raises(mg.InvalidInputError, match=r"t\.csv cannot be read as CSV"):
        mg.kmeans(mg.Chunks(tmp_path / "t.csv"), 2)
    pq.write_table(pa.table({"x": ["a", "b"]}), tmp_path / "t.parquet")
    with pytest.raises(mg.InvalidInputError, match="holds string, not numbers"):
        mg.kmeans(mg.Chunks(tmp_path / "t.parquet"), 2)


def test_without_pyarrow_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("x\n1\n")
    monkeypatch.setattr("mindgap.foundation.extras.find_spec", lambda name: None)
    for name in ("t.parquet", "t.csv"):
        with pytest.raises(mg.MissingExtraError, match=r"pip install \"mindgap\[parquet\]\""):
            mg.Chunks(tmp_path / name, column="x")


@pytest.mark.parametrize("kind", ["npy", "npz", "parquet", "csv"])
def test_a_file_that_is_written_to_during_a_fit_is_found_out(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"x.{kind}"

    def write(x: Any) -> None:
        if kind == "npy":
            np.save(path, x)
        elif kind == "npz":
            np.savez(path, x=x)
        elif kind == "parquet":
            pq.write_table(pa.table({"x": x}), path)
        else:
            pd.DataFrame({"x": x}).to_csv(path, index=False)

    write(X)
    chunks = mg.Chunks(path, size=1000)
    write(X + 1)
    with pytest.raises(mg.ChangedDataError, match="was written to while it was being read; fit a copy"):
        list(chunks)
