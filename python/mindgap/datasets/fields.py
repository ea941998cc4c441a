"""Simulated data of fields in which the spacing of the peaks is known."""

from __future__ import annotations

import numpy as np

from mindgap.datasets.labelled import Labelled, from_components
from mindgap.validation import RNG


def photoelectron_counts(n: int = 2000, rng: RNG = 0, *, gain: float = 1.0) -> Labelled:
    """Draw charges of photomultiplier pulses: a pedestal at 0 and peaks one `gain` apart, each wider than the last.

    Parameters
    ----------
    n : int
        The number of points.
    rng : int, Generator or None
        The source of random numbers; the default is a fixed seed.
    gain : float
        The distance between neighbouring peaks.

    Examples
    --------
    >>> mg.datasets.photoelectron_counts(2000, rng=1).means().round(1).tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    peaks = np.arange(5)
    shares = np.array([0.3, 0.36, 0.2, 0.1, 0.04])
    return from_components(n, shares, gain * peaks, gain * np.sqrt(0.15**2 + 0.3**2 * peaks), rng)


def repeat_lengths(n: int = 1500, rng: RNG = 0, *, unit: float = 4.0) -> Labelled:
    """Draw lengths of DNA fragments that differ by whole repeats of a motif.

    Parameters
    ----------
    n : int
        The number of points.
    rng : int, Generator or None
        The source of random numbers; the default is a fixed seed.
    unit : float
        The length of the motif in base pairs.

    Examples
    --------
    >>> mg.datasets.repeat_lengths(1500, rng=1).means().round().tolist()
    [180.0, 184.0, 188.0, 192.0, 196.0]
    """
    alleles = 180.0 + unit * np.arange(5)
    return from_components(n, [0.1, 0.25, 0.3, 0.25, 0.1], alleles, np.full(5, 0.35 * unit), rng)


def dna_content(n: int = 3000, rng: RNG = 0, *, g1: float = 200.0) -> Labelled:
    """Draw the fluorescence of cells in flow cytometry: a G1 peak, cells in synthesis, and a G2 peak at twice G1.

    Parameters
    ----------
    n : int
        The number of points.
    rng : int, Generator or None
        The source of random numbers; the default is a fixed seed.
    g1 : float
        The position of the G1 peak.

    Examples
    --------
    >>> mg.datasets.dna_content(3000, rng=1).shares().round(1).tolist()
    [0.6, 0.2, 0.2]
    """
    return from_components(n, [0.55, 0.2, 0.25], [g1, 1.5 * g1, 2 * g1], [0.06 * g1, 0.2 * g1, 0.09 * g1], rng)


def fish_lengths(n: int = 2000, rng: RNG = 0, *, ratio: float = 0.7) -> Labelled:
    """Draw lengths of fish in five year classes, which grow less each year (von Bertalanffy growth).

    Parameters
    ----------
    n : int
        The number of points.
    rng : int, Generator or None
        The source of random numbers; the default is a fixed seed.
    ratio : float
        The growth in a year divided by that in the year before.

    Examples
    --------
    >>> mg.datasets.fish_lengths(2000, rng=1).means().round().tolist()
    [12.0, 21.0, 27.0, 32.0, 35.0]
    """
    ages = np.cumsum([12.0, *(9.0 * ratio ** np.arange(4))])
    return from_components(n, [0.3, 0.26, 0.2, 0.14, 0.1], ages, [1.6, 1.8, 2.0, 2.0, 2.0], rng)
