"""Compare the counts in bins with those expected under a mixture: Tukey's rootogram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mindgap.results.histogram import Histogram
    from mindgap.results.mixture import MixtureResult
    from mindgap.validation import FloatArray

#: The coefficients of a Chebyshev fit to log(erfc), accurate to 1.2e-7 (Numerical Recipes, erfcc).
_ERFC = (
    *(-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806),
    *(0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277),
)


def mixture_cdf(weights: FloatArray, means: FloatArray, variances: FloatArray, points: FloatArray) -> FloatArray:
    """Return the cumulative distribution function of a mixture at each point, accurate to 1e-7."""
    shares = np.zeros(len(points))
    for weight, mean, deviation in zip(weights, means, np.sqrt(variances), strict=True):
        shares += weight * _normal_cdf((points - mean) / deviation)
    return shares


def _normal_cdf(scores: FloatArray) -> FloatArray:
    size = np.minimum(np.abs(scores) / np.sqrt(2.0), 27.0)
    inverse = 1 / (1 + size / 2)
    series = np.polyval(_ERFC[::-1], inverse)
    tail = inverse * np.exp(series - size * size) / 2
    below: FloatArray = np.where(scores > 0, 1 - tail, tail)
    return below


def root_differences(result: MixtureResult, histogram: Histogram) -> FloatArray:
    """Return the square root of the observed count minus that of the expected count, for each bin.

    The root of a count has a standard deviation of about one half whatever its size: a difference above one is a sign
    of structure that the fit does not have.
    """
    up_to = mixture_cdf(result.weights, result.means, result.variances, histogram.edges)
    expected = np.maximum(np.diff(up_to), 0.0) * histogram.counts.sum()
    differences: FloatArray = np.sqrt(histogram.counts) - np.sqrt(expected)
    return differences
