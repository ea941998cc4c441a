"""Tables for people: no boxes, at most as wide as the terminal, or 80 columns in a pipe; no colour is needed."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mindgap.bounds import GapBounds
    from mindgap.cli.reading import Data


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: numbers to the right, and the last column, which holds words, folded where it is long."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for index, column in enumerate(columns):
        words = index == len(columns) - 1
        table.add_column(column, justify="left" if words else "right", overflow="fold", no_wrap=not words)
    for row in rows:
        table.add_row(*map(Text, row))
    Console(highlight=False).print(table)


def print_words(text: str) -> None:
    """Print a sentence, on more lines where it is longer than the terminal is wide."""
    Console(highlight=False).print(Text(text))


def print_data(data: Data) -> None:
    """Say what was read, and what was left out."""
    weighted = "" if data.weights is None else f", total weight {data.weights.sum():.10g}"
    dropped = f", {data.n_dropped} missing left out" if data.n_dropped else ""
    named = "" if data.name is None else f" of {data.name}"
    print_words(f"{len(data.values)} values{named}{weighted}{dropped}")


def print_json(document: dict[str, Any]) -> None:
    """Print a document as JSON; what is no number is null."""
    click.echo(json.dumps(_plain(document), allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def number(value: float) -> str:
    """Return a number as tables show it."""
    return f"{value:.6g}"


def gap_cells(gaps: Any, bounds: GapBounds | None, active: Sequence[str], place: int) -> list[str]:
    """Return the gap to the next centre, its bounds, and which it has reached; nothing for the last centre."""
    if place >= len(gaps):
        return ["", ""]
    return [number(gaps[place]), _bound(bounds, active, place)]


def _bound(bounds: GapBounds | None, active: Sequence[str], gap: int) -> str:
    if bounds is None:
        return ""
    lower, upper = bounds.lower[gap], bounds.upper[gap]
    sides = [f">= {number(lower)}" if lower > 0 else "", f"<= {number(upper)}" if math.isfinite(upper) else ""]
    reached = {"free": "", "lower": "(at lower)", "upper": "(at upper)", "both": "(at both)"}[active[gap]]
    return " ".join(part for part in (*sides, reached) if part)
