"""Bounds on the sizes of clusters, in every interface; the crate's tests compare them with every partition."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.sklearn import KMeans1D

if TYPE_CHECKING:
    from command_line import Command

X = [0.0, 1.0, 2.0, 3.0, 100.0]


def least_cost(x: Any, w: Any, k: int, low: float, high: float) -> float:
    """Return the least cost over all runs of the sorted points whose weights are between the two."""
    least = np.inf
    for cuts in itertools.combinations(range(1, len(x)), k - 1):
        runs = list(itertools.pairwise((0, *cuts, len(x))))
        if all(low - 1e-9 <= w[a:b].sum() <= high + 1e-9 for a, b in runs):
            means = [np.average(x[a:b], weights=w[a:b]) for a, b in runs]
            least = min(least, sum((w[a:b] * (x[a:b] - m) ** 2).sum() for (a, b), m in zip(runs, means, strict=True)))
    return float(least)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_optimum_among_these_sizes(weighted: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        x = np.sort(rng.normal(size=11) ** 3)
        w = rng.uniform(0.5, 2, 11) if weighted else np.ones(11)
        low, high = 0.6 * w.sum() / 3, 1.4 * w.sum() / 3
        truth = least_cost(x, w, 3, low, high)
        if np.isfinite(truth):
            result = mg.kmeans(x, 3, min_size=low, max_size=high, sample_weight=w if weighted else None)
            assert result.inertia == pytest.approx(truth, rel=1e-9)
            assert result.optimal


def test_every_face_takes_the_sizes(command: Command, tmp_path: Any) -> None:
    result = mg.kmeans(X, 2, min_size=2)
    assert result.labels.tolist() == [0, 0, 0, 1, 1]
    assert result.predict(X).tolist() == result.labels.tolist()
    assert KMeans1D(2, min_size=2).fit_predict(np.reshape(X, (-1, 1))).tolist() == [0, 0, 0, 1, 1]
    path = tmp_path / "x.csv"
    path.write_text("x\n" + "\n".join(map(str, X)))
    document = json.loads(command("kmeans", path, "-k", 2, "--max-size", 3, "--json").out)
    assert document["sizes"] == [3, 2]
    assert document["settings"]["max_size"] == 3
    again = mg.KMeansResult.from_json(result.to_json())
    assert again.settings is not None
    assert (again.settings.min_size, again.settings.max_size) == (2, None)


def test_an_infeasible_size_is_named_with_the_nearest_feasible_one() -> None:
    with pytest.raises(mg.InfeasibleError, match="largest feasible min_size is 2") as low:
        mg.kmeans(X, 2, min_size=3)
    assert low.value.largest_min_size == 2
    with pytest.raises(mg.InfeasibleError, match="smallest feasible max_size is 3") as high:
        mg.kmeans(X, 2, max_size=2)
    assert (high.value.k, high.value.smallest_max_size) == (2, 3)
    with pytest.raises(mg.InfeasibleError, match="satisfies the gap bounds; the largest feasible min_size is 1"):
        mg.kmeans(X, 2, mg.LowerOnly(60), centers="means", min_size=2)


@pytest.mark.parametrize(
    "bad", [{"min_size": -1}, {"min_size": np.inf}, {"max_size": 0}, {"min_size": 3, "max_size": 2}]
)
def test_sizes_that_make_no_sense_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(mg.InvalidInputError, match="size"):
        mg.kmeans(X, 2, **bad)


def test_what_takes_no_sizes_says_so() -> None:
    with pytest.raises(mg.InvalidInputError, match="sizes"):
        mg.kmeans(X, 2, method="paper", centers="means", min_size=2)
    with pytest.raises(mg.InvalidInputError, match="sizes"):
        mg.kmeans(mg.Chunks([np.asarray(X)]), 2, min_size=2)


def test_free_centers_hold_sizes_and_gaps() -> None:
    """The gap moves the centres off the means, and the smaller cluster must grow."""
    x = mg.datasets.paper_model("A", 300, rng=1).values
    gap = mg.LowerOnly(1.3 * float(mg.kmeans(x, 2).gaps[0]))
    plain, sized = mg.kmeans(x, 2, gap), mg.kmeans(x, 2, gap, min_size=148)
    assert sized.optimal
    assert sized.sizes.min() >= 148 > plain.sizes.min()
    assert sized.gaps[0] >= gap.delta * (1 - 1e-12)
    assert sized.inertia > plain.inertia
    assert mg.kmeans(x, 2, gap, min_size=int(plain.sizes.min())).labels.tolist() == plain.labels.tolist()
