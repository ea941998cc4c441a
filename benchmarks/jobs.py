"""What is timed: ours and the peers', each as a function of the data that does the whole job, sort included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Values = npt.NDArray[np.float64]
    Job = Callable[[Values, int], Any]

#: Model D of the paper: weights, means, standard deviations.
MODEL_D = ([0.1, 0.2, 0.4, 0.2, 0.1], [0.0, 2.0, 4.0, 6.0, 8.0], [0.25, 0.75, 1.25, 0.75, 0.25])
DELTA = 1.95


def model_d(n: int, seed: int = 0) -> Values:
    """`n` points of Model D."""
    rng = np.random.default_rng(seed)
    weights, means, deviations = map(np.array, MODEL_D)
    component = rng.choice(5, size=n, p=weights)
    return np.asarray(rng.normal(means[component], deviations[component]), dtype=np.float64)


def mindgap_kmeans(x: Values, k: int) -> Any:
    import mindgap

    return mindgap.kmeans(x, k)


def mindgap_lower(x: Values, k: int) -> Any:
    import mindgap

    return mindgap.kmeans(x, k, mindgap.LowerOnly(DELTA), centers="means")


def mindgap_two_sided(x: Values, k: int) -> Any:
    import mindgap

    return mindgap.kmeans(x, k, mindgap.TwoSided(DELTA, DELTA + 0.2), centers="means")


def mindgap_free(x: Values, k: int) -> Any:
    import mindgap

    return mindgap.kmeans(x, k, mindgap.LowerOnly(DELTA), centers="free")


def mindgap_free_dense(x: Values, k: int) -> Any:
    """As many centres as wanted: δ such that the bounds bite for any k."""
    import mindgap

    delta = 0.9 * (np.quantile(x, 0.995) - np.quantile(x, 0.005)) / k
    return mindgap.kmeans(x, k, mindgap.LowerOnly(float(delta)), centers="free")


def ckmeans(x: Values, k: int) -> Any:
    import ckmeans as peer

    return peer.ckmeans(x, k)


def ckwrap(x: Values, k: int) -> Any:
    import ckwrap as peer

    return peer.ckmeans(x, k)


def ckmeans_1d_dp(x: Values, k: int) -> Any:
    import ckmeans_1d_dp as peer

    return peer.ckmeans(x, k)


def kmeans1d(x: Values, k: int) -> Any:
    import kmeans1d as peer

    return peer.cluster(x, k)


def scikit_learn(x: Values, k: int) -> Any:
    """Lloyd's algorithm: fast, not exact, listed for the sake of completeness."""
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=1, random_state=0).fit(x[:, None])


JOBS: dict[str, Job] = {
    job.__name__: job
    for job in (
        mindgap_kmeans,
        mindgap_lower,
        mindgap_two_sided,
        mindgap_free,
        mindgap_free_dense,
        ckmeans,
        ckwrap,
        ckmeans_1d_dp,
        kmeans1d,
        scikit_learn,
    )
}
EXACT_PEERS = ("ckmeans", "ckwrap", "ckmeans_1d_dp", "kmeans1d")
