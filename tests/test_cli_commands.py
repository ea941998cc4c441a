"""Every command: its table, its JSON, its files, and how it fails."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from command_line import Command, Ended
from mindgap.datasets import paper_model

COMMANDS = {
    "kmeans": ("-k", "3", "--constraint", "lower-only:delta=1.9"),
    "mixture": ("-k", "3", "--constraint", "two-sided:lower=1.9,upper=2.1"),
    "select": ("-k", "1-3,5", "--constraint", "lower-only:delta=1"),
    "path": ("-k", "3", "--deltas", "0:3:4"),
}


@pytest.fixture(scope="module")
def values() -> Any:
    return paper_model("B", 300, rng=7).values


@pytest.fixture
def table(tmp_path: Path, values: Any) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["id,length", *(f"{row},{value!r}" for row, value in enumerate(values.tolist()))]))
    return path


@pytest.fixture
def fit(command: Command, table: Path) -> Any:
    def fit(name: str, *more: object) -> Ended:
        return command(name, table, "--column", "length", *COMMANDS[name], *more)

    return fit


@pytest.mark.parametrize("name", COMMANDS)
def test_tables_fit_80_columns_without_colour(name: str, fit: Any) -> None:
    ended = fit(name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("300 values of length\n")
    assert max(map(len, ended.out.splitlines())) <= 80
    assert " \n" not in ended.out
    assert "\x1b" not in ended.out
    assert "…" not in ended.out


def test_kmeans(fit: Any, values: Any) -> None:
    expected = mg.kmeans(values, 3, mg.LowerOnly(1.9))
    result = mg.KMeansResult.from_json(fit("kmeans", "--json").out)
    assert result.labels.tolist() == expected.labels.tolist()
    assert result.inertia == expected.inertia
    text = fit("kmeans").out
    assert "proven optimal" in text
    assert ">= 1.9" in text
    assert f"{expected.centers[1]:.6g}" in text


def test_settings_of_kmeans_arrive(fit: Any, values: Any) -> None:
    means = {"centers": "means"}
    for setting in (means, means | {"method": "paper"}, {"ties": "together"}, {"time_limit": 9.0, "tol": 1e-3}):
        expected = mg.kmeans(values, 3, mg.LowerOnly(1.9), **setting)
        given = [part for name, value in setting.items() for part in (f"--{name.replace('_', '-')}", str(value))]
        found = mg.KMeansResult.from_json(fit("kmeans", *given, "--json").out)
        assert (found.inertia, found.settings) == (expected.inertia, expected.settings)


def test_mixture(fit: Any, values: Any) -> None:
    expected = mg.mixture(values, 3, mg.TwoSided(1.9, 2.1))
    result = mg.MixtureResult.from_json(fit("mixture", "--json").out)
    assert result.means.tolist() == expected.means.tolist()
    assert result.settings == expected.settings
    text = fit("mixture").out
    assert ">= 1.9 <= 2.1" in text
    assert f"log-likelihood {expected.log_likelihood:.10g}" in text


def test_settings_of_the_mixture_arrive(fit: Any) -> None:
    options = ("--tol", "1e-3", "--tol-scale", "absolute", "--max-iter", 7, "--variances", "equal", "--seed", 5)
    limits = ("--time-limit", 60, "--memory-limit", 1 << 30)
    result = mg.MixtureResult.from_json(fit("mixture", *options, *limits, "--min-variance", 0.01, "--json").out)
    assert result.settings is not None
    assert result.settings.keywords() == {
        "method": "best",
        "starts": 12,
        "rng": 5,
        "variances": "equal",
        "tol": 1e-3,
        "tol_scale": "absolute",
        "max_iter": 7,
        "min_variance": 0.01,
        "resolution": None,
        "support": None,
        "time_limit": 60.0,
        "memory_limit": 1 << 30,
    }
    assert len(set(result.variances.tolist())) == 1
    free = ("--init", "ckmeans", "--max-iter", 1, "--engine", "local")
    one = mg.MixtureResult.from_json(fit("mixture", *free, "--json").out)
    assert one.n_iter == 1


def test_select(fit: Any, values: Any) -> None:
    expected = mg.select(values, [1, 2, 3, 5], mg.LowerOnly(1))
    document = json.loads(fit("select", "--json").out)
    assert (document["criterion"], document["best"]) == ("bic", expected.best)
    assert [entry["k"] for entry in document["models"]] == [1, 2, 3, 5]
    assert [entry["value"] for entry in document["models"]] == expected.values.tolist()
    assert "best" in fit("select").out
    assert json.loads(fit("select", "--criterion", "icl", "--json").out)["criterion"] == "icl"


def test_select_shows_why_there_is_no_fit(command: Command, table: Path) -> None:
    options = ("--column", "length", "-k", "1-3", "--constraint", "per-gap:lower=[1]")
    ended = command("select", table, *options)
    assert ended.code == 0
    assert "no fit" in ended.out
    assert "k = 3: 3 clusters have 2 gaps" in " ".join(ended.out.split())
    assert max(map(len, ended.out.splitlines())) <= 80
    document = json.loads(command("select", table, *options, "--json").out)
    assert document["best"] == 2
    assert document["models"][2]["value"] is None
    assert "3 clusters have 2 gaps" in document["models"][2]["reason"]


def test_path(fit: Any, values: Any) -> None:
    expected = mg.gap_path(values, 3, [0, 1, 2, 3])
    document = json.loads(fit("path", "--json").out)
    assert (document["k"], document["bites_at"]) == (3, expected.bites_at)
    assert [entry["delta"] for entry in document["path"]] == [0, 1, 2, 3]
    assert [entry["log_likelihood"] for entry in document["path"]] == expected.log_likelihoods.tolist()
    assert fit("path").out.splitlines()[-1] == expected.table().notes[0]
    narrow = json.loads(fit("path", "--deltas", "1,2", "--width", 0.1, "--json").out)["path"]
    assert all(1 - 1e-9 <= gap <= 1.1 + 1e-9 for gap in narrow[0]["gaps"])


@pytest.mark.parametrize("name", ["kmeans", "mixture", "select"])
def test_labels_have_a_line_for_every_row(name: str, tmp_path: Path, command: Command, values: Any) -> None:
    table, out = tmp_path / "data.csv", tmp_path / "labels.csv"
    cells = [repr(value) for value in values.tolist()]
    cells[1:1] = ["NA"]
    table.write_text("\n".join(["length", *cells]))
    ended = command(name, table, *COMMANDS[name], "--drop-missing", "--labels", out)
    assert (ended.code, ended.err) == (0, f"wrote {out}\n")
    assert "300 values of length, 1 missing left out" in ended.out
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert len(rows) == 301
    assert (rows[1]["length"], rows[1]["label"]) == ("NA", "")
    del rows[1]
    assert [float(row["length"]) for row in rows] == values.tolist()
    if name == "mixture":
        expected = mg.mixture(values, 3, mg.TwoSided(1.9, 2.1))
        assert [int(row["label"]) for row in rows] == expected.labels.tolist()
        assert [float(row["probability"]) for row in rows] == expected.predict_proba(values).max(axis=1).tolist()


@pytest.mark.parametrize("name", COMMANDS)
def test_pictures(name: str, fit: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for suffix, magic in {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}.items():
        out = tmp_path / f"fit.{suffix}"
        ended = fit(name, "--plot", out)
        assert (ended.code, ended.err) == (0, f"wrote {out}\n")
        assert out.read_bytes().startswith(magic)
    assert "must end in one of .png, .svg, .pdf" in fit(name, "--plot", tmp_path / "fit.bmp").fault


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ("kmeans", "--centers", "means", "--constraint", "lower-only:delta=900", "-k", 2),
            3,
            "the largest feasible lower bound is",
        ),
        (("kmeans", "--constraint", "lower-onyl:delta=1", "-k", 2), 2, "did you mean 'lower-only'?"),
        (("kmeans", "--constraint", "lower-only:delta", "-k", 2), 2, "has a value without a name"),
        (("kmeans", "--constraint", "lower-only:delta=-1", "-k", 2), 2, "delta is -1.0"),
        (("kmeans", "--constraint", "per-gap:lower=[1,2]", "-k", 2), 2, "2 clusters have 1 gaps"),
        (("kmeans", "-k", 0), 2, "k is 0; it must be at least 1"),
        (("kmeans", "-k", 1000), 2, "k is 1000, but there are only 300 points"),
        (("kmeans", "-k", "two"), 2, "'two' is not a valid integer (see mindgap kmeans --help)"),
        (("kmeans",), 2, "Missing option '-k'"),
        (("kmeans", "-k", 2, "--method", "magic"), 2, "'magic' is not one of"),
        (("kmeans", "-k", 2, "--speed"), 2, "No such option"),
        (("kmeans", "-k", 2, "--labels", "nowhere/at/all.csv"), 2, "there is no folder nowhere/at"),
        (("mixture", "-k", 2, "--init", "ckmean"), 2, "did you mean 'ckmeans'?"),
        (("mixture", "-k", 2, "--tol", -1), 2, "tol"),
        (("mixture", "-k", 2, "--max-iter", 0), 2, "max_iter is 0"),
        (("mixture", "-k", 2, "--engine", "abacus"), 2, "there is no engine 'abacus'"),
        (("select", "-k", "3-1"), 2, "holds no number"),
        (("select", "-k", "many"), 2, "'many' is not a list of numbers"),
        (
            ("select", "-k", "2,3", "--constraint", "per-gap:lower=[1,1,1]"),
            2,
            "no number of components gave a valid fit",
        ),
        (("path", "-k", 2, "--deltas", "0:1"), 2, "'0:1' is not a grid"),
        (("path", "-k", 2, "--deltas", "0,-1"), 2, "they must be finite and not negative"),
        (("path", "-k", 2, "--deltas", "0:nan:3"), 2, "they must be finite and not negative"),
        (("path", "-k", 2, "--width", -1), 2, "-1"),
    ],
)
def test_faults(arguments: tuple[object, ...], code: int, message: str, command: Command, table: Path) -> None:
    name, *options = arguments
    ended = command(name, table, "--column", "length", *options)
    assert ended.code == code
    assert message in ended.fault


def test_a_broken_plugin_is_named(command: Command, table: Path) -> None:
    class Broken(mg.Constraint):
        name = "broken"

        def gaps(self, k: int) -> mg.GapBounds:
            raise RuntimeError("out of order")

    mg.register(Broken)
    try:
        ended = command("mixture", table, "--column", "length", "-k", 2, "--constraint", "broken")
    finally:
        mg.unregister(Broken)
    assert ended.code == 5
    assert "raised RuntimeError in gaps(2): out of order" in ended.fault


def test_a_solver_that_gives_up(command: Command, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*arguments: Any, **settings: Any) -> Any:
        raise mg.SolverError("no\nprogress")

    monkeypatch.setattr("mindgap.cli.kmeans.kmeans", give_up)
    ended = command("kmeans", table, "--column", "length", "-k", 2)
    assert (ended.code, ended.fault) == (4, "no progress")


def test_nothing_is_written_when_the_fit_fails(command: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "labels.csv"
    out.write_text("old")
    failing = ("--centers", "means", "--constraint", "lower-only:delta=900", "--labels", out)
    assert command("kmeans", table, "--column", "length", "-k", 2, *failing).code == 3
    assert out.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv", "labels.csv"}


@pytest.mark.parametrize("name", [*COMMANDS, "plugins", "new-plugin"])
def test_help_has_examples_and_fits_80_columns(name: str, command: Command) -> None:
    ended = command(name, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert max(map(len, ended.out.splitlines())) <= 80
    if name != "plugins":
        assert f"  mindgap {name} " in ended.out
        assert "Exit codes:" in ended.out
        assert "\\b" not in ended.out


def test_without_a_command(command: Command) -> None:
    ended = command()
    assert (ended.code, ended.out) == (2, "")
    assert "Commands:" in ended.err
    assert "there is no command 'kmean'; did you mean 'kmeans'? there are kmeans, mixture" in command("kmean").fault
    assert command("--version").out == f"mindgap, version {mg.__version__}\n"


def test_numbers_survive_the_labels_file(tmp_path: Path, command: Command) -> None:
    values = [0.1, 1e-300, 123456789.123456789, -1 / 3]
    np.save(tmp_path / "data.npy", values)
    command("kmeans", tmp_path / "data.npy", "-k", 2, "--labels", tmp_path / "labels.csv")
    rows = list(csv.reader((tmp_path / "labels.csv").read_text().splitlines()))
    assert rows[0] == ["value", "label", "distance"]
    assert [float(row[0]) for row in rows[1:]] == values


def test_report(command: Command, table: Path, tmp_path: Path) -> None:
    page = tmp_path / "fit.html"
    asked = ("--column", "length", "-k", "3", "--constraint", "lower-only:delta=1.9", "--bootstrap", "5")
    ended = command("report", table, *asked, "--deltas", "0:3:4", "--out", page, "--title", "<b>Lengths</b>")
    assert (ended.code, ended.err) == (0, f"wrote {page}\n")
    assert ended.out.startswith("300 values of length\n")
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;Lengths&lt;/b&gt;" in text
    assert "<b>Lengths" not in text
    assert command("report", table, *asked, "--out", tmp_path / "absent" / "fit.html").code == 2
