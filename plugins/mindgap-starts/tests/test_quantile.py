import numpy as np
import pytest
from mindgap_starts import Quantile

import mindgap as mg
from mindgap.testing import check_initializer


def start(values, k, weights=None):
    return mg.initializer("quantile").start(mg.Sample(values, weights), k, None)


def test_it_is_found_by_its_entry_point():
    [record] = [record for record in mg.plugins() if record.package == "mindgap-starts" and record.name == "quantile"]
    assert (record.kind, record.status, record.parameters) == ("initializer", "loaded", ())


def test_it_keeps_what_mindgap_relies_on():
    check_initializer(Quantile())


def test_slices_weigh_the_same():
    found = start(np.arange(12.0), 3)
    np.testing.assert_allclose(found.weights, 1 / 3)
    np.testing.assert_allclose(found.means, [1.5, 5.5, 9.5])
    np.testing.assert_allclose(found.variances, 1.25)


def test_whole_weights_are_repetitions():
    values, counts = np.array([0.0, 1.0, 5.0, 6.0]), np.array([2.0, 1.0, 2.0, 1.0])
    weighted, repeated = start(values, 2, counts), start(np.repeat(values, counts.astype(int)), 2)
    np.testing.assert_allclose(weighted.means, repeated.means)
    np.testing.assert_allclose(weighted.variances, repeated.variances)


def test_one_heavy_point_leaves_no_slice_empty():
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(1, 12))
        k = int(rng.integers(1, n + 1))
        weights = rng.choice([1e-9, 1.0, 1e9], n)
        found = start(np.sort(rng.integers(0, 6, n)).astype(float), k, weights)
        assert found.k == k


def test_more_slices_than_points_are_refused():
    with pytest.raises(mg.InvalidInputError, match="k is 4, but there are only 3 points"):
        start([1.0, 2.0, 3.0], 4)
