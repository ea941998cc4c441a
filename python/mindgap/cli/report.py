"""`mindgap report`: a mixture of one column as an HTML file that opens offline."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mindgap.cli.mixture import print_result
from mindgap.cli.options import constraint_option, data_options, deltas_option, epilog, mixture_options
from mindgap.cli.output import check_target
from mindgap.cli.printing import print_data
from mindgap.cli.reading import Request, read_data
from mindgap.fit.mixture import mixture
from mindgap.inference.separation_path import gap_path
from mindgap.report import write_report

if TYPE_CHECKING:
    from mindgap.cli.reading import Data
    from mindgap.inference import GapPath


@click.command(
    "report",
    epilog=epilog(
        "mindgap report heights.csv --column height -k 4 --out heights.html",
        "mindgap report heights.csv --column height -k 4 --deltas 0:0.05:26 \\",
        '    --constraint "two-sided:lower=0.01,upper=0.03" --bootstrap 200',
    ),
)
@data_options
@click.option("-k", "k", type=int, required=True, help="The number of components.")
@click.option("--out", metavar="OUT.html", default="report.html", show_default=True, help="Where to write it.")
@click.option("--title", metavar="TEXT", help="The heading.  [default: the name of the file]")
@click.option("--bootstrap", type=click.IntRange(0), default=200, show_default=True, help="Refits for the intervals.")
@deltas_option
@constraint_option
@mixture_options
def command(
    request: Request,
    k: int,
    out: str,
    title: str | None,
    bootstrap: int,
    deltas: Any,
    constraint: str | None,
    settings: dict[str, Any],
) -> None:
    """Fit a mixture to the numbers in FILE and write a report as one HTML file.

    FILE is CSV, TSV, Parquet, Feather or npy, also packed (gz, bz2, xz, zst, zip); - reads standard input.
    The report holds the picture, the parameters with bootstrap intervals, the history of the fit, and a slider along a
    path of least gaps.
    """
    check_target(out, request.source)
    data = read_data(request)
    live = sys.stderr.isatty()
    result = mixture(data.values, k, constraint, sample_weight=data.weights, progress=live, **settings)
    drawn = bootstrap > 0 and bool((result.weights > 0).all())
    if bootstrap and not drawn:
        click.echo("no intervals: a component has no weight, so there is nothing to draw from", err=True)
    intervals = result.bootstrap(bootstrap, settings.get("rng", 0), progress=live).interval() if drawn else None
    path = _path(data, k, deltas, settings) if k > 1 else None
    heading = title or ("standard input" if request.source == "-" else Path(request.source).name)
    write_report(out, result, title=heading, label=data.label or "x", gap_path=path, intervals=intervals)
    print_data(data)
    print_result(result)
    click.echo(f"wrote {out}", err=True)


def _path(data: Data, k: int, deltas: Any, settings: dict[str, Any]) -> GapPath:
    return gap_path(data.values, k, deltas, sample_weight=data.weights, progress=sys.stderr.isatty(), **settings)
