"""A picture of clusters: the data coloured by cluster, the centres, the boundaries and the gaps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mindgap.plots.canvas import axes_or_new, mark_centers, name_axes, show_between
from mindgap.plots.headroom import crown, gap_handles
from mindgap.results.gap_text import gap_states, reached_rows
from mindgap.results.palette import GUIDE, INK, colour

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from mindgap.results.histogram import Histogram
    from mindgap.results.kmeans import KMeansResult


def plot_kmeans(result: KMeansResult, ax: Axes | None = None, *, label: str | None = None) -> Axes:
    """Draw a histogram of the data by cluster, the centres, and the gaps with their bounds.

    Parameters
    ----------
    result : KMeansResult
        The clusters.
    ax : Axes, optional
        The axes to draw into, which are returned; by default those of a new pyplot figure.
    label : str, optional
        A description of the data for the axis; by default the name of their column.

    Examples
    --------
    >>> from mindgap import plots
    >>> ax = plots.plot_kmeans(mg.kmeans([1, 2, 8, 9], 2), label="length")
    >>> ax.get_xlabel()
    'length'
    """
    ax = axes_or_new(ax)
    before, empty = ax.get_children(), not ax.has_data()
    handles: list[Artist] = []
    low, high, peak = float(result.centers[0]), float(result.centers[-1]), 1.0
    if result.histogram is None:
        ax.yaxis.set_visible(False)
    else:
        _draw_data(ax, result, result.histogram)
        edges, peak = result.histogram.edges, float(result.histogram.counts.max())
        low, high = min(low, float(edges[0])), max(high, float(edges[-1]))
        handles.append(Patch(facecolor=colour(0), label="data, by cluster"))
    margin = 0.03 * (high - low) or 1.0
    show_between(ax, low - margin, high + margin, empty=empty)
    ax.vlines(result.boundaries, 0, peak * 1.03, colors=INK, linewidth=0.9, linestyles=(0, (4, 2)), zorder=3)
    mark_centers(ax, result.centers, 48, 0.8)
    if result.k == 1:
        ax.axvline(result.centers[0], color=GUIDE, linewidth=0.7, linestyle=":", zorder=1.5)
    handles += _handles(result)
    name_axes(ax, label or result.name or "x", "points in bin")
    crown(ax, peak, handles, result.centers, result.bounds, gap_states(result), before)
    return ax


def _handles(result: KMeansResult) -> list[Artist]:
    marker = Line2D([], [], color="none", marker="^", markersize=6, markerfacecolor=colour(0), markeredgecolor=INK)
    marker.set_label("centre")
    handles: list[Artist] = [marker]
    if result.k > 1:
        handles.append(Line2D([], [], color=INK, linewidth=0.9, linestyle=(0, (4, 2)), label="boundary"))
    return [*handles, *gap_handles(result.bounds, gap_states(result), reached_rows(result, "centre"))]


def _draw_data(ax: Axes, result: KMeansResult, histogram: Histogram) -> None:
    """Draw the bars; a bar changes colour at a boundary."""
    cuts = result.boundaries[(result.boundaries > histogram.edges[0]) & (result.boundaries < histogram.edges[-1])]
    edges = np.unique(np.concatenate([histogram.edges, cuts]))
    starts, widths = edges[:-1], np.diff(edges)
    bins = np.searchsorted(histogram.edges, starts, side="right") - 1
    colours = [colour(int(cluster)) for cluster in np.searchsorted(result.boundaries, starts, side="right")]
    ax.bar(
        starts,
        histogram.counts[bins],
        widths,
        align="edge",
        color=colours,
        edgecolor="white",
        linewidth=0.4,
        zorder=2,
    )
