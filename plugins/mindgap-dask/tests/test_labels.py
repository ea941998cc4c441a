"""Labels of Dask data in files: those of the array, beside the requested columns."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import mindgap as mg


@pytest.fixture(scope="module")
def fits(values):
    return mg.kmeans(values, 5), mg.mixture(values, 5)


@pytest.fixture(params=["threads", "cluster"])
def place(request):
    if request.param == "cluster":
        request.getfixturevalue("client")


def test_labels_of_an_array(place, values, fits, tmp_path):
    x = da.from_array(values, chunks=7_000)
    told = []
    for number, fit in enumerate(fits):
        folder = tmp_path / f"labels-{number}"
        assert fit.write_labels(folder, x, progress=lambda done, total: told.append(done)) == len(values)
        assert len(list(folder.iterdir())) == 5
        table = pq.read_table(folder)
        np.testing.assert_array_equal(table["label"], fit.predict(values))
    np.testing.assert_allclose(table["probability"], fits[1].predict_proba(values).max(axis=1), rtol=1e-6)
    assert told[-1] == len(values)


def test_labels_beside_the_keys_of_a_frame(place, values, fits, tmp_path):
    frame = pd.DataFrame({"id": np.arange(len(values)), "x": values, "name": np.arange(len(values)).astype(str)})
    lazy = dd.from_pandas(frame, npartitions=4)
    assert fits[1].write_labels(tmp_path / "out", lazy, column="x", keys=["name", "id"]) == len(values)
    table = pq.read_table(tmp_path / "out").to_pandas()
    assert list(table.columns) == ["name", "id", "label", "probability"]
    np.testing.assert_array_equal(table["id"], frame["id"])
    np.testing.assert_array_equal(table["label"], fits[1].predict(values))


def test_what_cannot_be_written_is_refused(values, fits, tmp_path):
    x = da.from_array(values, chunks=7_000)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    with pytest.raises(mg.InvalidInputError, match="already exists"):
        fits[0].write_labels(tmp_path / "full", x)
    with pytest.raises(mg.InvalidInputError, match="columns of a Dask frame"):
        fits[0].write_labels(tmp_path / "new", x, keys=["id"])
    frame = dd.from_pandas(pd.DataFrame({"x": values}), npartitions=2)
    with pytest.raises(mg.InvalidInputError, match="no one column 'id'"):
        fits[0].write_labels(tmp_path / "new", frame, column="x", keys=["id"])
    with pytest.raises(mg.InvalidInputError, match="in chunk 1, x holds nan"):
        fits[1].write_labels(tmp_path / "nan", da.from_array(np.array([1.0, 2.0, np.nan]), chunks=2))
