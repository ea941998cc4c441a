"""Fits along a growing bound on the gaps."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mindgap as mg
from mindgap.datasets import paper_model

X = paper_model("B", 400, rng=2).values


def test_each_fit_is_at_least_that_of_mixture_and_of_a_warm_start() -> None:
    path = mg.gap_path(X, 3, [2.5, 0, 2])
    assert path.deltas.tolist() == [0, 2, 2.5]
    fit = path.results[0]
    for delta, result in zip(path.deltas[1:], path.results[1:], strict=True):
        warm = mg.mixture(X, 3, mg.LowerOnly(delta), init=(fit.weights, fit.means, fit.variances))
        alone = mg.mixture(X, 3, mg.LowerOnly(delta))
        assert result.log_likelihood >= max(warm.log_likelihood, alone.log_likelihood)
        fit = result


def test_a_component_that_a_warm_start_loses_comes_back() -> None:
    x = paper_model("B", 400, rng=0).values
    free = mg.mixture(x, 3, mg.LowerOnly(0))
    warm = mg.mixture(x, 3, mg.LowerOnly(2), init=(free.weights, free.means, free.variances))
    assert warm.status == "lost-weight"
    found = mg.gap_path(x, 3, [0, 2]).results[1]
    assert found.status != "lost-weight"
    assert found.weights.min() > 1e-3
    assert found.log_likelihood > warm.log_likelihood


def test_where_it_bites() -> None:
    path = mg.gap_path(X, 3, np.linspace(0, 4, 17))
    bites = path.bites_at
    assert bites is not None
    free = path.results[0]
    assert bites > free.gaps.min() - 1e-6
    for delta, result, count in zip(path.deltas, path.results, path.n_active, strict=True):
        assert (result.gaps >= delta - 1e-9).all()
        assert (count > 0) == bool((np.abs(result.gaps - delta) < 1e-9).any())
        assert (count > 0) <= (delta >= bites)
    assert mg.gap_path(X, 3, [0, 1e-3]).bites_at is None


def test_the_likelihood_never_rises_along_the_path() -> None:
    for seed in range(4):
        x = paper_model("B", 300, rng=seed).values
        path = mg.gap_path(x, 3, np.linspace(0, 4, 9))
        assert (np.diff(path.log_likelihoods) <= 1e-7).all()
        for delta, result in zip(path.deltas, path.results, strict=True):
            assert (result.gaps >= delta - 1e-9).all()
            assert result.log_likelihood >= mg.mixture(x, 3, mg.LowerOnly(delta)).log_likelihood - 1e-9


def test_width_bounds_the_gaps_above() -> None:
    path = mg.gap_path(X, 3, [1, 3], width=0.25)
    assert path.width == 0.25
    for delta, result in zip(path.deltas, path.results, strict=True):
        assert (result.gaps >= delta - 1e-9).all()
        assert (result.gaps <= delta + 0.25 + 1e-9).all()


def test_a_path_with_a_width_does_not_claim_that_small_bounds_change_nothing() -> None:
    path = mg.gap_path(X, 3, [0, 1], width=0.25)
    assert path.results[0].gaps.max() <= 0.25 + 1e-9
    assert path.bites_at is None
    assert path.summary().endswith("every gap is at most delta + 0.25; no gap is at its lower bound")
    wide = mg.gap_path(X, 3, [0, 100], width=0.25)
    assert wide.bites_at == 100
    assert wide.summary().endswith("from delta = 100 on a gap is at its lower bound")
    for drawn, text in ((path, "no gap is equal to δ"), (wide, "a gap is equal to δ from δ = 100")):
        axes = drawn.plot()
        titles = [ax.get_title(loc="left") for ax in axes.figure.axes]
        plt.close("all")
        assert text in titles


def test_the_grid_of_its_own() -> None:
    path = mg.gap_path(X, 3)
    assert len(path.deltas) == 21
    assert (path.deltas[0], path.deltas[-1]) == (0, (X.max() - X.min()) / 2)
    assert mg.gap_path(X, 1, 3).bites_at is None
    assert mg.gap_path(X, 2, 1).deltas.tolist() == [0]


def test_settings_and_the_first_start() -> None:
    start = mg.Parameters([0.2, 0.8], [0.0, 1.0], [1.0, 1.0])
    path = mg.gap_path(X, 2, [0], init=start, max_iter=1)
    assert path.results[0].means.tolist() == mg.mixture(X, 2, mg.LowerOnly(0), init=start, max_iter=1).means.tolist()
    weights = np.arange(len(X)) % 3
    weighted = mg.gap_path(X, 2, [1], sample_weight=weights)
    assert weighted.results[0].total_weight == weights.sum()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"deltas": []}, "deltas is empty"),
        ({"deltas": [-1]}, "finite and not negative"),
        ({"deltas": [np.nan]}, "finite and not negative"),
        ({"deltas": [np.inf]}, "finite and not negative"),
        ({"deltas": ["a"]}, "deltas has dtype"),
        ({"deltas": 0}, "deltas is 0; it must be at least 1"),
        ({"deltas": [1], "width": -1}, "-1.0; it must be"),
        ({"k": 0}, "k is 0"),
    ],
)
def test_bad_input(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.gap_path(X, **{"k": 3, **settings})


def test_faces() -> None:
    path = mg.gap_path(X, 3, [0, 1, 2, 3])
    assert repr(path).startswith("GapPath(k=3, 4 deltas from 0 to 3, bites_at=")
    lines = path.summary().splitlines()
    assert len(lines) == 6
    assert lines[-1] == path.table().notes[0]
    frame = path.to_frame()
    assert frame["delta"].tolist() == [0, 1, 2, 3]
    assert frame["mean_2"].tolist() == path.means[:, 2].tolist()
    seen: list[tuple[int, int]] = []
    mg.gap_path(X, 2, [0, 1], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_a_constraint_is_held_at_every_delta() -> None:
    x = np.concatenate([np.linspace(-1, 1, 40), np.linspace(4, 7, 40), np.linspace(9, 10, 40)])
    held = mg.TwoSided(3.75, 5.0)
    path = mg.gap_path(x, 3, 5, held)
    assert path.constraint == held
    assert path.deltas.tolist() == [0.0, 1.25, 2.5, 3.75, 5.0]
    assert path.results[0].log_likelihood == pytest.approx(mg.mixture(x, 3, held).log_likelihood, abs=1e-6)
    for delta, fit in zip(path.deltas, path.results, strict=True):
        assert (fit.gaps >= max(delta, 3.75) - 1e-9).all()
        assert (fit.gaps <= 5.0 + 1e-9).all()
    assert path.bites_at is not None
    assert path.bites_at > 3.75
    assert path.n_active[0] == 0


def test_a_path_ends_where_the_constraint_ends_it() -> None:
    class Even(mg.Constraint):
        name = "even"

        def rows(self, k: int) -> mg.LinearRows:
            return mg.LinearRows([[-1.0, 1.0]], [2.0], [3.0])

    x = np.concatenate([np.linspace(-1, 1, 40), np.linspace(4, 7, 40)])
    path = mg.gap_path(x, 2, 9, Even())
    assert 0 < path.deltas[-1] <= 3
    assert len(path.deltas) == len(path.results) < 9
    with pytest.raises(mg.InfeasibleError):
        mg.gap_path(x, 2, [1.0, 4.0], Even())


def test_weights_and_spreads_are_held_too() -> None:
    x = np.concatenate([np.linspace(-1, 1, 40), np.linspace(4, 7, 40)])
    for fit in mg.gap_path(x, 2, [0, 1, 7], "equal-spreads").results:
        assert fit.variances[0] == fit.variances[1]
