"""How many mixtures are certified, and in what time.

By default Models C and D of the paper, K = 5, n = 500, with bounds on the gaps. Processor time of all threads counts,
so other work on the machine does not: two minutes of it are one minute on two cores. `--sets 50` takes half an hour of
it or more; each line is printed as it is known. Many points: `--models B overlapping --components 3 --gaps none -n
100000`. `--known FILE` is for a list of data and best known likelihoods, of which those with K <= 3 are certified.
"""

from __future__ import annotations

import argparse
import json
import resource
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import mindgap as mg

#: Seconds of the processor after which a proof is given up.
LIMIT = 120.0

#: A bound that is at most this far above the best known log-likelihood is that of the smallest epsilon, 0.1.
CLOSED = 0.11

GAPS = {"lower": mg.LowerOnly(1.9), "two-sided": mg.TwoSided(1.9, 2.1), "none": mg.LowerOnly(0.0)}


def processor_time() -> float:
    """Return the seconds that all threads of this process have used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def sample(model: str, n: int, seed: int) -> np.ndarray[Any, Any]:
    """Return a sample of one of the paper's models, or of three components that overlap."""
    if model != "overlapping":
        return mg.datasets.paper_model(model, n, rng=seed).values
    rng = np.random.default_rng(seed)
    component = rng.choice(3, n, p=[0.4, 0.35, 0.25])
    return rng.normal(np.array([0.0, 2.0, 4.0])[component], np.array([1.0, 0.7, 1.5])[component])


def certify(values: Any, k: int, gaps: Any, ratio: float, limit: float) -> tuple[float, int, float | None]:
    """Return what a certificate took, in seconds and regions, and how far its bound is above the best known."""
    begin, nodes = processor_time(), 0

    def watch(step: mg.Step) -> bool:
        nonlocal nodes
        nodes = step.iteration or 0 if step.stage == "certificate" else nodes
        return step.stage == "certificate" and processor_time() - begin > limit

    fit = mg.mixture(values, k, gaps & mg.SpreadRatio(ratio), certify=True, callback=watch)
    above = None if fit.upper_bound is None else fit.upper_bound - fit.log_likelihood
    return processor_time() - begin, nodes, above


def certify_known(path: Path, limit: float) -> None:
    """Print what the problems of a list take that have at most three components."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    data = {entry["data"]: entry["values"] for entry in entries if "values" in entry}
    taken: dict[str, list[float]] = {"equal": [], "free": []}
    for entry in (entry for entry in entries if entry.get("k", 9) <= 3):
        gaps = mg.LowerOnly(entry["delta"] or 0.0)
        seconds, nodes, above = certify(data[entry["data"]], entry["k"], gaps, entry["ratio"], limit)
        closed = above is not None and above < CLOSED
        taken["equal" if entry["ratio"] == 1 else "free"].append(seconds if closed else np.inf)
        print(f"{entry['data']} K={entry['k']} {entry['delta']} {entry['ratio']}: {seconds:.2f} s {nodes} {above}")
    taken["all"] = taken["equal"] + taken["free"]
    for kind, seconds_taken in taken.items():
        share, median, slowest = np.isfinite(seconds_taken).sum(), np.median(seconds_taken), max(seconds_taken)
        print(f"{kind}: {share} of {len(seconds_taken)} closed, median {median:.2f} s, longest {slowest:.1f} s")


def main() -> None:
    """Print one line for each problem and the share that closed for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=["C", "D"])
    parser.add_argument("--gaps", nargs="+", default=["lower", "two-sided"], choices=list(GAPS))
    parser.add_argument("--ratios", nargs="+", type=float, default=[1.0, 5.0])
    parser.add_argument("--components", type=int, default=5)
    parser.add_argument("--known", type=Path, metavar="FILE")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--limit", type=float, default=LIMIT)
    asked = parser.parse_args()
    if asked.known:
        certify_known(asked.known, asked.limit)
        return
    taken: dict[tuple[str, str, float], list[float]] = {
        kind: [] for kind in product(asked.models, asked.gaps, asked.ratios)
    }
    for seed, kind in product(range(asked.first, asked.first + asked.sets), taken):
        model, gaps, ratio = kind
        values = sample(model, asked.n, seed)
        seconds, nodes, above = certify(values, asked.components, GAPS[gaps], ratio, asked.limit)
        taken[kind].append(seconds if above is not None and above < CLOSED else np.inf)
        shown = "open" if above is None else f"{above:.3f}"
        print(f"{name(*kind)} set {seed:2}: {seconds:6.1f} s {nodes:7} regions, {shown}", flush=True)
    for kind, seconds_taken in taken.items():
        share, median = np.isfinite(seconds_taken).mean(), np.median(seconds_taken)
        print(f"{name(*kind)}: {share:.0%} closed, median {median:.1f} s of the processor")


def name(model: str, gaps: str, ratio: float) -> str:
    """Return how a kind of problem is printed."""
    return f"{model} {gaps:9} ratio {ratio:g}"


if __name__ == "__main__":
    main()
