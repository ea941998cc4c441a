"""Arbitrary text as a spec string, a stored result or a table: it is parsed or refused with a reason."""

from __future__ import annotations

import json
import string
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mindgap as mg
from mindgap.cli.delimited import DelimitedText
from mindgap.cli.reading import Request
from mindgap.cli.tables import Column
from mindgap.host import spec
from soak.attempt import attempt, refused
from soak.json_trials import use

ALWAYS_THE_SAME = settings(derandomize=True, deadline=None, max_examples=150)

TEXT = st.text(st.characters(codec=None), max_size=60)
PUNCTUATED = st.text(string.ascii_letters + string.digits + "=,:;[](){}+-*'\"\\ .\n\t#", max_size=60)
ROWS = st.lists(st.lists(TEXT | st.floats().map(repr), max_size=4).map(",".join), max_size=6).map("\n".join)
CELLS = (
    st.floats(allow_infinity=False).map(repr)
    | st.integers(-9, 9).map(str)
    | st.sampled_from(["", "NA", "nan", "?", " 1", '"2"'])
)
NUMBERS = st.builds(
    lambda rows, end: end.join(",".join(row) for row in rows),
    st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=6)
    | st.lists(st.lists(CELLS, min_size=1, max_size=1), min_size=1, max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=6,
)
STORED: dict[str, Any] = json.loads(mg.kmeans([1.0, 2.0, 7.0, 8.0], 2, mg.LowerOnly(1.0)).to_json())


@ALWAYS_THE_SAME
@given(TEXT | PUNCTUATED | PUNCTUATED.map("lower-only:delta=".__add__))
@example("lower-only:delta=" + "-" * 990 + "1")
@example("a:b=" + "[" * 150 + "]" * 150)
def test_spec_strings(text: str) -> None:
    answer = attempt(lambda: spec.parse(text))
    if not refused(answer):
        name, parameters = answer
        assert name == name.strip() != ""
        assert all(plain(value) for value in parameters.values()), parameters


def plain(value: Any) -> bool:
    """Whether it is a number, a word, or a list of these: nothing was evaluated."""
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or type(value) in (bool, int, float, str)


@settings(ALWAYS_THE_SAME, max_examples=60)
@given(st.dictionaries(st.sampled_from(sorted(STORED)), JSON, min_size=1, max_size=3), JSON)
def test_stored_results(changed: dict[str, Any], alone: Any) -> None:
    assert refused(attempt(lambda: mg.KMeansResult.from_json(json.dumps(alone))))
    result = attempt(lambda: mg.KMeansResult.from_json(json.dumps(STORED | changed)))
    if not refused(result):
        use(result)


@ALWAYS_THE_SAME
@given(TEXT | PUNCTUATED | ROWS | NUMBERS, st.sampled_from([0, 1]), st.sampled_from([None, True, False]))
def test_tables(text: str, place: int, header: bool | None) -> None:
    content = text.encode("utf-8", "surrogatepass")
    asked = Request("table", header=header)
    with pytest.MonkeyPatch.context() as patched:
        read = []
        for size in (1 << 30, 0):
            patched.setattr("mindgap.cli.delimited.ARROW_FROM", size)
            read.append(attempt(lambda: _column(asked, content, place)))
    slow, fast = read
    assert refused(slow) == refused(fast)
    if not refused(slow):
        assert slow.values.dtype == np.float64
        assert len(slow.values) == len(slow.lines)
        np.testing.assert_array_equal(slow.values, fast.values)
        assert fast.place(0) == slow.place(0)


def _column(asked: Request, content: bytes, place: int) -> Column:
    table = DelimitedText(asked, content)
    return table.numbers(min(place, table.width - 1))[0]
