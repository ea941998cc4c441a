"""Estimators for scikit-learn; they need the extra ``mindgap[sklearn]``."""

from mindgap.foundation.extras import demand

demand("sklearn", "sklearn")

from mindgap.sklearn.gaussian_mixture import GaussianMixture1D  # noqa: E402  (only once scikit-learn is known to be there)
from mindgap.sklearn.k_means import KMeans1D  # noqa: E402

__all__ = ["GaussianMixture1D", "KMeans1D"]
