"""Two minutes of the soak; `make soak` goes on for minutes or hours. MINDGAP_SOAK_SECONDS sets another time."""

from __future__ import annotations

import os

import pytest

from soak import TRIALS, interrupts, load
from soak.__main__ import report
from soak.running import generator, run_in

SEED = 20_260_101
SECONDS = float(os.environ.get("MINDGAP_SOAK_SECONDS", "110"))


@pytest.mark.parametrize("name", sorted(TRIALS))
def test_the_first_cases_of_each_trial(name: str) -> None:
    for case in range(5):
        try:
            TRIALS[name](generator(SEED, name, case))
        except Exception as error:
            raise AssertionError(f"make soak SOAK='--seed {SEED} --only {name} --case {case}'") from error


def test_two_minutes_of_all_trials(capfd: pytest.CaptureFixture[str]) -> None:
    jobs = min(2, os.cpu_count() or 1)
    failed = report(run_in(jobs, TRIALS, SEED + 1, SECONDS))
    said = capfd.readouterr()
    assert failed == 0, f"{said.err}\n{said.out}"


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
