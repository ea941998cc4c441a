"""One HTML file from a template, a style and a script; everything that comes from outside is escaped."""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from mindgap import _core
from mindgap.foundation.files import write_atomically
from mindgap.report.content import embedded_json, report_content
from mindgap.report.tables import facts, parameter_table
from mindgap.results.gap_text import gap_states, reached_rows, shared_bound

if TYPE_CHECKING:
    import os

    from mindgap.inference import GapPath, Intervals
    from mindgap.results.mixture import MixtureResult

_SCRIPTS = ("chart.js", "fit.js", "report.js")


def write_report(
    path: str | os.PathLike[str],
    result: MixtureResult,
    *,
    title: str = "Gaussian mixture",
    label: str = "x",
    gap_path: GapPath | None = None,
    intervals: Intervals | None = None,
) -> None:
    """Write a fit as one self-contained HTML file, which is there whole or not at all.

    Parameters
    ----------
    path : path-like
        Where to write it.
    result : MixtureResult
        The fit to report.
    title : str
        The heading; any text.
    label : str
        What the data are, for the axis: the name of the column, for example.
    gap_path : GapPath, optional
        Fits along δ, for a slider that redraws the fit.
    intervals : bootstrap intervals, optional
        Shown beside the parameters.
    """
    write_atomically(path, report_html(result, title, label, gap_path, intervals).encode(errors="replace"))


def report_html(
    result: MixtureResult,
    title: str,
    label: str,
    gap_path: GapPath | None,
    intervals: Intervals | None,
) -> str:
    """Return the text of a report."""
    parts = {
        "title": escape(title),
        "version": escape(_core.VERSION),
        "style": _asset("report.css"),
        "legend": _legend(result, moves=gap_path is not None and result.k > 1),
        "parameters": parameter_table(result, intervals),
        "facts": facts(result),
        "path": "" if gap_path is None else _path_section(gap_path),
        "content": embedded_json(report_content(result, gap_path, label)),
        "script": "\n".join(_asset(name) for name in _SCRIPTS),
    }
    # In one pass, so that what is filled in is never looked at again.
    return re.sub(r"\{\{(\w+)\}\}", lambda marker: parts[marker[1]], _asset("report.html"))


def _asset(name: str) -> str:
    return files("mindgap.report").joinpath(name).read_text(encoding="utf-8")


def _legend(result: MixtureResult, moves: bool) -> str:
    items = [("data", "data")] if result.histogram is not None else []
    items += [("mixture", "mixture"), ("component", "component"), ("mean", "mean")]
    if result.k > 1:
        shared = shared_bound(result.bounds)
        items += [("gap", f"gap ({shared})" if shared else "gap")]
    if moves or any(state != "free" for state in gap_states(result)):
        items += [("held", "gap at its bound")]
    items += [("held", f"{text} (reached)") for text in reached_rows(result, "mean")]
    entries = (f"<li><span class='key key-{key}'></span>{escape(text)}</li>" for key, text in items)
    return f"<ul class='legend'>{''.join(entries)}</ul>"


def _path_section(gap_path: GapPath) -> str:
    last = len(gap_path.results) - 1
    bites = gap_path.bites_at
    note = "The bound bites nowhere on this path." if bites is None else f"The bound bites from δ = {bites:.6g}."
    return f"""<section id="path">
<h2>Along the least gap δ</h2>
<p>{note} Move the slider to see the fit that each δ gives.</p>
<div class="control"><label for="delta">δ</label>
<input id="delta" type="range" min="0" max="{last}" step="1" value="0">
<output id="delta-value" for="delta"></output></div>
<svg id="path-picture" role="img" aria-label="The fit at the chosen δ"></svg>
<div class="wide"><table id="path-table"></table></div>
<svg id="path-likelihood" class="flat" role="img" aria-label="The log-likelihood against δ"></svg>
</section>"""
