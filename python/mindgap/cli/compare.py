"""`mindgap compare`: test whether the data in one column contradict a constraint."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from mindgap.cli.documents import run_facts, settings_of
from mindgap.cli.mixture import fit_document
from mindgap.cli.options import constraint_option, data_options, epilog, mixture_options
from mindgap.cli.printing import print_data, print_json, print_table, print_words
from mindgap.cli.reading import Request, data_for
from mindgap.fit.mixture import mixture
from mindgap.foundation.progress import waiting
from mindgap.inference.likelihood_ratio import compare
from mindgap.model.settings import MixtureSettings
from mindgap.results.table import TextTable

if TYPE_CHECKING:
    from mindgap.results.mixture import MixtureResult


@click.command(
    "compare",
    epilog=epilog(
        "mindgap compare heights.csv --column height -k 3 \\",
        "    --constraint lower-only:delta=0.05",
        "mindgap compare heights.csv --column height -k 3 --bootstrap 200 \\",
        "    --constraint equal-spreads",
    ),
)
@data_options
@click.option("-k", "k", type=int, required=True, help="The number of components.")
@constraint_option
@click.option("--against", metavar="SPEC", help="A weaker constraint to compare with.  [default: none]")
@click.option("--bootstrap", type=click.IntRange(0), default=0, help="Data sets for a bootstrap p-value.  [default: 0]")
@mixture_options()
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of a table.")
def command(
    request: Request,
    k: int,
    constraint: str | None,
    against: str | None,
    bootstrap: int,
    settings: dict[str, Any],
    as_json: bool,
) -> None:
    """Fit a mixture with and without a constraint, and test whether the data contradict it.

    FILE is CSV, TSV, Parquet, Feather or npy, also compressed (gz, bz2, xz, zst, zip); - reads standard input.

    The p-value is from the likelihood ratio: a small one is evidence against the constraint.
    """
    if constraint is None:
        raise click.UsageError("give the constraint to test with --constraint")
    data = data_for(request, settings, "chunks")
    live = sys.stderr.isatty()
    with waiting("fitting"):
        held = mixture(data.values, k, constraint, sample_weight=data.weights, progress=live, **settings)
        free = mixture(data.values, k, against, sample_weight=data.weights, progress=live, **settings)
        ratio = compare(held, free, n_bootstrap=bootstrap, rng=settings.get("rng", 0), progress=live)
    if as_json:
        facts = run_facts(request, data, k=k, settings=settings_of(MixtureSettings, settings))
        fits = {
            "constrained": {"constraint": constraint, **fit_document(held)},
            "free": {"constraint": against, **fit_document(free)},
        }
        print_json({**fits, "comparison": asdict(ratio), "run": facts})
        return
    print_data(data)
    print_table(_table([(constraint, held), (against or "none", free)]))
    for line in ratio.summary().splitlines():
        print_words(line)


def _table(fits: list[tuple[str, MixtureResult]]) -> TextTable:
    head = ("log-likelihood", "parameters", "BIC", "AIC", "constraint")
    rows = [
        [f"{fit.log_likelihood:.8g}", f"{fit.n_parameters}", f"{fit.bic:.8g}", f"{fit.aic:.8g}", name]
        for name, fit in fits
    ]
    return TextTable("Comparison", head, rows)
