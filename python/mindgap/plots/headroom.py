"""The top of a picture: a legend in rows, and below it the brackets, above the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from mindgap.plots.brackets import FREE_LINE, HELD_LINE, GapBrackets
from mindgap.results.gap_text import shared_bound
from mindgap.results.palette import HELD, INK, SMALL_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from mindgap.model.bounds import GapBounds
    from mindgap.validation import FloatArray

#: The height of a line of text, and of brackets without their labels, in points.
_ROW, _BRACKET = 1.35 * SMALL_TEXT, 20.0

#: The least fraction of the height of the axes that the data get.
_LEAST_FOR_DATA = 0.4


#: The most active rows that a legend names.
_MOST_ROWS = 3


def gap_handles(bounds: GapBounds | None, active: Sequence[str], reached: Sequence[str]) -> list[Artist]:
    """Return the legend entries for the gaps and the active linear rows.

    They include the bounds of the gaps if all have the same.
    """
    handles: list[Artist] = []
    shared = shared_bound(bounds)
    suffix = f" ({shared})" if shared else ""
    if "free" in active:
        handles.append(Line2D([], [], color=INK, linewidth=FREE_LINE, label=f"gap{suffix}"))
        suffix = ""
    if any(state != "free" for state in active):
        handles.append(Line2D([], [], color=HELD, linewidth=HELD_LINE, label=f"gap at its bound{suffix}"))
    for text in reached[:_MOST_ROWS]:
        handles.append(Line2D([], [], color=HELD, linewidth=0, marker="o", markersize=4, label=f"{text} (reached)"))
    return handles


def crown(
    ax: Axes,
    peak: float,
    handles: Sequence[Artist],
    centers: FloatArray,
    bounds: GapBounds | None,
    active: Sequence[str],
    before: Iterable[Artist] = (),
) -> None:
    """Put the legend and the brackets above `peak`, where the picture is clipped, with guides from the centres.

    Artists in `before` are not clipped.
    """
    figure = ax.get_figure(root=True)
    if figure is not None and figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
    rows = _legend(ax, handles)
    brackets = GapBrackets(ax, centers, bounds, active)
    height = ax.bbox.height * 72 / ax.figure.dpi
    taken = (rows + 0.9) * _ROW
    if len(centers) > 1:
        taken += _BRACKET + brackets.lines_of_text() * _ROW
    floor = max(1 - taken / max(height, 1.0), _LEAST_FOR_DATA)
    clip = Rectangle((0, 0), 1, floor, transform=ax.transAxes)
    others = {id(artist) for artist in before}
    for artist in (*ax.lines, *ax.patches, *ax.collections):
        if artist.get_clip_on() and id(artist) not in others:
            artist.set_clip_path(clip)
    brackets.rest_on(peak * 1.03, floor)


def level(axes: Iterable[Axes]) -> None:
    """Give pictures that share their axes the same headroom."""
    crowns = [artist for ax in axes for artist in ax.findobj(GapBrackets)]
    floor, peak = min(crown.floor for crown in crowns), max(crown.peak for crown in crowns)
    for crown in crowns:
        crown.rest_on(peak, floor)


def _legend(ax: Axes, handles: Sequence[Artist]) -> int:
    """Add a legend in as few rows as fit; return their number."""
    for rows in range(1, len(handles) + 1):
        columns = -(-len(handles) // rows)
        legend = ax.legend(
            handles=list(handles),
            loc="upper center",
            ncols=columns,
            fontsize=SMALL_TEXT,
            frameon=False,
            borderaxespad=0.1,
            borderpad=0.1,
            columnspacing=1.2,
            handlelength=1.6,
            labelspacing=0.35,
        )
        if columns == 1 or legend.get_window_extent().width <= ax.bbox.width:
            break
    return rows


def data_handle(colour: str) -> Patch:
    """Return the legend entry for the histogram."""
    return Patch(facecolor=colour, label="data")
