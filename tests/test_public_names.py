"""The public names: what `dir` lists, what is imported when, and what every class documents."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import mindgap as mg
import mindgap.sklearn as estimators
from mindgap import host, testing

MODULES = [mg, mg.datasets, mg.plots, mg.report, estimators, host, testing]
PUBLIC = {f"{module.__name__}.{name}": getattr(module, name) for module in MODULES for name in module.__all__}
CLASSES = [name for name, described in PUBLIC.items() if inspect.isclass(described)]
FUNCTIONS = [name for name, described in PUBLIC.items() if inspect.isfunction(described)]
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
    described = PUBLIC[name]
    if issubclass(described, WARNINGS):
        return
    text = inspect.getdoc(described) or ""
    assert "Examples\n--------" in text
    if len(inspect.signature(described).parameters):
        assert "Parameters\n----------" in text or "Attributes\n----------" in text


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_documents_its_parameters_and_shows_an_example(name: str) -> None:
    described = PUBLIC[name]
    text = inspect.getdoc(described) or ""
    assert "Examples\n--------" in text
    assert ">>>" in text
    assert not inspect.signature(described).parameters or "Parameters\n----------" in text


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


def test_what_results_hold_cannot_be_changed() -> None:
    x = np.concatenate([np.linspace(0, 1, 30), np.linspace(5, 6, 30)])
    fit = mg.mixture(x, 2, mg.LowerOnly(1))
    drawn = fit.bootstrap(3, rng=1)
    held = [
        *(fit, fit.standard_errors, fit.runner_up, fit.interval(), fit.histogram, mg.kmeans(x, 2)),
        *(drawn.replicates, drawn.interval(), drawn.standard_errors(), mg.gap_path(x, 2, [0, 1]), mg.select(x, [1, 2])),
    ]
    held = [part for part in held if part is not None]
    held += [pickle.loads(pickle.dumps(part)) for part in held]
    arrays = [value for part in held for value in vars(part).values()]
    arrays = [array for array in arrays if isinstance(array, np.ndarray)]
    assert len(arrays) > 60
    assert not any(array.flags.writeable for array in arrays)
