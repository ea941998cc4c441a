"""Every benchmark in one run: `python run.py [unconstrained] [separated] [free] [mixture] [--quick]`.

Each job runs in a process of its own on data of one seed; ratios within a run carry over to other machines,
seconds do not.
"""

from __future__ import annotations

import argparse
import platform

import kmeans
import mixture
from rich.console import Console


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", nargs="*", help="all by default")
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    options = parser.parse_args()
    console = Console(width=120)
    console.print(f"{platform.machine()}, Python {platform.python_version()}")
    sizes = [10**4, 10**5] if options.quick else [10**4, 10**5, 10**6, 10**7]
    chain = [500, 2000, 10**4, 10**5] if options.quick else [500, 2000, 10**4, 10**5, 10**6]
    benchmarks = {
        "unconstrained": lambda: kmeans.unconstrained(console, sizes, [5, 50, 500]),
        "separated": lambda: kmeans.separated(console, chain),
        "free": lambda: kmeans.free(console, [*chain, 10**7]),
        "mixture": lambda: mixture.compare(console, 10**5 if options.quick else 10**6),
    }
    for name in options.which or benchmarks:
        benchmarks[name]()


if __name__ == "__main__":
    main()
