"""`mindgap merge`: merge stored summaries."""

from __future__ import annotations

import click

from mindgap.cli.large import stored_summary
from mindgap.cli.options import epilog
from mindgap.cli.output import check_target
from mindgap.cli.summarize import write_summary
from mindgap.foundation.errors import InvalidInputError
from mindgap.model.summary import Summary


@click.command(
    "merge",
    epilog=epilog(
        "mindgap summarize heights.csv --column height --out day-1.json",
        "mindgap summarize heights.csv --column height --out day-2.json",
        "mindgap merge day-1.json day-2.json --out days.json",
        "mindgap mixture days.json -k 2",
    ),
)
@click.argument("sources", metavar="SUMMARY...", nargs=-1, required=True)
@click.option("--out", metavar="OUT", required=True, help="The file to write: JSON, or the binary form if not .json.")
def command(sources: tuple[str, ...], out: str) -> None:
    """Merge summaries that `mindgap summarize` or `Summary.to_json` stored."""
    check_target(out, "-")
    write_summary(out, Summary.merged(map(_read, sources)))


def _read(source: str) -> Summary:
    summary = stored_summary(source)
    if summary is None:
        raise InvalidInputError(f"{source} is not a stored summary; `mindgap summarize FILE --out {source}` writes one")
    return summary
