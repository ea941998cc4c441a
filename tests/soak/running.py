"""Runs trials in turn, in one process or in several, and counts how their cases come out."""

from __future__ import annotations

import multiprocessing
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from soak import TRIALS

if TYPE_CHECKING:
    from soak import Trial


def generator(seed: int, trial: str, case: int) -> np.random.Generator:
    """The random numbers of one case, which no other case shares."""
    return np.random.default_rng([seed, case, *trial.encode()])


def run_in(jobs: int, trials: dict[str, Trial], seed: int, seconds: float) -> dict[str, Counter[str]]:
    """Run in some processes at once, which share the cases out."""
    if jobs == 1:
        return run(trials, seed, seconds)
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        parts = [pool.submit(run_part, tuple(trials), seed, seconds, job, jobs) for job in range(jobs)]
        counts: dict[str, Counter[str]] = {name: Counter() for name in trials}
        for part in parts:
            for name, outcomes in part.result().items():
                counts[name].update(outcomes)
    return counts


def run_part(names: tuple[str, ...], seed: int, seconds: float, job: int, jobs: int) -> dict[str, Counter[str]]:
    """What one of the processes does."""
    return run({name: TRIALS[name] for name in names}, seed, seconds, job, jobs)


def run(trials: dict[str, Trial], seed: int, seconds: float, first: int = 0, step: int = 1) -> dict[str, Counter[str]]:
    """Give each trial the same time, in turns, and count how its cases came out."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in trials}
    cases = Counter(dict.fromkeys(trials, first))
    end = time.monotonic() + seconds
    turn = max(0.05, min(2.0, seconds / (3 * len(trials))))
    while time.monotonic() < end:
        for name, trial in trials.items():
            stop = min(time.monotonic() + turn, end)
            while time.monotonic() < stop:
                counts[name][outcome(trial, seed, name, cases[name])] += 1
                cases[name] += step
    return counts


def run_counted(jobs: int, cases: dict[str, int], seed: int) -> dict[str, Counter[str]]:
    """Run so many cases of each trial, shared out to some processes: the same ones on every machine."""
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        parts = [pool.submit(run_share, cases, seed, job, jobs) for job in range(jobs)]
        counts: dict[str, Counter[str]] = {name: Counter() for name in cases}
        for part in parts:
            for name, outcomes in part.result().items():
                counts[name].update(outcomes)
    return counts


def run_share(cases: dict[str, int], seed: int, first: int, step: int) -> dict[str, Counter[str]]:
    """What one of the processes does of them."""
    share = {name: range(first, count, step) for name, count in cases.items()}
    return {name: Counter(outcome(TRIALS[name], seed, name, case) for case in share[name]) for name in share}


def outcome(trial: Trial, seed: int, name: str, case: int) -> str:
    """How one case came out; a failure is printed with what repeats it."""
    try:
        return trial(generator(seed, name, case))
    except Exception:
        print(f"FAILED: --seed {seed} --only {name} --case {case}", file=sys.stderr)
        print(traceback.format_exc(limit=-1), file=sys.stderr, flush=True)
        return "FAILED"
