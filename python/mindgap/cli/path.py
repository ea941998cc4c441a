"""`mindgap path`: what a growing bound on the gaps does to a mixture of one column."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from mindgap.choosing.separation_path import GRID, GapPath, gap_path
from mindgap.cli.mixture import fit_document
from mindgap.cli.options import data_options, epilog, mixture_options, output_options
from mindgap.cli.printing import print_data, print_json, print_table
from mindgap.cli.reading import Request, read_data

if TYPE_CHECKING:
    from mindgap.cli.output import Output


def _deltas(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    """Read 0:2:21 (from, to, how many), a list such as 0,0.5,1, or how many."""
    if value is None:
        return None
    try:
        if ":" in value:
            first, last, count = value.split(":")
            return np.linspace(float(first), float(last), int(count))
        return [float(part) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} is no grid; write 0:2:21 (from, to, how many), or 0,0.5,1") from None


@click.command(
    "path",
    epilog=epilog(
        "mindgap path heights.csv --column height -k 4",
        "mindgap path heights.csv --column height -k 4 --deltas 0:0.05:26 \\",
        "    --plot path.pdf",
    ),
)
@data_options
@click.option("-k", "k", type=int, required=True, help="The number of components.")
@click.option(
    "--deltas",
    metavar="GRID",
    callback=_deltas,
    help=f"The least gaps: 0:2:21 (from, to, how many), or 0,0.5,1.  [default: {GRID}, up to the data's range]",
)
@click.option("--width", type=float, metavar="W", help="Keep every gap at most delta + W as well.")
@mixture_options
@output_options(labels=False)
def command(
    request: Request, output: Output, k: int, deltas: Any, width: float | None, settings: dict[str, Any]
) -> None:
    """Fit a mixture for each of a grid of least gaps, and say where the bound bites.

    FILE is CSV, TSV, Parquet or npy; - reads standard input. Each fit starts at the one before.
    """
    output.check()
    data = read_data(request)
    path = gap_path(
        data.values,
        k,
        deltas,
        width=width,
        sample_weight=data.weights,
        progress=sys.stderr.isatty(),
        **settings,
    )
    output.draw(path)
    if output.as_json:
        print_json(_document(path))
        return
    print_data(data)
    print_table(path.table())


def _document(path: GapPath) -> dict[str, Any]:
    fits = [{"delta": delta, **fit_document(result)} for delta, result in zip(path.deltas, path.results, strict=True)]
    return {"k": path.k, "width": path.width, "bites_at": path.bites_at, "path": fits}
