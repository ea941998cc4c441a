"""Hard use of the process: many threads, many fits, forks, spawns and Ctrl-C. Run once, at the end of a soak."""

from __future__ import annotations

import multiprocessing
import resource
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import mindgap as mg

#: What a child must answer to its parent.
X = np.random.default_rng(0).normal(0, 3, 400)

LONG = {
    "kmeans": "mg.kmeans(x, 60, mg.LowerOnly(0.2))",
    "mixture": "mg.mixture(x, 20, mg.LowerOnly(0.1), init='ckmeans', tol=0, max_iter=10**6)",
}


def fingerprint(seed: int) -> str:
    """The bits of three small fits."""
    x = np.random.default_rng(seed).normal(0, 3, 300)
    means = mg.kmeans(x, 4, mg.LowerOnly(0.5))
    free = mg.kmeans(x, 4, mg.LowerOnly(3.0), centers="free")
    mixture = mg.mixture(x, 3, mg.LowerOnly(1.0), max_iter=20)
    return "".join(part.tobytes().hex() for part in (means.centers, free.centers, mixture.means, mixture.variances))


def threads(count: int = 64) -> str:
    """Many threads fit at once, and each gets the bits that it gets alone."""
    alone = [fingerprint(seed) for seed in range(count)]
    with ThreadPoolExecutor(count) as pool:
        assert list(pool.map(fingerprint, range(count))) == alone, "threads change the result"
    return f"{count} threads"


def memory(fits: int = 20_000) -> str:
    """Many small fits in a row leave nothing behind."""
    fit_many(fits // 10)
    before = resident()
    fit_many(fits)
    grown = resident() - before
    assert grown < 8 << 20, f"{fits} fits left {grown} bytes"
    return f"{fits} fits left {grown >> 10} KiB"


def fit_many(count: int) -> None:
    """Small fits of every kind."""
    for fit in range(count // 4):
        x = X[fit % 300 : fit % 300 + 40]
        mg.kmeans(x, 3)
        mg.kmeans(x, 3, mg.LowerOnly(0.5))
        mg.kmeans(x, 3, mg.LowerOnly(2.5), centers="free")
        mg.mixture(x, 2, mg.LowerOnly(1.0), max_iter=5)


def resident() -> int:
    """The bytes of memory that this process has."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def processes() -> str:
    """Forked and spawned children fit what their parent fits, also where the parent has used its threads."""
    expected = [fingerprint(seed) for seed in range(4)]
    big = np.random.default_rng(1).normal(0, 3, 300_000)
    mg.mixture(big, 3, max_iter=2)
    methods = multiprocessing.get_all_start_methods()
    for method in methods:
        with multiprocessing.get_context(method).Pool(2) as pool:
            answers = pool.map_async(fingerprint, range(4)).get(timeout=300)
        assert answers == expected, f"{method} changes the result"
    return ", ".join(methods)


def interrupts() -> str:
    """Ctrl-C in the middle of a long fit is a KeyboardInterrupt, promptly."""
    return ", ".join(f"{name} {interrupted(call):.1f} s" for name, call in LONG.items())


def interrupted(call: str) -> float:
    """How long a call takes to end after the signal."""
    code = (
        "import numpy as np, mindgap as mg, sys\n"
        "x = np.random.default_rng(0).normal(0, 3, 200_000)\n"
        "print('ready', flush=True)\n"
        f"try:\n    {call}\nexcept KeyboardInterrupt:\n    sys.exit(42)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(1.0)
        assert child.poll() is None, f"{call} ended before it could be interrupted: {child.returncode}"
        child.send_signal(signal.SIGINT)
        sent = time.monotonic()
        try:
            code_returned = child.wait(60)
        except subprocess.TimeoutExpired:
            child.kill()
            raise AssertionError(f"{call} did not end within a minute of Ctrl-C") from None
        assert code_returned == 42, f"{call} ended with {code_returned}"
        return time.monotonic() - sent


def command_line() -> str:
    """Ctrl-C in the command line is exit code 130 and no traceback."""
    with tempfile.TemporaryDirectory() as directory:
        values = Path(directory) / "values.npy"
        np.save(values, np.random.default_rng(0).normal(0, 3, 200_000))
        arguments = ["mixture", str(values), "-k", "20", "--init", "ckmeans", "--tol", "0", "--max-iter", "1000000"]
        command = [sys.executable, "-m", "mindgap", *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            time.sleep(4.0)
            assert child.poll() is None, f"ended early: {child.communicate()}"
            child.send_signal(signal.SIGINT)
            _, errors = child.communicate(timeout=60)
        assert child.returncode == 130, f"exit code {child.returncode}: {errors}"
        assert "Traceback" not in errors, errors
    return "exit code 130"


CHECKS = {
    "threads": threads,
    "memory": memory,
    "processes": processes,
    "interrupts": interrupts,
    "command-line": command_line,
}
