"""Fits along a grid of δ: the means, the gaps, the log-likelihood, and from where the bound changes the fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from mindgap.foundation.messages import printable
from mindgap.plots.canvas import name_axes, open_sides
from mindgap.results.palette import GUIDE, HELD, INK, SMALL_TEXT, colour, line_style, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mindgap.inference import GapPath
    from mindgap.validation import FloatArray

_DELTA = "δ, the least gap allowed"


def plot_path(path: GapPath, ax: Axes | None = None, *, label: str | None = None) -> Axes:
    """Draw the means against δ; in a new figure also the gaps and the log-likelihood, below.

    Parameters
    ----------
    path : GapPath
        The fits along δ.
    ax : Axes, optional
        The axes to draw into, which are returned; by default those of a new pyplot figure.
    label : str, optional
        A description of the data for the axis; by default the name of their column.

    Examples
    --------
    >>> from mindgap import plots
    >>> path = mg.gap_path([1, 2, 2.5, 8, 9, 9.5], 2, [5, 6, 7, 8])
    >>> len(plots.plot_path(path).figure.axes)
    3
    """
    deltas = np.asarray(path.deltas, dtype=np.float64)
    means = np.array([result.means for result in path.results])
    name = label or path.results[0].name
    of_what = f"mean of {printable(name)}".replace("$", r"\$") if name else "mean"
    if ax is not None:
        _draw_lines(ax, deltas, means, of_what)
        name_axes(ax, _DELTA, of_what)
        _mark_bite([ax], path)
        return ax
    gapped = means.shape[1] > 1
    heights = [3, 2, 2] if gapped else [3, 2]
    figure = plt.figure(figsize=(7.2, 1.1 * sum(heights)), layout="constrained")
    panels: list[Axes] = list(figure.subplots(len(heights), 1, sharex=True, height_ratios=heights))
    _draw_lines(panels[0], deltas, means, of_what)
    if gapped:
        _draw_lines(panels[1], deltas, np.diff(means, axis=1), "gap")
        panels[1].plot(deltas, deltas, color=GUIDE, linewidth=3.5, alpha=0.45, zorder=1, label="gap = δ")
        panels[1].legend(loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0, fontsize=SMALL_TEXT, frameon=False)
    likelihoods = [result.log_likelihood for result in path.results]
    panels[-1].plot(deltas, likelihoods, color=INK, linewidth=1.6, marker="o", markersize=3)
    panels[-1].ticklabel_format(axis="y", useOffset=False)
    panels[-1].set_ylabel("log-likelihood")
    panels[-1].set_xlabel(_DELTA)
    _mark_bite(panels, path)
    for panel in panels:
        open_sides(panel)
    figure.align_ylabels(panels)
    return panels[0]


def _draw_lines(ax: Axes, deltas: FloatArray, columns: FloatArray, name: str) -> None:
    marker = "o" if len(deltas) == 1 else None
    for index, values in enumerate(columns.T):
        ax.plot(
            deltas,
            values,
            color=colour(index),
            linestyle=line_style(index),
            linewidth=1.5,
            marker=marker,
            zorder=2 + 0.01 * index,
        )
    if not ax.get_ylabel():
        ax.set_ylabel(name)


def _mark_bite(panels: list[Axes], path: GapPath) -> None:
    bites_at = path.bites_at
    if bites_at is None:
        note = "the bound does not change the fit on this path" if path.width is None else "no gap is equal to δ"
    else:
        note = (
            f"{'the bound changes the fit' if path.width is None else 'a gap is equal to δ'} from δ = {short(bites_at)}"
        )
        for panel in panels:
            panel.axvline(bites_at, color=HELD, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1.5)
    if not panels[0].get_title(loc="left"):
        panels[0].set_title(note, fontsize=SMALL_TEXT + 1, color=INK if bites_at is None else HELD, loc="left")
