"""The paper's real data: the heights of students in four grades, by regular and by constrained EM."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mindgap import PerGap, mixture
from mindgap.datasets import NYPANS_LOWER, NYPANS_UPPER, nypans_heights
from mindgap.datasets.measures import mean_center_error, mean_parameter_error, rand_index
from mindgap_paper.comparing import rounded_as
from mindgap_paper.experiments import TOLERANCE
from mindgap_paper.paper_figures import NYPANS_ITERATIONS, PRINTED

if TYPE_CHECKING:
    from mindgap import MixtureResult
    from mindgap.datasets import Labelled
    from mindgap_paper.paper_figures import Printed

METHODS = ("regular EM", "constrained EM")
CRITERIA = ("center error (times 100)", "all parameters error (times 100)", "Rand index")


class Fits(NamedTuple):
    """Both fits of the heights."""

    regular: MixtureResult
    constrained: MixtureResult


class Line(NamedTuple):
    """One figure of the paper's table and ours."""

    method: str
    criterion: str
    printed: Printed
    value: float

    @property
    def met(self) -> bool:
        """Whether ours, rounded as the paper's is, is the same."""
        return rounded_as(self.value, self.printed.mean) == self.printed.mean


class Iterations(NamedTuple):
    """How many iterations a fit took, and how many the authors' program takes."""

    method: str
    theirs: int
    ours: int


def fit_heights(heights: Labelled) -> Fits:
    """Fit four components without a constraint and under the paper's bounds, both from k-means, as the paper does."""
    constraints = (None, PerGap(NYPANS_LOWER, NYPANS_UPPER))
    return Fits(
        *(
            mixture(heights.values, 4, constraint, init="ckmeans", method="paper", tol=TOLERANCE)
            for constraint in constraints
        )
    )


def nypans_lines(fits: Fits, heights: Labelled) -> list[Line]:
    """Return the paper's table, line by line, with our figures."""
    return [
        Line(method, criterion, printed, value)
        for method, fit, column in zip(METHODS, fits, PRINTED["nypans"], strict=True)
        for criterion, printed, value in zip(CRITERIA, column, _errors(fit, heights), strict=True)
    ]


def nypans_iterations(fits: Fits) -> list[Iterations]:
    """Return the iterations of both fits."""
    return [
        Iterations(method, theirs, fit.n_iter)
        for method, theirs, fit in zip(METHODS, NYPANS_ITERATIONS, fits, strict=True)
    ]


def nypans() -> tuple[list[Line], list[Iterations]]:
    """Fit the heights and return the table and the iterations."""
    heights = nypans_heights()
    fits = fit_heights(heights)
    return nypans_lines(fits, heights), nypans_iterations(fits)


def _errors(fit: MixtureResult, heights: Labelled) -> tuple[float, float, float]:
    means = heights.means()
    parameters = mean_parameter_error(fit, heights.shares(), means, heights.variances())
    return 100 * mean_center_error(fit, means), 100 * parameters, rand_index(fit.labels, heights.groups)
