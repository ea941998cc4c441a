"""Stress tests of the process: a few in every test run, many under ``make soak``."""

from __future__ import annotations

import pytest

from soak import interrupts, load
from soak.test_trials import MINUTES, SEED

SOAKING = MINUTES > 0

pytestmark = pytest.mark.slow


def test_threads_change_nothing() -> None:
    load.threads(64 if SOAKING else 16)


def test_forked_and_spawned_processes_fit_what_their_parent_fits() -> None:
    load.processes()


def test_fits_leave_no_memory_behind() -> None:
    load.memory(100_000 if SOAKING else 4_000)


@pytest.mark.parametrize("work", interrupts.LONG)
def test_ctrl_c_at_random_moments(work: str) -> None:
    assert interrupts.interrupts(8 if SOAKING else 1, SEED, (work,))[work] < 60


def test_ctrl_c_in_the_command_line() -> None:
    load.command_line(12 if SOAKING else 1)
