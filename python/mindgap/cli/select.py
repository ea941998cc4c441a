"""`mindgap select`: choose the number of components of a mixture."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from mindgap.cli.documents import settings_of
from mindgap.cli.groups import Part, fit_parts, joined_table
from mindgap.cli.mixture import fit_document, result_table
from mindgap.cli.options import constraint_option, epilog, grouped_data_options, mixture_options, output_options
from mindgap.cli.printing import print_table
from mindgap.cli.reading import Request, data_for
from mindgap.foundation.messages import shorten
from mindgap.inference.selecting import CRITERIA, VARIANCES, select
from mindgap.inference.selection import Selection
from mindgap.model.settings import MixtureSettings

if TYPE_CHECKING:
    from mindgap.cli.output import Output


#: The most fits of one command; a larger number is probably a typing error.
_MOST = 10_000


def _numbers(context: click.Context, parameter: click.Parameter, value: str) -> list[int]:
    """Read 1-8, or 2,3,5, or both: 1-4,8."""
    numbers: list[int] = []
    for part in value.split(","):
        first, dash, last = part.strip().partition("-")
        if not (_is_number(first) and (_is_number(last) or not dash)):
            raise click.BadParameter(f"{shorten(value)} is not a list of numbers; write 1-8, or 2,3,5")
        span = range(int(first), int(last or first) + 1)
        if len(numbers) + len(span) > _MOST:
            raise click.BadParameter(f"{shorten(value)} holds more than {_MOST} numbers; write 1-8, or 2,3,5")
        numbers.extend(span)
    if not numbers:
        raise click.BadParameter(f"{value!r} holds no number; write 1-8, or 2,3,5")
    return numbers


def _variances(context: click.Context, parameter: click.Parameter, value: str) -> list[str]:
    """Read equal,free,bounded."""
    kinds = [part.strip() for part in value.split(",")]
    if unknown := [kind for kind in kinds if kind not in VARIANCES]:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(VARIANCES)}")
    return kinds


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


@click.command(
    "select",
    epilog=epilog(
        "mindgap select heights.csv --column height",
        "mindgap select heights.csv --column height -k 2-6 --criterion icl \\",
        "    --constraint lower-only:delta=0.02 --plot path.svg",
        "mindgap select heights.csv --column height -k 1-4 \\",
        "    --variances equal,free --constraint lower-only:delta=0.02 --against none",
    ),
)
@grouped_data_options
@click.option(
    "-k",
    "ks",
    metavar="RANGE",
    default="1-8",
    show_default=True,
    callback=_numbers,
    help="The numbers of components: 1-8, or 2,3,5.",
)
@constraint_option
@click.option(
    "--against",
    metavar="SPEC",
    multiple=True,
    help="Also try this constraint, or none for no constraint; repeat it for more.",
)
@click.option(
    "--variances",
    metavar="LIST",
    default="free",
    show_default=True,
    callback=_variances,
    help="The variances to try: free, equal, bounded, or several, as in equal,free.",
)
@click.option(
    "--criterion", type=click.Choice(CRITERIA), default="bic", show_default=True, help="The criterion for the ranking."
)
@click.option("--certify", is_flag=True, help="Prove an upper bound on each log-likelihood.")
@mixture_options(without="variances")
@output_options(labels=True)
def command(
    request: Request,
    output: Output,
    ks: list[int],
    constraint: str | None,
    against: tuple[str, ...],
    variances: list[Any],
    criterion: Any,
    certify: bool,
    settings: dict[str, Any],
) -> None:
    """Choose the number of components of a mixture, or the best of several models, by an information criterion.

    FILE is CSV, TSV, Parquet, Feather or npy, also compressed (gz, bz2, xz, zst, zip); - reads standard input.
    Labels are those of the best fit.
    """
    output.check(request.source)
    data = data_for(request, settings, "summary")
    constraints = {spec or "none": None if spec in (None, "none") else spec for spec in (constraint, *against)}
    parts = fit_parts(
        data,
        lambda part: select(
            part.values,
            ks,
            constraints,
            variances=variances,
            criterion=criterion,
            certify=certify,
            sample_weight=part.weights,
            progress=sys.stderr.isatty(),
            **settings,
        ),
    )
    best = [replace(part, result=part.result and part.result.best_result) for part in parts]
    output.write_labels(data, best)
    output.draw(parts, data.label)
    known = {"variances": variances, **settings_of(MixtureSettings, settings | {"variances": None})}
    facts = {"constraint": constraint, "against": [*against] or None, "settings": known}
    output.show(request, data, parts, _document, Selection.table, **facts)
    if not output.as_json:
        click.echo()
        print_table(joined_table([part for part in best if part.result is not None], result_table))


def _document(part: Part) -> dict[str, Any]:
    selection: Selection = part.result
    models = [
        {
            "k": selection.ks[place],
            "variances": selection.variances[place],
            "constraint": selection.constraints[place],
            "value": selection.values[place],
            "reason": selection.reasons[place],
            "fit": None if result is None else fit_document(result),
        }
        for place, result in enumerate(selection.results)
    ]
    document = {"criterion": selection.criterion, "best": selection.best, "ranking": selection.ranking}
    return {**document, "models": models}
