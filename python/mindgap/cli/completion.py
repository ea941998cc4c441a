"""Shell completion of values: columns of the file, constraints, initializers and engines."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mindgap.cli.reading import Request, names_in
from mindgap.host import lookup

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

#: The largest file that is read for its column names while the shell waits.
_MOST_BYTES = 1 << 26


def columns(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the matching columns of the file on the command line; none if it cannot be read."""
    given = context.params
    # While the last option lacks its value, click has not parsed the arguments; FILE is the last one.
    source = given.get("source") or next((name for name in context.args[::-1] if Path(name).is_file()), "-")
    if source == "-":
        return []
    with suppress(Exception):  # the command reports the error when it runs
        if Path(source).stat().st_size <= _MOST_BYTES:
            options = {name: given[name] for name in ("delimiter", "comment", "decimal") if given.get(name)}
            return [name for name in names_in(Request(source, **options)) if name.startswith(incomplete)]
    return []


def plugins(kind: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return the completion of the names of the plugins of a kind."""

    def names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        found = (record.name for record in lookup.plugins() if record.kind == kind)
        return [name for name in found if name.startswith(incomplete)]

    return names
