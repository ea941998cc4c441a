"""Compare the counts in bins with those expected under a mixture: Tukey's rootogram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mindgap.model.binned import Binned

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


def fitted_cdf(result: MixtureResult, points: FloatArray) -> FloatArray:
    """Return the cumulative distribution function of the values that a mixture gives within its support."""
    parameters = result.weights, result.means, result.variances
    support = None if result.settings is None else result.settings.support
    if support is None:
        return mixture_cdf(*parameters, points)
    low, high = mixture_cdf(*parameters, np.array(support, dtype=np.float64))
    shares: FloatArray = np.clip((mixture_cdf(*parameters, points) - low) / max(high - low, 1e-300), 0.0, 1.0)
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
    # The bars of open bins end somewhere; their counts do not.
    edges = result.data.edges if isinstance(result.data, Binned) else histogram.edges
    up_to = fitted_cdf(result, edges)
    expected = np.maximum(np.diff(up_to), 0.0) * histogram.counts.sum()
    differences: FloatArray = np.sqrt(histogram.counts) - np.sqrt(expected)
    return differences
