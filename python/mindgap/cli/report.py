"""`mindgap report`: fit a mixture to one column and write a report as HTML."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from mindgap.cli.documents import command_line
from mindgap.cli.groups import fit_parts, joined_table
from mindgap.cli.mixture import result_table
from mindgap.cli.options import constraint_option, deltas_option, epilog, grouped_data_options, mixture_options
from mindgap.cli.output import check_target
from mindgap.cli.printing import print_data, print_table
from mindgap.cli.reading import Data, Elsewhere, Request, read_data
from mindgap.fit.mixture import mixture
from mindgap.host.builtin.constraints import LowerOnly
from mindgap.inference.goodness import goodness_of_fit
from mindgap.inference.separation_path import GRID, gap_path
from mindgap.report import Part, write_report
from mindgap.results.mixture import DEGENERATE

if TYPE_CHECKING:
    from mindgap.inference import GapPath
    from mindgap.results.mixture import MixtureResult


@click.command(
    "report",
    epilog=epilog(
        "mindgap report heights.csv --column height -k 4 --out heights.html",
        "mindgap report heights.csv --column height --group-by grade -k 2",
        "mindgap report heights.csv --column height -k 4 --deltas 0:0.05:26 \\",
        '    --constraint "two-sided:lower=0.01,upper=0.03" --bootstrap 200',
    ),
)
@grouped_data_options
@click.option("-k", "k", type=int, required=True, help="The number of components.")
@click.option("--out", metavar="OUT.html", default="report.html", show_default=True, help="The file to write.")
@click.option("--title", metavar="TEXT", help="The title.  [default: the name of the file]")
@click.option(
    "--bootstrap",
    type=click.IntRange(0),
    default=200,
    show_default=True,
    help="The number of refits for the intervals.",
)
@deltas_option
@constraint_option
@mixture_options()
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

    FILE is CSV, TSV, Parquet, Feather or npy, also compressed (gz, bz2, xz, zst, zip); - reads standard input.
    The report has a picture, the parameters with bootstrap intervals, the history of the fit, and a slider over lower
    bounds on the gaps.
    """
    check_target(out, request.source)
    data = read_data(request)
    live = sys.stderr.isatty()

    def fit(part: Data | Elsewhere) -> Part:
        found, path = _fit(part, k, constraint, deltas, settings)
        if bootstrap and found.status in DEGENERATE:
            click.echo("mindgap: the fit is degenerate, so there are no bootstrap intervals", err=True)
        if not bootstrap or found.status in DEGENERATE:
            return Part(found, gap_path=path)
        seed = settings.get("rng", 0)
        intervals = found.bootstrap(bootstrap, seed, progress=live).interval()
        goodness = goodness_of_fit(found, n_bootstrap=bootstrap, rng=seed, progress=live)
        return Part(found, gap_path=path, intervals=intervals, goodness=goodness)

    parts = fit_parts(data, fit)
    pages = [
        replace(part.result, heading="" if part.places is None else part.title)
        for part in parts
        if part.result is not None
    ]
    write_report(
        out,
        pages,
        title=title or ("standard input" if request.source == "-" else Path(request.source).name),
        label=data.label or "x",
        origin=_origin(request, data, constraint, settings),
        command=command_line(sys.argv[1:]),
    )
    print_data(data)
    shown = [replace(part, result=part.result and part.result.result) for part in parts]
    print_table(joined_table(shown, result_table))
    click.echo(f"wrote {out}", err=True)


def _fit(
    data: Data | Elsewhere, k: int, constraint: str | None, deltas: Any, settings: dict[str, Any]
) -> tuple[MixtureResult, GapPath | None]:
    """Return the fit, and a path along δ that contains it.

    If the constraint is a single lower bound, the path goes through it; any other constraint holds at every δ, and the
    path begins with the fit.
    """
    live = sys.stderr.isatty()

    def fitted(**more: Any) -> MixtureResult:
        return mixture(data.values, k, constraint, sample_weight=data.weights, progress=live, **(settings | more))

    result = fitted()
    if k == 1:
        return result, None
    delta = _least_gap(result)
    base, here = (constraint, 0.0) if delta is None else (None, delta)
    grid = None if deltas is None and here == 0 else _with(here, data, k, deltas)
    if delta is None and grid is not None and result.bounds is not None:
        # No larger lower bound is compatible with the constraint.
        most = float(result.bounds.upper.min())
        if deltas is not None and grid[-1] > most:
            click.echo(f"mindgap: the constraint allows no delta above {most:.6g}; larger ones are left out", err=True)
        grid = grid[grid <= most]
    path = gap_path(data.values, k, grid, base, sample_weight=data.weights, progress=live, **settings)
    place = int(np.flatnonzero(path.deltas == here)[0])
    if path.results[place].log_likelihood > result.log_likelihood and settings.get("method") != "paper":
        better = path.results[place]
        result = fitted(init=(better.weights, better.means, better.variances))
    return result, replace(path, results=_raised(path, place, result, data, settings))


def _least_gap(result: MixtureResult) -> float | None:
    """Return the lower bound if the constraint is a single one, 0 if there is no constraint, else None."""
    if result.rows is not None or result.blocks:
        return None
    if result.bounds is None:
        return 0.0
    return result.bounds.single_lower


def _with(delta: float, data: Data | Elsewhere, k: int, deltas: Any) -> Any:
    """Return the grid with one more value."""
    if deltas is None:
        span = float(np.ptp(np.asarray(data.values)))
        deltas = np.linspace(0.0, span / max(k - 1, 1), GRID)
    return np.unique(np.append(np.asarray(deltas, dtype=np.float64), delta))


def _raised(
    path: GapPath, place: int, result: MixtureResult, data: Data | Elsewhere, settings: dict[str, Any]
) -> tuple[MixtureResult, ...]:
    """Return the path with the given fit in it; fits under weaker bounds are raised to at least its likelihood."""
    fits = [*path.results]
    fits[place] = result
    start = {"init": (result.weights, result.means, result.variances)}
    for index in range(place):
        if fits[index].log_likelihood < result.log_likelihood and settings.get("method") != "paper":
            weaker = LowerOnly(float(path.deltas[index]))
            better = mixture(data.values, path.k, weaker, sample_weight=data.weights, **(settings | start))
            fits[index] = max(fits[index], better, key=lambda fit: fit.log_likelihood)
    return tuple(fits)


def _origin(request: Request, data: Data, constraint: str | None, settings: dict[str, Any]) -> dict[str, str]:
    """Return the origin of the fit for the report."""
    rows = f"{len(data.kept)} read, {data.n_dropped} without a value left out"
    pairs = {"file": request.title, "column": data.name or request.column or "1", "rows": rows}
    if request.weights is not None:
        pairs["weights"] = request.weights
    if request.group_by is not None:
        pairs["groups"] = request.group_by
    return pairs | {"constraint": constraint or "none", "start": f"{settings.get('init', 'auto')}"}
