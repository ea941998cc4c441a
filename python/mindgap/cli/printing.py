"""Tables in the terminal, at most as wide as the terminal (80 columns in a pipe), readable without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mindgap.cli.reading import Data, Elsewhere
from mindgap.foundation.messages import printable
from mindgap.foundation.stored import to_json

if TYPE_CHECKING:
    from rich.console import RenderableType

    from mindgap.results.table import TextTable


def print_table(table: TextTable) -> None:
    """Print a table: numbers right-aligned, text in the last column wrapped."""
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
    """Print without trailing spaces."""
    console = Console(highlight=False)
    with console.capture() as printed:
        console.print(*parts)
    for line in printed.get().splitlines():
        click.echo(line.rstrip())


def print_words(text: str) -> None:
    """Print a sentence, wrapped to the width of the terminal."""
    print_bare(Text(printable(text)))


def print_data(data: Data | Elsewhere) -> None:
    """Print what was read and what was left out."""
    if isinstance(data, Elsewhere):
        print_words(f"{data.values}, {data.how}" if isinstance(data.values, str) else data.how)
        return
    weighted = "" if data.weights is None else f", total weight {data.weights.sum():.10g}"
    dropped = f", {data.n_dropped} missing left out" if data.n_dropped else ""
    named = "" if data.name is None else f" of {data.name}"
    print_words(f"{len(data.values)} values{named}{weighted}{dropped}")


def print_json(document: Any) -> None:
    """Print a document as JSON."""
    click.echo(to_json(document))
