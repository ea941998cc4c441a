"""Fits on simulated data of the fields: the truth is found, and the constraint holds."""

import numpy as np
import pytest
from mindgap_spacing import profile_ratio

import mindgap as mg
from mindgap import datasets


def test_photoelectron_peaks_give_the_gain():
    data = datasets.photoelectron_counts(5000, rng=2, gain=1.6)
    fit = mg.mixture(data.values, 5, "equal-spacing", init="ckmeans", max_iter=5000)
    assert np.ptp(fit.gaps) <= 1e-10 * np.ptp(data.values)
    assert fit.gaps[0] == pytest.approx(1.6, rel=0.03)


def test_repeat_lengths_at_a_known_spacing():
    data = datasets.repeat_lengths(3000, rng=3)
    fit = mg.mixture(data.values, 5, "equal-spacing:spacing=4")
    np.testing.assert_allclose(fit.gaps, 4, atol=1e-10 * np.ptp(data.values))
    np.testing.assert_allclose(fit.means, 180 + 4 * np.arange(5), atol=0.3)


def test_on_two_gaps_it_is_the_fit_under_rows_written_by_hand():
    class ByHand(mg.Constraint):
        def rows(self, k):
            return mg.LinearRows([[1, -2, 1]], [0], [0])

    x = datasets.photoelectron_counts(1000, rng=4).values
    ours, hand = mg.mixture(x, 3, "equal-spacing"), mg.mixture(x, 3, ByHand())
    for field in ("weights", "means", "variances"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(hand, field))


def test_fish_cohorts_at_a_known_ratio():
    data = datasets.fish_lengths(5000, rng=5, ratio=0.7)
    fit = mg.mixture(data.values, 5, "geometric-gaps:ratio=0.7", max_iter=5000)
    scale = np.ptp(data.values)
    np.testing.assert_allclose(fit.gaps[1:], 0.7 * fit.gaps[:-1], atol=2e-10 * scale)
    np.testing.assert_allclose(fit.means, 12 + np.cumsum([0, *(9 * 0.7 ** np.arange(4))]), atol=0.6)


def test_the_ratio_is_profiled():
    data = datasets.fish_lengths(5000, rng=6, ratio=0.7)
    profile = profile_ratio(data.values, 5, 0.5, 0.95)
    assert profile.ratio == pytest.approx(0.7, abs=0.05)
    assert profile.fit.log_likelihood == max(profile.log_likelihoods)
    assert list(profile.ratios) == sorted(profile.ratios)
    assert 0.5 <= profile.ratios[0] <= profile.ratios[-1] <= 0.95 + 1e-12


@pytest.mark.parametrize(("lower", "upper"), [(0, 1), (1, 1), (2, 1), (0.5, np.inf), (np.nan, 1)])
def test_a_bad_range_is_refused(lower, upper):
    with pytest.raises(mg.InvalidInputError, match="the range of the ratio is"):
        profile_ratio([1.0, 2.0, 3.0], 3, lower, upper)
