"""How reliable a mixture is: findings, standard errors with their intervals, and the next best fit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.validation import FloatArray, Frozen, as_number, freeze

if TYPE_CHECKING:
    from mindgap.results.archive import Fields
    from mindgap.results.mixture import MixtureResult


class Finding(NamedTuple):
    """A property of a fit that you should check.

    Attributes
    ----------
    code : str
        The kind of finding: "empty", "outside", "spread-at-bound", "spike", "undetermined", "rival" or "bound-decides".
    component : int or None
        The component concerned, if it is a single one.
    text : str
        The finding in one line.
    value : float or None
        The number in the text, if there is one: the points in a component, how much lower the runner-up is, or the
        log-likelihood that the bounds cost.
    """

    code: str
    component: int | None
    text: str
    value: float | None = None

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of_stored(cls, part: Fields, k: int) -> Finding:
        """Return the finding of a stored result with `k` components."""
        component = part.optional("component", part.integer)
        part.check("component", component is None or component < k, f"a component below {k}")
        return cls(part.text("code"), component, part.text("text"), part.optional("value", part.number))


@dataclass(frozen=True, eq=False)
class PerParameter(Frozen):
    """An array for each kind of parameter: of the weights, means and variances, and of the gaps between the means."""

    weights: FloatArray
    means: FloatArray
    variances: FloatArray
    gaps: FloatArray

    def __post_init__(self) -> None:
        freeze(self.weights, self.means, self.variances, self.gaps)


@dataclass(frozen=True, eq=False)
class StandardErrors(PerParameter):
    """Standard errors from the observed information with active bounds fixed; infinite for a component without weight.

    They assume many points for each parameter, and true parameters away from every bound.

    Attributes
    ----------
    weights, means, variances, gaps : array of float
        The standard error of each parameter, and of the gaps between neighbouring means.
    unreliable : tuple of str
        Why these errors and their intervals are unreliable; use the bootstrap instead. Empty if they are reliable.
    """

    unreliable: tuple[str, ...]

    @classmethod
    def of_fit(cls, errors: list[FloatArray], unreliable: list[str]) -> StandardErrors:
        """Return the standard errors that the core computed."""
        weights, means, variances, gaps = errors
        return cls(weights, means, variances, gaps, tuple(unreliable))

    @property
    def reliable(self) -> bool:
        """Whether `unreliable` is empty."""
        return not self.unreliable

    def notes(self) -> list[str]:
        """Return a line with the errors of the means, and one on why they are unreliable."""
        errors = ", ".join(f"{error:.3g}" for error in self.means)
        doubts = [f"they are unreliable: {', '.join(self.unreliable)}"] if self.unreliable else []
        return [f"standard errors of the means {errors}", *doubts]

    @classmethod
    def of_stored(cls, part: Fields, k: int) -> StandardErrors:
        """Return the standard errors of a stored result with `k` components; old files lack `gaps` and `unreliable`."""
        weights, means, variances = (
            part.numbers(name, k, absent=math.inf) for name in ("weights", "means", "variances")
        )
        gaps = part.numbers("gaps", k - 1, absent=math.inf) if part.has("gaps") else np.full(k - 1, math.inf)
        unreliable = part.texts("unreliable") if part.has("unreliable") else ()
        return cls(weights, means, variances, gaps, unreliable)


@dataclass(frozen=True, eq=False)
class RunnerUp(Frozen):
    """The next best local maximum that a search found."""

    weights: FloatArray
    means: FloatArray
    variances: FloatArray
    log_likelihood: float

    def __post_init__(self) -> None:
        freeze(self.weights, self.means, self.variances)

    @classmethod
    def of_stored(cls, part: Fields, k: int) -> RunnerUp:
        """Return the runner-up of a stored result with `k` components."""
        weights, means, variances = (part.numbers(name, k) for name in ("weights", "means", "variances"))
        return cls(weights, means, variances, part.number("log_likelihood"))


@dataclass(frozen=True, eq=False)
class Intervals(PerParameter):
    """Intervals for the parameters: one row per component or gap, with the two ends as columns."""

    level: float


def as_level(level: float) -> float:
    """Return a confidence level, or raise InvalidInputError."""
    level = as_number(level, "level")
    if not 0 < level < 1:
        raise InvalidInputError(f"level is {level!r}; it must be between 0 and 1, such as 0.95")
    return level


def wald_intervals(result: MixtureResult, level: float) -> Intervals:
    """Return the intervals that follow from the standard errors of a fit.

    They are symmetric in the log odds of weights and in the logarithm of variances, so that both ends are valid.
    """
    from statistics import NormalDist  # slow to import and rarely used

    level = as_level(level)
    errors = result.standard_errors
    if errors is None:
        raise InvalidInputError(
            'this fit has no standard errors: method "paper" and engines that only return moments have none; '
            "bootstrap it"
        )
    reach = NormalDist().inv_cdf((1 + level) / 2)
    ends = np.array([-reach, reach])
    with np.errstate(over="ignore"):
        spreads = result.variances[:, None] * np.exp(ends * (errors.variances / result.variances)[:, None])
    return Intervals(
        np.array([_share_interval(*pair, ends) for pair in zip(result.weights, errors.weights, strict=True)]),
        result.means[:, None] + ends * errors.means[:, None],
        spreads,
        np.maximum(result.gaps[:, None] + ends * errors.gaps[:, None], 0.0),
        level,
    )


def _share_interval(weight: float, error: float, ends: FloatArray) -> FloatArray:
    """Return the interval of a weight; from 0 to 1 if nothing is known."""
    if not math.isfinite(error):
        return np.array([0.0, 1.0])
    if not 0 < weight < 1:
        return np.clip(weight + ends * error, 0.0, 1.0)
    with np.errstate(over="ignore"):
        odds = weight / (1 - weight) * np.exp(ends * (error / (weight * (1 - weight))))
        shares: FloatArray = 1 / (1 + 1 / np.maximum(odds, np.finfo(float).tiny))
    return shares
