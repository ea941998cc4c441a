"""Any text at all: as a spec string, as a stored result, as a table. It means something, or is refused in words."""

from __future__ import annotations

import json
import string
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mindgap as mg
from mindgap.cli.delimited import read_delimited
from mindgap.cli.reading import Request
from mindgap.host import spec
from soak.attempt import attempt, refused
from soak.json_trials import use

ALWAYS_THE_SAME = settings(derandomize=True, deadline=None, max_examples=150)

TEXT = st.text(st.characters(codec=None), max_size=60)
PUNCTUATED = st.text(string.ascii_letters + string.digits + "=,:;[](){}+-*'\"\\ .\n\t#", max_size=60)
ROWS = st.lists(st.lists(TEXT | st.floats().map(repr), max_size=4).map(",".join), max_size=6).map("\n".join)
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
@given(TEXT | PUNCTUATED | ROWS, st.sampled_from([None, "1", "2"]), st.sampled_from([None, True, False]))
def test_tables(text: str, column: str | None, header: bool | None) -> None:
    content = text.encode("utf-8", "surrogatepass")
    answer = attempt(lambda: read_delimited(Request("table", column=column, header=header), content))
    if not refused(answer):
        values = answer[0].values
        assert values.dtype == np.float64
        assert len(values) == len(answer[0].lines)
        assert not np.isinf(values).any()
