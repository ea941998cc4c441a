"""`mindgap mixture`: a Gaussian mixture of one column of a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from mindgap.cli.options import constraint_option, data_options, epilog, mixture_options, output_options
from mindgap.cli.printing import print_data, print_table, print_words
from mindgap.cli.reading import Data, Elsewhere, Request, data_for
from mindgap.fit.mixture import mixture

if TYPE_CHECKING:
    from mindgap.cli.output import Output
    from mindgap.results.mixture import MixtureResult


@click.command(
    "mixture",
    epilog=epilog(
        "mindgap mixture heights.csv --column height -k 4",
        "mindgap mixture heights.csv --column height -k 4 --init ckmeans \\",
        '    --constraint "per-gap:lower=[0.019,0.009,0.002]" --plot fit.png',
        "mindgap mixture - -k 2 --json < numbers.txt > fit.json",
    ),
)
@data_options
@click.option("-k", "k", type=int, required=True, help="The number of components.")
@constraint_option
@click.option("--certify", is_flag=True, help="Prove how far from the maximum the likelihood can be at most.")
@click.option("--proof", type=click.Path(dir_okay=False), help="Write the proof of the certificate to this file.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="The most seconds that the certificate may take.")
@mixture_options
@output_options(labels=True)
def command(
    request: Request,
    output: Output,
    k: int,
    constraint: str | None,
    certify: bool,
    proof: str | None,
    time_limit: float | None,
    settings: dict[str, Any],
) -> None:
    """Fit a Gaussian mixture to the numbers in FILE, the means a gap apart.

    FILE is CSV, TSV, Parquet, Feather or npy, also packed (gz, bz2, xz, zst, zip); - reads standard input.
    """
    output.check(request.source)
    data = data_for(request, settings)
    result = mixture(
        data.values,
        k,
        constraint,
        sample_weight=data.weights,
        certify=certify,
        proof=proof,
        time_limit=time_limit,
        progress=sys.stderr.isatty(),
        **settings,
    )
    if output.labels is not None:
        output.write_labels(data, label_columns(data, result))
    output.draw(result, data.label)
    if output.as_json:
        click.echo(result.to_json())
    else:
        print_data(data)
        print_result(result)


def label_columns(data: Data | Elsewhere, result: MixtureResult) -> dict[str, Any]:
    """Return the label of each point and how sure it is; of data that an engine has read, its labels."""
    if isinstance(data, Elsewhere):
        return {"label": result.labels}
    labels = result.predict(data.values)
    return {"label": labels, "probability": result.predict_proba(data.values)[np.arange(len(labels)), labels]}


def print_result(result: MixtureResult) -> None:
    """Print the components as a table."""
    print_table(result.table())
    icl = "" if result.entropy is None else f", ICL {result.icl:.8g}"
    print_words(f"BIC {result.bic:.8g}, AIC {result.aic:.8g}{icl}")


def fit_document(result: MixtureResult) -> dict[str, Any]:
    """Return what JSON for programs says of one fit among several."""
    names = ("weights", "means", "variances", "log_likelihood", "n_iter", "status", "gaps", "active")
    return {name: getattr(result, name) for name in names}
