"""Repeat the experiments of Jiang and Arias-Castro and compare with the published figures: `mindgap reproduce`."""

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
