"""Bounds on a scale unrelated to the data are refused before any work."""

from __future__ import annotations

import numpy as np
import pytest

import mindgap as mg

X = np.random.default_rng(1).normal(0, 3, 200)


class Pinned(mg.Constraint):
    """The first mean between two numbers."""

    name = "pinned"

    def __init__(self, lower: float, upper: float) -> None:
        self.bounds = lower, upper

    def rows(self, k: int) -> mg.LinearRows:
        return mg.LinearRows(np.eye(k)[:1], [self.bounds[0]], [self.bounds[1]])


@pytest.mark.parametrize("bound", [1e9, 1e155, 1e300])
def test_lower_bounds_of_gaps(bound: float) -> None:
    with pytest.raises(mg.InvalidInputError, match=r"gap 0 .* a million times the data's range"):
        mg.kmeans(X, 3, mg.LowerOnly(bound), centers="free")
    for init in ("ckmeans", ([0.2, 0.3, 0.5], [-1, 0, 1], [1, 1, 1])):
        with pytest.raises(mg.InvalidInputError, match=r"gap 1 .* a million times the data's range"):
            mg.mixture(X, 3, mg.PerGap([1, bound]), init=init)
    # Cluster means cannot leave the data: there is no partition, and the largest bound is worth saying.
    with pytest.raises(mg.InfeasibleError, match="largest feasible"):
        mg.kmeans(X, 3, mg.LowerOnly(bound), centers="means")


@pytest.mark.parametrize(("lower", "upper"), [(1e9, np.inf), (-np.inf, -1e300), (1e300, 1e300)])
def test_rows(lower: float, upper: float) -> None:
    with pytest.raises(mg.InvalidInputError, match=r"row 0 .* a million times the data's range"):
        mg.mixture(X, 3, Pinned(lower, upper), init="ckmeans")
    with pytest.raises(mg.InvalidInputError, match=r"row 0 .* a million times the data's range"):
        mg.kmeans(X, 3, Pinned(lower, upper))


def test_bounds_that_hold_nothing_back_may_be_as_far_as_they_like() -> None:
    free = mg.kmeans(X, 3, mg.LowerOnly(1.0), centers="free")
    wide = mg.kmeans(X, 3, mg.TwoSided(1.0, 1e300), centers="free")
    assert wide.inertia == pytest.approx(free.inertia, rel=1e-9)
    bound = mg.mixture(X, 3, mg.LowerOnly(3.0), init="ckmeans")
    for upper in (1e9, 1e300):
        loose = mg.mixture(X, 3, mg.TwoSided(3.0, upper), init="ckmeans")
        assert loose.means == pytest.approx(bound.means, rel=1e-9)
        mg.mixture(X, 3, Pinned(-1e300, upper), init="ckmeans")


def test_an_equality_far_smaller_than_the_gaps_beside_it_is_met() -> None:
    x = np.concatenate([[0.0, 1.0, 2.0], 1e9 + np.arange(5), 3e9 + np.arange(4)])
    lower = np.array([1.9999999979e9, 2.1690903902053833, 2.00000000002e9])
    fit = mg.mixture(x, 4, mg.PerGap(lower, [np.inf, lower[1], np.inf]), init="ckmeans", max_iter=20)
    assert np.all(fit.gaps >= lower - 1e-10 * np.ptp(x))


def test_equalities_that_agree_only_to_rounding_are_no_clash() -> None:
    rng = np.random.default_rng(2)

    class Twice(mg.Constraint):
        name = "twice"

        def __init__(self, matrix: list[list[float]], level: list[float]) -> None:
            self.parts = matrix, level, level

        def rows(self, k: int) -> mg.LinearRows:
            return mg.LinearRows(*self.parts)

    for _ in range(200):
        x = rng.normal(0, 1, 50) + 10.0 ** rng.uniform(0, 9)
        point = np.sort(rng.choice(x, 3, replace=False))
        rows = rng.normal(0, 1, (2, 3)) * 10.0 ** rng.uniform(-3, 3, (2, 1))
        matrix = np.vstack([rows, 0.3 * rows[0] + 0.7 * rows[1]])
        level = matrix @ point
        fit = mg.mixture(x, 3, Twice(matrix.tolist(), level.tolist()), init="ckmeans", max_iter=5)
        size = np.abs(matrix).sum(axis=1)
        assert np.all(np.abs(matrix @ fit.means - level) <= size * (1e-10 * np.ptp(x) + 1e-14 * np.abs(x).max()))
