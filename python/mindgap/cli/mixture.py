"""`mindgap mixture`: fit a Gaussian mixture to one column of a file."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from mindgap.cli.documents import settings_of, stored_fit
from mindgap.cli.groups import fit_parts
from mindgap.cli.options import constraint_option, epilog, grouped_data_options, mixture_options, output_options
from mindgap.cli.reading import Request, data_for
from mindgap.fit.mixture import mixture
from mindgap.model.settings import MixtureSettings

if TYPE_CHECKING:
    from mindgap.cli.output import Output
    from mindgap.results.mixture import MixtureResult
    from mindgap.results.table import TextTable


@click.command(
    "mixture",
    epilog=epilog(
        "mindgap mixture heights.csv --column height -k 4",
        "mindgap mixture heights.csv --column height -k 4 --init ckmeans \\",
        '    --constraint "per-gap:lower=[0.019,0.009,0.002]" --plot fit.png',
        "mindgap mixture - -k 2 --json < numbers.txt > fit.json",
    ),
)
@grouped_data_options
@click.option("-k", "k", type=int, required=True, help="The number of components.")
@constraint_option
@click.option("--certify", is_flag=True, help="Prove an upper bound on the log-likelihood.")
@click.option("--proof", type=click.Path(dir_okay=False), help="Write the proof of the certificate to this file.")
@mixture_options()
@output_options(labels=True)
def command(
    request: Request,
    output: Output,
    k: int,
    constraint: str | None,
    certify: bool,
    proof: str | None,
    settings: dict[str, Any],
) -> None:
    """Fit a Gaussian mixture to the numbers in FILE, with an optional constraint on the means, weights and spreads.

    FILE is CSV, TSV, Parquet, Feather or npy, also compressed (gz, bz2, xz, zst, zip); - reads standard input.
    """
    output.check(request.source)
    data = data_for(request, settings, "chunks")
    parts = fit_parts(
        data,
        lambda part: mixture(
            part.values,
            k,
            constraint,
            sample_weight=part.weights,
            certify=certify,
            proof=proof,
            progress=sys.stderr.isatty(),
            **settings,
        ),
    )
    output.write_labels(data, parts, request)
    output.draw(parts, data.label)
    facts = {"k": k, "constraint": constraint, "settings": settings_of(MixtureSettings, settings)}
    output.show(request, data, parts, stored_fit, lambda result: result_table(result, certify), **facts)


def result_table(result: MixtureResult, certify: bool = False) -> TextTable:
    """Return the table of a fit with its information criteria; also say if a certificate was asked for in vain."""
    table = result.table()
    if certify and result.upper_bound is None:
        table.notes.append("not certified: the proof was stopped before it had a bound; allow more time")
    icl = "" if result.entropy is None else f", ICL {result.icl:.8g}"
    return replace(table, notes=[*table.notes, f"BIC {result.bic:.8g}, AIC {result.aic:.8g}{icl}"])


def fit_document(result: MixtureResult) -> dict[str, Any]:
    """Return the JSON document of one fit among several."""
    names = (
        *("weights", "means", "variances", "log_likelihood", "n_iter", "status", "message", "gaps", "active"),
        *("thresholds", "n_parameters", "bic", "aic"),
    )
    known = {} if result.entropy is None else {"icl": result.icl}
    if result.upper_bound is not None:
        known["upper_bound"] = result.upper_bound
    return {name: getattr(result, name) for name in names} | known
