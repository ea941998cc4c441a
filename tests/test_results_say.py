"""What results print, and which of their arguments are refused."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mindgap as mg
from mindgap.results.gap_text import gap_states

X = [0.0, 1.0, 2.0, 10.0, 11.0, 12.5]


class Elsewhere(mg.Engine):
    """Holds the data itself, and does not classify them."""

    name = "elsewhere"

    def load(self, x: Any, sample_weight: Any = None) -> mg.Sample:
        self._local = mg.Local()
        return self._local.load(x, sample_weight)

    def moments(self, weights: Any, means: Any, variances: Any) -> mg.Moments:
        found = self._local.moments(weights, means, variances)
        return mg.Moments(found.weight, found.first, found.second, found.log_likelihood)


def test_they_are_short_in_a_console() -> None:
    kmeans, mixture = mg.kmeans(X, 2), mg.mixture(X, 2)
    assert repr(kmeans) == "KMeansResult(k=2, inertia=5.16667, centers=[ 1.      , 11.166667], optimal=True)"
    assert repr(mixture).startswith("MixtureResult(k=2, log_likelihood=-")
    assert repr(mixture).endswith("status='converged')")


def test_points_that_are_none_are_not_predicted() -> None:
    with pytest.raises(mg.InvalidInputError, match="x holds nan at index 1"):
        mg.kmeans(X, 2).predict([1.0, np.nan])
    assert mg.kmeans(X, 2).predict([-np.inf, np.inf]).tolist() == [0, 1]
    for ask in ("predict", "predict_proba", "score_samples", "score"):
        with pytest.raises(mg.InvalidInputError, match="x holds inf at index 0"):
            getattr(mg.mixture(X, 2), ask)([np.inf, 1.0])


def test_what_an_engine_does_not_say_is_not_known() -> None:
    fit = mg.mixture(X, 2, engine=Elsewhere(), init=([0.5, 0.5], [1.0, 11.0], [1.0, 1.0]))
    assert fit.means == pytest.approx(mg.mixture(X, 2).means, rel=1e-6)
    assert np.isfinite(fit.bic)
    with pytest.raises(mg.InvalidInputError, match="icl is not known"):
        print(fit.icl)
    assert mg.kmeans(X, 2, engine=Elsewhere()).centers.tolist() == mg.kmeans(X, 2).centers.tolist()
    with pytest.raises(mg.InvalidInputError, match="the range of the data is not known with this engine"):
        mg.gap_path(X, 2, engine=Elsewhere())


class Failing(Elsewhere):
    """Loses its data after two iterations."""

    calls = 0

    def moments(self, weights: Any, means: Any, variances: Any) -> mg.Moments:
        self.calls += 1
        if self.calls > 2:
            raise ConnectionError("the data are gone")
        return super().moments(weights, means, variances)


def test_an_engine_that_fails_in_the_middle_is_named() -> None:
    start = ([0.5, 0.5], [1.0, 9.0], [1.0, 1.0])
    with pytest.raises(
        mg.PluginError, match=r"'elsewhere' .* raised ConnectionError in (moments|finish): the data are gone"
    ):
        mg.mixture(X, 2, engine=Failing(), init=start)


def test_a_sample_knows_its_weight() -> None:
    assert mg.Sample(X).total_weight == 6.0
    assert mg.Sample(X, [0.5, 1, 1, 1, 0, 0.25]).total_weight == 3.75


def test_a_comparison_by_bootstrap_says_so() -> None:
    held = mg.mixture(X, 2, mg.LowerOnly(10.5))
    free = mg.mixture(X, 2, init=(held.weights, held.means, held.variances))
    assert "bootstrap" not in mg.compare(held, free).summary()
    assert "bootstrap" in mg.compare(held, free, n_bootstrap=5, rng=1).summary()


def test_a_fit_without_its_settings_is_not_fitted_again() -> None:
    stored = mg.MixtureResult.from_json(mg.mixture(X, 2, mg.LowerOnly(10.5)).to_json())
    forgotten = mg.MixtureResult(**{**vars(stored), "settings": None})
    with pytest.raises(mg.InvalidInputError, match="lacks its constraint or settings"):
        forgotten.bootstrap(3)


def test_numbers_beyond_the_largest_double_are_refused() -> None:
    with pytest.raises(mg.InvalidInputError, match="larger than the largest double"):
        mg.LowerOnly(10**400)
    with pytest.raises(mg.InvalidInputError, match="not real numbers"):
        mg.kmeans([1.0, 10**400, object()], 1)  # type: ignore[arg-type]


class Anchored(mg.Constraint):
    """The first centre is at one, the next two are two apart, and the gaps after that shrink."""

    name = "anchored"

    def rows(self, k: int) -> mg.LinearRows:
        matrix = np.zeros((3, k))
        matrix[0, 0] = 1
        matrix[1, :2] = 1, -1
        matrix[2, :3] = -0.5, 1.5, -1
        return mg.LinearRows(matrix, [1, -2, 0], [1, np.inf, np.inf])


@pytest.mark.parametrize("fit", [mg.kmeans, mg.mixture])
def test_the_rows_that_hold_the_centres_back_are_named(fit: Any) -> None:
    x = np.concatenate([np.linspace(0, 1, 20), np.linspace(4, 5, 20), np.linspace(12, 13, 20)])
    result = fit(x, 3, Anchored())
    center = "centre" if fit is mg.kmeans else "mean"
    rows = ["C 0 = 1", "C 0 - C 1 >= -2", "-0.5 C 0 + 1.5 C 1 - C 2 >= 0"]
    first, second, third = (row.replace("C", center) for row in rows)
    assert "free" not in result.active
    assert f"bounds reached: {first}; {second}; {third}" in " ".join(result.summary().split())
    assert gap_states(result) == ("upper", "free")
    ax = result.plot()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    plt.close("all")
    assert f"{first} (reached)" in labels
    assert "gap at its bound" in labels


def test_means_that_bounds_leave_without_points_name_the_alternative() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 200), rng.normal(4, 1, 300)])
    starved = mg.kmeans(x, 2, mg.LowerOnly(4.75), centers="means")
    assert starved.sizes.min() <= 5
    assert 'centers="free"' in starved.summary()
    assert 'centers="free"' in mg.KMeansResult.from_json(starved.to_json()).summary()
    for fine in (mg.kmeans(x, 2, mg.LowerOnly(4.75)), mg.kmeans(x, 2, mg.LowerOnly(1), centers="means")):
        assert fine.sizes.min() > 100
        assert "centers=" not in fine.summary()


@pytest.mark.parametrize("seed", range(40))
def test_free_centres_say_whether_a_cluster_keeps_points_that_are_nearer_to_another(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, k = rng.integers(0, 30, 12) * 0.1, int(rng.integers(2, 5))
    lower = rng.uniform(0, 2)
    result = mg.kmeans(x, k, mg.TwoSided(lower, lower + rng.uniform(0.01, 1)))
    distances = abs(x[:, None] - result.centers)
    nearest = distances.min(axis=1) >= distances[np.arange(len(x)), result.labels] - 1e-9
    assert ("nearer to another centre" in result.summary()) == (not nearest.all())


def test_sizes_of_clusters_do_not_count_as_bounds_that_do_not_suit() -> None:
    held = mg.kmeans([0, 1, 2, 3, 100], 2, mg.LowerOnly(1), min_size=2)
    assert held.labels.tolist() == [0, 0, 0, 1, 1]
    assert "nearer" not in held.summary()


@pytest.mark.parametrize("offset", [1.7e9, -1.7e9, 1e15])
def test_centres_far_from_zero_are_told_apart(offset: float) -> None:
    x = offset + np.array([0.0, 2.0, 600.0, 602.0, 1500.0, 1502.0])
    for result, column in ((mg.kmeans(x, 3), 1), (mg.mixture(x, 3, min_variance=1.0), 2)):
        positions = [float(row[column]) for row in result.table().rows]
        assert np.abs(np.array(positions) - offset - [1, 601, 1501]).max() <= 1


def test_centres_near_zero_have_six_digits() -> None:
    assert [row[1] for row in mg.kmeans([179.87912, 184.0, 195.9], 3).table().rows] == ["179.879", "184", "195.9"]


def test_intervals_of_means_far_from_zero_are_told_apart() -> None:
    x = 1.7e9 + np.random.default_rng(0).normal(0, 60, 200)
    [row] = [row for row in mg.mixture(x, 1).bootstrap(20, rng=0).table().rows if row[-1] == "mean 0"]
    assert float(row[0]) < float(row[1]) < float(row[2])
