"""Columns of npy and Parquet files, read by the tasks that use them."""

import dask.array as da
import mindgap_dask
import numpy as np
import pytest
from fitting import bits, fit

import mindgap as mg


def test_an_npy_file(tmp_path, values, start):
    path = tmp_path / "values.npy"
    np.save(path, values)
    x = mindgap_dask.read_npy(path, chunk=7000)
    assert x.chunks == ((7000, 7000, 7000, 7000, 2000),)
    np.testing.assert_array_equal(x.compute(), values)
    assert bits(fit(x, start)) == bits(fit(da.from_array(values, chunks=999), start))
    np.save(path, values[:100])
    with pytest.raises(mg.InvalidInputError, match=r"in chunk \d, .* has 100 points now"):
        fit(x, start)


def test_an_npy_file_on_a_cluster(client, tmp_path, values, start):
    path = tmp_path / "values.npy"
    np.save(path, values)
    engine = mindgap_dask.DaskEngine()
    found = fit(mindgap_dask.read_npy(str(path), chunk=7000), start, engine)
    assert bits(found) == bits(fit(values, start))
    # One task a chunk and one that adds: loading is part of the chunk's task.
    assert {done.tasks for done in engine.passes} == {6}


def test_an_empty_npy_file(tmp_path):
    np.save(tmp_path / "none.npy", np.empty(0))
    with pytest.raises(mg.InvalidInputError, match="the 1 chunks hold no points"):
        mg.kmeans(mindgap_dask.read_npy(tmp_path / "none.npy"), 1, engine="dask")


def test_what_is_no_npy_file_of_one_column(tmp_path):
    path = tmp_path / "table.npy"
    with pytest.raises(mg.InvalidInputError, match=r"is not a \.npy file of numbers that can be read"):
        mindgap_dask.read_npy(path)
    path.write_text("1,2,3")
    with pytest.raises(mg.InvalidInputError, match=r"is not a \.npy file of numbers that can be read"):
        mindgap_dask.read_npy(path)
    np.save(path, np.ones((3, 2)))
    with pytest.raises(mg.InvalidInputError, match=r"shape \(3, 2\) and dtype float64"):
        mindgap_dask.read_npy(path)
    np.savez(tmp_path / "table.npz", x=np.ones(3))
    with pytest.raises(mg.InvalidInputError, match=r"is not a \.npy file of numbers that can be read"):
        mindgap_dask.read_npy(tmp_path / "table.npz")
    with pytest.raises(mg.InvalidInputError, match="chunk is 0"):
        mindgap_dask.read_npy(path, chunk=0)


@pytest.fixture
def table(tmp_path, values):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    weights = np.arange(len(values)) % 3
    half = len(values) // 2
    for number, piece in enumerate((slice(0, half), slice(half, None))):
        columns = {"height": values[piece], "count": weights[piece], "name": ["x"] * half}
        pq.write_table(pa.table(columns), tmp_path / f"part-{number}.parquet", row_group_size=4000)
    return tmp_path


def test_columns_of_parquet_files(table, values, start):
    x = mindgap_dask.read_parquet(table, "height")
    assert x.chunks == ((4000, 4000, 4000, 3000) * 2,)
    np.testing.assert_array_equal(x.compute(), values)
    x, weights = mindgap_dask.read_parquet(sorted(table.glob("*.parquet")), "height", weight="count")
    masses = (np.arange(len(values)) % 3).astype(float)
    expected = fit(da.from_array(values, chunks=999), start, sample_weight=da.from_array(masses, chunks=999))
    assert bits(fit(x, start, sample_weight=weights)) == bits(expected)


def test_what_is_no_parquet_column_of_numbers(table, start):
    with pytest.raises(mg.InvalidInputError, match="has no column 'length'; it has height, count, name"):
        mindgap_dask.read_parquet(table, "length")
    with pytest.raises(mg.InvalidInputError, match=r"in chunk \d, column 'name' of .* has type string"):
        fit(mindgap_dask.read_parquet(table / "part-0.parquet", "name"), start)
    (table / "odd.parquet").write_text("no")
    with pytest.raises(mg.InvalidInputError, match=r"odd\.parquet is not a Parquet file"):
        mindgap_dask.read_parquet(table, "height")
    (table / "empty").mkdir()
    with pytest.raises(mg.InvalidInputError, match=r"holds no \*\.parquet file"):
        mindgap_dask.read_parquet(table / "empty", "height")


def test_whole_numbers_that_no_double_holds_are_refused(tmp_path, start):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"x": [1, 2, 2**53 + 1]}), tmp_path / "large.parquet")
    x = mindgap_dask.read_parquet(tmp_path / "large.parquet", "x")
    with pytest.raises(mg.InvalidInputError, match=r"in chunk 0, column 'x' of .* 9007199254740993 at index 2"):
        mg.kmeans(x, 2, engine="dask")


def test_two_columns_of_one_name_are_not_mixed_up(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], ["x", "x"]), tmp_path / "twice.parquet")
    with pytest.raises(mg.InvalidInputError, match="has more than one column 'x'"):
        mindgap_dask.read_parquet(tmp_path / "twice.parquet", "x")


def test_a_folder_below_may_be_named_like_a_file(table, values):
    (table / "later.parquet").mkdir()
    (table / "part-1.parquet").rename(table / "later.parquet" / "part-1.parquet")
    x = mindgap_dask.read_parquet(table, "height")
    half = len(values) // 2
    np.testing.assert_array_equal(x.compute(), np.concatenate([values[half:], values[:half]]))
