"""About two minutes of the soak, the same cases everywhere; `make soak` goes on for minutes or hours."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from soak import TRIALS, interrupts, load
from soak.__main__ import report
from soak.running import generator, run_counted

SEED = 20_260_101

#: As many cases of each trial as take about the same time: two minutes in all, on two slow cores.
CASES = {
    "means": 2500,
    "means-program": 150,
    "means-paper": 5700,
    "free": 310,
    "no-bounds": 20,
    "no-bounds-peer": 10,
    "routes": 48,
    "units": 1250,
    "repetitions": 730,
    "mixture-step": 550,
    "mixture-promises": 1260,
    "mixture-units": 1250,
    "faces": 160,
    "refinements": 18,
    "scales": 2300,
    "rows": 214,
    "large": 12,
    "chunks": 40,
    "summaries": 120,
    "chunked-mixtures": 100,
    "dask": 5,
    "arrays": 1870,
    "settings": 4200,
    "plugins": 1600,
    "stored-results": 1080,
    "other-documents": 9000,
    "files": 180,
    "arguments": 50,
    "reports": 290,
}


@pytest.mark.parametrize("name", sorted(TRIALS))
def test_the_first_cases_of_each_trial(name: str) -> None:
    for case in range(5):
        try:
            TRIALS[name](generator(SEED, name, case))
        except Exception as error:
            raise AssertionError(f"make soak SOAK='--seed {SEED} --only {name} --case {case}'") from error


def test_two_minutes_of_all_trials(capfd: pytest.CaptureFixture[str]) -> None:
    assert CASES.keys() == TRIALS.keys()
    failed = report(run_counted(min(2, os.cpu_count() or 1), CASES, SEED + 1))
    said = capfd.readouterr()
    assert failed == 0, f"{said.err}\n{said.out}"


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_with_its_counts(jobs: int, number: signal.Signals) -> None:
    options = ["--minutes", "60", "--only", "means", "--jobs", str(jobs), "--every", "0.2"]
    command = [sys.executable, "-m", "soak", *options]
    with subprocess.Popen(command, cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        under_way: set[str] = set()
        while len(under_way) < jobs:
            line = child.stdout.readline()
            if so_far := re.fullmatch(r"(process \d of \d), [\d.]+ minutes: \d+ cases, 0 failed\n", line):
                under_way.add(so_far[1])
            else:
                assert line.startswith("seed ")
        child.send_signal(number)
        rest, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert re.search(r"\nended early\nmeans .*\n[1-9]\d* cases, 0 failed\n$", "\n" + rest)


def test_threads_change_nothing() -> None:
    assert load.threads(64)


def test_forked_and_spawned_processes_fit_what_their_parent_fits() -> None:
    assert load.processes()


def test_fits_leave_no_memory_behind() -> None:
    assert load.memory(4_000)


@pytest.mark.parametrize("work", interrupts.LONG)
def test_ctrl_c_at_random_moments(work: str) -> None:
    assert interrupts.interrupts(2, SEED, (work,))[work] < 60


def test_ctrl_c_in_the_command_line() -> None:
    assert load.command_line(2)
