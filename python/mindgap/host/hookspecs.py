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
    """Call `register` with each of the plugin's subclasses of `Constraint`."""


@hookspec
def register_initializers(register: Callable[[type[Initializer]], None]) -> None:
    """Call `register` with each of the plugin's subclasses of `Initializer`."""


@hookspec
def register_engines(register: Callable[[type[Engine]], None]) -> None:
    """Call `register` with each of the plugin's subclasses of `Engine`."""


@hookspec
def register_commands(cli: click.Group) -> None:
    """Add each of the plugin's commands to `cli`, a click group."""
