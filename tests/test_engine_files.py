"""Engines that read FILE themselves on the command line."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from command_line import Command

X = np.concatenate([10 * group + np.sinh(np.linspace(-1, 1, 12)) for group in range(3)])


class Sqlite(mg.Engine):
    name = "sqlite"
    reads_files = True

    def __init__(self, table: str, labels: bool = True) -> None:
        self.table, self.labelled = table, labels

    def load(self, x: Any, sample_weight: Any) -> mg.Summary:
        with sqlite3.connect(x) as connection:
            rows = connection.execute(f"select x from {self.table}").fetchall()
        self.points = np.array(rows, dtype=float).ravel()
        return mg.Summary.of(self.points)

    def zoom(self, windows: np.ndarray) -> list[mg.Summary]:
        return mg.Summary.of_windows(self.points, windows)

    def moments(self, weights: np.ndarray, means: np.ndarray, variances: np.ndarray) -> mg.Moments:
        return mg.Moments.of(self.points, None, weights, means, variances)

    def labels(self, predict: Any) -> Any:
        return predict(self.points) if self.labelled else None


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_host: Any) -> None:
    mg.register(Sqlite)
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("points.db") as connection:
        connection.execute("create table obs (x real)")
        connection.executemany("insert into obs values (?)", [(value,) for value in X.tolist()])


ENGINE = ("--engine", "sqlite:table=obs")


def test_kmeans(command: Command) -> None:
    ended = command("kmeans", "points.db", "-k", 3, *ENGINE, "--constraint", "lower-only:delta=11", "--json")
    assert ended.code == 0
    found = json.loads(ended.out)
    here = mg.kmeans(X, 3, mg.LowerOnly(11))
    assert found["inertia"] == pytest.approx(here.inertia)
    assert found["optimal"]
    table = command("kmeans", "points.db", "-k", 3, *ENGINE, "--labels", "labels.csv")
    assert "points.db, read by the engine" in table.out
    assert Path("labels.csv").read_text().split() == ["label", *map(str, mg.kmeans(X, 3).labels)]


@pytest.mark.parametrize(
    "arguments", [("mixture", "-k", 2), ("select", "-k", "1-2"), ("path", "-k", 2, "--deltas", "0,11")], ids=str
)
def test_mixtures(command: Command, arguments: tuple[Any, ...]) -> None:
    ended = command(*arguments, "points.db", *ENGINE, "--json")
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out)


def test_mixture_labels(command: Command) -> None:
    assert command("mixture", "points.db", "-k", 3, *ENGINE, "--labels", "labels.csv").code == 0
    assert Path("labels.csv").read_text().split() == ["label", *map(str, mg.mixture(X, 3).labels)]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("points.db", "--column", "x"), "the engine 'sqlite' reads FILE itself; give --column in its parameters"),
        (("points.db", "--drop-missing"), "give --drop-missing in its parameters"),
        (("points.db", "--no-header"), "give --header in its parameters"),
        (("-",), "reads FILE itself; give a file instead of -"),
    ],
)
def test_how_to_read_is_the_engines(arguments: tuple[str, ...], fault: str, command: Command) -> None:
    ended = command("kmeans", *arguments, "-k", 2, *ENGINE)
    assert (ended.code, fault in ended.fault) == (2, True)


def test_an_engine_without_labels(command: Command) -> None:
    ended = command("kmeans", "points.db", "-k", 2, "--engine", "sqlite:table=obs,labels=false", "--labels", "out.csv")
    assert (ended.code, "has no labels for them; leave --labels out" in ended.fault) == (2, True)


def test_an_engine_for_values_gets_those_of_the_file(command: Command) -> None:
    mg.register(type("Own", (mg.Local,), {"name": "own"}))
    Path("points.csv").write_text("\n".join(map(str, X)))
    ended = command("kmeans", "points.csv", "-k", 3, "--engine", "own", "--json")
    assert json.loads(ended.out)["inertia"] == pytest.approx(mg.kmeans(X, 3).inertia)
