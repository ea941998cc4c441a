"""Whole fits against scikit-learn and, where R is installed, mclust: the time taken and the likelihood reached.

The problems are those whose best likelihood is known (`../shared/oracle/mixtures.json` beside the repository), without
bounds on the gaps, since no peer has them: equal variances, and free ones whose standard deviations differ at most
fivefold. A peer has no such bound, so that its fit may be a spike: it counts as lower unless it holds the bound.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

ORACLE = Path(__file__).parents[2] / "shared" / "oracle" / "mixtures.json"

#: Fits lower than the best known by less than this, in log units, have reached it.
REACHED = 1e-3

MCLUST = """
suppressMessages(library(mclust))
a <- commandArgs(TRUE)
x <- scan(a[1], quiet = TRUE); k <- as.integer(a[2])
t <- system.time(f <- Mclust(x, G = k, modelNames = a[3], verbose = FALSE))[["elapsed"]]
v <- f$parameters$variance$sigmasq
if (is.null(f)) cat(t, -Inf, 1) else cat(t, f$loglik, max(v) / min(v))
"""


class Reached(NamedTuple):
    """What one fit took and where it ended."""

    seconds: float
    log_likelihood: float
    ratio: float


def compare(console: Console) -> None:
    """Print, for each fitter, the time of a fit and how far below the best known it ends."""
    if not ORACLE.exists():
        console.print(f"whole fits are left out: {ORACLE} is absent")
        return
    known = json.loads(ORACLE.read_text(encoding="utf-8"))
    data = {entry["data"]: np.array(entry["values"]) for entry in known if "values" in entry}
    problems = [entry for entry in known if "k" in entry and entry["delta"] == 0]
    fitters: dict[str, Callable[[Any, int, float], Reached]] = {
        "mindgap": _mindgap,
        "scikit-learn, n_init=10, tol=1e-7": _sklearn,
    }
    if shutil.which("Rscript") is None:
        console.print("mclust is left out: R is not installed (Debian: r-base-core, r-cran-mclust)")
    else:
        fitters["mclust"] = _mclust
    table = Table(title=f"Whole fits of {len(problems)} problems, 82 to 400 points, K = 2 to 6")
    for column in ("", "milliseconds, median", "reached the best", "lower by more than 1", "lower by at most"):
        table.add_column(column, justify="right")
    reached = {name: [fit(data[e["data"]], e["k"], e["ratio"]) for e in problems] for name, fit in fitters.items()}
    for name, fits in reached.items():
        lower = np.array([_lower(entry, found) for entry, found in zip(problems, fits, strict=True)])
        cells = [
            f"{1e3 * np.median([found.seconds for found in fits]):.2f}",
            f"{np.sum(lower < REACHED)} of {len(lower)}",
            f"{np.sum(lower > 1)}",
        ]
        worst = lower.max()
        table.add_row(name, *cells, "a spike" if np.isinf(worst) else f"{max(worst, 0.0):.2g}")
    console.print(table)
    each = Table(title="The likelihood reached on each problem; * where the ratio of spreads is not held")
    for column in ("data", "K", "ratio", "best known", *fitters):
        each.add_column(column, justify="right")
    for entry, *fits in zip(problems, *reached.values(), strict=True):
        known = f"{entry['log_likelihood']:.2f}"
        cells = [f"{found.log_likelihood:.2f}{'' if _admissible(entry, found) else '*'}" for found in fits]
        each.add_row(entry["data"], f"{entry['k']}", f"{entry['ratio']:g}", known, *cells)
    console.print(each)


def _admissible(entry: dict[str, Any], found: Reached) -> bool:
    """Whether a fit holds the problem's bound on the ratio of standard deviations."""
    return bool(found.ratio <= entry["ratio"] ** 2 * (1 + 1e-9))


def _lower(entry: dict[str, Any], found: Reached) -> float:
    """By how much a fit ends below the best known; infinite for one that does not hold the bound."""
    return float(entry["log_likelihood"] - found.log_likelihood) if _admissible(entry, found) else np.inf


def _mindgap(x: Any, k: int, ratio: float) -> Reached:
    import mindgap

    begin = time.perf_counter()
    fit = mindgap.mixture(x, k, mindgap.SpreadRatio(ratio))
    return Reached(time.perf_counter() - begin, fit.log_likelihood, _spread(fit.variances))


def _sklearn(x: Any, k: int, ratio: float) -> Reached:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    kind = "tied" if ratio == 1 else "full"
    peer = GaussianMixture(k, covariance_type=kind, n_init=10, tol=1e-7, max_iter=10_000, random_state=0)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer.fit(x[:, None])
    seconds = time.perf_counter() - begin
    return Reached(seconds, float(np.sum(peer.score_samples(x[:, None]))), _spread(peer.covariances_.ravel()))


def _mclust(x: Any, k: int, ratio: float) -> Reached:
    with tempfile.TemporaryDirectory() as folder:
        data, script = Path(folder) / "x.txt", Path(folder) / "fit.R"
        np.savetxt(data, x, fmt="%.17g")
        script.write_text(MCLUST, encoding="utf-8")
        words = ["Rscript", str(script), str(data), str(k), "E" if ratio == 1 else "V"]
        answer = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return Reached(*map(float, answer))


def _spread(variances: Any) -> float:
    return float(np.max(variances) / np.min(variances))
