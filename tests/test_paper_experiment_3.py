"""The authors' 1000 data sets of Experiment 3, with their measurements of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mindgap as mg
from mindgap.datasets import MODELS
from mindgap.datasets.measures import mean_center_error, mean_parameter_error, rand_index

DATA = Path(__file__).parents[2] / "shared" / "data" / "paper_exp3.npz"
K, LOWER, UPPER = 3, 1.9, 2.1
REGULAR, CONSTRAINED = 0, 1

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="the authors' data sets are not beside the project"),
]


@pytest.fixture(scope="module")
def experiment() -> dict[str, npt.NDArray[Any]]:
    with np.load(DATA) as stored:
        return {name: stored[name] for name in stored}


@pytest.fixture(scope="module")
def fits(experiment: dict[str, npt.NDArray[Any]]) -> list[tuple[mg.MixtureResult, mg.MixtureResult]]:
    """Regular and constrained EM on each data set, both from the paper's constrained k-means."""
    init = mg.ConstrainedKMeans(delta=LOWER, method="paper")

    def both(x: npt.NDArray[Any]) -> tuple[mg.MixtureResult, mg.MixtureResult]:
        sample = mg.Sample(x)
        start = init.start(sample, K, None)
        regular, constrained = (
            mg.mixture(sample, K, constraint, init=start, method="paper", max_iter=10_000)
            for constraint in (None, mg.TwoSided(LOWER, UPPER))
        )
        return regular, constrained

    return [both(x) for x in experiment["samples"]]


def in_order_of_start(fit: mg.MixtureResult) -> mg.MixtureResult:
    back = np.argsort(fit.origins)
    return replace(fit, weights=fit.weights[back], means=fit.means[back], variances=fit.variances[back])


@pytest.mark.parametrize("column", [REGULAR, CONSTRAINED])
def test_errors_agree_on_all(
    column: int, experiment: dict[str, npt.NDArray[Any]], fits: list[tuple[mg.MixtureResult, mg.MixtureResult]]
) -> None:
    model = MODELS["B"]
    variances = np.square(model.deviations)
    # The authors' components keep the order of the start, also where the means of regular EM have crossed.
    started = [in_order_of_start(pair[column]) for pair in fits]
    found = [
        (mean_center_error(fit, model.means), mean_parameter_error(fit, model.weights, model.means, variances))
        for fit in started
    ]
    expected = np.column_stack([experiment["center_error"][:, column], experiment["parameter_error"][:, column]])
    assert np.all(np.abs(np.array(found) - expected) <= 1e-6)


@pytest.mark.parametrize(("column", "misses"), [(REGULAR, 1), (CONSTRAINED, 0)])
def test_rand_index_agrees_but_where_regular_em_collapses(
    column: int,
    misses: int,
    experiment: dict[str, npt.NDArray[Any]],
    fits: list[tuple[mg.MixtureResult, mg.MixtureResult]],
) -> None:
    found = [rand_index(pair[column].labels, labels) for pair, labels in zip(fits, experiment["labels"], strict=True)]
    differing = np.flatnonzero(np.abs(np.array(found) - experiment["rand_index"][:, column]) > 1e-9)
    assert len(differing) <= misses
    assert all(not fits[row][column].converged for row in differing)
