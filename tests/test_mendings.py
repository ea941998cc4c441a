"""What `make mendings` undoes is in the sources, and so are the tests that notice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mendings import Mending, mendings

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("mending", mendings(), ids=lambda mending: mending.fault)
def test_a_fault_can_be_brought_back(mending: Mending) -> None:
    for edit in mending.edits:
        text = (ROOT / edit.file).read_text(encoding="utf-8")
        assert text.count(edit.now) == 1, f"{edit.file} should hold once:\n{edit.now}"
        assert edit.once != edit.now
    assert mending.tests
    for test in mending.tests:
        file, _, name = test.partition("::")
        function = re.escape(name.partition("[")[0])
        assert re.search(rf"\b(?:def|fn) {function}\b", (ROOT / file).read_text(encoding="utf-8")), test
