"""The ratio of `geometric-gaps` by maximum likelihood: a grid over its range, then a golden-section search.

The cost is one fit for each point of the grid and each step of the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import mindgap as mg
from mindgap_spacing.geometric_gaps import GeometricGaps

_GOLDEN = float((np.sqrt(5) - 1) / 2)


@dataclass(frozen=True)
class RatioProfile:
    """The likelihood of a mixture with geometric gaps along its ratio.

    Attributes
    ----------
    ratio : float
        The ratio of the best fit.
    fit : MixtureResult
        The best fit.
    ratios, log_likelihoods : tuple of float
        Every ratio that was tried, ascending, and the log-likelihood of its fit.
    """

    ratio: float
    fit: mg.MixtureResult
    ratios: tuple[float, ...]
    log_likelihoods: tuple[float, ...]


def profile_ratio(
    x: Any, k: int, lower: float, upper: float, *, points: int = 9, precision: float = 1e-3, **settings: Any
) -> RatioProfile:
    """Fit a mixture with geometric gaps, with the ratio of the highest likelihood between `lower` and `upper`.

    Parameters
    ----------
    x, k
        As in `mindgap.mixture`.
    lower, upper : float
        The range of the ratio.
    points : int
        The number of ratios in the initial grid.
    precision : float
        The relative precision of the ratio.
    settings
        Passed to `mindgap.mixture`.
    """
    if not 0 < lower < upper < np.inf:
        raise mg.InvalidInputError(f"the range of the ratio is {lower} to {upper}; it must be positive and ascend")
    if points < 3 or not precision > 0:
        raise mg.InvalidInputError(
            f"points is {points} and precision {precision}; points must be at least 3 and precision positive"
        )
    search = _Search(mg.Sample.of(x, settings.pop("sample_weight", None)), k, settings)
    for ratio in np.geomspace(lower, upper, points).tolist():
        search.likelihood(ratio)
    search.narrow(precision)
    ratios = tuple(sorted(search.fits))
    best = search.best()
    return RatioProfile(best, search.fits[best], ratios, tuple(search.fits[ratio].log_likelihood for ratio in ratios))


class _Search:
    """The fits so far, by ratio."""

    def __init__(self, sample: mg.Sample, k: int, settings: dict[str, Any]) -> None:
        self.fits: dict[float, mg.MixtureResult] = {}
        self._sample, self._k, self._settings = sample, k, settings

    def likelihood(self, ratio: float) -> float:
        self.fits[ratio] = mg.mixture(self._sample, self._k, GeometricGaps(ratio), **self._settings)
        return self.fits[ratio].log_likelihood

    def best(self) -> float:
        return max(self.fits, key=lambda ratio: self.fits[ratio].log_likelihood)

    def narrow(self, precision: float) -> None:
        """Search by golden section between the neighbours of the best ratio so far."""
        ratios = sorted(self.fits)
        place = ratios.index(self.best())
        left, right = ratios[max(place - 1, 0)], ratios[min(place + 1, len(ratios) - 1)]
        inner = [right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)]
        heights = [self.likelihood(ratio) for ratio in inner]
        while right - left > precision * left:
            if heights[0] >= heights[1]:
                right, inner[1], heights[1] = inner[1], inner[0], heights[0]
                inner[0] = right - _GOLDEN * (right - left)
                heights[0] = self.likelihood(inner[0])
            else:
                left, inner[0], heights[0] = inner[0], inner[1], heights[1]
                inner[1] = left + _GOLDEN * (right - left)
                heights[1] = self.likelihood(inner[1])
