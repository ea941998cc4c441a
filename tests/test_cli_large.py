"""Large files on the command line: read in chunks beyond a limit, summarised, merged; labels as Parquet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindgap as mg

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

if TYPE_CHECKING:
    from pathlib import Path

    from command_line import Command

RNG = np.random.default_rng(6)
X = RNG.normal(size=3000) + 5.0 * RNG.integers(0, 3, 3000)
W = RNG.integers(1, 3, 3000).astype(float)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same numbers in every kind of file, all of them beyond the limit."""
    monkeypatch.setenv("MINDGAP_CHUNK_ABOVE", "1000")
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "m.npy", np.column_stack([W, X]))
    pq.write_table(pa.table({"id": np.arange(3000), "x": X, "w": W}), tmp_path / "x.parquet", row_group_size=700)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "options"), [("x.npy", ()), ("m.npy", ("--column", "2")), ("x.parquet", ("--column", "x"))]
)
def test_large_files_are_read_in_chunks_without_asking(
    command: Command, files: Path, monkeypatch: pytest.MonkeyPatch, name: str, options: Any
) -> None:
    for fit, expected in (("kmeans", mg.kmeans(X, 3).centers), ("mixture", mg.mixture(X, 3).means)):
        ended = command(fit, files / name, *options, "-k", "3", "--json")
        found = json.loads(ended.out)
        np.testing.assert_allclose(found["centers" if fit == "kmeans" else "means"], expected, rtol=1e-5)
        assert found["labels"] == []
        assert "read in chunks" in command(fit, files / name, *options, "-k", "3").out
    monkeypatch.setenv("MINDGAP_CHUNK_ABOVE", "1000000")
    assert "3000 values" in command("kmeans", files / name, *options, "-k", "3").out


def test_weights_of_a_large_parquet_file_count(command: Command, files: Path) -> None:
    ended = command("kmeans", files / "x.parquet", "--column", "2", "--weights", "w", "-k", "3", "--json")
    expected = mg.kmeans(X, 3, sample_weight=W)
    assert json.loads(ended.out)["inertia"] == pytest.approx(expected.inertia, rel=1e-12)


def test_what_needs_the_whole_file_reads_it(command: Command, files: Path) -> None:
    ended = command("kmeans", files / "x.parquet", "--column", "x", "-k", "3", "--drop-missing")
    assert "3000 values" in ended.out


def test_a_limit_that_is_no_number_is_refused(command: Command, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDGAP_CHUNK_ABOVE", "much")
    assert "MINDGAP_CHUNK_ABOVE is 'much'" in command("kmeans", files / "x.npy", "-k", "3").fault


@pytest.mark.parametrize("fit", ["kmeans", "mixture"])
@pytest.mark.parametrize("large", [True, False])
def test_labels_go_to_parquet(
    command: Command, files: Path, monkeypatch: pytest.MonkeyPatch, fit: str, large: bool
) -> None:
    if not large:
        monkeypatch.setenv("MINDGAP_CHUNK_ABOVE", "1000000")
    out = files / "labels.parquet"
    assert command(fit, files / "x.parquet", "--column", "x", "-k", "3", "--labels", out).code == 0
    table = pq.read_table(out)
    assert table.column_names[:4] == ["id", "x", "w", "label"]
    expected = mg.kmeans(X, 3) if fit == "kmeans" else mg.mixture(X, 3)
    np.testing.assert_array_equal(table["label"], expected.predict(X))
    np.testing.assert_array_equal(table["id"], np.arange(3000))
    assert ("probability" in table.column_names) == (fit == "mixture")


def test_rows_that_are_left_out_have_no_label(command: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name,x\na,1\nb,\nc,9\nd,8\n")
    out = tmp_path / "labels.parquet"
    ended = command("kmeans", tmp_path / "t.csv", "--column", "x", "-k", "2", "--drop-missing", "--labels", out)
    assert ended.code == 0
    table = pq.read_table(out)
    assert table["label"].to_pylist() == [0, None, 1, 1]
    assert table["name"].to_pylist() == ["a", "b", "c", "d"]


@pytest.mark.parametrize("large", [True, False])
def test_a_stored_fit_labels_large_files(
    command: Command, files: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    fit = mg.mixture(X, 3)
    (files / "fit.json").write_text(fit.to_json())
    if not large:
        monkeypatch.setenv("MINDGAP_CHUNK_ABOVE", "1000000")
    out = files / "labels.parquet"
    assert command("predict", files / "fit.json", files / "x.parquet", "--column", "x", "--out", out).code == 0
    np.testing.assert_array_equal(pq.read_table(out)["label"], fit.predict(X))
    assert command("predict", files / "fit.json", files / "x.npy").code == (2 if large else 0)


def test_two_fits_of_a_large_file_are_compared(command: Command, files: Path) -> None:
    ended = command("compare", files / "x.npy", "-k", "3", "--constraint", "lower-only:delta=5.5")
    assert ended.code == 0
    assert "read in chunks" in ended.out


def test_models_of_a_large_file_are_chosen_on_its_summary(command: Command, files: Path) -> None:
    ended = command("select", files / "x.npy", "-k", "2-4", "--json")
    found = json.loads(ended.out)
    assert found["best"] == mg.select(mg.Summary.of(X), range(2, 5)).best
    assert "a summary of 3000 values" in command("path", files / "x.npy", "-k", "3", "--deltas", "0:2:3").out


def test_labels_of_chunks_need_parquet(command: Command, files: Path) -> None:
    ended = command("kmeans", files / "x.npy", "-k", "3", "--labels", files / "labels.csv")
    assert "labels to a .parquet file" in ended.err


@pytest.mark.parametrize("suffix", [".json", ".summary"])
@pytest.mark.parametrize("large", [True, False])
def test_summaries_are_written_merged_and_fitted(
    command: Command, files: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, large: bool
) -> None:
    if not large:
        monkeypatch.setenv("MINDGAP_CHUNK_ABOVE", "1000000")
    parts = []
    for number, half in enumerate((X[:1000], X[1000:])):
        np.save(files / f"{number}.npy", half)
        parts.append(files / f"{number}{suffix}")
        assert command("summarize", files / f"{number}.npy", "--out", parts[-1]).code == 0
    whole = files / f"all{suffix}"
    assert command("merge", *parts, "--out", whole).code == 0
    found = command("kmeans", whole, "-k", "3", "--json")
    expected = mg.kmeans(mg.Summary.merged([mg.Summary.of(X[:1000]), mg.Summary.of(X[1000:])]), 3)
    assert json.loads(found.out)["centers"] == expected.centers.tolist()
    assert "a summary of 3000 values" in command("mixture", whole, "-k", "3").out
    assert "has no rows to label" in command("kmeans", whole, "-k", "3", "--labels", files / "l.parquet").err


def test_what_is_no_summary_is_not_merged(command: Command, files: Path) -> None:
    assert "x.npy is not a stored summary" in command("merge", files / "x.npy", "--out", files / "o.json").fault
    assert command("merge", files / "none.json", "--out", files / "o.json").code == 2
