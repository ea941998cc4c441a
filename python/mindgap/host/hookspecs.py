"""The hooks that a plugin may implement, and the two markers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pluggy

from mindgap.model.constraint import Constraint
from mindgap.model.engine import Engine
from mindgap.model.initializer import Initializer

if TYPE_CHECKING:
    import click

hookspec = pluggy.HookspecMarker("mindgap")
hookimpl = pluggy.HookimplMarker("mindgap")


@hookspec
def register_constraints(register: Callable[[type[Constraint]], None]) -> None:
    """Call `register` with each subclass of `Constraint` that the plugin brings."""


@hookspec
def register_initializers(register: Callable[[type[Initializer]], None]) -> None:
    """Call `register` with each subclass of `Initializer` that the plugin brings."""


@hookspec
def register_engines(register: Callable[[type[Engine]], None]) -> None:
    """Call `register` with each subclass of `Engine` that the plugin brings."""


@hookspec
def register_commands(cli: click.Group) -> None:
    """Add to `cli`, a group of click, each command that the plugin brings to the command line."""
