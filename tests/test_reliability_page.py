"""The pages that make promises name the tests that hold them, and those are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ["reliability.md", "security.md"]
NAMED = re.compile(r"`((?:tests|rust)/[\w/.-]+\.(?:py|rs))(?:::(\w+))?`")


def named(page: str) -> list[tuple[str, str]]:
    return NAMED.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    found = named(page)
    assert len(found) >= 8
    for file, function in found:
        assert (ROOT / file).is_file(), f"docs/{page} names {file}"
        if function:
            text = (ROOT / file).read_text(encoding="utf-8")
            assert re.search(rf"\b(?:def|fn) {function}\b", text), f"docs/{page} names {function} of {file}"


def test_every_fault_of_a_peer_is_listed_with_its_test() -> None:
    written = (ROOT / "tests" / "test_what_peers_get_wrong.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8").partition("## What peers get wrong")[2]
    listed = re.findall(r"\| `(test_\w+)` \|", page.partition("\n## ")[0])
    assert sorted(listed) == sorted(re.findall(r"^def (test_\w+)", written, flags=re.MULTILINE))


def test_every_trial_of_the_soak_is_described() -> None:
    from soak import TRIALS

    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert [name for name in TRIALS if f"`{name}`" not in page] == []


def test_every_make_target_that_a_page_names_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for page in PAGES:
        for target in re.findall(r"`make ([a-z]+)", (ROOT / "docs" / page).read_text(encoding="utf-8")):
            assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), f"docs/{page} names make {target}"
