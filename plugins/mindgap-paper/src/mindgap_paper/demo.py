"""`python -m mindgap_paper.demo`: where bounds on the gaps help, and the paper's heights, where they do not suffice."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap import MindgapError, PerGap, mixture
from mindgap.datasets import NYPANS_LOWER, NYPANS_UPPER, fish_lengths, nypans_heights
from mindgap_paper.nypans import METHODS, fit_heights, nypans_iterations, nypans_lines
from mindgap_paper.tables import nypans_table

if TYPE_CHECKING:
    from mindgap import MixtureResult
    from mindgap.datasets import Labelled

PICTURE = Path("demo") / "nypans.png"

#: The growth of a fish in a year, in cm.
GROWTH = PerGap(lower=[8, 5.4, 3.6, 2.4], upper=[10, 7.2, 5.2, 3.8])

#: The paper's bounds on the growth of a student in a year, in metres.
BOUNDS = PerGap(NYPANS_LOWER, NYPANS_UPPER)


def main(picture: Path = PICTURE) -> None:
    """Fit fish and heights with and without bounds, print how far off they are, and draw them side by side."""
    import matplotlib

    matplotlib.use("agg")
    picture.parent.mkdir(parents=True, exist_ok=True)
    _fish(picture.with_name("fish.png"))
    print()
    _heights(picture)


def _fish(picture: Path) -> None:
    """Show a fit that the bounds improve."""
    catch = fish_lengths(400, rng=0)
    titles = ("without bounds", "with bounds on the growth")
    free, fit = (mixture(catch.values, 5, bounds, variances="equal") for bounds in (None, GROWTH))
    print(f"{len(catch.values)} lengths in cm of fish of five year classes")
    for title, result in zip(titles, (free, fit), strict=True):
        print(f"\n{title}\n{result.summary()}")
    print("\nmean error of the class means, in cm")
    for name, means in {**dict(zip(titles, (free.means, fit.means), strict=True)), **_midway(GROWTH, catch, 5)}.items():
        print(f"{abs(means - catch.means()).mean():6.2f}  {name}")
    _draw(free, fit, titles, catch, "length (cm)", picture)


def _heights(picture: Path) -> None:
    """Reproduce the paper's table, and show what it does not say: gaps alone do not identify this mixture."""
    heights = nypans_heights()
    fits = fit_heights(heights)
    print(f"{len(heights.values)} heights in metres of students in grades 9 to 12, recorded to the inch")
    for method, fit in zip(METHODS, fits, strict=True):
        print(f"\n{method}, as published\n{fit.summary()}")
    print()
    print(nypans_table(nypans_lines(fits, heights), nypans_iterations(fits)).text())
    highest = mixture(heights.values, 4, BOUNDS)
    gain = highest.log_likelihood - fits[1].log_likelihood
    print("\nThe published fits are an EM stopped early, by an absolute tolerance of 0.001 m. At the maximum, whose")
    print(
        f"log-likelihood is {gain:.1f} higher, the shares are {', '.join(f'{share:.3f}' for share in highest.weights)}."
    )
    print("\nmean error of the grade means, in mm")
    others = {"constrained EM, as published": fits[1].means, "constrained maximum": highest.means}
    for name, means in {**others, **_midway(BOUNDS, heights, 4)}.items():
        print(f"{1000 * abs(means - heights.means()).mean():6.1f}  {name}")
    print("Gaps alone do not identify this mixture; shares or spreads must be known too.")
    _draw(*fits, METHODS, heights, "height (m)", picture)


def _midway(bounds: PerGap, data: Labelled, k: int) -> dict[str, Any]:
    """Return means without a fit: centred at the mean of the data, every gap midway between its bounds."""
    gaps = bounds.gaps(k)
    assert gaps is not None  # these constraints are bounds on gaps
    means = np.cumsum([0.0, *(gaps.lower + gaps.upper) / 2])
    return {"no fit: the midpoints of the bounds": means + data.values.mean() - means.mean()}


def _draw(
    left: MixtureResult, right: MixtureResult, titles: tuple[str, str], data: Labelled, label: str, picture: Path
) -> None:
    import mindgap.plots

    figure = mindgap.plots.side_by_side(left, right, titles, truth=data.means(), label=label)
    mindgap.plots.save(figure, picture)
    print(f"\ndrawn in {picture}")


if __name__ == "__main__":
    try:
        main()
    except (MindgapError, OSError) as error:
        sys.exit(f"mindgap: {error}")
