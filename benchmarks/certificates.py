"""How many mixtures with five components are certified, and in what time.

Models C and D of the paper, n = 500, with bounds on the gaps. Processor time of all threads counts, so other work on
the machine does not: two minutes of it are one minute on two cores. `python benchmarks/certificates.py --sets 50` takes
half an hour of it or more; each line is printed as it is known.
"""

from __future__ import annotations

import argparse
import resource
from itertools import product

import numpy as np

import mindgap as mg

#: Seconds of the processor after which a proof is given up.
LIMIT = 120.0

#: A bound that is at most this far above the best known log-likelihood is that of the smallest epsilon, 0.1.
CLOSED = 0.11

GAPS = {"lower": mg.LowerOnly(1.9), "two-sided": mg.TwoSided(1.9, 2.1)}


def processor_time() -> float:
    """Return the seconds that all threads of this process have used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def certify(model: str, gaps: str, ratio: float, seed: int, n: int, limit: float) -> tuple[float, int, float | None]:
    """Return what a certificate took, in seconds and regions, and how far its bound is above the best known."""
    values = mg.datasets.paper_model(model, n, rng=seed).values
    begin, nodes = processor_time(), 0

    def watch(step: mg.Step) -> bool:
        nonlocal nodes
        nodes = step.iteration or 0 if step.stage == "certificate" else nodes
        return step.stage == "certificate" and processor_time() - begin > limit

    fit = mg.mixture(values, 5, GAPS[gaps] & mg.SpreadRatio(ratio), certify=True, callback=watch)
    above = None if fit.upper_bound is None else fit.upper_bound - fit.log_likelihood
    return processor_time() - begin, nodes, above


def main() -> None:
    """Print one line for each problem and the share that closed for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=["C", "D"])
    parser.add_argument("--gaps", nargs="+", default=list(GAPS), choices=list(GAPS))
    parser.add_argument("--ratios", nargs="+", type=float, default=[1.0, 5.0])
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--limit", type=float, default=LIMIT)
    asked = parser.parse_args()
    taken: dict[tuple[str, str, float], list[float]] = {
        kind: [] for kind in product(asked.models, asked.gaps, asked.ratios)
    }
    for seed, kind in product(range(asked.first, asked.first + asked.sets), taken):
        seconds, nodes, above = certify(*kind, seed, asked.n, asked.limit)
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
