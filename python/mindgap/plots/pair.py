"""Two mixtures of the same data side by side on common axes, with the true means if they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from mindgap.plots.canvas import open_sides
from mindgap.plots.headroom import level
from mindgap.plots.mixture import extent, plot_mixture

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from mindgap.results.mixture import MixtureResult


def side_by_side(
    left: MixtureResult,
    right: MixtureResult,
    titles: tuple[str, str],
    *,
    truth: ArrayLike | None = None,
    label: str | None = None,
) -> Figure:
    """Draw two mixtures of the same data side by side.

    Parameters
    ----------
    left, right : MixtureResult
        The two mixtures.
    titles : pair of str
        Their titles.
    truth : array-like of float, optional
        Known means to mark.
    label : str, optional
        A description of the data for the axis; by default the name of their column.

    Returns
    -------
    Figure
        A new pyplot figure.

    Examples
    --------
    >>> from mindgap import plots
    >>> x = [1, 2, 2.5, 8, 9, 9.5]
    >>> fits = mg.mixture(x, 2), mg.mixture(x, 2, mg.LowerOnly(8))
    >>> len(plots.side_by_side(*fits, ("free", "at least 8 apart")).axes)
    2
    """
    figure, axes = plt.subplots(1, 2, figsize=(11.0, 4.6), sharex=True, sharey=True, layout="constrained")
    lows, highs = zip(extent(left), extent(right), strict=True)
    for ax, result, title in zip(axes, (left, right), titles, strict=True):
        open_sides(ax)
        plot_mixture(result, ax, label=label, truth=truth)
        ax.set_title(title, fontsize=11)
    axes[0].set_xlim(min(lows), max(highs))
    level(axes)
    axes[1].set_ylabel("")
    return figure
