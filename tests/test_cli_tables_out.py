"""Output of the commands: labels beside the original columns, groups, predictions for other data, JSON."""

from __future__ import annotations

import csv
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from command_line import Command

ROWS = [("u", 1.0, "a"), ("v", 1.5, "a"), ("w", 7.0, "b"), ("x", 8.0, "b"), ("y", 20.0, "a"), ("z", 30.0, "b")]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["name;x;group", *(f"{name};{x};{group}" for name, x, group in ROWS)]))
    return path


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines(), delimiter=";"))


def test_labels_keep_the_original_columns(table: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "out.csv"
    assert command("kmeans", table, "--column", "x", "-k", 2, "--labels", out).code == 0
    rows, result = read(out), mg.kmeans([x for _, x, _ in ROWS], 2)
    assert list(rows[0]) == ["name", "x", "group", "label", "distance"]
    assert [row["name"] for row in rows] == [name for name, _, _ in ROWS]
    assert [int(row["label"]) for row in rows] == result.labels.tolist()
    distances = [abs(x - result.centers[label]) for (_, x, _), label in zip(ROWS, result.labels, strict=True)]
    assert [float(row["distance"]) for row in rows] == pytest.approx(distances)
    # A second time, the names are taken.
    again = tmp_path / "again.csv"
    assert command("mixture", out, "--column", "x", "-k", 1, "--labels", again).code == 0
    assert list(read(again)[0])[3:] == ["label", "distance", "label_", "probability", "distance_"]


def test_decimal_commas_go_out_as_they_came(tmp_path: Path, command: Command) -> None:
    path, out = tmp_path / "data.csv", tmp_path / "out.csv"
    path.write_text("name;x\na;1,0\nb;1,5\nc;7\n")
    assert command("kmeans", path, "--column", "x", "-k", 2, "--decimal", ",", "--labels", out).code == 0
    assert out.read_text().splitlines()[:2] == ["name;x;label;distance", "a;1,0;0;0,25"]


def test_each_group_has_its_fit(table: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "out.csv"
    options = ("--column", "x", "--group-by", "group", "-k", 2)
    ended = command("kmeans", table, *options, "--labels", out)
    assert ended.code == 0
    groups = {name: mg.kmeans([x for _, x, group in ROWS if group == name], 2) for name in "ab"}
    for name, result in groups.items():
        assert [int(row["label"]) for row in read(out) if row["group"] == name] == result.labels.tolist()
        assert f"{result.centers[1]:.6g}" in ended.out
    document = json.loads(command("kmeans", table, *options, "--json").out)
    assert {name: fit["inertia"] for name, fit in document["groups"].items()} == {
        name: result.inertia for name, result in groups.items()
    }
    too_many = command("kmeans", table, "--column", "x", "--group-by", "name", "-k", 2)
    assert too_many.code == 2
    table.write_text(table.read_text() + "\nq;1;c")
    ended = command("kmeans", table, *options)
    assert ended.code == 0
    assert "c: no fit" in ended.out


def test_a_picture_of_groups(table: Path, tmp_path: Path, command: Command) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "groups.svg"
    assert command("kmeans", table, "--column", "x", "--group-by", "group", "-k", 2, "--plot", out).code == 0
    assert out.stat().st_size > 1000


@pytest.mark.parametrize("name", ["kmeans", "mixture"])
def test_predict_labels_other_data(name: str, tmp_path: Path, command: Command) -> None:
    values = np.concatenate([np.linspace(-1, 1, 40), np.linspace(5, 7, 40)])
    np.save(tmp_path / "data.npy", values)
    stored = tmp_path / "fit.json"
    stored.write_text(command(name, tmp_path / "data.npy", "-k", 2, "--json").out)
    new = tmp_path / "new.csv"
    new.write_text("x\n0\nNA\n6\n3.1\n")
    ended = command("predict", stored, new, "--drop-missing")
    assert (ended.code, ended.err) == (0, "")
    rows = list(csv.DictReader(ended.out.splitlines()))
    assert [row["label"] for row in rows] == ["0", "", "1", "1"]
    out = tmp_path / "out.csv"
    assert command("predict", stored, new, "--drop-missing", "--out", out).code == 0
    assert out.read_text() == ended.out
    stored.write_text("{}")
    assert "is not a fit" in command("predict", stored, new).fault
    assert "cannot be read" in command("predict", tmp_path / "none.json", new).fault


def test_json_says_where_the_fit_comes_from(table: Path, command: Command) -> None:
    document = json.loads(command("mixture", table, "--column", "x", "-k", 1, "--variances", "equal", "--json").out)
    fit = mg.mixture([x for _, x, _ in ROWS], 1, variances="equal")
    assert (document["bic"], document["aic"], document["icl"]) == (fit.bic, fit.aic, fit.icl)
    run: dict[str, Any] = document["run"]
    assert (run["file"], run["column"], run["rows"], run["values"], run["missing"]) == (str(table), "x", 6, 6, 0)
    assert run["settings"]["variances"] == "equal"
    assert run["settings"]["rng"] == 0
    assert run["mindgap"] == mg.__version__
    assert document["name"] == "x"


def test_compare(tmp_path: Path, command: Command) -> None:
    values = mg.datasets.paper_model("A", 200, rng=1).values
    np.save(tmp_path / "data.npy", values)
    options = ("compare", tmp_path / "data.npy", "-k", 2, "--constraint", "lower-only:delta=3")
    expected = mg.compare(mg.mixture(values, 2, mg.LowerOnly(3)), mg.mixture(values, 2))
    document = json.loads(command(*options, "--json").out)
    assert document["comparison"]["statistic"] == expected.statistic
    assert document["comparison"]["p_value"] == expected.p_value
    assert expected.summary() in command(*options).out
    assert "from 5 data sets" in command(*options, "--bootstrap", 5).out.splitlines()[-1]
    assert command("compare", tmp_path / "data.npy", "-k", 2).code == 2


def test_the_report_has_one_answer_and_a_part_for_each_group(tmp_path: Path, command: Command) -> None:
    values = mg.datasets.paper_model("C", 300, rng=1).values
    path, page = tmp_path / "data.csv", tmp_path / "fit.html"
    path.write_text("\n".join(["x,g", *(f"{value},{index % 2}" for index, value in enumerate(values))]))
    options = ("--column", "x", "-k", 3, "--constraint", "lower-only:delta=2.3", "--out", page, "--bootstrap", 5)
    assert command("report", path, *options).code == 0
    text = page.read_text(encoding="utf-8")
    (content,) = _contents(text)
    chosen = content["path"]["deltas"].index(2.3)
    assert content["path"]["fits"][chosen] == content["fit"]
    likelihoods = [fit["logLikelihood"] for fit in content["path"]["fits"]]
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(likelihoods))
    assert f'value="{chosen}"' in text
    for said in ("lower-only:delta=2.3", "300 read, 0 without a value", "<dt>seed</dt>", "goodness of fit"):
        assert said in text
    assert command("report", path, *options, "--group-by", "g", "--deltas", "0,1").code == 0
    text = page.read_text(encoding="utf-8")
    assert len(_contents(text)) == 2
    assert "<h1>0</h1>" in text
    assert "<h1>1</h1>" in text


def _contents(text: str) -> list[dict[str, Any]]:
    found = re.findall(r'<script type="application/json" id="content(?:-\d+)?">(.*?)</script>', text, re.S)
    return [json.loads(content) for content in found]


@pytest.fixture
def nameless(tmp_path: Path) -> Path:
    """A table whose last rows have no group, or too few values."""
    path = tmp_path / "groups.csv"
    path.write_text("x,group\n" + "".join(f"{x},{'ab'[x % 2]}\n" for x in range(8)) + "20,\n30,\n31,\n50,\n9,c\n")
    return path


def test_rows_without_a_group_are_named(nameless: Path, tmp_path: Path, command: Command) -> None:
    options = ("--column", "x", "--group-by", "group", "-k", 2)
    ended = command("kmeans", nameless, *options)
    assert "\n(empty)        0" in ended.out
    assert "\n(empty): inertia" in ended.out
    assert set(json.loads(command("kmeans", nameless, *options, "--json").out)["groups"]) == {"", "a", "b", "c"}
    page = tmp_path / "page.html"
    command("report", nameless, *options[:-1], 1, "--bootstrap", 0, "--out", page)
    assert "<h1>(empty)</h1>" in page.read_text()


def test_the_best_of_each_group_names_a_failure_once(nameless: Path, command: Command) -> None:
    shown = command("select", nameless, "--column", "x", "--group-by", "group", "-k", "2-3").out
    assert shown.count("c: no fit") == 1
    assert "\na:\n" not in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("kmeans", "-k", 2, "--column", "x", "--labels"),
        ("summarize", "--column", "x", "--out"),
        ("report", "-k", 1, "--column", "x", "--out"),
    ],
)
def test_a_dash_is_no_file(
    table: Path, arguments: tuple[Any, ...], command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *options = arguments
    ended = command(name, table, *options, "-")
    assert ended.code == 2
    assert "not standard output" in ended.err
    assert not (tmp_path / "-").exists()


def test_predictions_go_to_standard_output_for_a_dash(table: Path, tmp_path: Path, command: Command) -> None:
    fit = tmp_path / "fit.json"
    fit.write_text(command("kmeans", table, "--column", "x", "-k", 2, "--json").out)
    plain = command("predict", fit, table, "--column", "x")
    assert plain.out.startswith("name;x;group;label;distance\nu;1.0;a;0;")
    assert command("predict", fit, table, "--column", "x", "--out", "-").out == plain.out


def test_labels_of_text_as_parquet_hold_numbers_that_can_be_fitted_again(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("pyarrow")
    path, out = tmp_path / "data.csv", tmp_path / "out.parquet"
    path.write_text("name;x;name\na;1,5 cm;p\nb;;q\nc;7 cm;r\n")
    read = ("--column", "x", "--decimal", ",", "--units", "cm", "--drop-missing")
    assert command("kmeans", path, *read, "-k", 2, "--labels", out).code == 0
    from pyarrow import parquet

    written = parquet.ParquetFile(out).read()
    assert written.column_names == ["name", "x", "name", "label", "distance"]
    assert written.column(1).to_pylist() == [1.5, None, 7.0]
    assert written.column(3).to_pylist() == [0, None, 1]
    again = command("kmeans", out, "--column", "x", "--drop-missing", "-k", 2)
    assert again.code == 0
    assert "2 values of x, 1 missing left out" in again.out


def test_a_report_says_which_deltas_the_constraint_does_not_allow(
    table: Path, tmp_path: Path, command: Command
) -> None:
    asked = ("report", table, "--column", "x", "-k", 2, "--constraint", "two-sided:lower=1,upper=9", "--bootstrap", 0)
    ended = command(*asked, "--deltas", "2,8,10,12", "--out", tmp_path / "page.html")
    assert "mindgap: the constraint allows no delta above 9; larger ones are left out\n" in ended.err
    assert "left out" not in command(*asked, "--deltas", "2,8", "--out", tmp_path / "page.html").err
