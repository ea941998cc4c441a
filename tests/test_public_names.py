"""The public names: what `dir` shows, what is loaded when, and what every class documents."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest

import mindgap as mg

CLASSES = [name for name in mg.__all__ if inspect.isclass(getattr(mg, name))]
WARNINGS = (Exception, Warning)


def test_dir_is_what_is_public() -> None:
    assert dir(mg) == sorted(mg.__all__)
    for name in mg.__all__:
        assert getattr(mg, name) is not None


def test_a_star_import_needs_no_extra() -> None:
    script = "import sys; sys.modules['matplotlib'] = None; from mindgap import *; print(kmeans([1, 2, 9], 2).k)"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout == "2\n"


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_documents_its_parameters_and_shows_an_example(name: str) -> None:
    described = getattr(mg, name)
    if issubclass(described, WARNINGS) or name == "PluginRecord":
        return
    text = inspect.getdoc(described) or ""
    assert "Examples\n--------" in text
    if len(inspect.signature(described).parameters):
        assert "Parameters\n----------" in text or "Attributes\n----------" in text


def test_constraints_and_initializers_are_equal_by_value() -> None:
    bounds = [0.5, 1.5]
    same = [
        (mg.LowerOnly(1), mg.LowerOnly(1.0)),
        (mg.PerGap(bounds), mg.PerGap(np.array(bounds))),
        (mg.ConstrainedKMeans(2), mg.ConstrainedKMeans(delta=2.0)),
    ]
    for one, other in same:
        assert one == other
        assert hash(one) == hash(other)
        assert one is not other
    assert mg.LowerOnly(1) != mg.LowerOnly(2)
    assert mg.LowerOnly(1) != mg.TwoSided(1, np.inf)
    assert len({mg.LowerOnly(1), mg.LowerOnly(1), mg.LowerOnly(2)}) == 2
    assert mg.Local() != mg.Local()


def test_a_plugin_that_does_not_keep_its_parameters_is_equal_to_itself_alone() -> None:
    class Forgetful(mg.Constraint):
        name = "forgetful"

        def __init__(self, width: float) -> None:
            self._width = width

    one = Forgetful(1.0)
    assert one == one
    assert one != Forgetful(1.0)
