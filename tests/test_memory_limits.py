"""Work that needs more memory than there is raises an error instead of ending the process."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import mindgap as mg

pytestmark = pytest.mark.slow

resource = pytest.importorskip("resource")

GIGABYTE = 2**30

#: Calls that need more than a process of this size has, and what the error says of them.
TOO_LARGE = {
    "mg.kmeans(x[:10_000], 3, mg.LowerOnly(1e-9), **PAPER)": "the paper's program would take",
    "mg.kmeans(x[:10_000], 9_000, mg.LowerOnly(1e-9), **PAPER)": "the paper's program would take",
    "mg.mixture(x, 20_000, mg.LowerOnly(1e-9), method='paper')": "the means' quadratic program would take",
    "mg.mixture(x, 20_000, Order(), init='ckmeans', method='paper')": "the means' quadratic program would take",
    "mg.kmeans(x, 20_000, Order())": "the means' quadratic program would take",
    "mg.kmeans(normal(5_000_000), 2_000)": "k-means would take",
    "mg.kmeans(np.resize(x, 8_000_000), 5, mg.LowerOnly(3.0), **MEANS)": "sums over the data would take",
    "mg.kmeans(np.resize(x, 3_000_000), 150, mg.LowerOnly(0.05), **MEANS)": "the search for",
    # The search for a feasible partition keeps only some of its rows here, and so comes through.
    "mg.kmeans(np.resize(x, 1_000_000), 150, mg.LowerOnly(0.04), **MEANS)": "the search for separated means would take",
    "mg.mixture(normal(11_500_000), 2, init=([0.5, 0.5], [-1, 1], [1, 1]), max_iter=1)": "the mixture would take",
    # What its start needs is a part of what a mixture needs.
    "mg.mixture(np.resize(x, 10_000_000), 3, mg.LowerOnly(0.1), method='paper', max_iter=1)": "k-means would take",
    "mg.mixture(x, 20_000, init='ckmeans', max_iter=1)": "the Newton steps of the mixture would take",
    "mg.Sample(np.resize(x, 50_000_000))": "a copy of the data would take",
    "mg.kmeans(np.resize(x, 50_000_000), 3)": "k-means would take",
    "mg.kmeans(np.resize(x, 18_000_000), 3, mg.LowerOnly(0.1), **MEANS)": "a sorted copy of the data would take",
    "mg.Summary.of(x, cells=2**24)": "the cells of a summary would take",
    "mg.kmeans(mg.Summary.of(np.linspace(0, 1.43, 3_000_000), cells=3_000_000), 3)": "a sample of the cells would take",
    "mg.kmeans(mg.Summary.of(np.linspace(0, 1.43, 1_500_000), cells=1_500_000), 3)": "k-means would take",
    "mg.kmeans(mg.Summary.of(x), 300, mg.TwoSided(0.02, 0.03), centers='free')": "the search for free centres would",
    "mg.mixture(x, 50, max_iter=1).predict_proba(np.resize(x, 5_000_000))": "the probabilities of 50 components",
    "mg.mixture(x, 2, max_iter=1).sample(50_000_000, 0)": "a draw of 50000000 points would take",
    "mg.mixture(x, 2, max_iter=1).bootstrap(2, size=50_000_000)": "a draw of 50000000 points would take",
    # The draw fits, what is to be made of it does not.
    "mg.mixture(x, 2, max_iter=1).bootstrap(2, size=13_000_000)": "would take",
    "mg.datasets.paper_model('D', 50_000_000)": "a draw of 50000000 points would take",
}

#: What a process of this size must manage, the large numbers of components or clusters notwithstanding.
ROOMY = {
    "mg.kmeans(x, 20_000, mg.LowerOnly(1e-4), centers='free')": "its memory grows with points, not clusters",
    "mg.kmeans(x, 300, mg.TwoSided(0.02, 0.03), centers='free')": "what a sweep no longer needs is forgotten",
    "mg.mixture(x, 20_000, init='ckmeans', method='paper', max_iter=1)": "there is no program of the means",
    "mg.kmeans(x, 20_000)": "most points are candidates",
    "mg.kmeans(normal(30_000_000), 3)": "nothing is sorted",
    "mg.kmeans(normal(80_000_000), 3, labels=False)": "nothing is copied",
    "mg.kmeans(x, 20_000, mg.LowerOnly(1e-9), **MEANS)": "as many cells",
    "mg.kmeans(np.resize(x, 5_000_000), 5, mg.LowerOnly(0.1), **MEANS)": "many points",
    "mg.kmeans(mg.Summary.of(x), 200, mg.LowerOnly(0.03), centers='free')": "the tables of the search are kept small",
}

SCRIPT = """
import resource, sys
import numpy as np
import mindgap as mg

class Order(mg.Constraint):
    name = "order"
    def rows(self, k):
        return mg.LinearRows(np.eye(1, k), [-1.0], [1.0])

MEANS = {"centers": "means"}
PAPER = MEANS | {"method": "paper"}

def normal(n):
    return np.random.default_rng(1).normal(size=n)

x = np.random.default_rng(0).normal(0, 1, 100_000)
mg.kmeans(x[:10], 2, mg.LowerOnly(0.1))
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    eval(sys.argv[1])
    print("done")
except mg.OutOfMemoryError as error:
    print(f"refused: {error}")
# Whatever happened, the process goes on.
assert mg.kmeans([0.0, 1.0, 5.0], 2).inertia == 0.5
"""


def limited(call: str, room: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT, call, str(room)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits on the address space are Linux's")
@pytest.mark.parametrize("call", TOO_LARGE)
def test_what_does_not_fit_is_refused(call: str) -> None:
    answer = limited(call, GIGABYTE // 2)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("refused: "), answer.stdout
    assert TOO_LARGE[call] in answer.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits on the address space are Linux's")
@pytest.mark.parametrize("call", ROOMY)
def test_what_fits_is_done(call: str) -> None:
    answer = limited(call, GIGABYTE * 3 // 4)
    assert (answer.returncode, answer.stdout) == (0, "done\n"), answer.stderr


def test_nobody_is_asked_for_the_gaps_of_more_clusters_than_points() -> None:
    class Asked(mg.Constraint):
        name = "asked"

        def gaps(self, k: int) -> mg.GapBounds:
            raise AssertionError(f"asked for {k} clusters")

    for constraint in (Asked(), mg.LowerOnly(0.1), mg.TwoSided(0.1, 0.2)):
        with pytest.raises(mg.InvalidInputError, match=r"k is 1000000000, but there are only 4 points"):
            mg.kmeans([1.0, 2.0, 4.0, 8.0], 10**9, constraint)
        with pytest.raises(mg.InvalidInputError, match=r"k is 1000000000, but the number of distinct values is 4"):
            mg.mixture([1.0, 2.0, 4.0, 8.0], 10**9, constraint)


def test_a_long_list_of_bounds_is_not_written_out() -> None:
    with pytest.raises(mg.InfeasibleError, match=r"\[1\.0, 1\.0, 1\.0, … 1\.0\] \(499 of them\)") as caught:
        mg.kmeans(np.arange(1000) / 1000, 500, mg.LowerOnly(1.0), centers="means")
    assert len(str(caught.value)) < 300
    assert caught.value.lower == [1.0] * 499


def test_absurd_numbers_of_points_are_refused_before_anything_is_drawn() -> None:
    fit = mg.mixture(np.arange(50.0), 2)
    for n in (10**15, 2**53):
        for draw in (
            lambda n=n: fit.sample(n, 0),
            lambda n=n: fit.bootstrap(2, size=n),
            lambda n=n: mg.datasets.paper_model("B", n),
        ):
            with pytest.raises(mg.OutOfMemoryError, match=f"a draw of {n} points would take .* GB of memory"):
                draw()
    heavy = mg.mixture([0.0, 1.0, 5.0, 6.0], 2, sample_weight=np.full(4, 1e14), max_iter=2)
    free = mg.mixture([0.0, 1.0, 5.0, 6.0], 2, sample_weight=np.full(4, 1e14))
    with pytest.raises(mg.OutOfMemoryError, match="a draw of 400000000000000 points"):
        mg.compare(heavy, free, n_bootstrap=2)


PEAK = """
import sys
from pathlib import Path
import numpy as np
import mindgap as mg

def status(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))

n = 4_000_000
x = np.empty(n)
w = np.ones(n)
rng = np.random.default_rng(0)
for start in range(0, n, 100_000):  # in pieces, so that little memory is left over that a fit could use
    piece = slice(start, start + 100_000)
    x[piece] = rng.normal(size=100_000) + 2.0 * rng.integers(0, 5, 100_000)
    w[piece] = 10.0 ** rng.uniform(-3, 3, 100_000) * (rng.random(100_000) < 0.9)
mg.kmeans(x[:40_000].copy(), 3)
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
fit = eval(sys.argv[1])
print((status("VmHWM") - before) / n, fit.optimal)
"""

#: The bytes a point that a fit may take above its data. A sorted copy alone would take eight, with labels twelve.
MOST_BYTES = {
    "mg.kmeans(x, 5)": 5.5,
    "mg.kmeans(x, 5, labels=False)": 1.5,
    "mg.kmeans(x, 50, labels=False)": 2.0,
    "mg.kmeans(x, 100)": 8.0,
    "mg.kmeans(x, 50, mg.LowerOnly(0.05), labels=False)": 2.0,
    "mg.kmeans(x, 5, sample_weight=w)": 5.5,
    "mg.kmeans(x, 50, sample_weight=w, labels=False)": 3.0,
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak is read as Linux shows it")
@pytest.mark.parametrize("call", MOST_BYTES)
def test_a_fit_takes_a_few_bytes_a_point(call: str) -> None:
    answer = subprocess.run([sys.executable, "-c", PEAK, call], capture_output=True, text=True, check=True)
    bytes_a_point, optimal = answer.stdout.split()
    assert optimal == "True"
    assert float(bytes_a_point) <= MOST_BYTES[call], answer.stdout
