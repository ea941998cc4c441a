import numpy as np
import pytest
from mindgap_starts import Multistart

import mindgap as mg
from mindgap import datasets
from mindgap.testing import check_initializer

X = datasets.fish_lengths(800, rng=1).values


def test_it_is_found_by_its_entry_point():
    [record] = [record for record in mg.plugins() if record.name == "multistart"]
    assert (record.kind, record.package) == ("initializer", "mindgap-starts")


def test_it_keeps_what_mindgap_relies_on():
    check_initializer(Multistart(random=1, iterations=2))


def test_it_is_no_worse_than_any_of_its_starts():
    sample = mg.Sample(X)
    chosen = mg.initializer("multistart:random=3").start(sample, 4, None)
    best = mg.mixture(sample, 4, init=chosen, max_iter=1).history[0]
    for name in ("constrained-kmeans", "ckmeans", "quantile"):
        tried = mg.mixture(sample, 4, init=name, max_iter=20)
        assert best >= tried.log_likelihood - 1e-6 * abs(tried.log_likelihood)


def test_one_seed_one_start():
    starts = [
        mg.initializer("multistart", starts=[], random=3, rng=seed).start(mg.Sample(X), 3, None) for seed in (1, 1)
    ]
    for field in ("weights", "means", "variances"):
        np.testing.assert_array_equal(getattr(starts[0], field), getattr(starts[1], field))


def test_a_start_that_the_data_cannot_hold_is_passed_over():
    x, hard = [0.0, 0.1, 0.2, 5.0], mg.LowerOnly(30)
    found = mg.initializer("multistart:starts=[constrained-kmeans,ckmeans],random=0").start(mg.Sample(x), 2, hard)
    assert found.k == 2
    with pytest.raises(mg.InfeasibleError, match="the data hold none of the starts"):
        mg.initializer("multistart:starts=[constrained-kmeans],random=0").start(mg.Sample(x), 2, hard)


def test_it_starts_a_constrained_fit():
    fit = mg.mixture(X, 4, mg.LowerOnly(3), init="multistart")
    assert (fit.gaps >= 3 - 1e-9).all()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("multistart:starts=ckmeans", "starts is 'ckmeans'; give a list of initializers"),
        ("multistart:random=-1", "random is -1; it must be at least 0"),
        ("multistart:iterations=0", "iterations is 0"),
        ("multistart:rng=1.5", r"rng is 1\.5"),
        ("multistart:starts=[],random=0", "there are no starts to try"),
    ],
)
def test_bad_parameters_have_their_own_messages(spec, message):
    with pytest.raises(mg.InvalidInputError, match=message):
        mg.initializer(spec)


def test_an_unknown_start_is_named():
    with pytest.raises(mg.InvalidInputError, match="there is no initializer 'quantle'; did you mean 'quantile'"):
        mg.initializer("multistart:starts=[quantle]").start(mg.Sample(X), 2, None)
