"""The built-in constraints, and the values that constraints return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindgap as mg


def test_what_the_built_ins_ask() -> None:
    assert mg.LowerOnly(1.5).gaps(3) == mg.GapBounds([1.5, 1.5], [np.inf, np.inf])
    assert mg.TwoSided(1, np.inf).gaps(3) == mg.GapBounds([1, 1])
    assert mg.PerGap([1, 2], [3, np.inf]).gaps(3) == mg.GapBounds([1, 2], [3, np.inf])
    assert mg.LowerOnly(1).gaps(1) == mg.GapBounds([])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: mg.LowerOnly(-1), "delta is -1.0; it must be a number that is not negative"),
        (lambda: mg.LowerOnly(np.nan), "delta is nan; it must be a number that is not negative"),
        (lambda: mg.LowerOnly(np.inf), "delta is inf; it must be finite"),
        (lambda: mg.LowerOnly("wide"), "delta is 'wide'; it must be one number"),  # type: ignore[arg-type]
        (lambda: mg.LowerOnly([1, 2]), r"delta is \[1, 2\]; it must be one number"),  # type: ignore[arg-type]
        (lambda: mg.LowerOnly(True), "delta is True; it must be one number"),
        (lambda: mg.constraint(mg.GapBounds([1])), r"for these bounds on the gaps, PerGap\(lower, upper\)"),  # type: ignore[arg-type]
        (lambda: mg.TwoSided(2, 1), "the lower bound 2.0 of every gap is above its upper bound 1.0"),
        (lambda: mg.TwoSided(1, -1), "upper is -1.0; it must be a number that is not negative"),
        (lambda: mg.TwoSided(np.inf, np.inf), "the lower bound of every gap is inf; it must be finite"),
        (lambda: mg.PerGap([1, -2]), "the lower bound of gap 1 is -2.0; it must be finite and not negative"),
        (lambda: mg.PerGap([1, 2], [3, 1]), "the lower bound 2.0 of gap 1 is above its upper bound 1.0"),
        (lambda: mg.PerGap([1, 2], [3]), "lower has 2 bounds and upper 1; give as many of each"),
        (lambda: mg.PerGap([1, 2], [3, np.nan]), "the upper bound of gap 1 is nan"),
        (lambda: mg.PerGap(1), "lower is a single number"),
        (lambda: mg.PerGap([1, 2]).gaps(2), "2 clusters have 1 gaps, but per-gap has 2 bounds"),
    ],
)
def test_bad_parameters_have_their_own_messages(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        build()


def test_a_wrong_number_of_bounds_is_the_users_fault() -> None:
    with pytest.raises(mg.InvalidInputError, match="3 clusters have 2 gaps, but per-gap has 1 bounds"):
        mg.kmeans([1, 2, 3], 3, mg.PerGap([1]))


def test_values_are_copies_that_cannot_be_changed() -> None:
    lower = np.array([1.0, 2.0])
    bounds, rows = mg.GapBounds(lower), mg.LinearRows([[1, -1]], [0], [1])
    lower[0] = 9
    assert bounds.lower[0] == 1
    for array in (bounds.lower, bounds.upper, rows.matrix, rows.lower, rows.upper, mg.PerGap(lower).lower):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        bounds.lower = lower  # type: ignore[misc]


def test_rows_say_what_the_gaps_say() -> None:
    bounds = mg.GapBounds([1, 2], [3, np.inf])
    rows = bounds.as_rows()
    centers = np.array([0.0, 2.5, 7.0])
    np.testing.assert_array_equal(rows.matrix @ centers, np.diff(centers))
    np.testing.assert_array_equal(rows.lower, bounds.lower)
    np.testing.assert_array_equal(rows.upper, bounds.upper)
    assert rows.k == 3
    assert rows == mg.LinearRows([[-1, 1, 0], [0, -1, 1]], [1, 2], [3, np.inf])
    assert rows != bounds


def test_no_rows_at_all_are_fine() -> None:
    assert len(mg.LinearRows(np.zeros((0, 3)), [], [])) == 0


@pytest.mark.parametrize(
    ("bounds", "single"),
    [
        (mg.GapBounds([2, 2]), 2.0),
        (mg.GapBounds([1, 2]), None),
        (mg.GapBounds([2, 2], [3, np.inf]), None),
        (mg.GapBounds([]), None),
    ],
)
def test_one_lower_bound_for_all_gaps(bounds: mg.GapBounds, single: float | None) -> None:
    assert bounds.single_lower == single


@pytest.mark.parametrize(
    "built", [mg.LowerOnly(1.5), mg.TwoSided(1, 2), mg.PerGap([1, 2]), mg.Ckmeans(), mg.ConstrainedKMeans(1.5, "paper")]
)
def test_what_is_printed_can_be_typed(built: Any) -> None:
    again = eval(repr(built), vars(mg) | {"inf": np.inf})
    assert repr(again) == repr(built)


class First(mg.Constraint):
    """The first centre is where it is said to be."""

    name = "first"

    def __init__(self, place: float) -> None:
        self.place = place

    def rows(self, k: int) -> mg.LinearRows:
        return mg.LinearRows(np.eye(k)[:1], [self.place], [self.place])


def test_constraints_are_combined() -> None:
    x = [0.0, 1.0, 2.0, 5.0, 6.0, 7.5, 9.0]
    both = mg.LowerOnly(2) & mg.PerGap([0, 3], [4, np.inf])
    assert both.gaps(3) == mg.GapBounds([2, 3], [4, np.inf])
    assert mg.kmeans(x, 3, both).inertia == mg.kmeans(x, 3, mg.PerGap([2, 3], [4, np.inf])).inertia
    assert mg.kmeans(x, 3, "lower-only:delta=2 & per-gap:lower=[0,3],upper=[4,inf]").bounds == both.gaps(3)
    assert repr(both) == "LowerOnly(delta=2.0) & PerGap(lower=[0.0, 3.0], upper=[4.0, inf])"
    assert both == mg.LowerOnly(2) & mg.PerGap([0, 3], [4, np.inf])
    rows = First(1.0) & mg.LowerOnly(3) & mg.TwoSided(0, 5)
    for centers in (mg.kmeans(x, 3, rows).centers, mg.mixture(x, 3, rows).means):
        assert centers[0] == pytest.approx(1)
        assert (np.diff(centers) >= 3 - 1e-9).all()
        assert (np.diff(centers) <= 5 + 1e-9).all()
    with pytest.raises(mg.InfeasibleError, match="gap 0 must be at least 3 and at most 2: no gap can"):
        mg.kmeans(x, 3, mg.LowerOnly(3) & mg.TwoSided(0, 2))
    with pytest.raises(TypeError):
        mg.LowerOnly(3) & 2  # type: ignore[operator]


def test_a_part_that_is_broken_is_named() -> None:
    with pytest.raises(mg.PluginError, match=r"constraint 'first' .* built an invalid object in rows\(2\)"):
        mg.kmeans([1.0, 2.0, 3.0], 2, mg.LowerOnly(1) & First(np.nan))


def test_a_part_may_depend_on_the_data() -> None:
    class Deviations(mg.Constraint):
        name = "deviations"

        def prepare(self, sample: mg.Sample) -> mg.Constraint:
            return mg.LowerOnly(sample.variance() ** 0.5)

    x = np.array([0.0, 1.0, 2.0, 5.0, 6.0, 7.5, 9.0])
    fit = mg.mixture(x, 2, Deviations() & mg.TwoSided(0, 100))
    assert fit.bounds == mg.GapBounds([np.std(x)], [100])
    assert fit.constraint is not None


def test_bounds_may_be_zero() -> None:
    assert mg.TwoSided(0.0, 0.0).gaps(2) == mg.GapBounds([0.0], [0.0])
    assert mg.mixture([0.0, 1.0, 5.0, 6.0], 2, mg.TwoSided(0.0, 0.0)).gaps.tolist() == [0.0]


def test_bounds_and_rows_are_equal_only_in_all_their_parts() -> None:
    bounds = mg.GapBounds([1.0, 2.0], [3.0, 4.0])
    assert bounds == mg.GapBounds([1.0, 2.0], [3.0, 4.0])
    for lower, upper in [([1.0, 1.5], [3.0, 4.0]), ([1.0, 2.0], [3.0, 5.0])]:
        assert bounds != mg.GapBounds(lower, upper)
    rows = mg.LinearRows([[1.0, 0.0]], [0.0], [1.0])
    assert rows == mg.LinearRows([[1.0, 0.0]], [0.0], [1.0])
    for other in [([[1.0, 2.0]], [0.0], [1.0]), ([[1.0, 0.0]], [0.5], [1.0]), ([[1.0, 0.0]], [0.0], [2.0])]:
        assert rows != mg.LinearRows(*other)
