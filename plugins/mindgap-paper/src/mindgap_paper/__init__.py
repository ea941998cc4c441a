"""The experiments of Jiang and Arias-Castro, run again beside the figures that they print: `mindgap reproduce`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mindgap as mg

if TYPE_CHECKING:
    import click


@mg.hookimpl
def register_commands(cli: click.Group) -> None:
    """Add `mindgap reproduce`."""
    from mindgap_paper.cli import command

    cli.add_command(command)
