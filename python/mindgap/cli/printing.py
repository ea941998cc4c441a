"""Tables for people: no boxes, at most as wide as the terminal, or 80 columns in a pipe; no colour is needed."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mindgap.brief import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from mindgap.cli.reading import Data
    from mindgap.results.text_table import TextTable


def print_table(table: TextTable) -> None:
    """Print a table: numbers to the right, and the last column, which holds words, folded where it is long."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in table.head[:-1]:
        grid.add_column(column, justify="right", no_wrap=True)
    grid.add_column(table.head[-1], overflow="fold")
    for row in table.rows:
        grid.add_row(*map(Text, row))
    print_bare(grid)
    for note in table.notes:
        print_words(note)


def print_bare(*parts: RenderableType) -> None:
    """Print without the spaces that fill up the last column."""
    console = Console(highlight=False)
    with console.capture() as printed:
        console.print(*parts)
    for line in printed.get().splitlines():
        click.echo(line.rstrip())


def print_words(text: str) -> None:
    """Print a sentence, on more lines where it is longer than the terminal is wide."""
    Console(highlight=False).print(Text(printable(text)))


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
