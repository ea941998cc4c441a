"""Tables of words and figures, as plain text of 80 columns at most and as Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindgap_paper.comparing import rounded_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindgap_paper.account import Part
    from mindgap_paper.comparing import Comparison, Moments
    from mindgap_paper.curves import Curves
    from mindgap_paper.nypans import Iterations, Line


@dataclass(frozen=True)
class Table:
    """A head and rows; a row of one cell is a heading within the table."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        """Return the table in columns, words to the left and figures to the right."""
        full = [row for row in (self.head, *self.rows) if len(row) > 1]
        widths = [max(len(row[column]) for row in full) for column in range(len(self.head))]
        return "\n".join(self._line(row, widths) for row in (self.head, *self.rows))

    def markdown(self) -> str:
        """Return the table for Markdown."""
        rows = [row if len(row) > 1 else (f"*{row[0]}*", *[""] * (len(self.head) - 1)) for row in self.rows]
        rule = (":--", *["--:"] * (len(self.head) - 1))
        return "\n".join(f"| {' | '.join(map(str.strip, row))} |" for row in (self.head, rule, *rows))

    @staticmethod
    def _line(row: Sequence[str], widths: Sequence[int]) -> str:
        figures = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=False)]
        return "  ".join([row[0].ljust(widths[0]), *figures]).rstrip()


def experiment_table(part: Part) -> Table:
    """Return the figures of one experiment: the paper's, its program's, the exact program's, and how they compare."""
    last = ("met",) if part.authors else ("z", "s.d.")
    rows: list[tuple[str, ...]] = []
    for comparison in part.comparisons:
        if (comparison.method,) not in rows:
            rows.append((comparison.method,))
        if part.authors:
            verdict: tuple[str, ...] = ("yes" if comparison.met else "NO",)
        else:
            verdict = (f"{round(comparison.z, 1) + 0.0:+.1f}", f"{comparison.ratio:.2f}")
        rows.append(
            (
                f"  {comparison.criterion}",
                str(comparison.printed),
                _cell(comparison.paper, comparison),
                _cell(comparison.exact, comparison),
                *verdict,
            )
        )
    return Table(("", "the paper", "its program", "exact program", *last), tuple(rows))


def _cell(moments: Moments, comparison: Comparison) -> str:
    printed = comparison.printed
    assert printed.deviation is not None
    return f"{rounded_as(moments.mean, printed.mean)} ({rounded_as(moments.deviation, printed.deviation)})"


def curves_table(curves: Curves, deltas: Sequence[float]) -> Table:
    """Return the means of the figure's curves at each separation."""
    head = ("δ", *(f"{panel} {curve}" for panel in ("center", "all", "Rand") for curve in ("reg", "one", "two")))
    rows = tuple(
        (f"{delta:g}", *(f"{value:.3f}" for value in curves.mean[:, index].T.ravel()))
        for index, delta in enumerate(deltas)
    )
    return Table(tuple(name.replace(" ", "\u00a0") for name in head), rows)


def nypans_table(lines: Sequence[Line], iterations: Sequence[Iterations]) -> Table:
    """Return the paper's table of the heights, with the iterations that the authors' program takes."""
    rows: list[tuple[str, ...]] = []
    for line in lines:
        if (line.method,) not in rows:
            rows.append((line.method,))
        ours = rounded_as(line.value, line.printed.mean)
        rows.append((f"  {line.criterion}", str(line.printed), ours, "yes" if line.met else "NO"))
    rows.append(("iterations (of the authors' program)",))
    for count in iterations:
        met = "yes" if count.theirs == count.ours else "NO"
        rows.append((f"  {count.method}", str(count.theirs), str(count.ours), met))
    return Table(("", "the paper", "ours", "met"), tuple(rows))
