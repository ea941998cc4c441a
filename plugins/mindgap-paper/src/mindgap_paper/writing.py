"""A run as text: for the terminal and as a Markdown page."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from mindgap_paper.experiments import DELTAS, REGULAR_DELTA, TOLERANCE, WIDTH
from mindgap_paper.tables import curves_table, experiment_table, nypans_table

if TYPE_CHECKING:
    from mindgap_paper.account import Account, Part
    from mindgap_paper.comparing import Comparison

_WIDTH = 80

_TITLE = "The paper's experiments"
_TITLE_AUTHORS = "The paper's experiments on the authors' data"

_READING = """\
Every table and figure of Jiang and Arias-Castro, "K-Means and Gaussian Mixture Modeling with a Separation Constraint",
done again. *The paper* is what it prints: the mean over its data sets, and their standard deviation in brackets. *Its
program* is its dynamic program to the letter (`method="paper"`), or EM started from it; *exact program* is
`method="exact"`, or EM started from that."""

_READING_SIMULATED = """\
*z* is how far the mean of its program is from the paper's, in Monte-Carlo standard errors of the difference (both runs'
counted; the rounding of the printed figure is not), and *s.d.* the standard deviation as a part of the paper's."""

_READING_AUTHORS = (
    "*Met* says whether its program gives the printed figures to the last digit, mean and standard deviation."
)

_READING_TRUTH = f"""\
Centres and sizes in Experiments 1 and 2 are compared with those of the groups in the data set itself, parameters in
Experiments 3 to 7 with the model's, as the authors do. EM stops when no parameter moves by more than {TOLERANCE:g}. In
Experiments 6 and 7 each constrained fit starts from k-means under the same δ, regular EM from δ = {REGULAR_DELTA:g};
the two-sided interval is δ to δ + {WIDTH:g}."""


def terminal_text(account: Account) -> str:
    """Return the tables and the verdict, 80 columns wide."""
    blocks = []
    for part in account.parts:
        blocks.append(_wrapped(part.heading))
        if part.curves is None:
            blocks[-1] += "\n" + experiment_table(part).text()
        blocks[-1] += "\n" + "\n".join(_wrapped(note) for note in [*part.notes(), *_claim_lines(part)])
    if account.heights is not None:
        blocks.append("NYPANS: heights of 9980 students, K = 4\n" + nypans_table(*account.heights).text())
    blocks.append("\n".join(_wrapped(line) for line in (_verdict(account), *account.faults())))
    blocks.append(_wrapped(account.provenance()))
    return "\n\n".join(blocks) + "\n"


def markdown_page(account: Account, command: str, figure: str) -> str:
    """Return the page; `command` is what wrote it, `figure` the file name of the picture beside it."""
    authors = any(part.authors for part in account.parts)
    simulated = any(not part.authors and part.curves is None for part in account.parts)
    blocks = [
        f"# {_TITLE_AUTHORS if authors else _TITLE}",
        f"Written by `{command}`: {account.provenance()}.",
        _READING,
        *([_READING_SIMULATED] if simulated else []),
        *([_READING_AUTHORS] if authors else []),
        _READING_TRUTH,
        "## Verdict",
        _verdict(account),
        *_list(account.faults()),
    ]
    for part in account.parts:
        blocks += [f"## {part.experiment.title}", part.heading.partition(": ")[2] + ".", *_body(part, figure)]
    if account.heights is not None:
        about = "Heights of 9980 students in four grades, four components, from k-means without a constraint."
        blocks += ["## NYPANS", about, nypans_table(*account.heights).markdown()]
    return "\n\n".join(blocks) + "\n"


def _body(part: Part, figure: str) -> list[str]:
    if part.curves is None:
        return [experiment_table(part).markdown(), *_list(part.notes())]
    picture = f"![Errors and Rand index against δ for regular, one-sided and two-sided EM]({figure})"
    means = curves_table(part.curves, DELTAS).markdown()
    return [picture, *_list([*_claim_lines(part), *part.notes()]), "The means of the curves:", means]


def _list(lines: list[str]) -> list[str]:
    return ["\n".join(f"- {line}" for line in lines)] if lines else []


def _claim_lines(part: Part) -> list[str]:
    if part.curves is None:
        return []
    lines = [
        f"{claim.text}: {'holds' if claim.holds else 'does NOT hold'}; {claim.evidence}."
        for claim in part.curves.claims()
    ]
    return [*lines, part.curves.first_gain()]


def _verdict(account: Account) -> str:
    authors = [line for part in account.parts if part.authors for line in part.comparisons]
    simulated = [line for part in account.parts if not part.authors for line in part.comparisons]
    sentences = []
    if authors:
        met = sum(line.met for line in authors)
        sentences.append(f"On the authors' data {met} of {len(authors)} printed figures are met to the last digit.")
    if simulated:
        close = sum(not line.faults() for line in simulated)
        sentences.append(
            f"{close} of {len(simulated)} simulated figures are within three standard errors (mean) and 15% "
            f"(standard deviation) of the paper's; {_farthest(simulated)}."
        )
    if account.heights is not None:
        lines = account.heights[0]
        sentences.append(f"{sum(line.met for line in lines)} of {len(lines)} figures of the NYPANS table are met.")
    if account.curves is not None:
        claims = account.curves.claims()
        held = sum(claim.holds for claim in claims)
        sentences.append(f"{held} of {len(claims)} sentences about the figure hold.")
    if account.faults():
        sentences.append("What does not, and why:")
    return " ".join(sentences)


def _farthest(lines: list[Comparison]) -> str:
    """Name the mean and the standard deviation that are farthest from the paper's."""
    mean = max(lines, key=lambda line: abs(line.z))
    spread = max(lines, key=lambda line: abs(line.ratio - 1))
    return (
        f"the farthest are the mean of {mean.name} ({mean.z:+.1f} standard errors) and the standard deviation of "
        f"{spread.name} ({spread.ratio:.2f} times the paper's)"
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
