"""``python -m soak``: run the trials in turn until the time is over, or Ctrl-C or SIGTERM says so."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from typing import TYPE_CHECKING

from soak import TRIALS, load
from soak.running import Counts, failures, generator, run_in, total
from soak.stopping import mind_ctrl_c, told_to_stop

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> int:
    """Run, and return 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0, help="how long to run (default: 2)")
    parser.add_argument("--seed", type=int, default=None, help="the seed of the run (default: the time)")
    parser.add_argument("--only", action="append", metavar="TRIAL", choices=sorted(TRIALS), help="only these trials")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (default: 1)")
    parser.add_argument("--case", type=int, default=None, help="run this one case of the trials, with its traceback")
    parser.add_argument("--every", type=float, default=180.0, help="seconds between two lines of counts (default: 180)")
    options = parser.parse_args()
    mind_ctrl_c()
    seed = time.time_ns() % 2**32 if options.seed is None else options.seed
    chosen = tuple(options.only or TRIALS)
    print(f"seed {seed}, {options.minutes:g} minutes, {len(chosen)} trials", flush=True)
    if options.case is not None:
        for name in chosen:
            print(name, TRIALS[name](generator(seed, name, options.case)))
        return 0
    with told_to_stop() as told:
        counts = run_in(options.jobs, chosen, seed, options.minutes * 60, options.every, told)
    if told:
        print("ended early")
    failed = report(counts)
    if options.only is None and not told:
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


def report(counts: Counts) -> int:
    """Print the counts, and return how many cases failed."""
    for name, outcomes in counts.items():
        parts = ", ".join(f"{outcome} {count}" for outcome, count in sorted(outcomes.items()))
        print(f"{name:<22} {outcomes.total():>8}  {parts}")
    print(total(counts))
    return failures(counts)


if __name__ == "__main__":
    sys.exit(main())
