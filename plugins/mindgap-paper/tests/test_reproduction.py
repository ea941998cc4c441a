"""`mindgap reproduce`: the paper's experiments."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mindgap_paper import running, trials
from mindgap_paper.comparing import Comparison, Misses, Moments
from mindgap_paper.curves import Curves
from mindgap_paper.experiments import CURVES, DELTAS, EXPERIMENTS, N
from mindgap_paper.paper_figures import PRINTED, Printed
from mindgap_paper.running import CHUNK, Job, Outcome, run
from mindgap_paper.sources import Simulated

import mindgap as mg
from command_line import Command
from mindgap import InfeasibleError
from mindgap.datasets import paper_model

AUTHORS = Path(os.environ.get("MINDGAP_SHARED", Path(__file__).parents[4] / "shared")) / "data"
BY_KEY = {experiment.key: experiment for experiment in EXPERIMENTS}


def job(key: str, repeats: int) -> Job:
    return Job(BY_KEY[key], Simulated(BY_KEY[key]), repeats)


@pytest.fixture
def authors(tmp_path: Path) -> Path:
    """Files of the authors' form, with six data sets that are not theirs."""
    for name, model in (("paper_exp1.npz", "D"), ("paper_exp3.npz", "B")):
        drawn = [paper_model(model, 200, seed) for seed in range(6)]
        samples, labels = np.stack([data.values for data in drawn]), np.stack([data.groups + 1 for data in drawn])
        np.savez(tmp_path / name, samples=samples, labels=labels)
    return tmp_path


def test_a_short_run_of_everything(command: Command, tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "page.md"
    ended = command("reproduce", "--repeats", 20, "--out", out, "--docs", page)
    assert ended.code == 0
    assert max(map(len, ended.out.splitlines())) <= 80
    assert {path.name for path in out.iterdir()} == {
        "results.json",
        "reproduction.md",
        "reproduction.png",
        "reproduction.svg",
    }
    results = json.loads((out / "results.json").read_text())
    assert [part["experiment"] for part in results["experiments"]] == ["1", "2", "3", "4", "5", "6"]
    assert all(part["repeats"] == 20 and part["data"] == "simulated" for part in results["experiments"])
    assert results["resumed"] == 0
    check_tables(results)
    check_curves(results["experiments"][5]["curves"])
    assert all(line["met"] for line in results["nypans"]["figures"])
    assert [count["ours"] for count in results["nypans"]["iterations"]] == [33, 9]
    text = page.read_text()
    assert "![" in text
    assert "(page.svg)" in text
    assert page.with_suffix(".svg").stat().st_size > 1000
    assert str(tmp_path) not in text
    assert f"seed {results['seed']}" in text


def check_tables(results: dict[str, Any]) -> None:
    for part in results["experiments"][:5]:
        assert len(part["figures"]) == 6
        printed = [figure for method in PRINTED[part["experiment"]] for figure in method]
        assert [line["printed"]["mean"] for line in part["figures"]] == [figure.mean for figure in printed]
        for line in part["figures"]:
            # Twenty data sets tell little, but a wrong measure or truth is off by far more than six standard errors.
            assert abs(line["z"]) < 6
            assert line["paper"]["n"] == line["exact"]["n"] == 20


def check_curves(curves: dict[str, Any]) -> None:
    assert curves["deltas"][:2] == [0.85, 0.9]
    assert (curves["deltas"][5], curves["deltas"][-2:], len(curves["deltas"])) == (1.6, [2.3, 2.4], 21)
    shape = (3, 21, 3)
    mean, low, high = (np.array(curves[name]) for name in ("mean", "low", "high"))
    assert mean.shape == low.shape == high.shape == shape
    assert (low <= mean).all()
    assert (mean <= high).all()
    assert (mean[0] == mean[0, 0]).all()  # regular EM does not depend on δ
    assert len(curves["claims"]) == 7
    assert curves["held_back"][0] == 0  # the gap that regular EM finds is larger by itself
    assert curves["held_back"][-1] > 10


def test_one_experiment_alone(command: Command, tmp_path: Path) -> None:
    ended = command("reproduce", "2", "--repeats", 3, "--out", tmp_path)
    assert ended.code == 0
    assert "Experiment 2" in ended.out
    assert "Experiment 1" not in ended.out
    results = json.loads((tmp_path / "results.json").read_text())
    assert (len(results["experiments"]), results["nypans"]) == (1, None)
    assert not (tmp_path / "reproduction.png").exists()


def test_the_readme_shows_what_it_prints(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```console\n\$ mindgap (.*?)^```", readme, flags=re.MULTILINE | re.DOTALL)
    typed, shown = block.split("\n", 1)
    monkeypatch.chdir(tmp_path)
    ended = command(*shlex.split(typed))
    start, end = shown.split("...\n")
    assert ended.out.startswith(start)
    assert ended.err == end


def test_seven_is_run_with_six(command: Command, tmp_path: Path) -> None:
    assert command("reproduce", "7", "--repeats", 2, "--out", tmp_path).code == 0
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["experiments"][0]["curves"]["methods"] == list(CURVES)


def test_the_heights_alone(command: Command, tmp_path: Path) -> None:
    ended = command("reproduce", "nypans", "--out", tmp_path)
    assert ended.code == 0
    assert "6 of 6 figures of the NYPANS table are met" in " ".join(ended.out.split())


def test_an_interrupted_run_goes_on(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("reproduce", "4", "--repeats", 3 * CHUNK)
    assert command(*asked, "--out", tmp_path / "whole").code == 0

    done = []

    def interrupted(experiment: Any, data: Any) -> Any:
        done.append(1)
        if len(done) > 2 * CHUNK:
            raise KeyboardInterrupt
        return trials.measure(experiment, data)

    with monkeypatch.context() as patch:
        patch.setattr(running, "measure", interrupted)
        patch.setattr(running, "workers", lambda: 1)
        ended = command(*asked, "--out", tmp_path / "broken")
        assert (ended.code, ended.out, ended.err.strip()) == (130, "", "mindgap: interrupted")
    assert not (tmp_path / "broken" / "results.json").exists()
    assert command(*asked, "--out", tmp_path / "broken").code == 0

    whole, broken = (json.loads((tmp_path / name / "results.json").read_text()) for name in ("whole", "broken"))
    assert (whole["resumed"], broken["resumed"]) == (0, 2 * CHUNK)
    assert whole["experiments"] == broken["experiments"]
    assert not (tmp_path / "broken" / "unfinished").exists()


def test_what_is_stored_by_another_run_or_broken_is_not_taken_up(tmp_path: Path) -> None:
    [first] = run([job("4", 4)], tmp_path)
    [again] = run([job("4", 4)], tmp_path)
    [other] = run([replace(job("4", 4), source=Simulated(BY_KEY["4"], seed=1))], tmp_path)
    assert [outcome.resumed for outcome in (first, again, other)] == [0, 4, 0]
    assert not np.array_equal(first.recorded["errors"], other.recorded["errors"])
    [stored] = tmp_path.rglob("*.npz")
    stored.write_bytes(stored.read_bytes()[:100])
    [repaired] = run([job("4", 4)], tmp_path)
    assert repaired.resumed == 0
    assert np.array_equal(repaired.recorded["errors"], first.recorded["errors"])


def test_results_do_not_depend_on_the_threads_nor_on_how_many_there_are(tmp_path: Path) -> None:
    [one] = run([job("3", 2 * CHUNK)], tmp_path / "one", threads=1)
    [three] = run([job("3", CHUNK + 5)], tmp_path / "three", threads=3)
    for name, values in three.recorded.items():
        assert np.array_equal(values, one.recorded[name][: CHUNK + 5])


def test_experiments_have_data_of_their_own() -> None:
    three, two = Simulated(BY_KEY["3"]).draw(0), Simulated(BY_KEY["2"]).draw(0)
    assert len(three.values) == N
    assert not np.array_equal(three.values, two.values)  # the same model


def test_on_the_authors_files(command: Command, authors: Path, tmp_path: Path) -> None:
    ended = command("reproduce", "1", "3", "2", "--data", authors, "--repeats", 5, "--out", tmp_path / "out")
    assert ended.code == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [part["data"] for part in results["experiments"]] == ["authors", "simulated", "authors"]
    assert "of 12 printed figures are met" in ended.out
    assert "not met to the last digit" in ended.out  # five made-up data sets are not the authors' thousand
    assert str(authors) not in (tmp_path / "out" / "reproduction.md").read_text()


def test_bad_arguments(command: Command, authors: Path, tmp_path: Path) -> None:
    out = ("--out", tmp_path / "out")
    for arguments, words in (
        (("8",), "'8' is not one of"),
        (("1", "--repeats", 1), "--repeats"),
        (("1", "--repeats", "many"), "--repeats"),
        (("1", "--docs", tmp_path / "page.html"), "ends in .md"),
        (("1", "--docs", tmp_path / "nowhere" / "page.md"), "existing folder"),
        (("2", "--data", authors), "serves Experiments 1 and 3"),
        (("1", "--data", tmp_path / "nowhere"), "cannot read"),
        (("1", "--data", authors, "--repeats", 7), "there are 6 of the authors' data sets"),
    ):
        ended = command("reproduce", *arguments, *out)
        assert ended.code == 2, arguments
        assert words in ended.fault
    (tmp_path / "file").write_text("")
    assert "cannot make the folder" in command("reproduce", "1", "--out", tmp_path / "file").fault


@pytest.mark.parametrize("content", [b"nonsense", b"", b"PK\x03\x04 and no more"])
def test_data_that_are_none(content: bytes, command: Command, tmp_path: Path) -> None:
    (tmp_path / "paper_exp1.npz").write_bytes(content)
    ended = command("reproduce", "1", "--data", tmp_path, "--out", tmp_path / "out")
    assert ended.code == 2
    assert "paper_exp1.npz" in ended.fault


def test_data_of_another_shape(command: Command, tmp_path: Path) -> None:
    np.savez(tmp_path / "paper_exp1.npz", samples=np.zeros((3, 4)), labels=np.zeros(3))
    assert "one shape" in command("reproduce", "1", "--data", tmp_path, "--out", tmp_path / "out").fault


@pytest.mark.skipif(not AUTHORS.exists(), reason="the authors' data sets are not beside the project")
def test_on_the_authors_data_every_printed_figure_is_met(command: Command, tmp_path: Path) -> None:
    ended = command("reproduce", "1", "3", "--data", AUTHORS, "--out", tmp_path)
    assert ended.code == 0
    results = json.loads((tmp_path / "results.json").read_text())
    lines = [line for part in results["experiments"] for line in part["figures"]]
    assert (len(lines), [line for line in lines if not line["met"]], results["faults"]) == (12, [], [])
    assert [part["repeats"] for part in results["experiments"]] == [1000, 1000]
    assert results["experiments"][0]["misses"]["missed"] == 99


def comparison(mean: float, deviation: float, printed: Printed, n: int = 1000) -> Comparison:
    moments = Moments(mean, deviation, 3.0, n)
    return Comparison("Experiment 0", "K-means", "center error", printed, 1000, moments, moments)


def test_how_far_apart_figures_are() -> None:
    near = comparison(1.01, 0.21, Printed("1.000", "0.200"))
    assert near.z == pytest.approx(0.01 / np.sqrt((0.2**2 + 0.21**2) / 1000))
    assert near.ratio == pytest.approx(1.05)
    assert near.faults() == []
    assert not near.met
    assert comparison(1.0004, 0.19951, Printed("1.000", "0.200")).met

    [fault] = comparison(1.05, 0.2, Printed("1.000", "0.200")).faults()
    assert "more than rounding and chance" in fault
    [fault] = comparison(1.9, 0.01, Printed("2", "0.01")).faults()
    assert "rounding of the printed figure" in fault
    [fault] = comparison(1.0, 0.25, Printed("1.000", "0.200")).faults()
    assert "more than chance" in fault
    [fault] = comparison(1.0, 0.25, Printed("1.000", "0.200"), n=20).faults()
    assert "of 20 data sets it is known to about 16% only" in fault


def test_moments_leave_out_what_is_not_known() -> None:
    moments = Moments.of(np.array([1.0, np.nan, 2.0, 4.0]))
    assert moments.mean == pytest.approx(7 / 3)
    assert moments.n == 3
    assert moments.deviation == pytest.approx(np.std([1, 2, 4], ddof=1))


def made_up_curves(one_sided: Any, two_sided: Any) -> Curves:
    """Errors of the three curves by δ; regular EM's are 1, and a Rand index is 1 minus a tenth of the error."""
    errors = np.array([np.ones(len(DELTAS)), [one_sided(d) for d in DELTAS], [two_sided(d) for d in DELTAS]])
    mean = np.stack([errors, 2 * errors, 1 - errors / 10], axis=-1)
    width = np.array([0.8, 1.6, 0.08])
    return Curves(mean, mean - width / 2, mean + width / 2, 100, np.zeros(len(DELTAS), dtype=np.int64))


def test_the_papers_words_hold_where_they_should() -> None:
    def one_sided(delta: float) -> float:
        return 1.0 if delta < 1.6 else 0.8 if delta < 2.2 else 1.5

    def two_sided(delta: float) -> float:
        return 2.0 if delta < 1.6 else 0.7 if delta < 2.2 else 1.5

    curves = made_up_curves(one_sided, two_sided)
    assert [claim.holds for claim in curves.claims()] == [True] * 7
    assert curves.one_sided_gain_begins() == 1.6


def test_the_papers_words_fail_where_they_should() -> None:
    curves = made_up_curves(lambda delta: 1.2, lambda delta: 1.1)
    assert [claim.holds for claim in curves.claims()] == [False, False, False, False, True, False, True]
    assert curves.one_sided_gain_begins() is None
    better = made_up_curves(lambda delta: 0.5, lambda delta: 0.6)
    assert [claim.holds for claim in better.claims()] == [False, False, True, True, False, False, False]


def test_what_the_papers_program_does_not_find_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(sample: Any, k: int, constraint: Any = None, **settings: Any) -> Any:
        if settings.get("method") == "paper":
            raise InfeasibleError("not possible")
        return mg.kmeans(sample, k, constraint, **settings)

    monkeypatch.setattr(trials, "kmeans", failing)
    experiment = BY_KEY["2"]
    recorded = trials.measure(experiment, Simulated(experiment).draw(0))
    assert np.isnan(recorded["cost"]).tolist() == [True, False]
    assert np.isnan(recorded["errors"][0, 1]).all()
    assert np.isfinite(recorded["errors"][1]).all()
    outcome = Outcome(job("2", 1), {name: values[None] for name, values in recorded.items()}, 0)
    misses = Misses.of(outcome)
    assert (misses.n, misses.missed, misses.failed) == (1, 0, 1)
    assert "finds nothing in 1" in str(misses)
