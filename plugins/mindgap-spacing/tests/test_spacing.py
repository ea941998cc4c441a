import numpy as np
import pytest
from mindgap_spacing import EqualSpacing, GeometricGaps

import mindgap as mg
from mindgap.testing import check_constraint


def held_by(constraint, centers):
    rows = constraint.rows(len(centers))
    values = rows.matrix @ np.asarray(centers, dtype=float)
    tolerance = 1e-12 * max(1, np.max(np.abs(centers)))
    return bool(np.all(values >= rows.lower - tolerance) and np.all(values <= rows.upper + tolerance))


@pytest.mark.parametrize(
    "constraint",
    [EqualSpacing(), EqualSpacing(2), EqualSpacing(np.float32(1.5)), GeometricGaps(0.5), GeometricGaps(3)],
    ids=repr,
)
def test_they_keep_what_mindgap_relies_on(constraint):
    check_constraint(constraint)


def test_they_are_found_by_their_entry_point():
    found = {record.name: record for record in mg.plugins() if record.package == "mindgap-spacing"}
    assert set(found) == {"equal-spacing", "geometric-gaps"}
    assert found["equal-spacing"].parameters == ("spacing=None",)
    assert found["geometric-gaps"].parameters == ("ratio",)


@pytest.mark.parametrize(
    ("spec", "good", "bad"),
    [
        ("equal-spacing", [1, 3, 5, 7], [1, 3, 5, 8]),
        ("equal-spacing:spacing=2", [1, 3, 5, 7], [1, 4, 7, 10]),
        ("geometric-gaps:ratio=0.5", [0, 8, 12, 14], [0, 8, 12, 15]),
        ("geometric-gaps:ratio=1", [0, 8, 16, 24], [0, 8, 12, 14]),
    ],
)
def test_the_rows_say_what_the_name_says(spec, good, bad):
    assert held_by(mg.constraint(spec), good)
    assert not held_by(mg.constraint(spec), bad)


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_the_number_of_rows(k):
    assert mg.constraint("equal-spacing").rows(k).matrix.shape == (max(k - 2, 0), k)
    assert mg.constraint("equal-spacing:spacing=2").rows(k).matrix.shape == (k - 1, k)
    assert mg.constraint("geometric-gaps:ratio=2").rows(k).matrix.shape == (max(k - 2, 0), k)


def test_on_two_gaps_it_is_the_row_written_by_hand():
    assert mg.constraint("equal-spacing").rows(3) == mg.LinearRows([[1, -2, 1]], [0], [0])
    assert mg.constraint("geometric-gaps:ratio=3").rows(3) == mg.LinearRows([[3, -4, 1]], [0], [0])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("equal-spacing:spacing=-1", "spacing is -1; it must be finite and not negative"),
        ("equal-spacing:spacing=nan", "spacing is nan"),
        ("equal-spacing:spacing=[1,2]", r"spacing is \[1, 2\]"),
        ("geometric-gaps:ratio=0", "ratio is 0; it must be finite and positive"),
        ("geometric-gaps:ratio=inf", "ratio is inf"),
        ("geometric-gaps:ratio=half", "ratio is 'half'"),
        ("geometric-gaps", "needs the parameter 'ratio'"),
    ],
)
def test_bad_parameters_have_their_own_messages(spec, message):
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.constraint(spec)
