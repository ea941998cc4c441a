"""`kmeans` as an estimator."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning

from mindgap.fit.kmeans import kmeans
from mindgap.model.settings import KMeansSettings
from mindgap.sklearn.one_column import OneColumn
from mindgap.validation import as_vector

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from mindgap.model.constraint import Constraint
    from mindgap.validation import FloatArray


class KMeans1D(OneColumn, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Exact k-means of one column, whose centres satisfy a constraint.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    constraint : Constraint, str or None
        The constraint on the centres, such as ``"lower-only:delta=1.75"``.
    centers, method, ties, min_size, max_size, time_limit, tol, memory_limit
        As in `mindgap.kmeans`. The solution is exact: there is no `n_init` and no `random_state`.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, 1)
        The centres, ascending.
    labels_ : array of shape (n,)
        The cluster of each point.
    inertia_ : float
        The weighted sum of squares about the centres.
    n_iter_ : int
        Always 1, for compatibility with scikit-learn: the method is not iterative.
    result_ : KMeansResult
        The full result of the fit.
    n_features_in_ : int
        1.

    Examples
    --------
    >>> from mindgap.sklearn import KMeans1D
    >>> KMeans1D(2).fit_predict([[1.0], [2.0], [9.0]]).tolist()
    [0, 0, 1]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        constraint: Constraint | str | None = None,
        centers: Literal["free", "means"] = "free",
        method: Literal["exact", "paper"] = "exact",
        ties: Literal["split", "together"] = "split",
        min_size: float | None = None,
        max_size: float | None = None,
        time_limit: float | None = None,
        tol: float = 1e-9,
        memory_limit: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.constraint = constraint
        self.centers = centers
        self.method = method
        self.ties = ties
        self.min_size = min_size
        self.max_size = max_size
        self.time_limit = time_limit
        self.tol = tol
        self.memory_limit = memory_limit

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: N803
        """Cluster `X`: n numbers or one column; `y` is not used."""
        column = self._column(X, reset=True, least=self.n_clusters)
        self.result_ = kmeans(
            column,
            self.n_clusters,
            self.constraint,
            sample_weight=sample_weight,
            **self._settings(KMeansSettings),
        )
        if self.time_limit is not None and not self.result_.optimal:
            known = f"the cost is {self.result_.inertia:.6g}, and none is below {self.result_.lower_bound:.6g}"
            warnings.warn(f"the time limit ended the search: {known}", ConvergenceWarning, stacklevel=2)
        self.cluster_centers_ = self.result_.centers.reshape(-1, 1)
        self.labels_ = self.result_.labels
        self.inertia_ = self.result_.inertia
        self.n_iter_ = 1
        return self

    def predict(self, X: Any) -> npt.NDArray[np.int32]:  # noqa: N803
        """Return the cluster of each value of `X`."""
        column = self._column(X, reset=False)
        return self.result_.predict(column)

    def transform(self, X: Any) -> FloatArray:  # noqa: N803
        """Return the distance of each value of `X` (rows) from each centre (columns)."""
        column = self._column(X, reset=False)
        distances: FloatArray = np.abs(column[:, None] - self.result_.centers)
        return distances

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # noqa: N803
        """Return the negative weighted sum of squared distances of `X` from the centres of their clusters."""
        column = self._column(X, reset=False)
        squares = (column - self.result_.centers[self.result_.predict(column)]) ** 2
        weights = 1.0 if sample_weight is None else as_vector(sample_weight, "sample_weight")
        return -float(np.sum(weights * squares))

    @property
    def _n_features_out(self) -> int:
        """The number of columns of `transform`, for scikit-learn's feature names."""
        return len(self.cluster_centers_)
