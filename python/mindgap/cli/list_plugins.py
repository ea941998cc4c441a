"""`mindgap plugins`: list what is registered, by which package, and what was blocked."""

from __future__ import annotations

import json
from dataclasses import asdict

import click
from rich.table import Table
from rich.text import Text

from mindgap.cli.options import epilog
from mindgap.cli.printing import print_bare
from mindgap.host.lookup import PluginRecord, plugins
from mindgap.host.registry import COMMAND, KINDS

_COLUMNS = ("name", "package", "version", "parameters")


@click.command(
    "plugins",
    epilog=epilog(
        "mindgap plugins",
        "mindgap plugins --json",
        "MINDGAP_LOAD_PLUGINS=mindgap-spacing mindgap plugins",
    ),
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of tables.")
def command(as_json: bool) -> None:
    """List all constraints, initializers and engines, and the commands of extension packages.

    Also list every installed plugin package that was not loaded, and why.
    """
    records = plugins()
    if as_json:
        click.echo(json.dumps([asdict(record) for record in records], indent=2))
        return
    for kind in (*KINDS, COMMAND.name):
        if listed := [record for record in records if record.kind == kind]:
            print_bare(f"[bold]{kind}s[/bold]", _table(listed))
    others = [record for record in records if record.kind is None]
    if others:
        print_bare("[bold]not loaded[/bold]")
    for record in others:
        print_bare(Text(f"{record.name} of {record.package} {record.version} is {record.status}: {record.cause}"))


def _table(records: list[PluginRecord]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in _COLUMNS:
        table.add_column(column, overflow="fold", no_wrap=column in ("name", "package"))
    for record in records:
        cells = (
            record.name,
            record.package or "this session",
            record.version or "-",
            ", ".join(record.parameters) or "-",
        )
        table.add_row(*map(Text, cells))
    return table
