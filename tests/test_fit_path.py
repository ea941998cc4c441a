"""Fits in memory with built-in parts never touch the plugin registry."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindgap as mg

if TYPE_CHECKING:
    from types import FrameType

X = np.array([-2.0, 1.0, 2.0, 4.0, 5.0, 6.0, 9.0, 10.0])
PARAMETERS = mg.Parameters([0.5, 0.5], [1.0, 7.0], [1.0, 1.0])

#: The parts of the host that serve plugins: the registry, spec strings and the guard of their answers.
OF_PLUGINS = {"discovery.py", "guard.py", "known.py", "lookup.py", "manager.py", "registry.py", "spec.py"}

MEANS = [None, mg.LowerOnly(1.75), mg.TwoSided(1, 8), mg.PerGap([1.0], [9.0]), mg.LowerOnly(1) & mg.TwoSided(0, 8)]
BLOCKS = [
    mg.FixedWeights([0.25, 0.75]),
    mg.WeightBounds([0.1, 0.1], [0.9, 0.9]),
    mg.WeightRatio(0, 1, 0.5),
    mg.SpreadRatio(4),
    mg.EqualSpreads(),
    mg.FixedSpreads([2.0, None]),
    mg.LowerOnly(1) & mg.EqualSpreads(),
]
STARTS = ["auto", PARAMETERS, ([0.5, 0.5], [1.0, 7.0], [1.0, 1.0]), mg.Ckmeans(), mg.ConstrainedKMeans()]


def host_files(call: Any) -> set[str]:
    """The files of the plugin host that a call runs through."""
    visited: set[str] = set()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if "host" in path.parts:
            visited.add(path.name)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return visited & OF_PLUGINS


@pytest.mark.parametrize("constraint", MEANS, ids=str)
@pytest.mark.parametrize("engine", ["local", mg.Local()], ids=str)
def test_kmeans_never_meets_the_plugin_host(constraint: Any, engine: Any) -> None:
    assert host_files(lambda: mg.kmeans(X, 2, constraint, engine=engine)) == set()


@pytest.mark.parametrize("constraint", [*MEANS, *BLOCKS], ids=str)
def test_a_mixture_never_meets_the_plugin_host(constraint: Any) -> None:
    assert host_files(lambda: mg.mixture(X, 2, constraint, max_iter=3)) == set()


@pytest.mark.parametrize("init", STARTS, ids=lambda init: type(init).__name__)
def test_no_built_in_start_meets_the_plugin_host(init: Any) -> None:
    assert host_files(lambda: mg.mixture(X, 2, mg.LowerOnly(1), init=init, max_iter=3)) == set()


def test_a_name_does_meet_it() -> None:
    assert "lookup.py" in host_files(lambda: mg.kmeans(X, 2, "lower-only:delta=1"))


@pytest.mark.parametrize("fit", [mg.kmeans(X, 2), mg.mixture(X, 2)], ids=repr)
def test_a_fit_has_every_field_of_its_result(fit: Any) -> None:
    assert set(type(fit).__dataclass_fields__) <= set(vars(fit))
