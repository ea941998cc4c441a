"""Text about gaps and their bounds, for the tables and pictures of every result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mindgap.results.palette import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindgap.model.bounds import GapBounds
    from mindgap.results.kmeans import KMeansResult
    from mindgap.results.mixture import MixtureResult
    from mindgap.validation import FloatArray

_REACHED = {"free": "", "lower": "= min", "upper": "= max", "both": "= min = max"}

#: The most rows that a table names; the others are counted.
_MOST_ROWS = 8

#: The states of a gap.
ACTIVE = ("free", "lower", "upper", "both")


def gap_states(result: KMeansResult | MixtureResult) -> tuple[str, ...]:
    """Return the active bound of each gap; linear rows count if they are about a single gap."""
    if result.bounds is not None:
        return result.active
    states = ["free"] * len(result.gaps)
    if result.rows is not None:
        for coefficients, state in zip(result.rows.matrix, result.active, strict=True):
            [*centers] = np.flatnonzero(coefficients)
            if state != "free" and len(centers) == 2 and centers[1] == centers[0] + 1 and not coefficients.sum():
                flipped = {"lower": "upper", "upper": "lower"} if coefficients[centers[1]] < 0 else {}
                states[centers[0]] = flipped.get(state, state)
    return tuple(states)


def reached_rows(result: KMeansResult | MixtureResult, center: str) -> list[str]:
    """Return the active linear rows as text: "mean 0 - 2 mean 1 + mean 2 = 0"."""
    if result.rows is None:
        return []
    rows = zip(result.rows.matrix, result.rows.lower, result.rows.upper, result.active, strict=True)
    return [_row_text(*row, center) for row in rows if row[-1] != "free"]


def _row_text(coefficients: FloatArray, lower: float, upper: float, state: str, center: str) -> str:
    terms = [
        f"{'-' if coefficients[place] < 0 else '+'} {_factor(abs(coefficients[place]))}{center} {place}"
        for place in np.flatnonzero(coefficients)
    ]
    sign, bound = ("=", lower) if lower == upper else (">=", lower) if state == "lower" else ("<=", upper)
    left = " ".join(terms).removeprefix("+ ").replace("- ", "-", 1 if terms[0].startswith("-") else 0)
    return f"{left} {sign} {bound:.6g}"


def _factor(size: float) -> str:
    return "" if size == 1 else f"{size:.6g} "


def reached_note(result: KMeansResult | MixtureResult, center: str) -> list[str]:
    """Return a line for a table that names the active rows, if there are any."""
    reached = reached_rows(result, center)
    more = f"; and {len(reached) - _MOST_ROWS} more" if len(reached) > _MOST_ROWS else ""
    return [f"bounds reached: {'; '.join(reached[:_MOST_ROWS])}{more}"] if reached else []


def gap_bound_text(bounds: GapBounds | None, active: tuple[str, ...], gap: int) -> str:
    """Return the bounds of one gap and the active one as text; empty if it has none."""
    if bounds is None:
        return ""
    lower, upper = bounds.lower[gap], bounds.upper[gap]
    sides = [f">= {lower:.6g}" if lower > 0 else "", f"<= {upper:.6g}" if np.isfinite(upper) else ""]
    reached = "" if active[gap] == "free" else "(reached)"
    return " ".join(side for side in [*sides, reached] if side)


def shared_bound(bounds: GapBounds | None) -> str | None:
    """Return the bounds of the gaps as text, if all have the same."""
    if bounds is None or len(bounds) == 0:
        return None
    texts = {_bound_text(bounds, gap, " and ") for gap in range(len(bounds))}
    return texts.pop() if len(texts) == 1 else None


def _bound_text(bounds: GapBounds, gap: int, between: str, state: str = "free") -> str:
    """Return the bounds of a gap as text. The value of an active bound is left out: it is the gap itself."""
    lower, upper = bounds.lower[gap], bounds.upper[gap]
    least = "= min" if state in ("lower", "both") else f"≥ {short(lower)}" if lower > 0 else ""
    largest = "= max" if state in ("upper", "both") else f"≤ {short(upper)}" if np.isfinite(upper) else ""
    return between.join(side for side in (least, largest) if side)


def gap_labels(gaps: FloatArray, bounds: GapBounds | None, active: Sequence[str]) -> list[str]:
    """Return a label for each gap: its size, and below it the bounds that `shared_bound` does not cover."""
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
