"""Trials of the HTML of results: names are always text there, never markup."""

from __future__ import annotations

import dataclasses
import json
from html.parser import HTMLParser

import numpy as np

import mindgap as mg
from mindgap.report.page import Part, report_html

_X = np.random.default_rng(3).normal(0, 3, 40)
_FIT = mg.mixture(_X, 2, mg.LowerOnly(1.0), max_iter=5)
_KMEANS = mg.kmeans(_X, 2)
_PATH = mg.gap_path(_X, 2, [0.0, 1.0], max_iter=3)

_PIECES = (
    "<script>alert(1)</script>", "</script>", "</ScRiPt >", "<!--", "-->", "]]>", "<img src=x onerror=alert(1)>",
    '"', "'", "&", "&lt;", "&#60;script&#62;", "{{style}}", "{{content}}", "\\u003c", "%3Cscript%3E", "\n", "\r",
    "\t", "\u2028", "\u2029", "\u202e", "\u200f", "\ud800", "\x1b[31m", "\x00", "\ufeff", "`", "${x}", "javascript:",
    "</title>", "</h1>", "<svg onload=alert(1)>", "é中😀", "x" * 3000, "<" * 50, "\\", "//",
)  # fmt: skip


class Page(HTMLParser):
    """What a browser would make of a page: its elements, and the text in some of them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.scripts: list[str] = []
        self.titles: list[str] = []
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element with the names of its attributes."""
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self._open = tag
        if tag == "script":
            self.scripts.append("")
        if tag in ("title", "h1"):
            self.titles.append("")

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        self._open = ""

    def handle_data(self, data: str) -> None:
        """Note the text of scripts and headings."""
        if self._open == "script":
            self.scripts[-1] += data
        if self._open in ("title", "h1"):
            self.titles[-1] += data


def hostile(rng: np.random.Generator) -> str:
    """A name that nobody would give to a column, except on purpose."""
    return "".join(_PIECES[rng.integers(len(_PIECES))] for _ in range(int(rng.integers(1, 6))))


_PLAIN = Page(
    report_html([Part(dataclasses.replace(_FIT, message="well"), gap_path=_PATH)], "title", "label", {}, None)
).elements


def reports(rng: np.random.Generator) -> str:
    """A report whose title, label and message are hostile has the elements of any other, and says what they say."""
    title, label, message = (hostile(rng) for _ in range(3))
    text = report_html([Part(dataclasses.replace(_FIT, message=message), gap_path=_PATH)], title, label, {}, None)
    page = Page(text)
    assert page.elements == _PLAIN, "a name has become markup"
    assert page.titles, "the report has no heading"
    for heading in page.titles:
        assert _same(heading, title), f"{heading!r} is not {title!r}"
    assert json.loads(page.scripts[0])["label"] == label
    assert text.encode(errors="replace")
    return tables(rng)


def tables(rng: np.random.Generator) -> str:
    """The tables that notebooks show."""
    table = dataclasses.replace(_FIT, message=hostile(rng)).table()
    shown = Page(table.html()).elements
    assert shown == Page(dataclasses.replace(_FIT, message="well").table().html()).elements, "a note has become markup"
    assert Page(_KMEANS._repr_html_()).elements
    return "escaped"


def _same(heading: str, title: str) -> bool:
    """Whether it is the same text, to how a parser reads the ends of lines."""
    return " ".join(heading.split()) == " ".join(title.split())


TRIALS = {"reports": reports}
