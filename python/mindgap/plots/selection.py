"""A picture of a criterion against the number of components, with the best marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from mindgap.foundation.messages import printable
from mindgap.plots.canvas import axes_or_new, name_axes
from mindgap.results.palette import HELD, INK, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mindgap.inference import Selection


def plot_selection(selection: Selection, ax: Axes | None = None, *, label: str | None = None) -> Axes:
    """Draw the criterion against the number of components, and mark the best.

    Parameters
    ----------
    selection : Selection
        What `mindgap.select` returned.
    ax : Axes, optional
        The axes to draw into, which are returned; by default those of a new pyplot figure.
    label : str, optional
        A description of the data for the axis; by default the name of their column.

    Examples
    --------
    >>> from mindgap import plots
    >>> choice = mg.select(mg.datasets.paper_model("A", 200, rng=1).values, [1, 2, 3])
    >>> plots.plot_selection(choice).get_ylabel()
    'BIC (lower is better)'
    """
    ax = axes_or_new(ax)
    ks, values = np.asarray(selection.ks), np.asarray(selection.values, dtype=np.float64)
    best = selection.ranking[0]
    models = list(zip(selection.constraints, selection.variances, strict=True))
    for number, model in enumerate(dict.fromkeys(models)):
        places = [place for place, other in enumerate(models) if other == model]
        color = colour(number) if selection.is_grid else INK
        name = printable(f"{model[1]} variances, {model[0]}").replace("$", r"\$") if selection.is_grid else None
        ax.plot(
            ks[places], values[places], color=color, linewidth=1.4, marker="o", markersize=4.5, zorder=2, label=name
        )
    if selection.is_grid:
        ax.legend(fontsize=8, frameon=False)
    ax.plot(
        ks[best],
        values[best],
        color=HELD,
        linestyle="none",
        marker="o",
        markersize=11,
        markerfacecolor="none",
        markeredgewidth=2,
        zorder=3,
    )
    ax.axvline(ks[best], color=HELD, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)
    if not ax.get_title(loc="left"):
        about = f"{printable(label)}: ".replace("$", r"\$") if label else ""
        ax.set_title(f"{about}best at K = {ks[best]}", color=HELD, fontsize=9, loc="left")
    ax.set_xlim(ks.min() - 0.5, ks.max() + 0.5)
    ax.margins(y=0.12)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=14))
    ax.ticklabel_format(axis="y", useOffset=False, style="plain")
    name_axes(ax, "K, the number of components", f"{selection.criterion.upper()} (lower is better)")
    return ax
