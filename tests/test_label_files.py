"""Labels written chunk by chunk against `predict` of the same data in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindgap as mg

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pq = pytest.importorskip("pyarrow.parquet")

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(2)
X = RNG.normal(size=4000) + 4.0 * RNG.integers(0, 3, 4000)
KMEANS, MIXTURE = mg.kmeans(X, 3), mg.mixture(X, 3)
TABLE = pa.table({"id": np.arange(4000), "name": [f"n{i}" for i in range(4000)], "x": X})


@pytest.mark.parametrize("source", [X, mg.Chunks(X, size=333), [X[:10], X[10:]]], ids=["array", "chunks", "list"])
def test_labels_are_those_of_the_data_in_memory(tmp_path: Path, source: Any) -> None:
    path = tmp_path / "labels.parquet"
    assert KMEANS.write_labels(path, source) == len(X)
    table = pq.read_table(path)
    assert table.column_names == ["label"]
    np.testing.assert_array_equal(table["label"], KMEANS.predict(X))
    assert MIXTURE.write_labels(path, source) == len(X)
    table = pq.read_table(path)
    np.testing.assert_array_equal(table["label"], MIXTURE.predict(X))
    expected = MIXTURE.predict_proba(X).max(axis=1)
    np.testing.assert_array_equal(table["probability"], expected.astype(np.float32))
    assert list(tmp_path.iterdir()) == [path]


def test_many_clusters_are_labelled_as_few_are(tmp_path: Path) -> None:
    many = mg.kmeans(X, 60)
    many.write_labels(tmp_path / "labels.parquet", X)
    labels = pq.read_table(tmp_path / "labels.parquet")["label"]
    np.testing.assert_array_equal(labels, np.searchsorted(many.boundaries, X))
    np.testing.assert_array_equal(KMEANS.predict(X), np.searchsorted(KMEANS.boundaries, X))
    on_boundaries = KMEANS.predict(KMEANS.boundaries)
    assert on_boundaries.tolist() == [0, 1]


def test_key_columns_come_first(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet", row_group_size=700)
    chunks = mg.Chunks(tmp_path / "t.parquet", column="x", size=1000)
    MIXTURE.write_labels(tmp_path / "out.parquet", chunks, keys=["name", "id"])
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.column_names == ["name", "id", "label", "probability"]
    assert table["id"].to_pylist() == list(range(4000))
    assert table["name"].to_pylist()[:2] == ["n0", "n1"]
    np.testing.assert_array_equal(table["label"], MIXTURE.predict(X))
    frame = pl.from_arrow(TABLE)
    MIXTURE.write_labels(tmp_path / "polars.parquet", frame, column="x", keys="id")
    assert pq.read_table(tmp_path / "polars.parquet").column_names == ["id", "label", "probability"]
    MIXTURE.write_labels(tmp_path / "path.parquet", tmp_path / "t.parquet", column="x", keys=["x"])
    np.testing.assert_array_equal(pq.read_table(tmp_path / "path.parquet")["x"], X)


def test_progress_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int | None]] = []
    MIXTURE.write_labels(tmp_path / "a.parquet", mg.Chunks(X, size=1500), progress=lambda *now: told.append(now))
    assert told == [(1500, 4000), (3000, 4000), (4000, 4000)]
    MIXTURE.write_labels(tmp_path / "a.parquet", mg.Chunks([X]), progress=True)
    assert "labels of 4000 points" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "more", "fault"),
    [
        (X, {"keys": ["id"]}, "an array has no column 'id'"),
        (TABLE, {"column": "x", "keys": ["label"]}, "keys has 'label'"),
        (TABLE, {"column": "x", "keys": ["id", "id"]}, "keys has 'id'"),
        (TABLE, {"column": "x", "keys": ["no"]}, "has no column 'no'"),
        (TABLE, {}, "name one with column="),
        (mg.Chunks(X), {"column": "x"}, "give it to the Chunks"),
        (mg.Chunks([]), {}, "nothing to write"),
        ([np.array([1.0]), np.array([np.nan])], {}, "in chunk 1, x holds nan"),
    ],
)
def test_what_is_wrong_is_said_and_leaves_nothing(tmp_path: Path, source: Any, more: Any, fault: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=fault):
        MIXTURE.write_labels(tmp_path / "labels.parquet", source, **more)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(mg.InvalidInputError, match="cannot write"):
        MIXTURE.write_labels(tmp_path / "none" / "labels.parquet", X)


def test_a_name_of_a_text_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(mg.InvalidInputError, match=r"labels are written as Parquet, not to labels\.csv"):
        mg.kmeans([1.0, 2.0, 9.0], 2).write_labels(tmp_path / "labels.csv", [1.0, 2.0, 9.0])
    assert not list(tmp_path.iterdir())
