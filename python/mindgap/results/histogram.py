"""A compact histogram of the data, so that a result can be drawn without holding them.

All bins that hold data have the same width, and each empty stretch between them is one wide bin: a far outlier costs
two bins and no detail. The cost is a few passes over sorted values and a binary search for each bin.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.model.binned import Binned
from mindgap.model.sample import Sample
from mindgap.validation import FloatArray, Frozen, freeze

#: The maximum number of bins.
MOST_BINS = 200

#: The maximum number of bins between the quartiles; the least and the most that the whole range gets at least.
_FINEST, _FEWEST, _ENOUGH = 40, 12, 60

#: Data count as rounded if each distinct value occurs this often on average.
_REPEATS = 3

#: The number of values that are examined first to see whether the data lie on a grid.
_GLANCE = 4096


@dataclass(frozen=True, eq=False)
class Histogram(Frozen):
    """The weight of the data in adjacent bins.

    Attributes
    ----------
    counts : array of float
        The number of points (or their weight) in each bin.
    edges : array of float
        The edges of the bins, strictly ascending, one more than there are bins.
    name : str or None
        The name of the data.
    """

    counts: FloatArray
    edges: FloatArray
    name: str | None = None

    def __post_init__(self) -> None:
        if len(self.counts) == 0 or len(self.edges) != len(self.counts) + 1:
            raise InvalidInputError(f"a histogram has {len(self.counts)} counts and {len(self.edges)} edges")
        if not (np.isfinite(self.edges).all() and (self.edges[1:] > self.edges[:-1]).all()):
            raise InvalidInputError("the edges of a histogram must be finite and ascending")
        if not (np.isfinite(self.counts).all() and (self.counts >= 0).all()):
            raise InvalidInputError("the counts of a histogram must be finite and not negative")
        with np.errstate(all="ignore"):
            drawable = np.isfinite(self.counts.sum()) and np.isfinite(self.density()).all()
        if not drawable:
            raise InvalidInputError("the bars of a histogram must have a finite height")
        freeze(self.counts, self.edges)

    @classmethod
    def of(cls, data: Sample | Binned | Histogram | None) -> Histogram | None:
        """Return the histogram of a sample; a histogram or None is returned unchanged."""
        if isinstance(data, Binned):
            return cls(data.counts, data.closed_edges)
        if not isinstance(data, Sample):
            return data
        return replace(histogram_of(data.values, data.weights), name=data.name)

    def density(self) -> FloatArray:
        """Return the height of each bar, scaled to a total area of one."""
        shares = self.counts / max(float(self.counts.sum()), np.finfo(np.float64).tiny)
        heights: FloatArray = shares / np.diff(self.edges)
        return heights


def histogram_of(values: FloatArray, weights: FloatArray | None = None) -> Histogram:
    """Return the histogram of finite values, each of weight one unless `weights` is given.

    Data on a grid (integers, rounded measurements) get bins centred on its points. Values in ascending order
    are not sorted again.
    """
    if len(values) == 0:
        raise InvalidInputError("there are no values for a histogram")
    if (values[1:] < values[:-1]).any():
        order = np.argsort(values, kind="stable")
        values, weights = values[order], None if weights is None else weights[order]
    # Work with a quarter of the values: differences cannot overflow.
    quarters = values / 4
    span = float(quarters[-1] - quarters[0])
    # Narrower bins would be lost to rounding, or their bars too high for a double.
    least = max(max(span, _magnitude(quarters)) * 2.0**-40, float(np.finfo(np.float64).tiny))
    if span <= least:
        margin = max(_magnitude(quarters) * 2.0**-10, 0.125)
        total = float(len(values) if weights is None else weights.sum())
        return Histogram(np.array([total]), _restored(np.array([quarters[0] - margin, quarters[-1] + margin])))
    width = max(_bin_width(quarters, weights, span), least)
    step = _grid_step(quarters, least)
    if (between := _between_values(quarters, width, step or least)) is not None:
        return _counted(quarters, weights, between)
    return _binned(quarters, weights, width, step)


def _magnitude(ascending: FloatArray) -> float:
    return max(abs(float(ascending[0])), abs(float(ascending[-1])))


def _bin_width(values: FloatArray, weights: FloatArray | None, span: float) -> float:
    """Return half the width of Freedman and Diaconis, or less, since several modes widen the quartiles."""
    if weights is None:
        places = np.array([len(values) // 4, 3 * len(values) // 4])
    else:
        reached = np.cumsum(weights)
        places = np.searchsorted(reached, reached[-1] * np.array([0.25, 0.75]))
    low, high = values[np.minimum(places, len(values) - 1)]
    if not high > low:
        return span / _FINEST
    width = float(high - low) * max(len(values) ** (-1 / 3), 1 / _FINEST)
    return float(min(width, span / np.clip(1.5 * np.sqrt(len(values)), _FEWEST, _ENOUGH)))


def _between_values(ascending: FloatArray, width: float, step: float) -> FloatArray | None:
    """Return edges midway between repeated values that skip points of their grid; None for other data.

    Lengths in inches that are written in whole centimetres are 2 or 3 apart: bins of one width would hold one value
    here and two there, and the bars would look like a comb.
    """
    distinct = ascending[np.concatenate([[True], ascending[1:] > ascending[:-1]])]
    if len(distinct) * _REPEATS > len(ascending) or len(distinct) < 3:
        return None
    apart = np.diff(distinct)
    usual = float(np.median(apart))
    every = max(1, round(width / usual))
    far = apart > 3 * usual
    if usual < 1.5 * step or (every > 1 and far.any()):
        return None
    half = np.where(far, usual, apart) / 2
    edges = np.unique(
        np.concatenate([[distinct[0] - half[0]], distinct[:-1] + half, distinct[1:] - half, [distinct[-1] + half[-1]]])
    )
    # Two sums of halves may differ by rounding.
    edges = edges[np.concatenate([[True], np.diff(edges) > usual * 2.0**-20])]
    kept = np.append(edges[:-1:every], edges[-1])
    return kept if len(kept) <= MOST_BINS else None


def _counted(ascending: FloatArray, weights: FloatArray | None, edges: FloatArray) -> Histogram:
    """Count the data (divided by four) between edges that are not values of the data."""
    places = np.searchsorted(ascending, edges)
    reached = np.arange(len(ascending) + 1) if weights is None else np.concatenate([[0.0], np.cumsum(weights)])
    return Histogram(np.maximum(np.diff(reached[places]).astype(np.float64), 0.0), _restored(edges))


def grid_of(ascending: FloatArray) -> tuple[float, float] | None:
    """Return a point and the spacing of the grid that sorted values lie on, or None."""
    distinct = int((ascending[1:] > ascending[:-1]).sum()) + 1
    if distinct * _REPEATS > len(ascending) or distinct == 1:
        return None
    quarters = ascending / 4
    least = max(float(quarters[-1] - quarters[0]), _magnitude(quarters)) * 2.0**-40
    step = _grid_step(quarters, least)
    return None if step is None else (float(ascending[0]), 4 * step)


def _grid_step(values: FloatArray, least: float) -> float | None:
    """Return the spacing of the grid that sorted values lie on, or None."""
    if len(values) > _GLANCE:
        places = np.linspace(0, len(values) - 1, _GLANCE).astype(np.int64)
        if _grid_step(values[places], least) is None:
            return None
    steps = np.diff(values)
    steps = steps[steps > least]
    if len(steps) == 0:
        return None
    span = float(values[-1] - values[0])
    step = span / np.rint(span / steps.min())
    multiples = (values - values[0]) / step
    slack = 1e-6 + 4 * np.finfo(np.float64).eps * _magnitude(values) / step
    on_grid = slack < 0.1 and bool((np.abs(multiples - np.rint(multiples)) <= slack).all())
    return float(step) if on_grid else None


def _binned(values: FloatArray, weights: FloatArray | None, width: float, step: float | None) -> Histogram:
    """Count the data (divided by four) in bins of at least this width, in whole steps if the data lie on a grid."""
    start = float(values[0]) - (width if step is None else step) / 2
    if step is not None:
        width = step * max(1.0, float(np.rint(width / step)))
    while (firsts := _first_of_bins(values, start, width)) is None:
        width *= 2
    occupied = np.floor((values[firsts] - start) / width)
    edges = np.unique(np.concatenate([occupied, occupied + 1]))
    counts = np.zeros(len(edges) - 1)
    held = np.diff([*firsts, len(values)]) if weights is None else np.add.reduceat(weights, firsts)
    # Not `counts[..] = held`: rounding at an edge may have cut a bin in two.
    np.add.at(counts, np.searchsorted(edges, occupied), held)
    return Histogram(counts, _restored(start + edges * width))


def _restored(quarters: FloatArray) -> FloatArray:
    limit = np.finfo(np.float64).max / 4
    edges: FloatArray = 4 * np.clip(quarters, -limit, limit)
    return edges


def _first_of_bins(values: FloatArray, start: float, width: float) -> list[int] | None:
    """Return the first value of each bin that is not empty, or None if there are too many bins."""
    firsts: list[int] = []
    edges, last = 1, -1.0
    place = 0
    while place < len(values):
        number = float(np.floor((values[place] - start) / width))
        edges += 1 if number == last + 1 else 2
        if edges > MOST_BINS + 2:
            return None
        firsts.append(place)
        last = number
        end = int(np.searchsorted(values, start + (number + 1) * width))
        # Rounding may put the end of a bin at its first value.
        place = max(end, place + 1)
    return firsts
