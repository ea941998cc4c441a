"""`mixture` as an estimator."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, DensityMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mindgap.fit.mixture import mixture
from mindgap.model.settings import MixtureSettings
from mindgap.results.mixture import CONVERGED
from mindgap.sklearn.one_column import OneColumn

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from mindgap.model.constraint import Constraint
    from mindgap.model.initializer import Initializer
    from mindgap.model.parameters import Parameters
    from mindgap.validation import FloatArray


class GaussianMixture1D(OneColumn, ClassNamePrefixFeaturesOutMixin, TransformerMixin, DensityMixin, BaseEstimator):
    """A Gaussian mixture of one column, whose means satisfy a constraint.

    Parameters
    ----------
    n_components : int
        The number of components.
    constraint : Constraint, str or None
        The constraint on the means, such as ``"two-sided:lower=1.9,upper=2.1"``.
    init, method, tol, tol_scale, max_iter, variances, min_variance, resolution, support
        As in `mindgap.mixture`.
    n_init : int
        The number of random starts, in addition to about twenty deterministic ones: `starts` of `mindgap.mixture`.
    time_limit, memory_limit
        As in `mindgap.mixture`.
    random_state : int, RandomState or None
        The source of random numbers for the random starts and for `sample`. With None a fit has the fixed seed of
        `mindgap.mixture`, and `sample` draws other values each time.

    Attributes
    ----------
    weights_ : array of shape (n_components,)
        The weights, ordered by mean.
    means_ : array of shape (n_components, 1)
        The means, ascending.
    covariances_, precisions_ : arrays of shape (n_components, 1, 1)
        The variances and their inverses.
    labels_ : array of shape (n,)
        The most likely component of each point.
    converged_ : bool
        Whether the fit converged.
    n_iter_ : int
        The number of iterations.
    lower_bound_ : float
        The mean log-likelihood of the data, as in scikit-learn.
    result_ : MixtureResult
        The full result of the fit.
    n_features_in_ : int
        1.

    Examples
    --------
    >>> from mindgap.sklearn import GaussianMixture1D
    >>> GaussianMixture1D(2).fit([[0.0], [0.5], [0.6], [7.0], [7.3], [7.9]]).predict([[0.2], [8.0]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        n_components: int = 1,
        *,
        constraint: Constraint | str | None = None,
        init: Initializer | Parameters | tuple[Any, Any, Any] | str = "auto",
        method: Literal["best", "paper"] = "best",
        tol: float | None = None,
        tol_scale: Literal["absolute", "data"] = "absolute",
        max_iter: int = 1000,
        variances: Literal["free", "equal"] = "free",
        min_variance: float | None = None,
        resolution: float | None = None,
        support: tuple[float, float] | None = None,
        n_init: int = 12,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.constraint = constraint
        self.init = init
        self.method = method
        self.tol = tol
        self.tol_scale = tol_scale
        self.max_iter = max_iter
        self.variances = variances
        self.min_variance = min_variance
        self.resolution = resolution
        self.support = support
        self.n_init = n_init
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: N803
        """Fit the mixture to `X`: n numbers or one column; `y` is not used."""
        self.result_ = mixture(
            self._column(X, reset=True, least=self.n_components),
            self.n_components,
            self.constraint,
            init=self.init,
            sample_weight=sample_weight,
            **self._settings(MixtureSettings, starts=self.n_init, rng=self._seed(MixtureSettings.rng)),
        )
        if self.result_.status not in CONVERGED:
            warnings.warn(self.result_.message, ConvergenceWarning, stacklevel=2)
        self.weights_ = self.result_.weights
        self.means_ = self.result_.means.reshape(-1, 1)
        self.covariances_ = self.result_.variances.reshape(-1, 1, 1)
        self.precisions_ = 1 / self.covariances_
        self.labels_ = self.result_.labels
        self.converged_ = self.result_.converged
        # A search may end where it began; scikit-learn requires at least one.
        self.n_iter_ = max(1, self.result_.n_iter)
        self.lower_bound_ = self.result_.log_likelihood / self.result_.total_weight
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> npt.NDArray[np.int32]:  # noqa: N803
        """Fit the mixture to `X` and return the most likely component of each value."""
        return self.fit(X, y, sample_weight).labels_

    def predict(self, X: Any) -> npt.NDArray[np.int32]:  # noqa: N803
        """Return the most likely component of each value of `X`."""
        column = self._column(X, reset=False)
        return self.result_.predict(column)

    def predict_proba(self, X: Any) -> FloatArray:  # noqa: N803
        """Return the probability of each component (columns) for each value of `X` (rows)."""
        column = self._column(X, reset=False)
        return self.result_.predict_proba(column)

    def score_samples(self, X: Any) -> FloatArray:  # noqa: N803
        """Return the log density at each value of `X`."""
        column = self._column(X, reset=False)
        return self.result_.score_samples(column)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # noqa: N803
        """Return the mean log density of `X`."""
        column = self._column(X, reset=False)
        return self.result_.score(column, sample_weight)

    def bic(self, X: Any) -> float:  # noqa: N803
        """Return the Bayesian information criterion of this mixture for `X`; lower is better."""
        values = self.score_samples(X)
        return float(self.result_.n_parameters * np.log(len(values)) - 2 * values.sum())

    def aic(self, X: Any) -> float:  # noqa: N803
        """Return Akaike's information criterion of this mixture for `X`; lower is better."""
        return float(2 * self.result_.n_parameters - 2 * self.score_samples(X).sum())

    def transform(self, X: Any) -> FloatArray:  # noqa: N803
        """Return the probability of each component, as `predict_proba` does."""
        return self.predict_proba(X)

    def sample(self, n_samples: int = 1) -> tuple[FloatArray, npt.NDArray[np.int32]]:
        """Draw values of shape (n_samples, 1) from the mixture; return them and their components."""
        check_is_fitted(self)
        values, components = self.result_.sample(n_samples, self._seed(None))
        return values.reshape(-1, 1), components

    def _seed(self, default: int | None) -> int | None:
        """Return the seed that `random_state` stands for."""
        if self.random_state is None:
            return default
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    @property
    def _n_features_out(self) -> int:
        """The number of columns of `transform`, for scikit-learn's feature names."""
        return len(self.weights_)
