"""Gaps between neighbouring centres, drawn as brackets with their sizes above a picture.

The labels are laid out whenever the picture is drawn, for its current size: they move aside for each other. If there is
no room for all, the bounds are left out first, then the labels of small gaps that are not at a bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from matplotlib.artist import Artist
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform

from mindgap.plots.spread import spread
from mindgap.results.gap_text import gap_labels
from mindgap.results.palette import GUIDE, HELD, INK, SMALL_TEXT, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase

    from mindgap.model.bounds import GapBounds
    from mindgap.validation import FloatArray

IntArray: TypeAlias = "npt.NDArray[np.int64]"

#: The arms of a bracket, its distance from its label, and the space between labels, in points.
_ARM, _LEADER, _APART = 4.0, 7.0, 7.0

#: Font size in points.
FREE_LINE, HELD_LINE = 1.0, 2.4


class GapBrackets(Artist):
    """The brackets of all gaps, drawn above `floor`, the fraction of the axes' height where the data's `peak` is."""

    def __init__(self, ax: Axes, centers: FloatArray, bounds: GapBounds | None, active: Sequence[str]):
        super().__init__()
        self._centers = centers
        self.floor = 0.0
        self.peak = 1.0
        self._held = np.array([state != "free" for state in active], dtype=bool)
        self._texts = [gap_labels(np.diff(centers), bounds, active), [short(size) for size in np.diff(centers)]]
        self.lines = [_line(HELD if held else INK, HELD_LINE if held else FREE_LINE) for held in self._held]
        self.leaders = [_line(GUIDE, 0.6) for _ in self._held]
        self.labels = [_label(HELD if held else INK, "bold" if held else "normal") for held in self._held]
        self.set_zorder(4)
        self.set_in_layout(False)
        ax.add_artist(self)
        across = ax.get_xaxis_transform()
        self._guides = ax.vlines([], 0, 1, transform=across, colors=GUIDE, linewidth=0.7, linestyles=":", zorder=1.5)
        for child in self.get_children():
            child.axes = ax
            child.set_figure(ax.figure)
            child.set_in_layout(False)

    def get_children(self) -> list[Artist]:
        """Return the lines and texts that make up the brackets."""
        return [*self.lines, *self.leaders, *self.labels]

    def rest_on(self, peak: float, floor: float) -> None:
        """Scale the axes so that `peak` is at the fraction `floor` of the height, where the brackets begin."""
        self.peak, self.floor = peak, floor
        if len(self._centers) > 1:
            self._guides.set_segments([[(center, 0.0), (center, floor)] for center in self._centers])
        ax = self.axes
        assert ax is not None
        ax.set_ylim(0, peak / floor)
        ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= peak])
        ax.spines["left"].set_bounds(0, peak)

    def lines_of_text(self) -> int:
        """Return the number of lines of the tallest label."""
        return max((text.count("\n") + 1 for text in self._texts[0]), default=0)

    def draw(self, renderer: RendererBase) -> None:
        """Lay out the brackets for the current size of the axes, and draw them."""
        if self.get_visible():
            self._lay_out(renderer)
            for child in self.get_children():
                child.draw(renderer)

    def _lay_out(self, renderer: RendererBase) -> None:
        ax = self.axes
        assert ax is not None
        point = ax.figure.dpi / 72
        left, right = ax.bbox.x0, ax.bbox.x1
        level = ax.bbox.y0 + self.floor * ax.bbox.height + (_ARM + 2) * point
        ends = ax.transData.transform(np.column_stack([self._centers, np.zeros(len(self._centers))]))[:, 0]
        middles = (ends[1:] + ends[:-1]) / 2
        inside = (middles >= left) & (middles <= right)
        for gap, line in enumerate(self.lines):
            line.set_visible(bool(inside[gap]))
            start, end = ends[gap], ends[gap + 1]
            inset = min(1.5 * point, (end - start) / 4)
            arms = [start + inset, start + inset, end - inset, end - inset]
            line.set_data(arms, [level - _ARM * point, level, level, level - _ARM * point])
        self._lay_out_labels(renderer, point, level, middles, inside)

    def _lay_out_labels(
        self, renderer: RendererBase, point: float, level: float, middles: FloatArray, inside: Any
    ) -> None:
        ax = self.axes
        assert ax is not None
        left, right = float(ax.bbox.x0), float(ax.bbox.x1)
        seen = np.flatnonzero(inside)
        for texts in self._texts:
            widths = np.zeros(len(inside))
            widths[seen] = [self._width(renderer, gap, texts[gap]) + _APART * point for gap in seen.tolist()]
            shown = seen
            places = spread(middles[shown], widths[shown], left, right)
            if places is not None:
                break
        else:
            shown = self._first_to_fit(seen, widths, right - left)
            places = spread(middles[shown], widths[shown], left, right)
        for artist in (*self.leaders, *self.labels):
            artist.set_visible(False)
        bottom = level + _LEADER * point
        for gap, place in zip(shown, [] if places is None else places, strict=True):
            self.labels[gap].set_visible(True)
            self.labels[gap].set_position((place, bottom + point))
            self.leaders[gap].set_visible(True)
            self.leaders[gap].set_data([middles[gap], place], [level, bottom])

    def _first_to_fit(self, seen: IntArray, widths: FloatArray, room: float) -> IntArray:
        """Return the gaps whose labels fit: those at their bounds before the others, large before small."""
        order = seen[np.lexsort((-np.diff(self._centers)[seen], ~self._held[seen]))]
        return np.sort(order[np.cumsum(widths[order]) <= room])

    def _width(self, renderer: RendererBase, gap: int, text: str) -> float:
        label = self.labels[gap]
        label.set_visible(True)
        label.set_text(text)
        return float(label.get_window_extent(renderer).width)


def _line(colour: str, width: float) -> Line2D:
    return Line2D([], [], color=colour, linewidth=width, solid_capstyle="butt", transform=IdentityTransform())


def _label(colour: str, weight: str) -> Text:
    return Text(
        color=colour,
        fontsize=SMALL_TEXT,
        fontweight=weight,
        ha="center",
        va="bottom",
        multialignment="center",
        linespacing=1.1,
        transform=IdentityTransform(),
    )
