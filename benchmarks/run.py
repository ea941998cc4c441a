"""Every benchmark in one run: `python run.py [--quick]`, or those that are named: `python run.py free quantiser`.

Each job runs in a process of its own on data of one seed; ratios within a run carry over to other machines,
seconds do not.
"""

from __future__ import annotations

import argparse
import platform

import kmeans
import mixture
import overhead
import whole_fits
from rich.console import Console
from trial import CLOCK, Trial


def draw(trials: list[tuple[Trial, Trial, float | None]], file: str | None) -> None:
    """Draw seconds against N at K=5 and K=50: ours, the fastest exact peer, a sort."""
    if file is None:
        return
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for k, style in ((5, "-"), (50, "--")):
        of_k = [(ours.n, ours.seconds, best) for ours, _, best in trials if ours.k == k]
        n, ours, best = zip(*of_k, strict=True)
        axes.plot(n, ours, style, color="C0", marker="o", label=f"mindgap, K={k}")
        axes.plot(n, best, style, color="C1", marker="s", label=f"fastest exact peer, K={k}")
    sorts = sorted({(sort.n, sort.seconds) for _, sort, _ in trials})
    axes.plot(*zip(*sorts, strict=True), color="0.5", marker=".", label="np.sort")
    axes.set(xscale="log", yscale="log", xlabel="N", ylabel="seconds")
    axes.legend()
    figure.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", nargs="*", help="all by default")
    parser.add_argument("--quick", action="store_true", help="small sizes only, in about a minute")
    parser.add_argument("--plot", metavar="FILE", help="draw k-means against N into this file; needs matplotlib")
    options = parser.parse_args()
    console = Console(width=120)
    console.print(f"{platform.machine()}, Python {platform.python_version()}, {CLOCK} time")
    quick = options.quick
    sizes = [10**3, 10**5] if quick else [10**3, 10**4, 10**5, 10**6]
    ks = [5, 50] if quick else [2, 5, 16, 50, 256]
    chain = [500, 10**4] if quick else [500, 2000, 10**4, 10**5, 10**6]
    levels = [2**12] if quick else [2**12, 2**16, 10**6]
    benchmarks = {
        "unconstrained": lambda: draw(kmeans.unconstrained(console, sizes, ks), options.plot),
        "rows": lambda: kmeans.rows(console, 64 if quick else 1024),
        "breaks": lambda: kmeans.breaks(console, [10**4] if quick else [10**4, 10**5, 10**7]),
        "separated": lambda: kmeans.separated(console, chain),
        "free": lambda: kmeans.free(console, chain if quick else [*chain, 10**7], hardest=not quick),
        "sized": lambda: kmeans.sized(console, [500] if quick else [500, 2000, 10**4]),
        "quantiser": lambda: kmeans.quantiser(console, levels, [16, 256] if quick else [16, 64, 256]),
        "mixture": lambda: mixture.compare(console, 10**5 if quick else 10**6),
        "calls": lambda: overhead.calls(console),
        "fits": lambda: whole_fits.compare(console),
    }
    if quick:
        del benchmarks["fits"]
    for name in options.which or benchmarks:
        benchmarks[name]()


if __name__ == "__main__":
    main()
