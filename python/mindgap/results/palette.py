"""Colours, line styles and number formats that all pictures share.

The colours are those of Okabe and Ito, which colour-blind readers can tell apart, ordered so that neighbours also
differ in lightness. Line styles repeat with another period, so that the first thirty lines differ, also in black and
white.
"""

from __future__ import annotations

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7")

#: Dashes and spaces in line widths; the first is a solid line.
DASHES: tuple[tuple[float, ...], ...] = ((), (6, 1.5), (1, 1), (6, 1.5, 1, 1.5), (3, 1, 1, 1, 1, 1))

INK = "#1a1a1a"
PALE = "#d4d4d4"
GUIDE = "#8a8a8a"
HELD = "#B3001B"

#: Font size in points.
SMALL_TEXT = 8.0


def colour(index: int) -> str:
    """Return the colour of a component or cluster."""
    return COLOURS[index % len(COLOURS)]


def line_style(index: int) -> str | tuple[float, tuple[float, ...]]:
    """Return the line style of a component."""
    dashes = DASHES[index % len(DASHES)]
    return (0, dashes) if dashes else "solid"


def short(value: float) -> str:
    """Return a number in few characters, with at least three digits."""
    if 1000 <= abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:.3g}"
