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
    """Draw the differences between the data and a mixture into `ax` or a new figure; return the axes.

    Bars above one or below minus one are more than two standard deviations. `label` describes the data.
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
