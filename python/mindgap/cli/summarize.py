"""`mindgap summarize`: write a summary of a file, to be merged with others and fitted."""

from __future__ import annotations

import click

from mindgap.cli.large import chunks_of, summary_of
from mindgap.cli.options import data_options, epilog
from mindgap.cli.output import check_target
from mindgap.cli.reading import Request, read_data
from mindgap.foundation.files import write_atomically
from mindgap.model.summary import CELLS, Summary


@click.command(
    "summarize",
    epilog=epilog(
        "mindgap summarize heights.csv --column height --out day.json",
        "mindgap kmeans day.json -k 4",
    ),
)
@data_options
@click.option("--out", metavar="OUT", required=True, help="The file to write: JSON, or the binary form if not .json.")
@click.option("--cells", type=int, default=CELLS, help=f"The maximum number of cells.  [default: {CELLS}]")
def command(request: Request, out: str, cells: int) -> None:
    """Write a summary of the numbers in FILE: counts, sums and sums of squares in a few thousand cells.

    FILE is CSV, TSV, Parquet, Feather or npy, also compressed (gz, bz2, xz, zst, zip); - reads standard input.
    """
    check_target(out, request.source)
    if (chunks := chunks_of(request)) is not None:
        summary = summary_of(chunks, cells)
    else:
        data = read_data(request)
        summary = Summary(cells)
        summary.add(data.values, data.weights)
    write_summary(out, summary)


def write_summary(out: str, summary: Summary) -> None:
    """Write a summary as JSON or in the binary form, by the suffix of the file, and report it."""
    write_atomically(out, summary.to_json().encode() if out.lower().endswith(".json") else summary.to_bytes())
    click.echo(f"wrote {out}: {summary.count} values", err=True)
