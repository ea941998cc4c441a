"""Numbers with a common number of decimals, chosen by the spread of the data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mindgap.results.mixture import MixtureResult

#: The digits of the smallest standard deviation that are shown.
_DIGITS = 4

#: Larger numbers, and more decimals, are written with an exponent.
_LARGEST, _MOST_DECIMALS = 1e12, 9


class Decimals:
    """Formats values in units of the data, all with the same number of decimals."""

    def __init__(self, result: MixtureResult) -> None:
        deviations = np.sqrt(result.variances)
        least = float(deviations[deviations > 0].min(initial=math.inf))
        largest = float(np.abs(result.means).max())
        places = 0 if not math.isfinite(least) else max(0, _DIGITS - 1 - math.floor(math.log10(least)))
        self._places = places if places <= _MOST_DECIMALS and largest < _LARGEST else None

    def __call__(self, value: float) -> str:
        """Return the text of a value."""
        return f"{value:.6g}" if self._places is None else f"{value:.{self._places}f}"
