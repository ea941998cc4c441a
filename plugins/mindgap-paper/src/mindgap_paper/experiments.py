"""The paper's simulations: models, bounds, methods and measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindgap.datasets import MODELS

FloatArray = npt.NDArray[np.float64]

#: The number of points in a data set.
N = 500

#: EM has converged when no parameter moves by more than this, in the units of the data.
TOLERANCE = 1e-3

#: The paper states no limit; only fits that do not converge reach this one.
MOST_ITERATIONS = 10_000

CRITERIA_KMEANS = ("center error", "size error", "Rand index")
CRITERIA_MIXTURE = ("center error", "all parameters error", "Rand index")

#: Experiments 6 and 7: the least gaps, the width of the two-sided interval, the gap that regular EM's start keeps.
DELTAS = (0.85, 0.9, 1.1, 1.3, 1.5, *(round(1.6 + 0.05 * step, 2) for step in range(15)), 2.4)
WIDTH = 0.2
REGULAR_DELTA = 1.9
CURVES = ("regular EM", "one-sided EM", "two-sided EM")

#: The gap between the means of Model A.
TRUE_GAP = 2.0


@dataclass(frozen=True)
class Experiment:
    """One simulation.

    Attributes
    ----------
    key : str
        The name on the command line.
    title : str
        The name in tables.
    kind : str
        "k-means", "mixture" or "separation": what is fitted.
    model : str
        The paper's model that the data come from.
    lower, upper : float or None
        The bounds on the gaps; None if they vary.
    methods : tuple of str
        The methods, without and with a constraint.
    criteria : tuple of str
        The measures.
    repeats : int
        The number of data sets in the paper.
    effort : float
        The time of one data set relative to the others, for the time left.
    """

    key: str
    title: str
    kind: str
    model: str
    lower: float | None
    upper: float | None
    methods: tuple[str, ...]
    criteria: tuple[str, ...]
    repeats: int
    effort: float

    @property
    def k(self) -> int:
        """The number of clusters or components."""
        return len(MODELS[self.model].means)

    @property
    def settings(self) -> str:
        """The settings in words."""
        if self.lower is None:
            bounds = f"δ from {DELTAS[0]} to {DELTAS[-1]}"
        elif self.upper is None:
            bounds = f"δ = {self.lower}"
        else:
            bounds = f"gaps from {self.lower} to {self.upper}"
        return f"Model {self.model}, K = {self.k}, {bounds}, N = {N}"


def _kmeans(key: str, model: str, effort: float) -> Experiment:
    methods = ("K-means", "constrained K-means")
    return Experiment(key, f"Experiment {key}", "k-means", model, 1.95, None, methods, CRITERIA_KMEANS, 1000, effort)


def _mixture(key: str, model: str, effort: float) -> Experiment:
    methods = ("regular EM", "constrained EM")
    return Experiment(key, f"Experiment {key}", "mixture", model, 1.9, 2.1, methods, CRITERIA_MIXTURE, 1000, effort)


EXPERIMENTS = (
    _kmeans("1", "D", 6),
    _kmeans("2", "B", 4),
    _mixture("3", "B", 5),
    _mixture("4", "A", 3),
    _mixture("5", "C", 11),
    Experiment("6", "Experiments 6 and 7", "separation", "A", None, None, CURVES, CRITERIA_MIXTURE, 100, 54),
)
