"""`mindgap kmeans`: k-means of one column of a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from mindgap.cli.documents import settings_of, stored_fit
from mindgap.cli.groups import fit_parts
from mindgap.cli.options import constraint_option, epilog, grouped_data_options, kmeans_options, output_options
from mindgap.cli.reading import Request, data_for
from mindgap.fit.kmeans import kmeans
from mindgap.model.settings import KMeansSettings
from mindgap.results.kmeans import KMeansResult

if TYPE_CHECKING:
    from mindgap.cli.output import Output


@click.command(
    "kmeans",
    epilog=epilog(
        "mindgap kmeans heights.csv --column height -k 4",
        "mindgap kmeans heights.csv --column height -k 4 \\",
        "    --constraint lower-only:delta=0.05 --labels labels.csv",
        "mindgap kmeans heights.csv --column height --group-by grade -k 2",
        "cut -f3 table.tsv | mindgap kmeans - -k 5 --json",
    ),
)
@grouped_data_options
@click.option("-k", "k", type=int, required=True, help="The number of clusters.")
@constraint_option
@kmeans_options
@output_options(labels=True)
def command(request: Request, output: Output, k: int, constraint: str | None, settings: dict[str, Any]) -> None:
    """Cluster the numbers in FILE by exact k-means, with an optional constraint on the centres.

    FILE is CSV, TSV, Parquet, Feather or npy, also compressed (gz, bz2, xz, zst, zip); - reads standard input.
    """
    output.check(request.source)
    data = data_for(request, settings, "chunks")
    live = sys.stderr.isatty()
    parts = fit_parts(
        data, lambda part: kmeans(part.values, k, constraint, sample_weight=part.weights, progress=live, **settings)
    )
    output.write_labels(data, parts, request)
    output.draw(parts, data.label)
    facts = {"k": k, "constraint": constraint, "settings": settings_of(KMeansSettings, settings)}
    output.show(request, data, parts, stored_fit, KMeansResult.table, **facts)
