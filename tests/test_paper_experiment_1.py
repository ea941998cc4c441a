"""The authors' 1000 data sets of Experiment 1, with their measurements of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mindgap as mg
from mindgap.datasets import Labelled
from mindgap.datasets.measures import rand_index, total_center_error, total_size_error

DATA = Path(__file__).parents[2] / "shared" / "data" / "paper_exp1.npz"
K, DELTA = 5, 1.95

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="the authors' data sets are not beside the project"),
]


def errors(result: mg.KMeansResult, x: npt.NDArray[Any], labels: npt.NDArray[Any]) -> tuple[float, float, float]:
    truth = Labelled(x, np.unique(labels, return_inverse=True)[1])
    return total_center_error(result, truth), total_size_error(result, truth), rand_index(result.labels, labels)


@pytest.fixture(scope="module")
def experiment() -> dict[str, npt.NDArray[Any]]:
    with np.load(DATA) as stored:
        return {name: stored[name] for name in stored}


def agrees(found: tuple[float, float, float], experiment: dict[str, npt.NDArray[Any]], row: int, column: int) -> bool:
    expected = [experiment[name][row, column] for name in ("center_error", "size_error", "rand_index")]
    return bool(np.allclose(found, expected, rtol=0, atol=1e-9))


def test_the_papers_program_agrees_on_all(experiment: dict[str, npt.NDArray[Any]]) -> None:
    agreeing = 0
    for row, (x, truth) in enumerate(zip(experiment["samples"], experiment["labels"], strict=True)):
        result = mg.kmeans(x, K, mg.LowerOnly(DELTA), method="paper", centers="means")
        agreeing += agrees(errors(result, x, truth), experiment, row, 0)
    assert agreeing == 1000


def test_the_exact_program_agrees_or_is_cheaper(experiment: dict[str, npt.NDArray[Any]]) -> None:
    agreeing = cheaper = 0
    for row, (x, truth) in enumerate(zip(experiment["samples"], experiment["labels"], strict=True)):
        exact = mg.kmeans(x, K, mg.LowerOnly(DELTA), centers="means")
        assert exact.optimal
        if agrees(errors(exact, x, truth), experiment, row, 0):
            agreeing += 1
        else:
            cheaper += exact.inertia < mg.kmeans(x, K, mg.LowerOnly(DELTA), method="paper", centers="means").inertia
    assert (agreeing, cheaper) == (901, 99)


def test_without_a_constraint_all_agree(experiment: dict[str, npt.NDArray[Any]]) -> None:
    found = [
        agrees(errors(mg.kmeans(x, K), x, truth), experiment, row, 1)
        for row, (x, truth) in enumerate(zip(experiment["samples"], experiment["labels"], strict=True))
    ]
    assert sum(found) == 1000
