"""The estimators with scikit-learn's own checks, tools and attributes."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import mindgap as mg
from mindgap.datasets import paper_model

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from mindgap.sklearn import GaussianMixture1D, KMeans1D

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = paper_model("B", 300, rng=1).values
ESTIMATORS = [KMeans1D(3, constraint="lower-only:delta=1.5"), GaussianMixture1D(3, constraint=mg.LowerOnly(1.5))]


class _FirstColumn:
    """Hands on the first column, since scikit-learn's checks have several."""

    def _column(self, X: Any, *, reset: bool, least: Any = 1) -> Any:  # noqa: N803
        return self._table(X, reset=reset, least=least)[:, 0]  # type: ignore[attr-defined]


class FirstColumnKMeans(_FirstColumn, KMeans1D):
    pass


class FirstColumnMixture(_FirstColumn, GaussianMixture1D):
    pass


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator", [FirstColumnKMeans(3), FirstColumnMixture(2), FirstColumnMixture()])
def test_the_checks_of_scikit_learn(estimator: Any) -> None:
    checks = check_estimator(estimator, on_fail=None)
    assert len(checks) > 40
    assert [(check["check_name"], check["exception"]) for check in checks if check["status"] == "failed"] == []


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_thin_over_the_functions(estimator: Any) -> None:
    fitted = clone(estimator).fit(X)
    if isinstance(estimator, KMeans1D):
        expected = mg.kmeans(X, 3, mg.LowerOnly(1.5))
        assert fitted.cluster_centers_.tolist() == expected.centers[:, None].tolist()
        assert fitted.inertia_ == expected.inertia
        assert fitted.n_iter_ == 1
        assert fitted.score(X) == pytest.approx(-expected.inertia)
        assert fitted.transform(X).shape == (300, 3)
        assert fitted.transform([expected.centers[1]]).argmin() == 1
        assert fitted.get_feature_names_out().tolist() == ["kmeans1d0", "kmeans1d1", "kmeans1d2"]
    else:
        found = mg.mixture(X, 3, mg.LowerOnly(1.5))
        assert fitted.means_.tolist() == found.means[:, None].tolist()
        assert fitted.covariances_.tolist() == found.variances[:, None, None].tolist()
        assert (fitted.precisions_ == 1 / fitted.covariances_).all()
        assert fitted.weights_.tolist() == found.weights.tolist()
        assert (fitted.converged_, fitted.n_iter_) == (found.converged, max(1, found.n_iter))
        assert fitted.lower_bound_ == pytest.approx(fitted.score(X))
        assert fitted.bic(X) == pytest.approx(found.bic)
        assert fitted.aic(X) == pytest.approx(found.aic)
        assert fitted.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(300))
        assert fitted.score_samples(X).sum() == pytest.approx(found.log_likelihood)
        values, components = fitted.set_params(random_state=3).sample(5)
        assert (values.shape, components.shape) == ((5, 1), (5,))
        assert values.tolist() == fitted.sample(5)[0].tolist()
    assert fitted.labels_.tolist() == fitted.result_.labels.tolist() == fitted.predict(X).tolist()
    assert fitted.n_features_in_ == 1


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_shapes_of_input(estimator: Any) -> None:
    pandas = pytest.importorskip("pandas")
    expected = clone(estimator).fit_predict(X).tolist()
    for x in (X[:, None], X.tolist(), X.astype(object), pandas.Series(X, name="size"), pandas.DataFrame({"size": X})):
        fitted = clone(estimator).fit(x)
        assert fitted.labels_.tolist() == expected
        assert fitted.predict(x).tolist() == expected
    assert clone(estimator).fit(pandas.Series(X, name="size")).feature_names_in_.tolist() == ["size"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_several_columns_are_refused(estimator: Any) -> None:
    with pytest.raises(
        mg.InvalidInputError, match=r"X has 2 columns; .*1D is for one: choose it, as with X\[:, \[0\]\]"
    ):
        clone(estimator).fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match="X has 2 features"):
        clone(estimator).fit(X).predict(np.ones((5, 2)))
    with pytest.raises(ValueError, match="NaN"):
        clone(estimator).fit([1.0, np.nan, 2.0, 3.0])
    for method in ("predict", "score"):
        with pytest.raises(NotFittedError):
            getattr(clone(estimator), method)(X)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_clones_and_pickles(estimator: Any) -> None:
    twin = clone(estimator)
    assert twin.get_params().keys() == estimator.get_params().keys()
    assert repr(twin.set_params(constraint=None)) == f"{type(estimator).__name__}({_first(estimator)}=3)"
    fitted = clone(estimator).fit(X)
    assert pickle.loads(pickle.dumps(fitted)).predict(X).tolist() == fitted.labels_.tolist()


def _first(estimator: Any) -> str:
    return "n_clusters" if isinstance(estimator, KMeans1D) else "n_components"


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_sample_weight(estimator: Any) -> None:
    weights = np.arange(len(X)) % 3
    weighted = clone(estimator).fit(X, sample_weight=weights)
    repeated = clone(estimator).fit(np.repeat(X, weights))
    centers = "cluster_centers_" if isinstance(estimator, KMeans1D) else "means_"
    np.testing.assert_allclose(getattr(weighted, centers), getattr(repeated, centers), rtol=1e-7)
    np.testing.assert_allclose(weighted.score(X, sample_weight=weights), repeated.score(np.repeat(X, weights)))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_in_a_pipeline(estimator: Any) -> None:
    labels = make_pipeline(StandardScaler(), clone(estimator).set_params(constraint=None)).fit_predict(X[:, None])
    assert labels.tolist() == clone(estimator).set_params(constraint=None).fit_predict(X).tolist()
    assert cross_val_score(estimator, X[:, None], cv=3).shape == (3,)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more of the test scores")
def test_search_over_constraints() -> None:
    grid: dict[str, list[Any]] = {"constraint": [None, "lower-only:delta=1.9", mg.TwoSided(1.9, 2.1)]}
    found = GridSearchCV(GaussianMixture1D(3), grid, cv=3).fit(X[:, None])
    assert found.best_params_["constraint"] in grid["constraint"]
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    too_far = {"constraint": ["lower-only:delta=1", "lower-only:delta=1000"]}
    found = GridSearchCV(KMeans1D(3, centers="means"), too_far, cv=3).fit(X[:, None])
    assert np.isnan(found.cv_results_["mean_test_score"]).tolist() == [False, True]
    assert found.best_params_ == {"constraint": "lower-only:delta=1"}


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    import mindgap.sklearn as face

    monkeypatch.setattr("mindgap.foundation.extras.find_spec", lambda name: None)
    with pytest.raises(mg.MissingExtraError, match=r'pip install "mindgap\[sklearn\]"'):
        importlib.reload(face)


@pytest.mark.parametrize("estimator", [KMeans1D(3), GaussianMixture1D(3)])
def test_parameters_of_the_constraint_are_searched(estimator: Any) -> None:
    with_bound = clone(estimator).set_params(constraint=mg.LowerOnly(1.0))
    assert with_bound.get_params()["constraint__delta"] == 1.0
    assert "constraint__delta" not in with_bound.get_params(deep=False)
    before = with_bound.constraint
    assert with_bound.set_params(constraint__delta=2.0).constraint == mg.LowerOnly(2.0)
    assert before == mg.LowerOnly(1.0)
    by_name = clone(estimator).set_params(constraint="lower-only:delta=1", constraint__delta=1.5)
    assert by_name.constraint == mg.LowerOnly(1.5)
    found = GridSearchCV(with_bound, {"constraint__delta": [0.5, 1.5]}, cv=2).fit(X[:, None])
    assert found.best_params_["constraint__delta"] in (0.5, 1.5)
    with pytest.raises(ValueError, match="has no parameter width"):
        with_bound.set_params(constraint__width=1)
    with pytest.raises(ValueError, match="constraint is None, which has no parameter delta"):
        clone(estimator).set_params(constraint__delta=1)


def test_parameters_of_the_initializer_are_set() -> None:
    estimator = GaussianMixture1D(2, init=mg.ConstrainedKMeans(1.0))
    assert estimator.set_params(init__delta=2.0).init == mg.ConstrainedKMeans(2.0)


def test_a_fit_that_has_not_converged_warns() -> None:
    with pytest.warns(ConvergenceWarning, match="iterations"):
        GaussianMixture1D(3, max_iter=1).fit(X)


def test_a_search_that_ran_out_of_time_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    early = replace(mg.kmeans(X, 3), optimal=False, lower_bound=1.0)
    monkeypatch.setattr("mindgap.sklearn.k_means.kmeans", lambda *arguments, **settings: early)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        KMeans1D(3, time_limit=1.0).fit(X)


def test_the_names_of_scikit_learn_reach_the_fit() -> None:
    assert GaussianMixture1D(2).fit(X).result_.settings.rng == mg.mixture(X, 2).settings.rng  # type: ignore[union-attr]
    first, again = (GaussianMixture1D(2, n_init=3, random_state=7).fit(X).result_.settings for _ in range(2))
    assert first is not None
    assert first == again
    assert (first.starts, first.rng != 0) == (3, True)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_form_of_the_output_can_be_set(estimator: Any) -> None:
    pandas = pytest.importorskip("pandas")
    frame = clone(estimator).set_output(transform="pandas").fit_transform(X[:, None])
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == [f"{type(estimator).__name__.lower()}{k}" for k in range(3)]
