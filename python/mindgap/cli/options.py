"""The options that commands share; a command gets each group as one object."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

import click
import numpy as np

from mindgap.cli.completion import columns, plugins
from mindgap.cli.delimited import WHITESPACE
from mindgap.cli.output import Output
from mindgap.cli.reading import Request
from mindgap.inference.separation_path import GRID
from mindgap.model.settings import KMeansSettings, MixtureSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.model.settings import Settings

F = TypeVar("F", bound="Callable[..., Any]")

#: The most fits of a path; a larger number is probably a typing error.
_MOST_DELTAS = 100_000

_TAB = ("tab", "\\t", "\t")

_EXIT_CODES = """Exit codes: 0 success · 2 bad usage or input · 3 infeasible constraint
            4 the solver failed · 5 a plugin failed · 130 interrupted
            1 an internal error"""

#: The mark of a paragraph that click does not wrap.
_AS_IT_IS = "\b\n"


_ENGINE = click.option(
    "--engine",
    shell_complete=plugins("engine"),
    metavar="SPEC",
    help="The engine that holds the data; some read FILE themselves.  [default: local]",
)


def epilog(*examples: str) -> str:
    """Return the end of a command's help: the examples and the exit codes."""
    lines = "\n".join(["Examples:", *(f"  {example}" for example in examples)])
    return f"{_AS_IT_IS}{lines}\n\n{_AS_IT_IS}{_EXIT_CODES}"


def data_options(function: F) -> F:
    """Add the file and how to read it; the command gets them as `request`."""
    return _packed(function, "request", Request, *_reading_options())


def grouped_data_options(function: F) -> F:
    """Add the file, how to read it, and the column of the groups; the command gets them as `request`."""
    group = click.option(
        "--group-by",
        shell_complete=columns,
        metavar="NAME",
        help="Fit each group separately: the rows with the same value in this column.",
    )
    return _packed(function, "request", Request, *_reading_options(), group)


def _reading_options() -> list[Callable[[Any], Any]]:
    return [
        click.argument("source", metavar="FILE", type=click.Path(allow_dash=True)),
        click.option(
            "--column",
            shell_complete=columns,
            metavar="NAME",
            help="The column of the data: its name, or its number from 1.",
        ),
        click.option("--weights", shell_complete=columns, metavar="NAME", help="The column of the sample weights."),
        click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing value, and report how many."),
        click.option(
            "--delimiter",
            metavar="CHAR",
            callback=_delimiter,
            help="The cell separator: a character, tab, or whitespace (default: detected).",
        ),
        click.option(
            "--header/--no-header", default=None, help="Whether the first row holds names (default: detected)."
        ),
        click.option("--decimal", type=click.Choice([".", ","]), default=".", help="The decimal mark.  [default: .]"),
        click.option(
            "--comment", metavar="MARK", callback=_comment, help="Leave out lines that begin with this, such as #."
        ),
        click.option(
            "--na",
            metavar="TEXT",
            multiple=True,
            help="The mark of a missing value, such as ?; repeat it for more.",
        ),
        click.option("--units", metavar="UNIT", help="The unit of measurement; cells may contain it, as in 170 cm."),
    ]


def output_options(*, labels: bool) -> Callable[[F], F]:
    """Add the options for output; the command gets them as `output`."""
    options = [click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of a table.")]
    if labels:
        text = "Write the rows of FILE with their labels appended to this file: CSV, or .parquet."
        options.append(click.option("--labels", metavar="OUT", help=text))
    text = "Write a picture to this file: .png, .svg or .pdf."
    options.append(click.option("--plot", metavar="OUT", help=text))
    return lambda function: _packed(function, "output", Output, *options)


def constraint_option(function: F) -> F:
    """Add the constraint on the centres."""
    text = "A constraint, such as lower-only:delta=2; repeat it for more. `mindgap plugins` lists the names."
    return click.option(
        "--constraint",
        shell_complete=plugins("constraint"),
        metavar="SPEC",
        multiple=True,
        callback=lambda _context, _option, specs: " & ".join(specs) or None,
        help=text,
    )(function)


def kmeans_options(function: F) -> F:
    """Add the settings of k-means; the command gets those that were given as `settings`."""
    return _settings(function, *setting_options(KMeansSettings), _ENGINE)


def mixture_options(*, without: str | None = None) -> Callable[[F], F]:
    """Add the settings of a mixture fit, all but one; the command gets those that were given as `settings`."""
    init = click.option(
        "--init",
        shell_complete=plugins("initializer"),
        metavar="SPEC",
        help="The start: auto (a search), or an initializer with parameters.",
    )
    options = [init, *setting_options(MixtureSettings, without), _ENGINE]
    return lambda function: _settings(function, *options)


def setting_options(settings: type[Settings], without: str | None = None) -> list[Callable[[Any], Any]]:
    """Return an option for each declared setting of a fit but one."""
    options = []
    for name, setting in settings.__dataclass_fields__.items():
        if name == without:
            continue
        kind = setting.metadata["kind"]
        default = "" if setting.default is None else f"  [default: {setting.default}]"
        options.append(
            click.option(
                setting.metadata.get("option", f"--{name.replace('_', '-')}"),
                name,
                type=click.Choice(kind.choices) if kind.choices else kind.type,
                metavar="LOW HIGH" if isinstance(kind.type, tuple) else None,
                help=f"{setting.metadata['help']}{default}",
            )
        )
    return options


def _settings(function: F, *options: Callable[[Any], Any]) -> F:
    def given(**values: Any) -> dict[str, Any]:
        return {name: value for name, value in values.items() if value is not None}

    return _packed(function, "settings", given, *options)


def deltas_option(function: F) -> F:
    """Add the grid of lower bounds."""
    text = f"The lower bounds: 0:2:21 (from, to, how many), or 0,0.5,1.  [default: {GRID}, up to the data's range]"
    return click.option("--deltas", metavar="GRID", callback=_deltas, help=text)(function)


def _packed(function: F, name: str, build: Callable[..., Any], *options: Callable[[Any], Any]) -> F:
    """Return the command with these options, passed as one argument."""
    names: set[str] = set()

    @functools.wraps(function)
    def wrapped(**values: Any) -> Any:
        own = {key: values.pop(key) for key in names}
        return function(**values, **{name: build(**own)})

    before = len(getattr(wrapped, "__click_params__", []))
    for option in reversed(options):
        option(wrapped)
    names |= {parameter.name for parameter in wrapped.__click_params__[before:]}  # type: ignore[attr-defined]
    return wrapped  # type: ignore[return-value]


def _deltas(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    """Read 0:2:21 (from, to, how many), a list such as 0,0.5,1, or how many."""
    if value is None:
        return None
    try:
        if ":" in value:
            first, last, count = value.split(":")
            return _even(float(first), float(last), int(count))
        return [float(part) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a grid; write 0:2:21 (from, to, how many), or 0,0.5,1") from None


def _even(first: float, last: float, count: int) -> Any:
    if not 0 < count <= _MOST_DELTAS:
        raise ValueError
    if not (np.isfinite(first) and np.isfinite(last)):
        return [first, last]  # the path refuses it
    # The difference of halves cannot overflow.
    return 2 * np.linspace(first / 2, last / 2, count)


def _delimiter(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is None or (len(value) == 1 and value not in '"\r\n'):
        return value
    if value in _TAB:
        return "\t"
    if value == WHITESPACE:
        return value
    raise click.BadParameter("give one character, or tab, or whitespace")


def _comment(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is None or value.strip():
        return value and value.strip()
    raise click.BadParameter("give the mark that comments begin with, such as #")
