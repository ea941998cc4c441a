"""`mindgap predict`: label the numbers in another file with a stored fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click
import numpy as np

from mindgap.cli.label_table import write_chunks, write_parquet
from mindgap.cli.labelled import label_columns, labelled_text
from mindgap.cli.large import chunks_of
from mindgap.cli.options import data_options, epilog
from mindgap.cli.output import check_target
from mindgap.cli.reading import Request, read_data
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.files import write_atomically
from mindgap.foundation.progress import waiting
from mindgap.results.kmeans import KMeansResult
from mindgap.results.mixture import MixtureResult

_NONE = np.empty(0, dtype=np.int32)
_KINDS: tuple[type[KMeansResult | MixtureResult], ...] = (KMeansResult, MixtureResult)


@click.command(
    "predict",
    epilog=epilog(
        "mindgap mixture heights.csv --column height -k 4 --json > fit.json",
        "mindgap predict fit.json heights.csv --column height --out labelled.csv",
        "mindgap predict fit.json heights.csv --column height | sort -t, -k3",
    ),
)
@click.argument("fit", metavar="FIT.json")
@data_options
@click.option("--out", metavar="OUT", help="The file to write: CSV, or OUT.parquet.  [default: standard output]")
def command(fit: str, request: Request, out: str | None) -> None:
    """Label the numbers in FILE with a fit that `kmeans --json` or `mixture --json` stored.

    Writes the rows of FILE as CSV, followed by the label, its probability (for a mixture) and the distance from the
    centre. A large npy or Parquet file is read in chunks; its labels are written to a Parquet file.
    """
    if out == "-":
        out = None
    if out is not None:
        check_target(out, request.source)
    result = _stored(fit)
    if (chunks := chunks_of(request)) is not None:
        if out is None:
            raise InvalidInputError(f"{request.title} is read in chunks; add --out labels.parquet")
        with waiting("labelling"):
            write_chunks(out, request, chunks, result)
    else:
        data = read_data(request)
        # The stored labels are those of other data.
        with waiting("labelling"):
            columns = label_columns(data, replace(result, labels=_NONE))
            if out is None:
                click.echo(labelled_text(data, columns), nl=False)
                return
            if out.lower().endswith(".parquet"):
                write_parquet(out, data, columns)
            else:
                write_atomically(out, labelled_text(data, columns).encode(errors="replace"))
    click.echo(f"wrote {out}", err=True)


def _stored(path: str) -> KMeansResult | MixtureResult:
    try:
        text = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InvalidInputError(
            f"{path} cannot be read: {why}; `mindgap mixture ... --json > {path}` writes one"
        ) from None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    kind = document.get("mindgap") if isinstance(document, dict) else None
    known = next((known for known in _KINDS if known.__name__ == kind), None)
    if known is None:
        groups = (
            " (it holds groups; fit one of them alone)" if isinstance(document, dict) and "groups" in document else ""
        )
        raise InvalidInputError(f"{path} is not a fit that `mindgap kmeans --json` or `mixture --json` wrote{groups}")
    return known.from_json(text)
