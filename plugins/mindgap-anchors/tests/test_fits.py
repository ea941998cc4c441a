"""Fits on simulated data of the field: the truth is found, and the constraint holds."""

import numpy as np
import pytest

import mindgap as mg
from mindgap import datasets

DATA = datasets.dna_content(6000, rng=2)
TOLERANCE = 1e-10 * np.ptp(DATA.values)


def test_the_g2_peak_is_in_proportion_to_the_g1_peak():
    fit = mg.mixture(DATA.values, 3, "ratio-range:lower=1.95,upper=2.05,second=2", max_iter=5000)
    assert 1.95 * fit.means[0] - 2 * TOLERANCE <= fit.means[2] <= 2.05 * fit.means[0] + 2 * TOLERANCE
    assert fit.means[0] == pytest.approx(200, rel=0.02)
    assert fit.means[2] == pytest.approx(400, rel=0.04)


def test_a_known_peak_stays_where_it_is():
    fit = mg.mixture(DATA.values, 3, "fixed-means:means=[200,none,400]", max_iter=5000)
    np.testing.assert_allclose(fit.means[[0, 2]], [200, 400], atol=TOLERANCE)
    assert fit.means[1] == pytest.approx(300, rel=0.1)


def test_bounded_peaks_stay_within_their_bounds():
    fit = mg.mixture(DATA.values, 3, "mean-bounds:lower=[190,280,390],upper=[210,320,none]", max_iter=5000)
    assert 190 - TOLERANCE <= fit.means[0] <= 210 + TOLERANCE
    assert 280 - TOLERANCE <= fit.means[1] <= 320 + TOLERANCE
    assert fit.means[2] >= 390 - TOLERANCE
    assert fit.means[0] == pytest.approx(200, rel=0.02)


def test_peaks_that_cannot_be_are_reported_with_the_plugin():
    with pytest.raises(mg.InfeasibleError, match=r"'mean-bounds' \(mindgap-anchors .*\) is infeasible"):
        mg.mixture(DATA.values, 2, "mean-bounds:lower=[300,none],upper=[none,200]")
