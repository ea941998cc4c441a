"""The bound of a gap in words, for the tables of every result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mindgap.bounds import GapBounds

#: Which bound a gap can be at.
ACTIVE = ("free", "lower", "upper", "both")


def gap_bound_text(bounds: GapBounds | None, active: tuple[str, ...], gap: int) -> str:
    """Return the bounds of one gap, and whether it has reached one; empty if it has none."""
    if bounds is None:
        return ""
    lower, upper = bounds.lower[gap], bounds.upper[gap]
    sides = [f">= {lower:.6g}" if lower > 0 else "", f"<= {upper:.6g}" if np.isfinite(upper) else ""]
    reached = "" if active[gap] == "free" else "(reached)"
    return " ".join(side for side in [*sides, reached] if side)
