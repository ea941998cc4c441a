"""Compare our figures with the paper's, in Monte-Carlo standard errors, and count how often its program misses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mindgap_paper.paper_figures import PRINTED

if TYPE_CHECKING:
    from mindgap_paper.experiments import FloatArray
    from mindgap_paper.paper_figures import Printed
    from mindgap_paper.running import Outcome

#: The largest distance of the paper's mean from ours, in standard errors, and of its standard deviation, as a fraction.
MOST_ERRORS = 3.0
MOST_SPREAD = 0.15

#: A cost that exceeds the optimum by more than this fraction is a miss.
_MISS = 1e-9


@dataclass(frozen=True)
class Moments:
    """Mean and standard deviation (divisor n - 1) over n data sets, and the fourth moment over the squared second."""

    mean: float
    deviation: float
    kurtosis: float
    n: int

    @classmethod
    def of(cls, values: FloatArray) -> Moments:
        """Return the moments of the values that are known."""
        known = values[~np.isnan(values)]
        n = len(known)
        centred = known - known.mean()
        variance = float((centred**2).mean())
        kurtosis = float((centred**4).mean()) / variance**2 if variance > 0 else 1.0
        deviation = float(known.std(ddof=1)) if n > 1 else float("nan")
        return cls(float(known.mean()), deviation, kurtosis, n)


@dataclass(frozen=True)
class Comparison:
    """One figure of the paper's tables: as printed, from the paper's program, and from the exact one."""

    experiment: str
    method: str
    criterion: str
    printed: Printed
    repeats: int
    paper: Moments
    exact: Moments

    @property
    def name(self) -> str:
        """The name of the figure."""
        return f"{self.experiment}, {self.method}, {self.criterion}"

    @property
    def z(self) -> float:
        """The distance of our mean from the printed one, in standard errors of the difference."""
        assert self.printed.deviation is not None
        theirs = float(self.printed.deviation) ** 2 / self.repeats
        return (self.paper.mean - float(self.printed.mean)) / float(
            np.sqrt(theirs + self.paper.deviation**2 / self.paper.n)
        )

    @property
    def ratio(self) -> float:
        """Our standard deviation as a fraction of the printed one."""
        assert self.printed.deviation is not None
        return self.paper.deviation / float(self.printed.deviation)

    @property
    def met(self) -> bool:
        """Whether our figures, rounded like the paper's, agree to the last digit."""
        assert self.printed.deviation is not None
        ours = (self.paper.mean, self.paper.deviation)
        return all(
            rounded_as(value, text) == text
            for value, text in zip(ours, (self.printed.mean, self.printed.deviation), strict=True)
        )

    def faults(self) -> list[str]:
        """Return the figures that are too far from the paper's, each with the reason."""
        found = []
        if not abs(self.z) <= MOST_ERRORS:
            found.append(f"mean {self.z:+.1f} standard errors away: {self._why_mean()}")
        if not abs(self.ratio - 1) <= MOST_SPREAD:
            found.append(f"standard deviation {self.ratio:.2f} times the paper's: {self._why_spread()}")
        return found

    def _why_mean(self) -> str:
        assert self.printed.deviation is not None
        error = abs(self.paper.mean - float(self.printed.mean)) / abs(self.z)
        if abs(self.paper.mean - float(self.printed.mean)) - half_digit(self.printed.mean) <= MOST_ERRORS * error:
            return "within three once the rounding of the printed figure is counted"
        return "more than rounding and chance explain"

    def _why_spread(self) -> str:
        """A standard deviation of n data sets has itself a relative error of √((kurtosis - 1)/4n).

        Few data sets understate the kurtosis, so it is taken to be that of a normal distribution at least.
        """
        error = np.sqrt((max(self.paper.kurtosis, 3.0) - 1) / 4 * (1 / self.paper.n + 1 / self.repeats))
        if abs(np.log(self.ratio)) <= MOST_ERRORS * error:
            return f"of {self.paper.n} data sets it is known to about {error:.0%} only"
        return "more than chance explains"


@dataclass(frozen=True)
class Misses:
    """How often the paper's program misses the optimum, and by how much."""

    n: int
    missed: int
    failed: int
    mean_excess: float
    most_excess: float

    @classmethod
    def of(cls, outcome: Outcome) -> Misses:
        """Count over the data sets (and, in Experiments 6 and 7, over the separations)."""
        cost = outcome.recorded["cost"]
        excess = (cost[:, 0] / cost[:, 1] - 1).ravel()
        missed = excess[excess > _MISS]
        found = (float(missed.mean()), float(missed.max())) if len(missed) else (0.0, 0.0)
        return cls(len(excess), len(missed), int(np.isnan(excess).sum()), *found)

    def __str__(self) -> str:
        failed = f", finds nothing in {self.failed}" if self.failed else ""
        if self.missed == 0:
            return f"The paper's program misses the optimum in none of {self.n} problems{failed}."
        return (
            f"The paper's program misses the optimum in {self.missed} of {self.n} problems{failed}: there it costs "
            f"{100 * self.mean_excess:.2g}% more on average, {100 * self.most_excess:.2g}% at most."
        )


def compare(outcome: Outcome) -> list[Comparison]:
    """Return every figure that the paper prints for this experiment, with ours."""
    experiment = outcome.job.experiment
    errors = outcome.recorded["errors"]
    return [
        Comparison(
            experiment.title,
            name,
            criterion,
            PRINTED[experiment.key][method][place],
            experiment.repeats,
            *(Moments.of(errors[:, program, method, place]) for program in (0, 1)),
        )
        for method, name in enumerate(experiment.methods)
        for place, criterion in enumerate(experiment.criteria)
    ]


def rounded_as(value: float, printed: str) -> str:
    """Return a value with as many digits as a printed one."""
    return f"{value:.{len(printed.partition('.')[2])}f}"


def half_digit(printed: str) -> float:
    """Return half a unit of the last digit of a printed figure."""
    return float(0.5 * 10.0 ** -len(printed.partition(".")[2]))
