"""Another process, another number of threads, another hash seed: every solver gives the same bits."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

#: Enough points for the threads of a fit, ties among them, weighted and not; one line of bits a fit.
SCRIPT = """
import hashlib
import numpy as np
import mindgap as mg

rng = np.random.default_rng(7)
x = np.concatenate([rng.normal(3 * group, 1, 14_000) for group in range(5)])
x[::3] = np.round(x[::3], 2)
w = rng.uniform(0.5, 2, len(x))

class EqualSteps(mg.Constraint):
    def rows(self, k):
        return mg.LinearRows([[float(c - r in (0, 2)) - 2.0 * (c - r == 1) for c in range(k)] for r in range(k - 2)],
                             np.zeros(k - 2), np.zeros(k - 2))

def show(name, *parts):
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()
    print(name, digest)

for weights in (None, w):
    for name, constraint, centers in [
        ("none", None, "means"), ("lower", mg.LowerOnly(3.05), "means"), ("both", mg.TwoSided(2.9, 2.99), "means"),
        ("free", mg.LowerOnly(3.2), "free"), ("rows", EqualSteps(), "free"),
    ]:
        fit = mg.kmeans(x, 5, constraint, centers=centers, sample_weight=weights)
        show(f"kmeans {name}", fit.labels, fit.centers, fit.inertia, fit.lower_bound, fit.boundaries)
    for name, constraint in [("none", None), ("lower", mg.LowerOnly(3.05)), ("rows", EqualSteps())]:
        fit = mg.mixture(x, 5, constraint, init="ckmeans", max_iter=20, sample_weight=weights)
        show(f"mixture {name}", fit.weights, fit.means, fit.variances, fit.history, fit.labels, fit.icl)
fit = mg.mixture(x[::100], 2)
drawn = fit.bootstrap(16, rng=3).replicates
show("bootstrap", *(getattr(drawn, name) for name in ("weights", "means", "variances")))
print("sample", fit.sample(100, 5)[0].tobytes().hex()[:64])
"""


@pytest.fixture(scope="module")
def first() -> str:
    return answers(threads="2", hash_seed="0")


def answers(threads: str, hash_seed: str) -> str:
    environment = {**os.environ, "RAYON_NUM_THREADS": threads, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", SCRIPT]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_bits_tell_the_fits_apart(first: str) -> None:
    lines = first.splitlines()
    assert len(lines) == 18
    assert len({line.split()[-1] for line in lines}) == len(lines)


def test_another_run_gives_the_same_bits(first: str) -> None:
    assert answers(threads="2", hash_seed="12345") == first


@pytest.mark.parametrize("threads", ["1", "3", "7"])
def test_any_number_of_threads_gives_the_same_bits(first: str, threads: str) -> None:
    assert answers(threads, hash_seed="0") == first
