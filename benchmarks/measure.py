"""Times one job in a process of its own: `python measure.py JOB N K REPEATS CLOCK` prints JSON.

Seconds are the best of the repeats, of which slow jobs have fewer, by the clock on the wall or by that of the processor
(all threads together); memory is the peak above what the process held with the data loaded.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from jobs import JOBS, WITH_COST, cost, model_d

#: A job is not repeated once its runs have taken so many seconds.
ENOUGH_SECONDS = 1.0

#: A job that wants more memory fails by itself, before the machine runs out for everybody.
MOST_BYTES = 16 * 2**30


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    name, n, k, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    clock = {"wall": time.perf_counter, "processor": time.process_time}[sys.argv[5]]
    job = JOBS[name]
    x = model_d(n)
    job(model_d(1000, seed=1), min(k, 20))  # imports and one-time costs
    gc.collect()
    _give_back_memory()
    _reset_peak()
    before = _status("VmRSS")
    seconds: list[float] = []
    result = None
    while len(seconds) < repeats and sum(seconds) < ENOUGH_SECONDS:
        result = None  # the last one's memory is not this one's
        start = clock()
        result = job(x, k)
        seconds.append(clock() - start)
    megabytes = (_status("VmHWM") - before) / 1024
    proven = getattr(result, "optimal", None)
    optimal = None if proven is None else bool(np.all(proven))
    found = {"seconds": min(seconds), "megabytes": megabytes, "optimal": optimal}
    inertia = getattr(result, "inertia", None)
    own = inertia if isinstance(inertia, float) else None  # rows of a matrix have one each
    print(json.dumps(found | {"cost": cost(x, result) if name in WITH_COST else own}))


def _status(field: str) -> float:
    """A field of the process's status in kB; NaN where there is none to read."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return float("nan")
    return next((float(line.split()[1]) for line in lines if line.startswith(field)), float("nan"))


def _give_back_memory() -> None:
    """Return freed memory to the system, so that the job cannot hide in what the set-up left."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _reset_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        print("the peak of memory cannot be reset here; it includes the set-up", file=sys.stderr)


if __name__ == "__main__":
    main()
