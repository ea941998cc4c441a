"""The parts of a report that need no script: the parameters with their intervals, and how the fit ended."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from mindgap.results.gap_text import gap_bound_text, gap_states

if TYPE_CHECKING:
    from mindgap.inference import Intervals
    from mindgap.results.mixture import MixtureResult
    from mindgap.validation import FloatArray


def parameter_table(result: MixtureResult, intervals: Intervals | None) -> str:
    """Return the weights, means, deviations and gaps as an HTML table."""
    rows = [_row(result, intervals, component) for component in range(result.k)]
    head = "".join(
        f"<th scope='col'>{name}</th>" for name in ("component", "weight", "mean", "std. dev.", "gap to next", "bound")
    )
    note = "" if intervals is None else f"<caption>With bootstrap intervals of {100 * intervals.level:g} %.</caption>"
    return f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _row(result: MixtureResult, intervals: Intervals | None, component: int) -> str:
    estimates = (result.weights[component], result.means[component], np.sqrt(result.variances[component]))
    ranges: tuple[FloatArray | None, ...] = (None, None, None)
    if intervals is not None:
        of_variance = np.asarray(intervals.variances)[component]
        ranges = (intervals.weights[component], intervals.means[component], np.sqrt(np.maximum(of_variance, 0.0)))
    cells = [_estimate(float(value), held) for value, held in zip(estimates, ranges, strict=True)]
    if component < result.k - 1:
        bound = escape(gap_bound_text(result.bounds, result.active, component))
        state = "" if gap_states(result)[component] == "free" else " class='held'"
        cells += [f"<td{state}>{result.gaps[component]:.6g}</td>", f"<td{state}>{bound}</td>"]
    else:
        cells += ["<td></td>", "<td></td>"]
    return f"<tr><th scope='row'>{component}</th>{''.join(cells)}</tr>"


def _estimate(value: float, interval: FloatArray | None) -> str:
    if interval is None:
        return f"<td>{value:.6g}</td>"
    low, high = interval
    return f"<td>{value:.6g}<small>{float(low):.4g} to {float(high):.4g}</small></td>"


def facts(result: MixtureResult) -> str:
    """Return how the fit ended and how good it is, as an HTML description list."""
    pairs = {
        "log-likelihood": f"{result.log_likelihood:.10g}",
        "status": result.message,
        "iterations": f"{result.n_iter}",
        "weight of the data": f"{result.total_weight:.10g}",
        "BIC": f"{result.bic:.8g}",
        "AIC": f"{result.aic:.8g}",
    }
    if result.entropy is not None:
        pairs["ICL"] = f"{result.icl:.8g}"
    for line in result.certificate():
        pairs["certificate"] = line
    items = (f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs.items())
    return f"<dl>{''.join(items)}</dl>"
