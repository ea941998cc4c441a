"""The number of components by an information criterion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.datasets import paper_model
from mindgap.inference.selecting import CRITERIA

X = paper_model("C", 400, rng=3).values


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_path_is_that_of_single_fits(criterion: Any) -> None:
    path = mg.select(X, [3, 1, 2, 2], mg.LowerOnly(1.5), criterion=criterion)
    assert path.ks == (1, 2, 3)
    singles = [mg.mixture(X, k, mg.LowerOnly(1.5)) for k in (1, 2, 3)]
    assert path.values.tolist() == [getattr(single, criterion) for single in singles]
    best = int(np.argmin(path.values))
    assert path.best == path.ks[best]
    assert path.best_result.means.tolist() == singles[best].means.tolist()
    assert path.reasons == (None, None, None)


def test_separated_groups_are_counted() -> None:
    x = np.concatenate([np.random.default_rng(1).normal(10 * group, 1, 100) for group in range(4)])
    for criterion in ("bic", "icl"):
        assert mg.select(x, criterion=criterion).best == 4


def test_order_and_weights() -> None:
    weights = np.random.default_rng(5).integers(0, 4, len(X))
    one = mg.select(X, range(1, 4), sample_weight=weights)
    two = mg.select(np.repeat(X, weights)[::-1], range(1, 4))
    np.testing.assert_allclose(one.values, two.values, rtol=1e-9)


def test_settings_reach_the_fits() -> None:
    path = mg.select(X, [2, 3], variances="equal", max_iter=2)
    for result in path.results:
        assert result is not None
        assert len(set(result.variances.tolist())) == 1
        assert result.n_iter <= 2


def test_what_cannot_be_fitted_is_recorded() -> None:
    path = mg.select(X, range(1, 5), mg.PerGap([1.0]))
    assert path.best == 2
    assert [result is None for result in path.results] == [True, False, True, True]
    assert np.isnan(path.values).tolist() == [True, False, True, True]
    assert path.reasons[2] is not None
    assert "3 clusters have 2 gaps" in path.reasons[2]
    assert "3 clusters have 2 gaps" in path.summary()


def test_a_collapsed_fit_is_never_the_best() -> None:
    x = np.concatenate([np.zeros(40), np.random.default_rng(0).normal(5, 1, 60)])
    path = mg.select(x, [1, 2], method="paper")
    collapsed = path.results[1]
    assert collapsed is not None
    assert collapsed.status == "collapsed"
    assert path.values[1] < path.values[0]
    assert path.best == 1
    assert path.reasons == (None, collapsed.message)


def test_nothing_fits() -> None:
    with pytest.raises(mg.InvalidInputError, match="k = 4: 4 clusters have 3 gaps"):
        mg.select(X, [3, 4], mg.PerGap([1.0]))
    with pytest.raises(mg.InvalidInputError, match=r"^the data hold NaN at index 0"):
        mg.select([float("nan"), 1.0])
    with pytest.raises(mg.InvalidInputError, match=r"^tol is"):
        mg.select(X, [1, 2], tol="small")


def test_a_broken_plugin_is_not_hidden() -> None:
    class Broken(mg.Constraint):
        name = "broken"

        def gaps(self, k: int) -> mg.GapBounds:
            raise RuntimeError("out of order")

    with pytest.raises(mg.PluginError, match="out of order"):
        mg.select(X, [1, 2], Broken())


@pytest.mark.parametrize(
    ("k", "message"),
    [
        ([], "k is empty"),
        (3, "k is 3; give the numbers"),
        ("123", "k is '123'; give the numbers"),
        ([0, 1], "k is 0; it must be at least 1"),
        ([1.5], "k is 1.5; it must be an integer"),
    ],
)
def test_bad_numbers(k: Any, message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.select(X, k)


def test_bad_criterion_and_settings() -> None:
    with pytest.raises(mg.InvalidInputError, match="criterion is 'cv'"):
        mg.select(X, criterion="cv")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        mg.select(X, [1], speed="fast")


def test_faces() -> None:
    path = mg.select(X, range(1, 4))
    assert repr(path).startswith(f"Selection(best={path.best}, bic=")
    lines = path.summary().splitlines()
    assert len(lines) == 4
    assert max(map(len, lines)) <= 80
    assert "best" in lines[path.best]
    frame = path.to_frame()
    assert frame["k"].tolist() == [1, 2, 3]
    assert frame["bic"].tolist() == path.values.tolist()
    assert frame["best"].tolist() == [k == path.best for k in path.ks]


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    mg.select(X, [1, 2], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_a_criterion_of_ones_own() -> None:
    def penalised(fit: mg.MixtureResult) -> float:
        return -2 * fit.log_likelihood + 1e6 * abs(fit.k - 3)

    path = mg.select(X, range(1, 5), criterion=penalised)
    assert (path.best, path.criterion) == (3, "penalised")
    assert path.values.tolist() == [penalised(result) for result in path.results if result is not None]
    assert "PENALISED" in path.summary()
    assert path.to_frame()["penalised"].tolist() == path.values.tolist()
    undefined = mg.select(X, [1, 2], criterion=lambda fit: np.nan if fit.k == 1 else 0.0)
    assert (undefined.best, undefined.reasons) == (2, ("its criterion is NaN", None))
    with pytest.raises(mg.InvalidInputError, match="of the fit with k = 1 is 'low'; it must be one number"):
        mg.select(X, [1], criterion=lambda fit: "low")  # type: ignore[arg-type, return-value]
