"""Plugins in the user's own script: `mg.register` and `mg.unregister`."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.host.manager import PluginHost

pytestmark = pytest.mark.usefixtures("fresh_host")


def names() -> set[str]:
    return {record.name for record in mg.plugins()}


def make_wide() -> type[mg.Constraint]:
    class Wide(mg.Constraint):
        name = "wide"

        def gaps(self, k: int) -> mg.GapBounds:
            return mg.GapBounds(np.full(k - 1, 3.0))

    return Wide


class Even(mg.Initializer):
    name = "even"

    def start(self, sample: mg.Sample, k: int, constraint: mg.Constraint | None) -> mg.Parameters:
        return mg.Parameters(np.full(k, 1 / k), np.arange(float(k)), np.ones(k))


class Loud(mg.Local):
    name = "loud"


def test_a_class_is_registered_and_taken_back() -> None:
    wide = make_wide()
    assert mg.register(wide) is wide
    assert isinstance(mg.constraint("wide"), wide)
    assert mg.kmeans([0, 1, 5, 6], 2, "wide").labels.tolist() == [0, 0, 1, 1]
    mg.unregister(wide)
    with pytest.raises(mg.InvalidInputError, match="there is no constraint 'wide'"):
        mg.constraint("wide")


def test_initializers_and_engines_as_well() -> None:
    mg.register(Even)
    mg.register(Loud)
    assert isinstance(mg.initializer("even"), Even)
    assert isinstance(mg.engine("loud"), Loud)


def test_an_object_with_hooks() -> None:
    class Bundle:
        @mg.hookimpl
        def register_constraints(self, register: Callable[[type[mg.Constraint]], None]) -> None:
            register(make_wide())

        @mg.hookimpl
        def register_initializers(self, register: Callable[[type[mg.Initializer]], None]) -> None:
            register(Even)

        @mg.hookimpl
        def register_engines(self, register: Callable[[type[mg.Engine]], None]) -> None:
            register(Loud)

    bundle = Bundle()
    mg.register(bundle)
    records = [record for record in mg.plugins() if record.package is None]
    assert {record.name for record in records} == {"wide", "even", "loud"}
    assert records[0].hooks == ("register_constraints", "register_initializers", "register_engines")
    with pytest.raises(mg.PluginError, match="is registered already"):
        mg.register(bundle)
    mg.unregister(bundle)
    assert not names() & {"wide", "even", "loud"}
    mg.register(bundle)


def test_a_module_with_hooks() -> None:
    module = ModuleType("mine")
    vars(module)["register_constraints"] = mg.hookimpl(lambda register: register(make_wide()))
    mg.register(module)
    assert "wide" in names()


def test_running_a_cell_again_replaces_the_class() -> None:
    first, second = make_wide(), make_wide()
    mg.register(first)
    mg.register(second)
    assert type(mg.constraint("wide")) is second


def test_the_same_class_twice_is_refused() -> None:
    wide = make_wide()
    mg.register(wide)
    with pytest.raises(mg.PluginError, match=r"'wide' is taken by module .*test_register; choose another name"):
        mg.register(wide)


def test_a_taken_name_is_refused_and_leaves_nothing() -> None:
    def hook(register: Any) -> None:
        register(make_wide())
        register(type("Mine", (mg.LowerOnly,), {}))

    module = ModuleType("mine")
    vars(module)["register_constraints"] = mg.hookimpl(hook)
    with pytest.raises(mg.PluginError, match="the constraint 'lower-only' is taken by mindgap"):
        mg.register(module)
    assert "wide" not in names()


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        (int, "is a class, but not one of mindgap.Constraint, mindgap.Initializer, mindgap.Engine"),
        (ModuleType("empty"), "it implements no hook"),
        (3, "it implements no hook"),
        (type("Sure", (mg.Ckmeans,), {"name": "auto"}), "the initializer name 'auto' has a meaning of its own"),
        (type("Any", (mg.LowerOnly,), {"name": "none"}), "the constraint name 'none' has a meaning of its own"),
        (type("Silent", (mg.Engine,), {"name": "silent"}), "Silent does not implement load and moments"),
        (type("Silent", (mg.Initializer,), {"name": "silent"}), "Silent does not implement start"),
        (mg.Constraint, "Constraint has the name ''"),
    ],
)
def test_what_is_no_plugin(plugin: object, message: str) -> None:
    with pytest.raises(mg.PluginError, match=message):
        mg.register(plugin)


def test_what_was_never_registered_cannot_be_taken_back(fresh_host: PluginHost) -> None:
    with pytest.raises(mg.InvalidInputError, match=r"was not registered with mindgap\.register"):
        mg.unregister(mg.LowerOnly)
    assert "lower-only" in names()
