"""The command line: one file a command, imported when the command is used."""

from __future__ import annotations

import warnings
from importlib import import_module

import click

from mindgap import __version__
from mindgap.errors import InfeasibleError, InvalidInputError, MindgapError, PluginWarning

# command -> (the module of this package whose `command` it is, what the list of commands says of it)
COMMANDS: dict[str, tuple[str, str]] = {
    "plugins": ("list_plugins", "List the constraints, initializers and engines that there are."),
    "new-plugin": ("new_plugin", "Write a new extension package."),
}


class _Commands(click.Group):
    """A group that lists its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{COMMANDS[cmd_name][0]}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mindgap")
def app() -> None:
    """Cluster real numbers whose centres keep a given gap."""


def run(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 well, 1 a fault while computing, 2 bad input or usage, 3 infeasible."""
    warnings.showwarning = _show_warning
    try:
        app(arguments, prog_name="mindgap")
    except MindgapError as error:
        click.echo(f"mindgap: {error}", err=True)
        raise SystemExit(_exit_code(error)) from None


def _exit_code(error: MindgapError) -> int:
    if isinstance(error, InvalidInputError):
        return 2
    return 3 if isinstance(error, InfeasibleError) else 1


_show_with_source = warnings.showwarning


def _show_warning(message: Warning | str, category: type[Warning], *where: object, **more: object) -> None:
    """Show what is wrong with a plugin as one line; other warnings as ever."""
    if issubclass(category, PluginWarning):
        click.echo(f"mindgap: {message}", err=True)
    else:
        _show_with_source(message, category, *where, **more)  # type: ignore[arg-type]
