"""Bootstrap intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.datasets import paper_model
from mindgap.inference import refitting
from mindgap.inference.bootstrapping import PARAMETERS

X = paper_model("A", 300, rng=4).values


def same(one: mg.Bootstrap, two: mg.Bootstrap) -> bool:
    pairs = ((getattr(one.replicates, name), getattr(two.replicates, name)) for name in PARAMETERS)
    return one.n_failed == two.n_failed and all(np.array_equal(mine, other) for mine, other in pairs)


@pytest.fixture(scope="module")
def fit() -> mg.MixtureResult:
    return mg.mixture(X, 2, mg.TwoSided(1.5, 2.5))


@pytest.mark.parametrize("x", [None, X])
def test_threads_do_not_matter(fit: mg.MixtureResult, x: Any) -> None:
    one = fit.bootstrap(12, 5, x=x, threads=1)
    assert same(one, fit.bootstrap(12, 5, x=x, threads=4))
    assert same(one, fit.bootstrap(12, 5, x=x))
    assert not same(one, fit.bootstrap(12, 6, x=x))
    # The first replicates are the same, however many follow.
    assert np.array_equal(fit.bootstrap(3, 5, x=x).replicates.means, one.replicates.means[:3])


def test_a_seed_sequence_is_not_used_up(fit: mg.MixtureResult) -> None:
    seed = np.random.SeedSequence(9)
    one = fit.bootstrap(3, seed)
    assert same(one, fit.bootstrap(3, seed))
    assert same(one, fit.bootstrap(3, 9))


@pytest.mark.parametrize("rng", [None, 7, np.random.default_rng(3)])
def test_the_result_says_which_seed_was_used(fit: mg.MixtureResult, rng: Any) -> None:
    one = fit.bootstrap(3, rng)
    assert same(one, fit.bootstrap(3, one.seed))


def test_without_a_seed_the_draws_are_new_ones(fit: mg.MixtureResult) -> None:
    assert not same(fit.bootstrap(3), fit.bootstrap(3))
    assert fit.sample(3)[0].tolist() != fit.sample(3)[0].tolist()


def test_the_order_of_the_data_does_not_matter(fit: mg.MixtureResult) -> None:
    shuffled = np.random.default_rng(0).permutation(X)
    assert same(fit.bootstrap(5, 1, x=X), fit.bootstrap(5, 1, x=shuffled))


def test_weights_are_so_many_points(fit: mg.MixtureResult) -> None:
    values, counts = np.round(X, 1), np.arange(len(X)) % 3
    one = fit.bootstrap(5, 1, x=values, sample_weight=counts)
    two = fit.bootstrap(5, 1, x=np.repeat(values, counts))
    np.testing.assert_allclose(one.replicates.means, two.replicates.means, rtol=1e-9)


def test_every_replicate_holds_the_constraint(fit: mg.MixtureResult) -> None:
    drawn = fit.bootstrap(20, 2)
    assert len(drawn) + drawn.n_failed == 20
    assert (drawn.replicates.gaps >= 1.5 - 1e-9).all()
    assert (drawn.replicates.gaps <= 2.5 + 1e-9).all()
    np.testing.assert_allclose(np.diff(drawn.replicates.means, axis=1), drawn.replicates.gaps)


def test_a_replicate_is_a_refit_of_a_draw(fit: mg.MixtureResult) -> None:
    [stream] = np.random.SeedSequence(3).spawn(1)
    values, _ = fit.sample(len(X), np.random.default_rng(stream))
    start = mg.Parameters(fit.weights, fit.means, fit.variances)
    refit = mg.mixture(values, 2, mg.TwoSided(1.5, 2.5), init=start)
    assert fit.bootstrap(1, 3).replicates.means[0].tolist() == refit.means.tolist()


def test_intervals() -> None:
    single = mg.mixture(X, 1)
    drawn = single.bootstrap(400, 1)
    [[low, high]] = drawn.interval(0.95).means
    error = float(np.sqrt(single.variances[0] / len(X)))
    assert low == pytest.approx(single.means[0] - 1.96 * error, abs=0.5 * error)
    assert high == pytest.approx(single.means[0] + 1.96 * error, abs=0.5 * error)
    assert drawn.standard_errors().means[0] == pytest.approx(error, rel=0.2)
    narrow = drawn.interval(0.5).means[0]
    assert low < narrow[0] < narrow[1] < high
    assert drawn.interval().gaps.shape == (0, 2)


def test_general_rows_are_kept() -> None:
    class Even(mg.Constraint):
        name = "even"

        def rows(self, k: int) -> mg.LinearRows:
            return mg.LinearRows(np.diff(np.eye(k), n=2, axis=0), np.zeros(k - 2), np.zeros(k - 2))

    fit = mg.mixture(paper_model("B", 300, rng=1).values, 3, Even())
    drawn = fit.bootstrap(4, 0)
    assert len(drawn) > 0
    np.testing.assert_allclose(drawn.replicates.gaps[:, 0], drawn.replicates.gaps[:, 1], atol=1e-8)
    read = mg.MixtureResult.from_json(fit.to_json())
    assert isinstance(read.rows, mg.LinearRows)
    assert read.rows == fit.rows
    assert same(read.bootstrap(3, 1), fit.bootstrap(3, 1))
    with pytest.raises(mg.InvalidInputError, match="bad 'matrix'"):
        mg.MixtureResult.from_json(fit.to_json().replace('"matrix": [1.0, ', '"matrix": ['))


def test_after_json(fit: mg.MixtureResult) -> None:
    read = mg.MixtureResult.from_json(fit.to_json())
    assert read.settings == fit.settings
    assert same(read.bootstrap(3, 1), fit.bootstrap(3, 1))
    free = mg.mixture(X, 2, variances="equal", min_variance=0.01, tol=1e-4)
    assert mg.MixtureResult.from_json(free.to_json()).settings == free.settings


def test_settings_that_were_tampered_with(fit: mg.MixtureResult) -> None:
    text = fit.to_json()
    with pytest.raises(mg.InvalidInputError, match="bad 'variances'"):
        mg.MixtureResult.from_json(text.replace('"variances": "free"', '"variances": "wild"'))
    with pytest.raises(mg.InvalidInputError, match="bad 'tol'"):
        mg.MixtureResult.from_json(text.replace('"tol": null', '"tol": "small"'))


def test_failures_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two far groups, one of two points: a resample without two different ones of them collapses.
    x = np.concatenate([np.random.default_rng(0).normal(size=50), [100.0, 101.0]])
    drawn = mg.mixture(x, 2).bootstrap(30, 0, x=x)
    assert 0 < drawn.n_failed < 30
    assert len(drawn) == 30 - drawn.n_failed
    assert f"{drawn.n_failed} more failed" in drawn.summary()


def test_a_refit_without_memory_is_none_that_failed(fit: mg.MixtureResult, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise mg.OutOfMemoryError("the mixture would take 9 GB")

    monkeypatch.setattr(refitting, "mixture", full)
    with pytest.raises(mg.OutOfMemoryError, match="9 GB"):
        fit.bootstrap(2)


def test_replicates_beyond_measure_are_refused_before_they_are_begun(
    fit: mg.MixtureResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Begun(np.random.SeedSequence):
        def spawn(self, n: int) -> Any:
            raise AssertionError("so many random streams fill the memory")

    monkeypatch.setattr(np.random, "SeedSequence", Begun)
    for n in (10**6 + 1, 10**12):
        with pytest.raises(mg.InvalidInputError, match=f"n is {n}; more than 1000000 draws"):
            fit.bootstrap(n, 0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n": 0}, "n is 0"),
        ({"rng": -1}, "rng is -1"),
        ({"rng": 1.5}, "rng is 1.5"),
        ({"rng": "1"}, "rng is '1'"),
        ({"threads": 0}, "threads is 0"),
        ({"size": 0}, "size is 0"),
        ({"sample_weight": [1.0]}, "give x as well"),
        ({"x": [np.nan]}, "NaN at index 0"),
    ],
)
def test_bad_input(fit: mg.MixtureResult, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(mg.InvalidInputError, match=message):
        fit.bootstrap(**{"n": 2, "rng": 0, **settings})


@pytest.mark.parametrize("level", [0, 1, -0.5, 95])
def test_bad_level(fit: mg.MixtureResult, level: float) -> None:
    with pytest.raises(mg.InvalidInputError, match="level is"):
        fit.bootstrap(2, 0).interval(level)


def test_faces(fit: mg.MixtureResult, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = fit.bootstrap(5, 1, progress=True)
    assert capsys.readouterr().err.rstrip().endswith("] 5/5")
    assert repr(drawn) == f"Bootstrap({len(drawn)} replicates, {drawn.n_failed} failed, k=2)"
    assert drawn.summary().splitlines()[-1].startswith("95% intervals from")
    frame = drawn.to_frame(0.9)
    names = ["weight 0", "weight 1", "mean 0", "mean 1", "variance 0", "variance 1", "gap 0"]
    assert frame["parameter"].tolist() == names
    assert frame["low"].tolist()[2:4] == drawn.interval(0.9).means[:, 0].tolist()
    seen: list[int] = []
    fit.bootstrap(3, 1, progress=lambda done, total: seen.append(done))
    assert seen == [1, 2, 3]
