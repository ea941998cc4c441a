"""Simulated data of fields in which the spacing of the peaks is known."""

from __future__ import annotations

import numpy as np

from mindgap.datasets.labelled import Labelled, from_components
from mindgap.validation import RNG


def photoelectron_counts(n: int = 2000, rng: RNG = 0, *, gain: float = 1.0) -> Labelled:
    """Charge of a photomultiplier pulse: a pedestal at 0 and peaks one `gain` apart, each wider than the last."""
    peaks = np.arange(5)
    shares = np.array([0.3, 0.36, 0.2, 0.1, 0.04])
    return from_components(n, shares, gain * peaks, gain * np.sqrt(0.15**2 + 0.3**2 * peaks), rng)


def repeat_lengths(n: int = 1500, rng: RNG = 0, *, unit: float = 4.0) -> Labelled:
    """Lengths of DNA fragments that differ by whole repeats of a motif of `unit` base pairs."""
    alleles = 180.0 + unit * np.arange(5)
    return from_components(n, [0.1, 0.25, 0.3, 0.25, 0.1], alleles, np.full(5, 0.35 * unit), rng)


def dna_content(n: int = 3000, rng: RNG = 0, *, g1: float = 200.0) -> Labelled:
    """Fluorescence of cells in flow cytometry: a G1 peak, cells in synthesis, and a G2 peak at twice G1."""
    return from_components(n, [0.55, 0.2, 0.25], [g1, 1.5 * g1, 2 * g1], [0.06 * g1, 0.2 * g1, 0.09 * g1], rng)


def fish_lengths(n: int = 2000, rng: RNG = 0, *, ratio: float = 0.7) -> Labelled:
    """Lengths of fish of five year classes: each year's growth is `ratio` of the last, as von Bertalanffy has it."""
    ages = np.cumsum([12.0, *(9.0 * ratio ** np.arange(4))])
    return from_components(n, [0.3, 0.26, 0.2, 0.14, 0.1], ages, [1.6, 1.8, 2.0, 2.0, 2.0], rng)
