"""`python -m mindgap_paper.demo`: heights of students in four grades, fitted with and without the paper's bounds."""

from __future__ import annotations

import sys
from pathlib import Path

from mindgap import MindgapError
from mindgap.datasets import nypans_heights
from mindgap_paper.nypans import METHODS, fit_heights, nypans_iterations, nypans_lines
from mindgap_paper.tables import nypans_table

PICTURE = Path("demo") / "nypans.png"


def main(picture: Path = PICTURE) -> None:
    """Fit the heights both ways, print the fits and the paper's table, and draw them side by side."""
    import matplotlib

    import mindgap.plots

    matplotlib.use("agg")
    heights = nypans_heights()
    fits = fit_heights(heights)
    print(f"{len(heights.values)} heights in metres of students in grades 9 to 12, recorded to the inch")
    for method, fit in zip(METHODS, fits, strict=True):
        print(f"\n{method}\n{fit.summary()}")
    true_means = ", ".join(f"{mean:.4f}" for mean in heights.means())
    print(f"\nthe means of the grades themselves are {true_means}\n")
    print(nypans_table(nypans_lines(fits, heights), nypans_iterations(fits)).text())
    figure = mindgap.plots.side_by_side(*fits, METHODS, truth=heights.means(), label="height (m)")
    picture.parent.mkdir(parents=True, exist_ok=True)
    mindgap.plots.save(figure, picture)
    print(f"\ndrawn in {picture}")


if __name__ == "__main__":
    try:
        main()
    except (MindgapError, OSError) as error:
        sys.exit(f"mindgap: {error}")
