"""`mindgap path`: fit a mixture under a growing lower bound on the gaps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mindgap.cli.documents import settings_of
from mindgap.cli.groups import Part, fit_parts
from mindgap.cli.mixture import fit_document
from mindgap.cli.options import (
    constraint_option,
    deltas_option,
    epilog,
    grouped_data_options,
    mixture_options,
    output_options,
)
from mindgap.cli.reading import Request, data_for
from mindgap.inference.separation_path import GapPath, gap_path
from mindgap.model.settings import MixtureSettings

if TYPE_CHECKING:
    from mindgap.cli.output import Output


@click.command(
    "path",
    epilog=epilog(
        "mindgap path heights.csv --column height -k 4",
        "mindgap path heights.csv --column height -k 4 --deltas 0:0.05:26 \\",
        "    --plot path.pdf",
    ),
)
@grouped_data_options
@click.option("-k", "k", type=int, required=True, help="The number of components.")
@deltas_option
@constraint_option
@click.option("--width", type=float, metavar="W", help="Also keep every gap at most delta + W.")
@click.option("--certify", is_flag=True, help="Prove an upper bound on each log-likelihood.")
@mixture_options()
@output_options(labels=False)
def command(
    request: Request,
    output: Output,
    k: int,
    deltas: Any,
    constraint: str | None,
    width: float | None,
    certify: bool,
    settings: dict[str, Any],
) -> None:
    """Fit a mixture for each of several lower bounds on the gaps, and show where the bound begins to change the fit.

    A constraint, if given, also holds for every fit.

    FILE is CSV, TSV, Parquet, Feather or npy, also compressed (gz, bz2, xz, zst, zip); - reads standard input.
    Each fit starts at the previous one.
    """
    output.check(request.source)
    data = data_for(request, settings, "summary")
    parts = fit_parts(
        data,
        lambda part: gap_path(
            part.values,
            k,
            deltas,
            constraint,
            width=width,
            certify=certify,
            sample_weight=part.weights,
            progress=sys.stderr.isatty(),
            **settings,
        ),
    )
    output.draw(parts, data.label)
    facts = {"constraint": constraint, "settings": settings_of(MixtureSettings, settings)}
    output.show(request, data, parts, _document, GapPath.table, **facts)


def _document(part: Part) -> dict[str, Any]:
    path: GapPath = part.result
    fits = [{"delta": delta, **fit_document(result)} for delta, result in zip(path.deltas, path.results, strict=True)]
    return {"k": path.k, "width": path.width, "bites_at": path.bites_at, "path": fits}
