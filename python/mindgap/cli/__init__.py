"""The command line: one module per command, imported when the command is used."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import redirect_stdout, suppress
from importlib import import_module
from typing import NoReturn

import click

from mindgap import __version__
from mindgap.foundation.errors import InfeasibleError, MindgapError, PluginError, SolverError
from mindgap.foundation.messages import printable, reason
from mindgap.host.lookup import commands, why_absent
from mindgap.host.manager import host
from mindgap.host.registry import COMMAND, hint

# command -> (the module with its `command`, its line in the list of commands)
COMMANDS: dict[str, tuple[str, str]] = {
    "kmeans": ("kmeans", "Cluster the numbers in a file by exact k-means."),
    "mixture": ("mixture", "Fit a Gaussian mixture to the numbers in a file."),
    "select": ("select", "Choose the number of components of a mixture."),
    "path": ("path", "Show the effect of a growing bound on the gaps."),
    "predict": ("predict", "Label the numbers in another file with a stored fit."),
    "compare": ("compare", "Test a constraint: fit with and without it."),
    "summarize": ("summarize", "Write a summary of a large file, to be fitted later."),
    "merge": ("merge", "Merge several summaries."),
    "report": ("report", "Fit a mixture and write a report as one HTML file."),
    "plugins": ("list_plugins", "List all constraints, initializers, engines and commands."),
    "new-plugin": ("new_plugin", "Write a new extension package."),
}


class _Commands(click.Group):
    """A group that imports a command when it is run, and extension packages for unknown names and for help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *(entry.name for entry in commands())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return next((entry.plugin for entry in commands() if entry.name == cmd_name), None)
        command: click.Command = import_module(f"{__name__}.{COMMANDS[cmd_name][0]}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = self.list_commands(ctx)
            reason = why_absent(COMMAND, args[0]) or f"{hint(args[0], known)}there are {', '.join(known)}"
            ctx.fail(f"there is no command {args[0]!r}; {reason}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])
        if added := [(entry.name, entry.plugin.get_short_help_str(60)) for entry in commands()]:
            with formatter.section("Commands of extension packages"):
                formatter.write_dl(added)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mindgap")
def app() -> None:
    """Cluster one-dimensional data with a known gap between the centres."""


def run(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 success, 2 usage or input, 3 infeasible, 4 solver, 5 plugin, 130 interrupted.

    Every error is one line on standard error. An internal error has code 1; MINDGAP_TRACEBACK=1 shows its traceback.
    """
    warnings.showwarning = _show_warning
    # Keep what a plugin prints on import out of standard output.
    host.around_imports = lambda: redirect_stdout(sys.stderr)
    try:
        raise SystemExit(app(arguments, prog_name="mindgap", standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        raise SystemExit(2) from None
    except click.ClickException as error:
        _complain(f"{error.format_message().removesuffix('.')}{_see_help(error)}", 2)
    except MindgapError as error:
        _complain(str(error), exit_code(error))
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted", 130)
    except BrokenPipeError:
        # The reader of our output has gone.
        _discard_output()
        raise SystemExit(141) from None
    except (OSError, UnicodeEncodeError) as error:
        # Errors of files are handled where they are read and written: this is standard output.
        _discard_output()
        _complain(f"the output cannot be written: {getattr(error, 'strerror', None) or error}", 2)
    except MemoryError:
        _complain("out of memory", 4)
    except ModuleNotFoundError:
        raise  # a missing extra, which the caller reports
    except Exception as error:
        if os.environ.get("MINDGAP_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {reason(error)}"
        _complain(f"internal error, please report it: {what} (MINDGAP_TRACEBACK=1 shows where)", 1)


def exit_code(error: MindgapError) -> int:
    """Return the exit code of an error, by its most specific class."""
    kinds = ((InfeasibleError, 3), (PluginError, 5), (SolverError, 4))
    return next((code for kind, code in kinds if isinstance(error, kind)), 2)


def _discard_output() -> None:
    """Discard the rest of the output: flushing it at exit would fail again."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str, code: int) -> NoReturn:
    click.echo(f"mindgap: {printable(' '.join(message.split()))}", err=True)
    raise SystemExit(code) from None


def _see_help(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return "" if context is None else f" (see {context.command_path} --help)"


def _show_warning(message: Warning | str, category: type[Warning], *where: object, **more: object) -> None:
    """Show a warning as one line, without the source location."""
    click.echo(f"mindgap: {printable(' '.join(str(message).split()))}", err=True)
