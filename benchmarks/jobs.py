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


def mindgap_levels(x: Values, k: int) -> Any:
    """The levels of a quantiser, not nearer than three in ten of the best ones are without a bound."""
    import mindgap

    sample = mindgap.Sample(x)
    delta = float(np.quantile(mindgap.kmeans(sample, k).gaps, 0.3))
    return mindgap.kmeans(sample, k, mindgap.LowerOnly(delta))


def sizes(x: Values, k: int) -> dict[str, int]:
    """Bounds that force clusters to be nearly of one size."""
    return {"min": len(x) * 4 // (5 * k), "max": -(-len(x) * 6 // (5 * k))}


def mindgap_sized(x: Values, k: int) -> Any:
    import mindgap

    bounds = sizes(x, k)
    return mindgap.kmeans(x, k, min_size=bounds["min"], max_size=bounds["max"])


def k_means_constrained(x: Values, k: int) -> Any:
    """Alternation with a minimum-cost flow, not exact."""
    from k_means_constrained import KMeansConstrained

    bounds = sizes(x, k)
    peer = KMeansConstrained(k, size_min=bounds["min"], size_max=bounds["max"], n_init=1, random_state=0)
    return peer.fit(x[:, None])


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


def np_sort(x: Values, k: int) -> Any:
    """What any method that sorts takes at least."""
    return np.sort(x)


def table_of(x: Values) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The points as rows of 4096 in single precision, and weights for the columns."""
    columns = min(4096, len(x))
    rows = len(x) // columns
    weights = np.linspace(0.5, 2.0, columns, dtype=np.float32)
    return x[: rows * columns].astype(np.float32).reshape(rows, columns), weights


def mindgap_rows(x: Values, k: int) -> Any:
    import mindgap

    table, weights = table_of(x)
    return mindgap.kmeans_rows(table, k, None, weights)


def mindgap_row_by_row(x: Values, k: int) -> Any:
    import mindgap

    table, weights = table_of(x)
    return [mindgap.kmeans(row, k, sample_weight=weights) for row in table]


def ckmeans_row_by_row(x: Values, k: int) -> Any:
    """It knows no weights."""
    import ckmeans as peer

    return [peer.ckmeans(row.astype(np.float64), k) for row in table_of(x)[0]]


def scikit_learn_row_by_row(x: Values, k: int) -> Any:
    """Lloyd's algorithm, not exact."""
    from sklearn.cluster import KMeans

    table, weights = table_of(x)
    return [KMeans(k, n_init=1, random_state=0).fit(row[:, None], sample_weight=weights) for row in table]


def mindgap_breaks(x: Values, k: int) -> Any:
    import mindgap

    return mindgap.breaks(x, k)


def jenkspy(x: Values, k: int) -> Any:
    import jenkspy as peer

    return peer.jenks_breaks(x, n_classes=k)


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
        mindgap_levels,
        mindgap_sized,
        k_means_constrained,
        ckmeans,
        ckwrap,
        ckmeans_1d_dp,
        kmeans1d,
        scikit_learn,
        np_sort,
        mindgap_rows,
        mindgap_row_by_row,
        ckmeans_row_by_row,
        scikit_learn_row_by_row,
        mindgap_breaks,
        jenkspy,
    )
}


def cost(x: Values, result: Any) -> float:
    """The sum of squared distances from the nearest centre of a result; where sizes are bounded, from its own."""
    if hasattr(result, "inertia_") and hasattr(result, "size_min"):
        return float(result.inertia_)
    for name in ("centers", "cluster_centers_", "centroids"):
        if hasattr(result, name):
            centers = np.sort(np.asarray(getattr(result, name), dtype=np.float64).ravel())
            break
    else:
        # A list of clusters, each the list of its values.
        return float(sum(((part - np.mean(part)) ** 2).sum() for part in map(np.asarray, result)))
    nearest = np.searchsorted(0.5 * (centers[1:] + centers[:-1]), x)
    return float(((x - centers[nearest]) ** 2).sum())


#: What has its cost computed from its centres.
WITH_COST = (
    "mindgap_kmeans",
    "mindgap_levels",
    "ckmeans",
    "ckwrap",
    "kmeans1d",
    "scikit_learn",
    "k_means_constrained",
)
EXACT_PEERS = ("ckmeans", "ckwrap", "ckmeans_1d_dp", "kmeans1d")
