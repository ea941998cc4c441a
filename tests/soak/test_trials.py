"""Each trial on random problems: the same five in every test run, new ones for as long as ``make soak`` asks.

A trial draws one problem from a generator, solves it and compares with a slow oracle or with another route to the same
answer. It raises where they disagree, and says what kind of case it was where they agree.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import pytest

from soak import (
    agreement_trials,
    array_trials,
    chunk_trials,
    command_trials,
    json_trials,
    kmeans_trials,
    mixture_trials,
    plugin_trials,
    report_trials,
)

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

TRIALS: dict[str, Callable[[np.random.Generator], str]] = {
    **kmeans_trials.TRIALS,
    **mixture_trials.TRIALS,
    **agreement_trials.TRIALS,
    **chunk_trials.TRIALS,
    **array_trials.TRIALS,
    **plugin_trials.TRIALS,
    **json_trials.TRIALS,
    **command_trials.TRIALS,
    **report_trials.TRIALS,
}

#: Minutes for all trials together, by as many processes as pytest runs; none: five cases of each.
MINUTES = float(os.environ.get("SOAK_MINUTES", "0"))
SEED = int(os.environ.get("SOAK_SEED", "20260101"))
#: The one case to run.
CASE = os.environ.get("SOAK_CASE")


@pytest.mark.parametrize("name", TRIALS)
def test_a_trial(name: str) -> None:
    seconds = 60 * MINUTES * int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) / len(TRIALS)
    end = time.monotonic() + seconds
    outcomes: Counter[str] = Counter()
    for case in count() if CASE is None else [int(CASE)]:
        if case >= 5 and CASE is None and time.monotonic() >= end:
            break
        try:
            outcomes[TRIALS[name](np.random.default_rng([SEED, case, *name.encode()]))] += 1
        except Exception as error:
            again = f"SOAK_SEED={SEED} SOAK_CASE={case} pytest tests/soak -k 'trial[{name}]'"
            raise AssertionError(f"case {case} failed; to repeat it: {again}") from error
    print(f"{name}: {outcomes.total()} cases; " + ", ".join(f"{kind} {n}" for kind, n in sorted(outcomes.items())))
