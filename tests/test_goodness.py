"""Goodness of fit: the test by simulated data, and the rootogram."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mindgap as mg
from mindgap.results.histogram import grid_of, histogram_of
from mindgap.results.rootogram import mixture_cdf, root_differences


def test_the_share_up_to_a_point_is_right() -> None:
    points = np.linspace(-60, 60, 2001)
    shares = mixture_cdf(np.array([0.3, 0.7]), np.array([0.0, 2.0]), np.array([1.0, 9.0]), points)
    for point, share in zip(points, shares, strict=True):
        exact = 0.3 * math.erfc(-point / math.sqrt(2)) / 2 + 0.7 * math.erfc(-(point - 2) / 3 / math.sqrt(2)) / 2
        assert abs(share - exact) < 2e-7


def test_data_of_the_model_pass_and_others_fail() -> None:
    rng = np.random.default_rng(3)
    right = np.concatenate([rng.normal(0, 1, 300), rng.normal(6, 1, 300)])
    fit = mg.mixture(right, 2)
    test = mg.goodness_of_fit(fit, n_bootstrap=39, rng=1)
    assert test.p_value > 0.05
    assert test == mg.goodness_of_fit(fit, right[::-1], n_bootstrap=39, rng=1, threads=1)
    wrong = mg.goodness_of_fit(mg.mixture(right, 1), n_bootstrap=39, rng=1)
    assert wrong.p_value == 1 / 40
    assert f"{wrong.statistic:.4g}" in wrong.summary()
    with pytest.raises(mg.InvalidInputError, match="does not have its data"):
        mg.goodness_of_fit(mg.MixtureResult.from_json(fit.to_json()))


def test_rounded_data_are_compared_with_rounded_draws() -> None:
    rounded = np.round(np.random.default_rng(5).normal(0, 1.5, 800))
    assert grid_of(np.sort(rounded)) is not None
    assert mg.goodness_of_fit(mg.mixture(rounded, 1), n_bootstrap=39, rng=1).p_value > 0.05


def test_truncated_data_are_compared_within_the_support() -> None:
    seen = np.random.default_rng(5).normal(0, 1, 2000)
    seen = seen[seen > 0]
    fit = mg.mixture(seen, 1, support=(0, np.inf))
    assert mg.goodness_of_fit(fit, n_bootstrap=19, rng=1).statistic < 0.05
    assert fit.histogram is not None
    assert np.abs(root_differences(fit, fit.histogram)).max() < 2


def test_open_bins_have_the_tails() -> None:
    values = np.random.default_rng(5).normal(0, 1, 4000)
    inner = np.array([-0.5, -0.4, 0, 0.4, 0.5])
    binned = mg.Binned([-np.inf, *inner, np.inf], np.bincount(np.searchsorted(inner, values), minlength=6))
    fit = mg.mixture(binned, 1)
    assert fit.histogram is not None
    assert np.abs(root_differences(fit, fit.histogram)).max() < 2
    with pytest.raises(mg.InvalidInputError, match="not for counts in bins"):
        mg.goodness_of_fit(fit)


def test_the_rootogram_shows_what_is_left() -> None:
    rng = np.random.default_rng(7)
    values = np.concatenate([rng.normal(0, 1, 500), rng.normal(6, 1, 500)])
    for k, most in ((2, 1.8), (1, np.inf)):
        fit = mg.mixture(values, k)
        assert fit.histogram is not None
        left = np.abs(root_differences(fit, fit.histogram)).max()
        assert left < most
        assert (left > 3) == (k == 1)


def test_inches_in_centimetres_make_no_comb() -> None:
    inches = np.round(np.random.default_rng(9).normal(67, 3, 5000))
    histogram = histogram_of(np.sort(np.round(inches * 2.54)))
    middle = histogram.density()[5:-5]
    assert (middle > 0).all()
    assert np.abs(np.diff(np.log(middle))).max() < 1.1
    assert histogram.counts.sum() == 5000
