"""A rootogram: in each bin, the root of the observed count minus the root of the expected one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.plots.canvas import axes_or_new, name_axes
from mindgap.results.palette import GUIDE, HELD, INK, PALE
from mindgap.results.rootogram import root_differences

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mindgap.results.mixture import MixtureResult


def plot_residuals(result: MixtureResult, ax: Axes | None = None, *, label: str | None = None) -> Axes:
    """Draw how the data differ from a mixture: the root of each bin's count minus that of its expected count.

    Bars above one or below minus one, in red, are more than two standard deviations.

    Parameters
    ----------
    result : MixtureResult
        The mixture, with its data.
    ax : Axes, optional
        The axes to draw into, which are returned; by default those of a new pyplot figure.
    label : str, optional
        A description of the data for the axis; by default the name of their column.

    Examples
    --------
    >>> from mindgap import plots
    >>> fit = mg.mixture(mg.datasets.paper_model("A", 200, rng=1).values, 2)
    >>> plots.plot_residuals(fit, label="length").get_xlabel()
    'length'
    """
    if result.histogram is None:
        raise InvalidInputError("this result does not have its data, so there are no residuals to draw")
    ax = axes_or_new(ax)
    edges, differences = result.histogram.edges, root_differences(result, result.histogram)
    colours = [HELD if abs(value) > 1 else PALE for value in differences]
    ax.bar(
        edges[:-1], differences, np.diff(edges), align="edge", color=colours, edgecolor="white", linewidth=0.4, zorder=2
    )
    ax.axhline(0, color=INK, linewidth=0.9, zorder=3)
    for limit in (-1, 1):
        ax.axhline(limit, color=GUIDE, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)
    name_axes(ax, label or result.name or "x", "√observed - √expected")
    return ax
