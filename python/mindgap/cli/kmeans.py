"""`mindgap kmeans`: k-means of one column of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mindgap.cli.options import constraint_option, data_options, epilog, kmeans_options, output_options
from mindgap.cli.printing import print_data, print_table
from mindgap.cli.reading import Request, data_for
from mindgap.fit.kmeans import kmeans

if TYPE_CHECKING:
    from mindgap.cli.output import Output


@click.command(
    "kmeans",
    epilog=epilog(
        "mindgap kmeans heights.csv --column height -k 4",
        "mindgap kmeans heights.csv --column height -k 4 \\",
        "    --constraint lower-only:delta=0.05 --labels labels.csv",
        "cut -f3 table.tsv | mindgap kmeans - -k 5 --json",
    ),
)
@data_options
@click.option("-k", "k", type=int, required=True, help="The number of clusters.")
@constraint_option
@kmeans_options
@output_options(labels=True)
def command(request: Request, output: Output, k: int, constraint: str | None, settings: dict[str, Any]) -> None:
    """Cluster the numbers in FILE exactly, the centres a gap apart.

    FILE is CSV, TSV, Parquet, Feather or npy, also packed (gz, bz2, xz, zst, zip); - reads standard input.
    """
    output.check(request.source)
    data = data_for(request, settings)
    result = kmeans(data.values, k, constraint, sample_weight=data.weights, **settings)
    output.write_labels(data, {"label": result.labels})
    output.draw(result, data.label)
    if output.as_json:
        click.echo(result.to_json())
    else:
        print_data(data)
        print_table(result.table())
