"""What the paper prints: Tables 3 to 5, figure for figure."""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """A figure as printed: the mean over the data sets, and in brackets their standard deviation where there is one."""

    mean: str
    deviation: str | None = None

    def __str__(self) -> str:
        return self.mean if self.deviation is None else f"{self.mean} ({self.deviation})"


def _table(*rows: tuple[str, str]) -> tuple[tuple[Printed, ...], ...]:
    """Read the columns of a table: the two methods, each with its criteria in order."""
    return tuple(tuple(_read(row[method]) for row in rows) for method in (0, 1))


def _read(cell: str) -> Printed:
    mean, _, rest = cell.partition(" (")
    return Printed(mean, rest.removesuffix(")") or None)


#: Experiment -> the two methods -> the three criteria.
PRINTED: dict[str, tuple[tuple[Printed, ...], ...]] = {
    "1": _table(
        ("1.092 (0.276)", "0.374 (0.161)"),
        ("165.6 (22.9)", "119.9 (25.4)"),
        ("0.786 (0.015)", "0.807 (0.014)"),
    ),
    "2": _table(
        ("1.339 (0.393)", "0.561 (0.190)"),
        ("143.4 (45.9)", "58.1 (18.8)"),
        ("0.834 (0.016)", "0.858 (0.014)"),
    ),
    "3": _table(
        ("0.339 (0.205)", "0.058 (0.021)"),
        ("0.976 (0.296)", "0.454 (0.197)"),
        ("0.893 (0.023)", "0.906 (0.013)"),
    ),
    "4": _table(
        ("0.252 (0.155)", "0.172 (0.120)"),
        ("0.568 (0.320)", "0.409 (0.242)"),
        ("0.715 (0.047)", "0.726 (0.040)"),
    ),
    "5": _table(
        ("0.448 (0.231)", "0.276 (0.213)"),
        ("0.994 (0.415)", "0.764 (0.367)"),
        ("0.810 (0.028)", "0.820 (0.030)"),
    ),
    "nypans": _table(("6.7", "0.5"), ("15.6", "3.2"), ("0.566", "0.596")),
}

#: How many iterations the authors' program takes on the NYPANS heights, regular and constrained.
NYPANS_ITERATIONS = (33, 9)
