"""`mindgap select`: how many components a mixture of one column should have."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mindgap.cli.documents import run_facts, settings_of
from mindgap.cli.groups import Part
from mindgap.cli.mixture import fit_document, print_result
from mindgap.cli.options import constraint_option, data_options, epilog, mixture_options, output_options
from mindgap.cli.printing import print_data, print_json, print_table
from mindgap.cli.reading import Request, data_for
from mindgap.foundation.messages import shorten
from mindgap.inference.ranking import SPREADS, rank_models
from mindgap.inference.selection import CRITERIA, Selection, select
from mindgap.model.settings import MixtureSettings

if TYPE_CHECKING:
    from mindgap.cli.output import Output
    from mindgap.cli.reading import Data, Elsewhere


#: More fits than this in one command are a typing error.
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


def _spreads(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str] | None:
    """Read equal,free,bounded."""
    if value is None:
        return None
    kinds = [part.strip() for part in value.split(",")]
    if unknown := [kind for kind in kinds if kind not in SPREADS]:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(SPREADS)}")
    return kinds


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


@click.command(
    "select",
    epilog=epilog(
        "mindgap select heights.csv --column height",
        "mindgap select heights.csv --column height -k 2-6 --criterion icl \\",
        "    --constraint lower-only:delta=0.02 --plot path.svg",
        "mindgap select heights.csv --column height -k 1-4 --spreads equal,free",
    ),
)
@data_options
@click.option(
    "-k", "ks", metavar="RANGE", default="1-8", show_default=True, callback=_numbers, help="What to try: 1-8, or 2,3,5."
)
@constraint_option
@click.option(
    "--spreads", metavar="LIST", callback=_spreads, help="Rank these models of the spreads too: equal,free,bounded."
)
@click.option("--criterion", type=click.Choice(CRITERIA), default="bic", show_default=True, help="What ranks the fits.")
@click.option("--certify", is_flag=True, help="Prove how far from its maximum each likelihood can be at most.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="The most seconds that one certificate may take.")
@mixture_options
@output_options(labels=True)
def command(
    request: Request,
    output: Output,
    ks: list[int],
    constraint: str | None,
    spreads: list[Any] | None,
    criterion: Any,
    certify: bool,
    time_limit: float | None,
    settings: dict[str, Any],
) -> None:
    """Find the number of components of a mixture by an information criterion.

    FILE is CSV, TSV, Parquet, Feather or npy, also packed (gz, bz2, xz, zst, zip); - reads standard input.
    Labels are those of the best fit.
    """
    output.check(request.source)
    data = data_for(request, settings)
    if spreads is not None:
        if certify:
            raise click.UsageError("--certify and --spreads do not go together; certify the best model alone")
        _rank(request, output, data, ks, constraint, spreads, criterion, settings)
        return
    selection = select(
        data.values,
        ks,
        constraint,
        criterion=criterion,
        certify=certify,
        time_limit=time_limit,
        sample_weight=data.weights,
        progress=sys.stderr.isatty(),
        **settings,
    )
    output.write_labels(data, [Part("", data, None, selection.best_result)])
    output.draw(selection, data.label)
    if output.as_json:
        facts = run_facts(request, data, constraint=constraint, settings=settings_of(MixtureSettings, settings))
        print_json(_document(selection) | {"run": facts})
        return
    print_data(data)
    print_table(selection.table())
    click.echo()
    print_result(selection.best_result)


def _rank(
    request: Request,
    output: Output,
    data: Data | Elsewhere,
    ks: list[int],
    constraint: str | None,
    spreads: list[Any],
    criterion: Any,
    settings: dict[str, Any],
) -> None:
    """Rank models of the spreads with and without the constraint, beside the numbers of components."""
    constraints = {"none": None} if constraint is None else {"none": None, constraint: constraint}
    ranking = rank_models(
        data.values,
        ks,
        constraints,
        spreads=spreads,
        criterion=criterion,
        sample_weight=data.weights,
        progress=sys.stderr.isatty(),
        **settings,
    )
    best = ranking.best.result
    output.write_labels(data, [Part("", data, None, best)])
    output.draw(best, data.label)
    if output.as_json:
        facts = run_facts(request, data, constraint=constraint, settings=settings_of(MixtureSettings, settings))
        models = [
            {
                **{name: getattr(model, name) for name in ("k", "spreads", "constraint", "value", "reason")},
                "fit": None if model.result is None else fit_document(model.result),
            }
            for model in ranking.models
        ]
        print_json({"criterion": ranking.criterion, "models": models, "run": facts})
        return
    print_data(data)
    print_table(ranking.table())


def _document(selection: Selection) -> dict[str, Any]:
    path = [
        {"k": k, "value": value, "reason": reason, "fit": None if result is None else fit_document(result)}
        for k, value, reason, result in zip(
            selection.ks, selection.values, selection.reasons, selection.results, strict=True
        )
    ]
    return {"criterion": selection.criterion, "best": selection.best, "path": path}
