"""The first cases of every trial of the soak; `make soak` goes on for minutes or hours."""

from __future__ import annotations

import pytest

from soak import TRIALS, load
from soak.__main__ import generator

SEED = 20_260_101
#: A second or a few of each.
CASES = {
    "arrays": 1500,
    "settings": 2000,
    "stored-results": 800,
    "other-documents": 50,
    "plugins": 1500,
    "files": 350,
    "arguments": 300,
    "reports": 60,
    "means-program": 30,
    "routes": 15,
    "no-bounds": 15,
    "no-bounds-peer": 10,
    "free": 150,
}


@pytest.mark.parametrize("name", sorted(TRIALS))
def test_trial(name: str) -> None:
    for case in range(CASES.get(name, 300)):
        try:
            TRIALS[name](generator(SEED, name, case))
        except Exception as error:
            raise AssertionError(f"make soak SOAK='--seed {SEED} --only {name} --case {case}'") from error


def test_threads_change_nothing() -> None:
    assert load.threads(16)


def test_fits_leave_no_memory_behind() -> None:
    assert load.memory(4_000)


@pytest.mark.parametrize("call", load.LONG.values(), ids=load.LONG)
def test_ctrl_c_stops_a_long_fit(call: str) -> None:
    assert load.interrupted(call) < 60
