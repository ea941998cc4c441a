"""What the search of a default mixture costs, and how often random starts find a higher likelihood.

The cost is the processor time of a default fit over that of one converged climb from unconstrained k-means: medians
over data sets of the paper's models. The misses are counted on random problems (mixtures, heavy tails, skewed, rounded
and counted data, outliers; 80 to 2,000 points; K = 2 to 6; no bounds, lower, two-sided and one for each gap; equal
spreads, a ratio of 5 and the default), against single climbs from random starts. 200 problems with 200 starts each take
about ten minutes.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import mindgap as mg

#: Fits that end lower than another climb by more than these are counted, in log units.
LOWER = (1e-3, 0.1, 1.0)


def seconds(x: Any, k: int, constraint: Any, **settings: Any) -> float:
    """Return the least processor time of three fits."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        mg.mixture(x, k, constraint, **settings)
        taken.append(time.process_time() - begin)
    return min(taken)


def cost(sets: int) -> None:
    """Print the cost of the search in climbs, for each of the paper's models."""
    gaps = mg.TwoSided(1.9, 2.1)
    print("N, model: climbs and milliseconds with free variances | and gaps | with equal variances and gaps")
    for n in (500, 2000, 10_000):
        for model, k in (("A", 2), ("B", 3), ("C", 5), ("D", 5)):
            cells = []
            for constraint in (None, gaps, gaps & mg.EqualSpreads()):
                pairs = []
                for seed in range(sets):
                    x = mg.datasets.paper_model(model, n, rng=seed).values
                    pairs.append((seconds(x, k, constraint), seconds(x, k, constraint, init="ckmeans")))
                climbs, own = (np.median([a / b for a, b in pairs]), np.median([a for a, _ in pairs]))
                cells.append(f"{climbs:4.1f} {1e3 * own:5.2f} ms")
            print(f"{n:6} {model}: {' | '.join(cells)}", flush=True)


def points(rng: np.random.Generator) -> Any:
    """Draw data of a random kind."""
    n = int(rng.choice([80, 150, 300, 500, 1000, 2000]))

    def normals() -> Any:
        parts = int(rng.integers(2, 7))
        own = rng.choice(parts, n, p=rng.dirichlet(np.full(parts, 2.0)))
        return rng.uniform(0, 3 * parts, parts)[own] + np.exp(rng.normal(0, 0.6, parts))[own] * rng.standard_normal(n)

    kind = rng.integers(8)
    if kind < 2:
        return normals()
    if kind == 2:
        return mg.datasets.paper_model("ABCD"[int(rng.integers(4))], n, rng=int(rng.integers(10**6))).values
    if kind == 3:
        return rng.standard_t(int(rng.integers(1, 4)), n)
    if kind == 4:
        return rng.lognormal(0, rng.uniform(0.4, 1.2), n)
    if kind == 5:
        x = normals()
        step = x.std() * rng.choice([0.05, 0.1, 0.2, 0.4])
        return np.round(x / step) * step
    if kind == 6:
        return np.concatenate([rng.poisson(4, n // 2), rng.poisson(15, n - n // 2)]).astype(float)
    x = normals()
    x[: max(2, n // 50)] += rng.choice([-1, 1]) * rng.uniform(5, 30)
    return x


def bounds(x: Any, k: int, rng: np.random.Generator) -> Any:
    """Draw bounds on gaps and spreads."""
    low, high = np.quantile(x, [0.02, 0.98])
    natural = (high - low) / k
    lower = natural * rng.uniform(0.1, 1.6, k - 1)
    gaps = [
        None,
        mg.LowerOnly(natural * rng.uniform(0.3, 1.8)),
        mg.TwoSided(lower[0], lower[0] * rng.uniform(1.05, 1.8)),
        mg.PerGap(lower, lower * rng.uniform(1, 2, k - 1)),
    ][int(rng.integers(4))]
    spreads = [None, mg.SpreadRatio(5), mg.EqualSpreads()][int(rng.integers(3))]
    given = [part for part in (gaps, spreads) if part is not None]
    return given[0] & given[1] if len(given) == 2 else (given[0] if given else None)


def highest(x: Any, k: int, constraint: Any, starts: int, rng: np.random.Generator) -> float:
    """Return the highest log-likelihood of climbs from random starts."""
    best = -np.inf
    for _ in range(starts):
        means = np.sort(rng.choice(x, k) if rng.random() < 0.7 else rng.uniform(x.min(), x.max(), k))
        variances = x.var() * np.exp(rng.uniform(-7, 0.7, k))
        start = mg.Parameters(rng.dirichlet(np.ones(k)), means, variances)
        best = max(best, mg.mixture(x, k, constraint, init=start).log_likelihood)
    return best


def misses(problems: int, starts: int, seed: int) -> None:
    """Print how many default fits end lower than the best of the random starts."""
    rng, below = np.random.default_rng(seed), []
    while len(below) < problems:
        x, k = points(rng), int(rng.integers(2, 7))
        if len(np.unique(x)) >= 2 * k:
            constraint = bounds(x, k, rng)
            fit = mg.mixture(x, k, constraint)
            below.append(highest(x, k, constraint, starts, rng) - fit.log_likelihood)
    counts = ", ".join(f"{np.sum(np.array(below) > lower)} by more than {lower}" for lower in LOWER)
    print(f"{problems} problems, {starts} random starts each, seed {seed}: lower {counts}; at most by {max(below):.3g}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=5, help="data sets of each model whose cost is measured; 0: none")
    parser.add_argument("--problems", type=int, default=200, help="random problems; 0: none")
    parser.add_argument("--starts", type=int, default=200, help="random starts of each")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.sets:
        cost(options.sets)
    if options.problems:
        misses(options.problems, options.starts, options.seed)
