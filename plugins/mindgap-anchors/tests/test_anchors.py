import numpy as np
import pytest
from mindgap_anchors import FixedMeans, MeanBounds, RatioRange

import mindgap as mg
from mindgap.testing import check_constraint


def held_by(constraint, centers):
    rows = constraint.rows(len(centers))
    values = rows.matrix @ np.asarray(centers, dtype=float)
    return bool(np.all(values >= rows.lower - 1e-12) and np.all(values <= rows.upper + 1e-12))


@pytest.mark.parametrize(
    ("constraint", "ks"),
    [
        (FixedMeans([1, None, 25]), range(1, 6)),
        (MeanBounds(lower=[0, 15, None], upper=[5, None, 40]), range(1, 6)),
        (RatioRange(1.5, 2.5, first=1, second=2), range(1, 6)),
    ],
    ids=repr,
)
def test_they_keep_what_mindgap_relies_on(constraint, ks):
    check_constraint(constraint, ks=ks)


def test_they_are_found_by_their_entry_point():
    found = {record.name: record.parameters for record in mg.plugins() if record.package == "mindgap-anchors"}
    assert found == {
        "fixed-means": ("means",),
        "mean-bounds": ("lower=None", "upper=None"),
        "ratio-range": ("lower", "upper", "first=0", "second=1"),
    }


@pytest.mark.parametrize(
    ("spec", "good", "bad"),
    [
        ("fixed-means:means=[1,none,5]", [1, 2, 5], [1, 2, 6]),
        ("fixed-means:means=[none,none]", [1, 2], None),
        ("mean-bounds:lower=[0,2],upper=[1,3]", [1, 2], [1.1, 2]),
        ("mean-bounds:lower=[none,2]", [-100, 2], [0, 1.9]),
        ("mean-bounds:upper=[inf,2]", [1.5, 2], [1, 2.1]),
        ("ratio-range:lower=1.9,upper=2.1", [1, 2], [1, 2.2]),
        ("ratio-range:lower=1.9,upper=2.1", [10, 19], [10, 18.9]),
        ("ratio-range:lower=2,upper=inf", [1, 200], [1, 1.9]),
        ("ratio-range:lower=2,upper=2,first=1,second=2", [0.5, 1, 2], [1, 2, 5]),
    ],
)
def test_the_rows_say_what_the_name_says(spec, good, bad):
    assert held_by(mg.constraint(spec), good)
    assert bad is None or not held_by(mg.constraint(spec), bad)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fixed-means:means=3", "means is 3; it must be a list of numbers and none"),
        ("fixed-means:means=[a]", r"means\[0\] is 'a'; it must be one number"),
        ("fixed-means:means=[nan]", "those that are known must be finite"),
        ("fixed-means:means=[2,none,1]", "those that are known must ascend"),
        ("mean-bounds", "neither lower nor upper bounds"),
        ("mean-bounds:lower=[1,2],upper=[3]", "2 lower and 1 upper bounds; give as many of each"),
        ("mean-bounds:lower=[1,2],upper=[3,1]", "centre 1 cannot be between 2.0 and 1.0"),
        ("mean-bounds:lower=[nan]", "centre 0 cannot be between nan and inf"),
        ("mean-bounds:lower=[a]", r"lower\[0\] is 'a'; it must be one number"),
        ("ratio-range:lower=-1,upper=2", "lower is -1; it must be finite and not negative"),
        ("ratio-range:lower=1,upper=nan", "no ratio is between lower = 1 and upper = nan"),
        ("ratio-range:lower=2,upper=1", "no ratio is between lower = 2 and upper = 1"),
        ("ratio-range:lower=1,upper=2,first=1", "first is 1 and second is 1"),
    ],
)
def test_bad_parameters_have_their_own_messages(spec, message):
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.constraint(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fixed-means:means=[1,2]", "3 centres need 3 entries, but fixed-means has 2"),
        ("mean-bounds:lower=[1,2]", "3 centres need 3 bounds, but mean-bounds has 2"),
        ("ratio-range:lower=1,upper=2,second=3", "there is no centre 3 among 3"),
    ],
)
def test_another_number_of_centres_is_refused(spec, message):
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.constraint(spec).rows(3)
