"""One measurement in a process of its own, or why there is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

#: What is counted: time on the wall, or of the processor, all threads together, for a machine that is busy otherwise.
CLOCK = os.environ.get("MINDGAP_BENCHMARK_CLOCK", "wall")

#: A job that needs longer is left out of its cell: the whole run is to take less than ten minutes.
LIMIT_SECONDS = 40


@dataclass(frozen=True)
class Trial:
    """What one job took on one size of data."""

    job: str
    n: int
    k: int
    seconds: float | None
    megabytes: float | None
    optimal: bool | None
    failure: str | None = None
    cost: float | None = None


def run(job: str, n: int, k: int, repeats: int = 3, limit: float = LIMIT_SECONDS) -> Trial:
    """Measure `job`, best of `repeats`; slow jobs are repeated less."""
    command = [sys.executable, str(Path(__file__).with_name("measure.py")), job, str(n), str(k), str(repeats), CLOCK]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return Trial(job, n, k, None, None, None, failure=f"more than {limit:.0f} s")
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1:] or ["died without a word"]
        return Trial(job, n, k, None, None, None, failure=reason[0][:60])
    found = json.loads(done.stdout)
    return Trial(job, n, k, found["seconds"], found["megabytes"], found["optimal"], cost=found["cost"])
