"""Results in notebooks."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import mindgap as mg
from drawn import a_kmeans, a_mixture
from mindgap.results.table import MOST_ROWS, notebook_table


class Checked(HTMLParser):
    """Counts tags, and fails if they do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_a_row_for_each_centre(k: int) -> None:
    for result in (a_mixture(k), a_kmeans(k, per_gap=True)):
        table = result._repr_html_()
        assert Checked(table).seen.count("tr") == k + 2
        assert "://" not in table


def test_bounds_are_escaped_and_long_tables_cut_short() -> None:
    assert "&gt;= 2 (reached)" in a_mixture(3)._repr_html_()
    rows = [["<b>", str(row)] for row in range(100)]
    table = notebook_table("a & b", ["one", "two"], rows, "<end>")
    assert Checked(table).seen.count("tr") == MOST_ROWS + 3
    assert f"… and {100 - MOST_ROWS} more" in table
    assert "<b>" not in table


def test_the_summary_has_the_same_cells() -> None:
    for result in (a_mixture(4, per_gap=True), a_kmeans(4)):
        lines = result.summary().split("\n")
        assert len(lines) == 6
        assert all(line == line.rstrip() for line in lines)
        assert max(map(len, lines[:-1])) <= 80


def test_paths_selections_and_bootstraps() -> None:
    x = np.random.default_rng(1).normal(size=100)
    path, selection = mg.gap_path(x, 2, [0, 1, 2]), mg.select(x, [1, 2])
    for shown, rows in ((path, 3), (selection, 2), (mg.mixture(x, 1).bootstrap(3, 1), 3)):
        assert Checked(shown._repr_html_()).seen.count("tr") == rows + 2
