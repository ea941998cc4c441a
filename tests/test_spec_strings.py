"""Spec strings: names with parameters, in Python and on the command line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindgap as mg
from command_line import Command
from mindgap.host.spec import parse


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("ckmeans", "ckmeans", {}),
        ("ckmeans:", "ckmeans", {}),
        (" per-gap : lower = [1, 2] ", "per-gap", {"lower": [1, 2]}),
        ("a:x=1,y=2.5e-3,z=-4", "a", {"x": 1, "y": 2.5e-3, "z": -4}),
        ("a:x=[1,[2,3]],y=(4,5)", "a", {"x": [1, [2, 3]], "y": [4, 5]}),
        ("a:x=inf,y=-inf,z=+INF", "a", {"x": math.inf, "y": -math.inf, "z": math.inf}),
        ("a:x=true,y=False,z=none", "a", {"x": True, "y": False, "z": None}),
        ("a:x=exact,y='two words',z=\"q,=]\"", "a", {"x": "exact", "y": "two words", "z": "q,=]"}),
        ("a:x=constrained-kmeans", "a", {"x": "constrained-kmeans"}),
        ("a:x=[ckmeans,'per-gap:lower=[1]']", "a", {"x": ["ckmeans", "per-gap:lower=[1]"]}),
    ],
)
def test_what_can_be_written(text: str, name: str, parameters: dict[str, Any]) -> None:
    assert parse(text) == (name, parameters)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no name"),
        (":lower=1", "has no name"),
        ("a:1", "has a value without a name"),
        ("a:lower", "has a value without a name"),
        ("a:**{}", "has a value without a name"),
        ("a:x=1)+(2", "has a value without a name"),
        ("a:x=", "cannot be read"),
        ("a:x=[1", "cannot be read"),
        ("a:x=1,x=2", "gives x twice"),
        ("a:x=1 2", "cannot be read"),
        ("a:x=\0", "cannot be read"),
        ("a:x=" + "[" * 5000, "cannot be read"),
        ("a:x=__import__('os')", "neither a number, text nor a list"),
        ("a:x=os.system", "neither a number, text nor a list"),
        ("a:x={1: 2}", "neither a number, text nor a list"),
        ("a:x=2**9999", "neither a number, text nor a list"),
        ("a:x=1+2", "neither a number, text nor a list"),
        ("a:x=-word", "neither a number, text nor a list"),
        ("a:x=b'bytes'", "neither a number, text nor a list"),
        ("a:x=2j", "neither a number, text nor a list"),
        ("a:x=f'{1}'", "neither a number, text nor a list"),
    ],
)
def test_what_cannot(text: str, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        parse(text)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        name, parameters = parse(text)
    except mg.InvalidInputError:
        return
    assert name
    assert isinstance(parameters, dict)


numbers = st.integers() | st.floats(allow_nan=False)
values = st.recursive(numbers | st.booleans() | st.text(alphabet="abc _-,=[]'"), st.lists, max_leaves=5)


@given(st.dictionaries(st.sampled_from("abcd"), values, max_size=3))
def test_what_python_writes_is_read_back(parameters: dict[str, Any]) -> None:
    text = ",".join(f"{name}={value!r}" for name, value in parameters.items())
    assert parse(f"name:{text}") == ("name", parameters)


def test_spec_and_arguments_go_together() -> None:
    built = mg.constraint("two-sided:lower=1", upper=2)
    assert built.gaps(2) == mg.GapBounds([1], [2])
    assert repr(built) == "TwoSided(lower=1.0, upper=2.0)"


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (
            "lower",
            {},
            "there is no constraint 'lower'; did you mean 'lower-only'\\? there are lower-only, two-sided",
        ),
        ("zzz", {}, "there is no constraint 'zzz'; there are lower-only, two-sided, per-gap"),
        ("ckmeans", {}, "there is no constraint 'ckmeans'"),
        ("per-gap:lowr=1", {}, "no parameter 'lowr'; did you mean 'lower'\\? it takes lower, upper=None"),
        ("two-sided:lower=1", {}, "needs the parameter 'upper'; it takes lower, upper"),
        ("two-sided:lower=1", {"lower": 2}, "lower is given both in 'two-sided:lower=1' and as an argument"),
        ("lower-only:delta=big", {}, "delta is 'big'; it must be one number"),
        (
            "lower-only:2.8",
            {},
            "'lower-only:2.8' has a value without a name; write it like lower-only:delta=2.8",
        ),
        ("two-sided:1,2", {}, "without a name; write it like two-sided:lower=...,upper=..."),
        ("zzz:1", {}, "'zzz:1' has a value without a name; write it like per-gap"),
    ],
)
def test_what_is_asked_for_wrongly(text: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.constraint(text, **arguments)


@pytest.mark.usefixtures("fresh_host")
def test_a_value_that_a_plugin_cannot_use_is_the_users(command: Command) -> None:
    class Naive(mg.Constraint):
        name = "naive"

        def __init__(self, size: float) -> None:
            self.size = float(size)

        def gaps(self, k: int) -> mg.GapBounds:
            return mg.GapBounds(np.full(k - 1, self.size))

    mg.register(Naive)
    with pytest.raises(mg.InvalidInputError, match=r"constraint 'naive' .* does not take size='big': could not"):
        mg.constraint("naive:size=big")
    ended = command("kmeans", "-", "-k", 2, "--constraint", "naive:size=[1]", stdin=b"1\n2\n9\n")
    assert (ended.code, "does not take size=[1]" in ended.fault) == (2, True)


def test_no_parameters_are_no_parameters() -> None:
    with pytest.raises(mg.InvalidInputError, match="'ckmeans' has no parameter 'x'; it takes no parameters"):
        mg.initializer("ckmeans:x=1")


def test_objects_are_taken_as_they_are() -> None:
    given = mg.LowerOnly(1)
    assert mg.constraint(given) is given
    with pytest.raises(mg.InvalidInputError, match="already has its parameters"):
        mg.constraint(given, delta=2)


def test_a_class_is_not_yet_an_object() -> None:
    with pytest.raises(mg.InvalidInputError, match=r"make an object of it: LowerOnly\(\.\.\.\)"):
        mg.constraint(mg.LowerOnly)  # type: ignore[arg-type]


@pytest.mark.parametrize("rubbish", [3, None, b"lower-only", mg.Ckmeans()])
def test_other_objects_are_refused(rubbish: Any) -> None:
    with pytest.raises(mg.InvalidInputError, match="is not a valid constraint; give a name such as 'lower-only'"):
        mg.constraint(rubbish)


@pytest.mark.parametrize("bound", [1.5, 2, np.float64(0.5)])
def test_a_bare_number_is_told_how_to_become_a_bound(bound: float) -> None:
    with pytest.raises(mg.InvalidInputError, match=rf"for a lower bound on every gap, LowerOnly\({bound}\)"):
        mg.kmeans([1.0, 2.0, 3.0], 2, bound)  # type: ignore[arg-type]


@pytest.mark.parametrize("bound", ["1.5", "2"])
def test_so_is_a_number_as_text(bound: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=f"for a lower bound on every gap, lower-only:delta={bound}"):
        mg.constraint(bound)
