"""Collect and check the commands that a plugin adds to the command line."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from mindgap.foundation.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

#: The commands of mindgap itself, which no plugin may replace.
BUILT_IN = (
    "kmeans",
    "mixture",
    "select",
    "path",
    "predict",
    "compare",
    "summarize",
    "merge",
    "report",
    "plugins",
    "new-plugin",
)


def collected(add: Callable[[click.Group], None]) -> list[tuple[str, click.Command]]:
    """Return the commands that `add` adds to a group; none if click is not installed."""
    if find_spec("click") is None:
        return []
    import click

    group = click.Group()
    add(group)
    for name, command in group.commands.items():
        if name in BUILT_IN:
            raise PluginError(f"the command {name!r} is mindgap's own; choose another name")
        if not isinstance(command, click.Command):
            raise PluginError(f"{command!r}, added as {name!r}, is not a click.Command")
    return list(group.commands.items())
