"""``python -m soak``: run the trials in turn until the time is over."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from typing import TYPE_CHECKING

from soak import TRIALS, load
from soak.running import generator, run_in

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable


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
