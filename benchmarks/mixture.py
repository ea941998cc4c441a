"""The EM against scikit-learn and, where R is installed, mclust: one iteration from the same start on the same data."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jobs import model_d
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

#: The authors' R program on 500 points, K = 3: the least of what a whole fit takes, in seconds.
AUTHORS_FIT = 0.2
FEW, MANY = 5, 25

MCLUST = """
suppressMessages(library(mclust))
a <- commandArgs(TRUE)
x <- readBin(a[1], "double", as.integer(a[2])); k <- as.integer(a[3])
start <- matrix(as.numeric(a[4:(3 + 3 * k)]), nrow = k)
p <- list(pro = start[, 1], mean = start[, 2], variance = list(modelName = "V", d = 1, G = k, sigmasq = start[, 3]))
for (iterations in c(%d, %d)) {
  t <- min(sapply(1:3, function(i) system.time(
    em(modelName = "V", data = x, parameters = p, control = emControl(itmax = iterations, tol = 0)))[["elapsed"]]))
  cat(t, "")
}
"""


def start_of(k: int) -> tuple[Any, Any, Any]:
    """Equal weights, evenly spread means, unit variances."""
    return np.full(k, 1 / k), np.linspace(0, 8, k), np.ones(k)


def compare(console: Console, n: int) -> None:
    """Both comparisons."""
    one_iteration(console, n, [5, 20])
    whole_fit(console)


def one_iteration(console: Console, n: int, ks: list[int]) -> None:
    """Seconds an iteration, as the difference of a long run and a short one."""
    table = Table(title=f"EM, one iteration, Model D, N={n:.0e}: milliseconds, ratio of the peer's to ours")
    for column in ("K", "mindgap", "scikit-learn", "ratio", "relative difference in likelihood", "mclust", "ratio"):
        table.add_column(column, justify="right")
    x = model_d(n)
    for k in ks:
        ours, mine = per_iteration(lambda iterations, k=k: _mindgap(x, k, iterations))
        theirs, other = per_iteration(lambda iterations, k=k: _sklearn(x, k, iterations), repeats=1)
        difference = abs(mine - other) / abs(other)
        mclust = _mclust(x, k)
        ratio = "-" if mclust is None else f"{mclust / ours:.0f}"
        cells = [str(k), f"{1e3 * ours:.2f}", f"{1e3 * theirs:.0f}", f"{theirs / ours:.0f}", f"{difference:.1e}"]
        table.add_row(*cells, "-" if mclust is None else f"{1e3 * mclust:.0f}", ratio)
    console.print(table)
    if shutil.which("Rscript") is None:
        console.print("mclust is left out: R is not installed (Debian: r-base-core, r-cran-mclust)")


def whole_fit(console: Console) -> None:
    """Constrained fits of 500 points of Model B from given starts, by the paper's stopping rule: the median of many."""
    import mindgap
    from mindgap.datasets import paper_model

    seconds, iterations = [], []
    for seed in range(60):
        x = paper_model("B", 500, rng=seed).values
        start = mindgap.ConstrainedKMeans(delta=1.9).start(mindgap.Sample(x), 3, None)
        took = []
        for _ in range(5):
            begin = time.perf_counter()
            fit = mindgap.mixture(x, 3, mindgap.TwoSided(1.9, 2.1), init=start, method="paper")
            took.append(time.perf_counter() - begin)
        seconds.append(min(took))
        iterations.append(fit.n_iter)
    middle = float(np.median(seconds))
    console.print(
        f"constrained fit, N=500, K=3, median of {len(seconds)} data sets ({np.median(iterations):.0f} iterations): "
        f"{1e6 * middle:.0f} µs, {AUTHORS_FIT / middle:.0f} times as fast as the authors' {AUTHORS_FIT} s at their best"
    )


def per_iteration(fit: Callable[[int], float], repeats: int = 3) -> tuple[float, float]:
    """Seconds an iteration, and the log-likelihood after the short run."""

    def best(iterations: int) -> tuple[float, float]:
        seconds, value = [], 0.0
        for _ in range(repeats):
            begin = time.perf_counter()
            value = fit(iterations)
            seconds.append(time.perf_counter() - begin)
        return min(seconds), value

    short, likelihood = best(FEW)
    long, _ = best(MANY)
    return (long - short) / (MANY - FEW), likelihood


def _mindgap(x: Any, k: int, iterations: int) -> float:
    import mindgap

    return mindgap.mixture(x, k, init=start_of(k), method="paper", tol=0, max_iter=iterations).log_likelihood


def _sklearn(x: Any, k: int, iterations: int) -> float:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    weights, means, variances = start_of(k)
    column = x[:, None]
    peer = GaussianMixture(
        k,
        tol=0,
        reg_covar=0,
        max_iter=iterations,
        weights_init=weights,
        means_init=means[:, None],
        precisions_init=1 / variances[:, None, None],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer.fit(column)
    return float(np.sum(peer.score_samples(column))) if iterations == FEW else 0.0


def _mclust(x: Any, k: int) -> float | None:
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        data, script = Path(folder) / "x.bin", Path(folder) / "em.R"
        data.write_bytes(x.tobytes())
        script.write_text(MCLUST % (FEW, MANY))
        numbers = [repr(float(value)) for part in start_of(k) for value in part]
        command = ["Rscript", str(script), str(data), str(len(x)), str(k), *numbers]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    short, long = map(float, done.stdout.split())
    return (long - short) / (MANY - FEW)
