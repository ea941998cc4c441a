"""The top of a picture: a legend in rows, and below it the strip for the brackets, clear of what is drawn beneath."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from mindgap.gap_text import shared_bound
from mindgap.palette import GUIDE, HELD, INK, SMALL_TEXT
from mindgap.plots.brackets import FREE_LINE, HELD_LINE, GapBrackets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from mindgap.arrays import FloatArray
    from mindgap.bounds import GapBounds

#: Points: what a line of text takes, and what brackets take beside their labels.
_ROW, _BRACKET = 1.35 * SMALL_TEXT, 20.0

#: However small the axes, the data keep this fraction of their height.
_LEAST_FOR_DATA = 0.4


def gap_handles(bounds: GapBounds | None, active: Sequence[str]) -> list[Artist]:
    """Return what the legend says of the gaps, which includes their bound if all have the same."""
    handles: list[Artist] = []
    shared = shared_bound(bounds)
    suffix = f" ({shared})" if shared else ""
    if "free" in active:
        handles.append(Line2D([], [], color=INK, linewidth=FREE_LINE, label=f"gap{suffix}"))
        suffix = ""
    if any(state != "free" for state in active):
        handles.append(Line2D([], [], color=HELD, linewidth=HELD_LINE, label=f"gap at its bound{suffix}"))
    return handles


def crown(
    ax: Axes,
    peak: float,
    handles: Sequence[Artist],
    centers: FloatArray,
    bounds: GapBounds | None,
    active: Sequence[str],
) -> None:
    """Put legend and brackets above what reaches up to `peak`, which is clipped there, with guides from the centres."""
    figure = ax.get_figure(root=True)
    if figure is not None and figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
    rows = _legend(ax, handles)
    brackets = GapBrackets(ax, centers, bounds, active, floor=0.0)
    height = ax.bbox.height * 72 / ax.figure.dpi
    taken = (rows + 0.9) * _ROW
    if len(centers) > 1:
        taken += _BRACKET + brackets.lines_of_text() * _ROW
    floor = max(1 - taken / max(height, 1.0), _LEAST_FOR_DATA)
    brackets.set_floor(floor)
    ax.set_ylim(0, peak * 1.03 / floor)
    ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= peak * 1.03])
    ax.spines["left"].set_bounds(0, peak * 1.03)
    clip = Rectangle((0, 0), 1, floor, transform=ax.transAxes)
    for artist in (*ax.lines, *ax.patches, *ax.collections):
        if artist.get_clip_on():
            artist.set_clip_path(clip)
    if len(centers) > 1:
        across = ax.get_xaxis_transform()
        ax.vlines(centers, 0, floor, transform=across, colors=GUIDE, linewidth=0.7, linestyles=":", zorder=1.5)


def _legend(ax: Axes, handles: Sequence[Artist]) -> int:
    """Add a legend in as many columns as the axes have room for; return its rows."""
    renderer = ax.figure.canvas.get_renderer()  # type: ignore[attr-defined]
    for columns in range(len(handles), 0, -1):
        legend = ax.legend(
            handles=list(handles),
            loc="upper center",
            ncols=columns,
            fontsize=SMALL_TEXT,
            frameon=False,
            borderaxespad=0.1,
            borderpad=0.1,
            columnspacing=1.3,
            handlelength=1.8,
            labelspacing=0.35,
        )
        if columns == 1 or legend.get_window_extent(renderer).width <= ax.bbox.width:
            break
    return -(-len(handles) // columns)


def data_handle(colour: str) -> Patch:
    """Return what the legend says of the histogram."""
    return Patch(facecolor=colour, label="data")
