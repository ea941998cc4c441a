"""The command line: one file a command, loaded when it is called."""

from importlib import import_module

import click

from mindgap.errors import InfeasibleError, InvalidInputError, MindgapError

# command -> (module of this package that has it as `command`, what the list of commands says)
COMMANDS: dict[str, tuple[str, str]] = {}


class _Commands(click.Group):
    """A group that imports a command's module when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"{__name__}.{COMMANDS[cmd_name][0]}").command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mindgap", prog_name="mindgap")
def app() -> None:
    """Cluster real numbers whose centres keep a given gap."""


def run() -> None:
    """Run the command line: 2 is bad input or usage, 3 an infeasible constraint, 1 any other fault of mindgap's."""
    try:
        app(prog_name="mindgap")
    except MindgapError as error:
        click.echo(f"mindgap: {error}", err=True)
        raise SystemExit(_exit_code(error)) from None


def _exit_code(error: MindgapError) -> int:
    if isinstance(error, InvalidInputError):
        return 2
    return 3 if isinstance(error, InfeasibleError) else 1
