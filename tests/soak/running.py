"""Runs trials in turn, in one process or in several, and counts how their cases come out."""

from __future__ import annotations

import multiprocessing
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from soak import TRIALS
from soak.stopping import told_to_stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from soak import Trial

Counts: TypeAlias = dict[str, Counter[str]]


def generator(seed: int, trial: str, case: int) -> np.random.Generator:
    """The random numbers of one case, which no other case shares."""
    return np.random.default_rng([seed, case, *trial.encode()])


def run_in(jobs: int, names: Sequence[str], seed: int, seconds: float, every: float, told: Sequence[int]) -> Counts:
    """Run for so many seconds in some processes at once, which share the cases out."""
    if jobs == 1:
        return run(names, seed, seconds, every, told, 0, 1)
    return _in_processes(jobs, run_until_told, names, seed, seconds, every)


def run_counted(jobs: int, cases: dict[str, int], seed: int) -> Counts:
    """Run so many cases of each trial, shared out to some processes: the same ones on every machine."""
    return _in_processes(jobs, run_share, cases, seed)


def _in_processes(jobs: int, work: Callable[..., Counts], *arguments: Any) -> Counts:
    """What some processes count together; each is told which of them it is, and how many there are."""
    counts: Counts = {}
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        parts = [pool.submit(work, *arguments, job, jobs) for job in range(jobs)]
        for part in parts:
            for name, outcomes in part.result().items():
                counts.setdefault(name, Counter()).update(outcomes)
    return counts


def run_until_told(names: Sequence[str], seed: int, seconds: float, every: float, first: int, step: int) -> Counts:
    """What one of the processes does for some time, unless its parent tells it to stop."""
    with told_to_stop() as told:
        return run(names, seed, seconds, every, told, first, step)


def run_share(cases: dict[str, int], seed: int, first: int, step: int) -> Counts:
    """What one of the processes does of so many cases."""
    share = {name: range(first, count, step) for name, count in cases.items()}
    return {name: Counter(outcome(TRIALS[name], seed, name, case) for case in share[name]) for name in share}


def run(
    names: Sequence[str], seed: int, seconds: float, every: float, told: Sequence[int], first: int, step: int
) -> Counts:
    """Give each trial the same time, in turns, until time is over or a signal comes; say now and then how it goes."""
    counts: Counts = {name: Counter() for name in names}
    cases = Counter(dict.fromkeys(names, first))
    began = said = time.monotonic()
    end = began + seconds
    turn = max(0.05, min(2.0, seconds / (3 * len(names))))
    while time.monotonic() < end and not told:
        for name in names:
            stop = min(time.monotonic() + turn, end)
            while time.monotonic() < stop and not told:
                counts[name][outcome(TRIALS[name], seed, name, cases[name])] += 1
                cases[name] += step
            if time.monotonic() - said >= every:
                said = time.monotonic()
                print(f"process {first + 1} of {step}, {(said - began) / 60:.1f} minutes: {total(counts)}", flush=True)
    return counts


def total(counts: Counts) -> str:
    """How many cases there were, and how many failed."""
    return f"{sum(outcomes.total() for outcomes in counts.values())} cases, {failures(counts)} failed"


def failures(counts: Counts) -> int:
    """How many cases failed."""
    return sum(outcomes["FAILED"] for outcomes in counts.values())


def outcome(trial: Trial, seed: int, name: str, case: int) -> str:
    """How one case came out; a failure is printed with what repeats it."""
    try:
        return trial(generator(seed, name, case))
    except Exception:
        print(f"FAILED: --seed {seed} --only {name} --case {case}", file=sys.stderr)
        print(traceback.format_exc(limit=-1), file=sys.stderr, flush=True)
        return "FAILED"
