"""One HTML file from a template, a style and a script; all foreign text is escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from mindgap import _core
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.files import write_atomically
from mindgap.foundation.messages import shorten
from mindgap.report.content import embedded_json, report_content
from mindgap.report.tables import facts, parameter_table
from mindgap.report.tables import origin as origin_section
from mindgap.results.gap_text import gap_states, reached_rows, shared_bound
from mindgap.results.mixture import MixtureResult

if TYPE_CHECKING:
    import os

    from mindgap.inference import GapPath, GoodnessOfFit, Intervals

_SCRIPTS = ("chart.js", "fit.js", "report.js")


@dataclass(frozen=True)
class Part:
    """One fit of a report, which may have several, for example one for each group.

    Attributes
    ----------
    result : MixtureResult
        The fit.
    heading : str
        The heading of the fit; empty if there is only one.
    gap_path : GapPath or None
        Fits along δ, for a slider that redraws the fit.
    intervals : Intervals or None
        Shown beside the parameters.
    goodness : GoodnessOfFit or None
        Shown below the parameters.

    Examples
    --------
    >>> from mindgap.report import Part
    >>> x = [1, 2, 2.5, 8, 9, 9.5]
    >>> parts = [Part(mg.mixture(x, k), f"{k} components") for k in (1, 2)]
    >>> mg.report.write_report("components.html", parts)  # doctest: +SKIP
    """

    result: MixtureResult
    heading: str = ""
    gap_path: GapPath | None = None
    intervals: Intervals | None = None
    goodness: GoodnessOfFit | None = None


def write_report(
    path: str | os.PathLike[str],
    result: MixtureResult | Sequence[Part],
    *,
    title: str = "Gaussian mixture",
    label: str | None = None,
    gap_path: GapPath | None = None,
    intervals: Intervals | None = None,
    goodness: GoodnessOfFit | None = None,
    origin: Mapping[str, str] | None = None,
    command: str | None = None,
) -> None:
    """Write a fit as one self-contained HTML file, atomically.

    Parameters
    ----------
    path : path-like
        The file to write.
    result : MixtureResult or sequence of Part
        The fit to report; or several, each with its own heading, path, intervals and goodness of fit.
    title : str
        The heading; any text.
    label : str, optional
        The label of the axis; by default the name of the column with the data.
    gap_path : GapPath, optional
        Fits along δ, for a slider that redraws the fit.
    intervals : bootstrap intervals, optional
        Shown beside the parameters.
    goodness : GoodnessOfFit, optional
        Shown below the parameters.
    origin : mapping of str to str, optional
        The origin of the fit, shown as a list: the file, the constraint as given, rows that were left out. The settings
        of the fit are added.
    command : str, optional
        The command that repeats the fit.

    Examples
    --------
    >>> fit = mg.mixture(mg.datasets.repeat_lengths(300, rng=2).values, 5, mg.TwoSided(3.8, 4.2))
    >>> mg.report.write_report("fragments.html", fit, intervals=fit.interval())  # doctest: +SKIP
    """
    if not isinstance(result, Sequence):
        result = [Part(result, "", gap_path, intervals, goodness)]
    if not result:
        raise InvalidInputError("there is no fit to report")
    for part in result:
        given = getattr(part, "result", part)
        if not (isinstance(part, Part) and isinstance(given, MixtureResult)):
            raise InvalidInputError(f"a report takes a result of mixture, or several as Part, not {shorten(given)}")
    text = report_html(result, title, label or result[0].result.name or "x", origin or {}, command)
    write_atomically(path, text.encode(errors="replace"))


def report_html(parts: Sequence[Part], title: str, label: str, origin: Mapping[str, str], command: str | None) -> str:
    """Return the text of a report."""
    contents = (
        f'<script type="application/json" id="content{_number(index)}">'
        f"{embedded_json(report_content(part.result, part.gap_path, label))}</script>"
        for index, part in enumerate(parts)
    )
    return _filled(
        "report.html",
        {
            "title": escape(title),
            "version": escape(_core.VERSION),
            "style": _asset("report.css"),
            "parts": "\n".join(_part(part, _number(index)) for index, part in enumerate(parts)),
            "origin": origin_section({**origin, **_settings(parts[0].result)}, command),
            "contents": "\n".join(contents),
            "script": "\n".join(_asset(name) for name in _SCRIPTS),
        },
    )


def _number(index: int) -> str:
    """Return the suffix of the element names of a part; the first part has none."""
    return f"-{index}" if index else ""


def _part(part: Part, number: str) -> str:
    result, path = part.result, part.gap_path
    return _filled(
        "part.html",
        {
            "number": number,
            "heading": f"<h1>{escape(part.heading)}</h1>" if part.heading else "",
            "legend": _legend(result, moves=path is not None and result.k > 1),
            "parameters": parameter_table(result, part.intervals),
            "facts": facts(result, part.goodness),
            "residuals": "" if result.histogram is None else _RESIDUALS.replace("NUMBER", number),
            "path": "" if path is None else _path_section(path, result, number),
        },
    )


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """Fill a template in one pass, so that inserted text is not searched for placeholders."""
    return re.sub(r"\{\{(\w+)\}\}", lambda marker: parts[marker[1]], _asset(template))


def _settings(result: MixtureResult) -> dict[str, str]:
    """Return the settings of a fit that differ from None, as text."""
    if result.settings is None:
        return {}
    words = {"rng": "seed", "tol": "tolerance", "max_iter": "most iterations", "min_variance": "least variance"}
    given = {name: value for name, value in result.settings.keywords().items() if value is not None}
    given.setdefault("tol", _DEFAULT_TOL[result.settings.method])
    if result.settings.method != "paper":
        given.pop("tol_scale", None)
    return {words.get(name, name.replace("_", " ")): f"{value}" for name, value in given.items()}


#: The default tolerance of each method.
_DEFAULT_TOL = {"best": 1e-8, "paper": 1e-3}

_RESIDUALS = """<section id="residualsNUMBER">
<h2>Residuals</h2>
<p>The square root of the count in each bin minus that of the expected count. Bars above one or below
minus one, in red, are more than two standard deviations.</p>
<svg id="residual-pictureNUMBER" class="flat" role="img" aria-label="Differences between the data and the fit"></svg>
</section>"""


def _asset(name: str) -> str:
    return files("mindgap.report").joinpath(name).read_text(encoding="utf-8")


def _legend(result: MixtureResult, moves: bool) -> str:
    items = [("data", "data")] if result.histogram is not None else []
    items += [("mixture", "mixture"), ("component", "component"), ("mean", "mean")]
    if moves or any(place is not None for place in result.thresholds):
        items += [("threshold", "threshold")]
    if result.k > 1:
        shared = shared_bound(result.bounds)
        items += [("gap", f"gap ({shared})" if shared else "gap")]
    if moves or any(state != "free" for state in gap_states(result)):
        items += [("held", "gap at its bound")]
    items += [("held", f"{text} (reached)") for text in reached_rows(result, "mean")]
    entries = (f"<li><span class='key key-{key}'></span>{escape(text)}</li>" for key, text in items)
    return f"<ul class='legend'>{''.join(entries)}</ul>"


def _path_section(gap_path: GapPath, result: MixtureResult, number: str) -> str:
    last = len(gap_path.results) - 1
    bites = gap_path.bites_at
    note = "The bound does not change the fit." if bites is None else f"The bound changes the fit from δ = {bites:.6g}."
    if gap_path.width is not None:
        note = f"Every gap is at most δ + {gap_path.width:.6g}."
    if gap_path.constraint is not None:
        note = f"Every fit also satisfies {escape(repr(gap_path.constraint))}. {note}"
    return f"""<section id="path{number}">
<h2>Along the least gap δ</h2>
<p>{note} <span class="screen">Move the slider to see the fit that each δ gives.</span></p>
<div class="control"><label for="delta{number}">δ</label>
<input id="delta{number}" type="range" min="0" max="{last}" step="1" value="{_chosen(gap_path, result)}">
<output id="delta-value{number}" for="delta{number}"></output></div>
<svg id="path-picture{number}" role="img" aria-label="The fit at the chosen δ"></svg>
<div class="wide"><table id="path-table{number}"></table></div>
<svg id="path-likelihood{number}" class="flat" role="img" aria-label="The log-likelihood against δ"></svg>
</section>"""


def _chosen(gap_path: GapPath, result: MixtureResult) -> int:
    """Return the index of the fit on the path, or 0 if it is not on it."""
    same = (index for index, other in enumerate(gap_path.results) if other is result)
    return next(same, 0)
