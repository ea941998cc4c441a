"""Gaps and their bounds in words, for the tables and pictures of every result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mindgap.results.palette import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindgap.model.bounds import GapBounds
    from mindgap.validation import FloatArray

_REACHED = {"free": "", "lower": "= min", "upper": "= max", "both": "= min = max"}

#: Which bound a gap can be at.
ACTIVE = ("free", "lower", "upper", "both")


def gap_states(gaps: FloatArray, bounds: GapBounds | None, active: tuple[str, ...]) -> tuple[str, ...]:
    """Return which bound each gap is at; without bounds on the gaps `active` is about other rows, or nothing."""
    return ("free",) * len(gaps) if bounds is None else active


def gap_bound_text(bounds: GapBounds | None, active: tuple[str, ...], gap: int) -> str:
    """Return the bounds of one gap, and whether it has reached one; empty if it has none."""
    if bounds is None:
        return ""
    lower, upper = bounds.lower[gap], bounds.upper[gap]
    sides = [f">= {lower:.6g}" if lower > 0 else "", f"<= {upper:.6g}" if np.isfinite(upper) else ""]
    reached = "" if active[gap] == "free" else "(reached)"
    return " ".join(side for side in [*sides, reached] if side)


def shared_bound(bounds: GapBounds | None) -> str | None:
    """Return the bound of every gap in words, if all have the same."""
    if bounds is None or len(bounds) == 0:
        return None
    texts = {_bound_text(bounds, gap, " and ") for gap in range(len(bounds))}
    return texts.pop() if len(texts) == 1 else None


def _bound_text(bounds: GapBounds, gap: int, between: str, state: str = "free") -> str:
    """Return the bounds of a gap, those that it is at without their value, which is its own."""
    lower, upper = bounds.lower[gap], bounds.upper[gap]
    least = "= min" if state in ("lower", "both") else f"≥ {short(lower)}" if lower > 0 else ""
    largest = "= max" if state in ("upper", "both") else f"≤ {short(upper)}" if np.isfinite(upper) else ""
    return between.join(side for side in (least, largest) if side)


def gap_labels(gaps: FloatArray, bounds: GapBounds | None, active: Sequence[str]) -> list[str]:
    """Return the size of each gap, and on lines below it what `shared_bound` does not say of all of them."""
    sizes = [short(gap) for gap in gaps]
    if bounds is None:
        return sizes
    if shared_bound(bounds) is None:
        below = [_bound_text(bounds, gap, "\n", state) for gap, state in enumerate(active)]
    elif np.isfinite(bounds.upper).any():
        below = [_REACHED[state] for state in active]
    else:
        return sizes
    return [f"{size}\n{text}".rstrip() for size, text in zip(sizes, below, strict=True)]
