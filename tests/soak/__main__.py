"""``python -m soak``: run the trials in turn until the time is over."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from soak import TRIALS, load

if TYPE_CHECKING:
    from collections.abc import Callable

    from soak import Trial


def main() -> int:
    """Run, and return 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0, help="how long to run (default: 2)")
    parser.add_argument("--seed", type=int, default=None, help="the seed of the run (default: the time)")
    parser.add_argument("--only", action="append", metavar="TRIAL", choices=sorted(TRIALS), help="only these trials")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (default: 1)")
    parser.add_argument("--case", type=int, default=None, help="run this one case of the trials, with its traceback")
    options = parser.parse_args()
    seed = time.time_ns() % 2**32 if options.seed is None else options.seed
    chosen = {name: TRIALS[name] for name in options.only or TRIALS}
    print(f"seed {seed}, {options.minutes:g} minutes, {len(chosen)} trials", flush=True)
    if options.case is not None:
        for name, trial in chosen.items():
            print(name, trial(generator(seed, name, options.case)))
        return 0
    failed = report(run_in(options.jobs, chosen, seed, options.minutes * 60))
    if options.only is None:
        failed += sum(not held(name, check) for name, check in load.CHECKS.items())
    return int(failed > 0)


def held(name: str, check: Callable[[], str]) -> bool:
    """Whether the process stood one kind of load."""
    try:
        print(f"{name:<22} {check()}", flush=True)
    except Exception:
        print(f"{name:<22} FAILED\n{traceback.format_exc(limit=-1)}", flush=True)
        return False
    return True


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
            stop = time.monotonic() + turn
            while time.monotonic() < stop:
                counts[name][outcome(trial, seed, name, cases[name])] += 1
                cases[name] += step
    return counts


def outcome(trial: Trial, seed: int, name: str, case: int) -> str:
    """How one case came out; a failure is printed with what repeats it."""
    try:
        return trial(generator(seed, name, case))
    except Exception:
        print(f"FAILED: --seed {seed} --only {name} --case {case}", file=sys.stderr)
        print(traceback.format_exc(limit=-1), file=sys.stderr, flush=True)
        return "FAILED"


def report(counts: dict[str, Counter[str]]) -> int:
    """Print the counts, and return how many cases failed."""
    for name, outcomes in counts.items():
        parts = ", ".join(f"{outcome} {count}" for outcome, count in sorted(outcomes.items()))
        print(f"{name:<22} {outcomes.total():>8}  {parts}")
    failed = sum(outcomes["FAILED"] for outcomes in counts.values())
    print(f"{sum(outcomes.total() for outcomes in counts.values())} cases, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
