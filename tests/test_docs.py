"""The documentation: examples print what they show, pictures can be drawn, links are valid."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import string
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mindgap as mg
import pages
from mindgap.host.manager import PluginHost

ROOT = Path(__file__).parents[1]
GUIDE = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [*GUIDE, ROOT / "CONTRIBUTING.md", ROOT / "rust/mindgap/README.md", *sorted(ROOT.glob("plugins/*/README.md"))]
PROGRAMS = [page for page in GUIDE if pages.blocks(page)]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("page", PROGRAMS, ids=name_of)
def test_a_page_does_what_it_shows(
    page: Path, tmp_path: Path, fresh_host: PluginHost, closed_figures: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plt, "show", lambda: None)
    pages.run(page, tmp_path)
    for picture in pages.pictures(page):
        assert (tmp_path / picture).stat().st_size > 1000, f"{page.name} shows {picture}, which its code does not draw"


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("```python\nprint(1 + 1)\n# 3\n```\n", "promises\n3\nbut prints\n2\n"),
        ("```console\n$ echo yes\nno\n```\n", "promises\nno\nbut prints\nyes\n"),
        ("```console\n$ echo lost; exit 3\n```\n", "ended with 3:\nlost"),
        ("```console\n$ false\n$ echo $?\n0\n```\n", "promises\n0\nbut prints\n1\n"),
    ],
)
def test_a_page_that_does_otherwise_is_found_out(code: str, fault: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(code)
    with pytest.raises(pages.BrokenPromiseError, match=re.escape(fault)):
        pages.run(page, tmp_path)


def modules() -> list[str]:
    found = pkgutil.walk_packages(mg.__path__, "mindgap.")
    return [module.name for module in found if ".templates" not in module.name and not module.name.endswith("__main__")]


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_docstrings_run(name: str, fresh_host: PluginHost, closed_figures: None) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in doctest.DocTestFinder().find(importlib.import_module(name), globs={"mg": mg, "np": np}):
        written: list[str] = []
        runner.run(example, out=written.append)
        assert not written, "".join(written)


def prose(page: Path) -> str:
    """The text of a page without its code."""
    fences = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: code[0].replace("](", "] ("), fences)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, by the rule that GitHub and the site share."""
    kept = string.ascii_letters + string.digits + "-_ "
    return {
        "".join(c for c in heading.lower() if c in kept or not c.isascii()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    }


def links(page: Path) -> list[str]:
    found: list[str] = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return [link for link in found if not re.match(r"[a-z]+:", link) and not link.startswith("drawn/")]


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_no_link_is_broken(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)} links to {link}, which is not there"
        assert not anchor or anchor in anchors(target), f"{name_of(page)} links to {link}: no such heading"


def test_the_reference_lists_every_public_name() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"(?:auto\w+|data):: (?:mindgap\.)?(\w+)$", text, flags=re.MULTILINE))
    assert set(mg.__all__) - listed <= {"__version__"}
