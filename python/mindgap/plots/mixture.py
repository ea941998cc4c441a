"""A picture of a mixture: the data, the weighted density of each component, their sum, and the gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from mindgap.plots.canvas import axes_or_new, mark_centers, name_axes, show_between
from mindgap.plots.headroom import crown, data_handle, gap_handles
from mindgap.results.gap_text import gap_states, reached_rows
from mindgap.results.palette import INK, PALE, colour, line_style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from mindgap.results.mixture import MixtureResult
    from mindgap.validation import FloatArray

#: The picture is cut off at this multiple of the data's peak, since a collapsed component is a spike.
_TALLEST = 2.5

#: A component is drawn only above this fraction of the picture's height, to keep the bottom clear.
_FAINTEST = 0.003

#: The least height of the axes in inches for a legend with thresholds.
_LEGEND_FROM = 2.5

#: The height of the marks of known means, as a fraction of the picture.
_TRUTH_HEIGHT = 0.09


def plot_mixture(
    result: MixtureResult, ax: Axes | None = None, *, label: str | None = None, truth: ArrayLike | None = None
) -> Axes:
    """Draw a histogram of the data, the components and their sum, and the gaps with their bounds.

    Parameters
    ----------
    result : MixtureResult
        The mixture.
    ax : Axes, optional
        The axes to draw into, which are returned; by default those of a new pyplot figure.
    label : str, optional
        A description of the data for the axis; by default the name of their column.
    truth : array-like of float, optional
        Known means to mark.

    Examples
    --------
    >>> from mindgap import plots
    >>> ax = plots.plot_mixture(mg.mixture([1, 2, 2.5, 8, 9, 9.5], 2), truth=[2, 9])
    >>> ax.get_ylabel()
    'density'
    """
    ax = axes_or_new(ax)
    before, empty = ax.get_children(), not ax.has_data()
    low, high = extent(result)
    points = _points(result, low, high)
    densities = component_densities(result, points)
    total = densities.sum(axis=0)
    peak = _peak(result, total)
    handles = _draw_data(ax, result)
    _draw_components(ax, points, densities, least=_FAINTEST * peak)
    ax.plot(points, total, color=INK, linewidth=1.8, zorder=2.5)
    mark_centers(ax, result.means, 42, 0.6)
    states = gap_states(result)
    handles += [
        Line2D([], [], color=INK, linewidth=1.8, label="mixture"),
        Line2D([], [], color=colour(0), linewidth=1.4, marker="^", markersize=5, label="component, mean"),
        *_draw_thresholds(ax, result, peak),
        *gap_handles(result.bounds, states, reached_rows(result, "mean")),
    ]
    if truth is not None:
        handles.append(_draw_truth(ax, truth))
    show_between(ax, low, high, empty=empty)
    name_axes(ax, label or result.name or "x", "density")
    crown(ax, peak, handles, result.means, result.bounds, states, before)
    return ax


def extent(result: MixtureResult) -> tuple[float, float]:
    """Return the range that a picture shows: all data, all means and a margin."""
    low, high = float(result.means[0]), float(result.means[-1])
    if result.histogram is None:
        reach = 3.5 * np.sqrt(result.variances)
        low, high = float((result.means - reach).min()), float((result.means + reach).max())
    else:
        low, high = min(low, float(result.histogram.edges[0])), max(high, float(result.histogram.edges[-1]))
    margin = 0.03 * (high - low)
    return low - margin, high + margin


def component_densities(result: MixtureResult, points: FloatArray) -> FloatArray:
    """Return the weighted density of each component (rows) at each point (columns)."""
    deviations = np.sqrt(result.variances)[:, None]
    scores = (points - result.means[:, None]) / deviations
    heights = result.weights[:, None] / (deviations * np.sqrt(2 * np.pi))
    densities: FloatArray = heights * np.exp(-0.5 * np.minimum(scores**2, 1400.0))
    return densities


def _points(result: MixtureResult, low: float, high: float) -> FloatArray:
    """Return points that are dense enough for the whole picture and for each narrow component."""
    around = np.linspace(-5, 5, 81)
    near = (result.means[:, None] + np.sqrt(result.variances)[:, None] * around).ravel()
    return np.unique(np.clip(np.concatenate([np.linspace(low, high, 600), near]), low, high))


def _draw_data(ax: Axes, result: MixtureResult) -> list[Artist]:
    if result.histogram is None:
        return []
    edges, density = result.histogram.edges, result.seen * result.histogram.density()
    ax.bar(edges[:-1], density, np.diff(edges), align="edge", color=PALE, edgecolor="white", linewidth=0.4, zorder=1)
    return [data_handle(PALE)]


def _draw_components(ax: Axes, points: FloatArray, densities: FloatArray, least: float) -> None:
    for component, density in enumerate(np.where(densities < least, np.nan, densities)):
        ax.fill_between(points, density, color=colour(component), alpha=0.13, linewidth=0, zorder=2)
        ax.plot(points, density, color=colour(component), linestyle=line_style(component), linewidth=1.4, zorder=3)


def _draw_thresholds(ax: Axes, result: MixtureResult, peak: float) -> list[Artist]:
    places = [place for place in result.thresholds if place is not None]
    if not places:
        return []
    ax.vlines(places, 0, peak * 1.03, colors=INK, linewidth=0.8, linestyles=(0, (4, 2)), zorder=2.2)
    if ax.bbox.height / ax.figure.dpi < _LEGEND_FROM:
        return []
    return [Line2D([], [], color=INK, linewidth=0.8, linestyle=(0, (4, 2)), label="threshold")]


def _draw_truth(ax: Axes, truth: ArrayLike) -> Artist:
    ax.vlines(truth, 0, _TRUTH_HEIGHT, transform=ax.get_xaxis_transform(), colors=INK, linewidth=2.2, zorder=4.5)
    mark = Line2D([], [], color=INK, linestyle="none", marker="|", markersize=9, markeredgewidth=2.2)
    mark.set_label("true mean")
    return mark


def _peak(result: MixtureResult, total: FloatArray) -> float:
    highest = float(total.max())
    if result.histogram is None:
        return highest
    data = result.seen * float(result.histogram.density().max())
    return max(data, min(highest, _TALLEST * data))
