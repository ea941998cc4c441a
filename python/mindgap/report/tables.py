"""The tables of a report: the parameters with their intervals, how the fit ended, its origin."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from mindgap.report.numbers import Decimals
from mindgap.results.gap_text import gap_bound_text, gap_states
from mindgap.results.mixture_text import certificate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mindgap.inference import GoodnessOfFit, Intervals
    from mindgap.results.mixture import MixtureResult

NAMES = ("component", "weight", "mean", "std. dev.", "threshold to next", "gap to next", "bound")


def parameter_cells(result: MixtureResult, component: int) -> list[str]:
    """Return the cells of one component: weight, mean, deviation, threshold, gap and bound."""
    text = Decimals(result)
    cells = [
        f"{result.weights[component]:.4f}",
        text(float(result.means[component])),
        text(float(np.sqrt(result.variances[component]))),
    ]
    if component == result.k - 1:
        return [*cells, "", "", ""]
    threshold = result.thresholds[component]
    return [
        *cells,
        "none" if threshold is None else text(threshold),
        text(float(result.gaps[component])),
        gap_bound_text(result.bounds, result.active, component),
    ]


def parameter_table(result: MixtureResult, intervals: Intervals | None) -> str:
    """Return the weights, means, deviations, thresholds and gaps as an HTML table."""
    rows = [_row(result, intervals, component) for component in range(result.k)]
    head = "".join(f"<th scope='col'>{name}</th>" for name in NAMES)
    note = "" if intervals is None else f"<caption>With bootstrap intervals of {100 * intervals.level:g} %.</caption>"
    return f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _row(result: MixtureResult, intervals: Intervals | None, component: int) -> str:
    text = Decimals(result)
    ranges: list[str] = [""] * 3
    if intervals is not None:
        of_variance = np.asarray(intervals.variances)[component]
        shares = [f"{float(end):.4f}" for end in intervals.weights[component]]
        means = [text(float(end)) for end in intervals.means[component]]
        deviations = [text(float(end)) for end in np.sqrt(np.maximum(of_variance, 0.0))]
        ranges = [f"<small>{low} to {high}</small>" for low, high in (shares, means, deviations)]
    texts = parameter_cells(result, component)
    held = component < result.k - 1 and gap_states(result)[component] != "free"
    cells = []
    for index, (name, cell) in enumerate(zip(NAMES[1:], texts, strict=True)):
        state = " class='held'" if held and index > 3 else ""
        more = ranges[index] if index < 3 else ""
        cells.append(f"<td data-name='{name}'{state}>{escape(cell)}{more}</td>")
    return f"<tr><th scope='row' data-name='component'>{component}</th>{''.join(cells)}</tr>"


def facts(result: MixtureResult, goodness: GoodnessOfFit | None = None) -> str:
    """Return how the fit ended and its criteria, as an HTML description list."""
    pairs = {
        "n": f"{result.total_weight:.10g}",
        "log-likelihood": f"{result.log_likelihood:.10g}",
        "status": result.message,
        "iterations": f"{result.n_iter}",
        "BIC": f"{result.bic:.8g}",
        "AIC": f"{result.aic:.8g}",
    }
    if result.constraint is not None:
        pairs["constraint"] = repr(result.constraint)
    if result.settings is not None and result.settings.resolution is not None:
        pairs["resolution"] = f"{result.settings.resolution:g}"
    if result.settings is not None and result.settings.support is not None:
        pairs["support"] = "{:g} to {:g}".format(*result.settings.support)
    if result.hint is not None:
        pairs["hint"] = result.hint
    if result.entropy is not None:
        pairs["ICL"] = f"{result.icl:.8g}"
    if result.starts > 1:
        pairs["starts"] = f"{result.starts}, of which {result.starts_at_best} ended here"
    if goodness is not None:
        pairs["goodness of fit"] = goodness.summary()
    for line in certificate(result):
        pairs["certificate"] = line
    if result.standard_errors is not None:
        pairs["precision"] = "; ".join(result.standard_errors.notes())
    if result.findings:
        pairs["look again"] = "; ".join(map(str, result.findings))
    return _listed(pairs)


def origin(pairs: Mapping[str, str], command: str | None) -> str:
    """Return the origin of the fit and the command that repeats it, as a section of the page."""
    if not pairs and command is None:
        return ""
    repeat = "" if command is None else f"<p>This command repeats it:</p><pre>{escape(command)}</pre>"
    return f"<section id='origin'><h2>How it was made</h2>{_listed(pairs)}{repeat}</section>"


def _listed(pairs: Mapping[str, str]) -> str:
    items = (f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs.items())
    return f"<dl>{''.join(items)}</dl>"
