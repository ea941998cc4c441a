"""Initializers: where a mixture's EM starts. The base class of plugins, and the built-in ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mindgap.constraints import LowerOnly
from mindgap.plugin import Plugin
from mindgap.start import Start

if TYPE_CHECKING:
    from mindgap.constraints import Constraint
    from mindgap.sample import Sample


class Initializer(Plugin):
    """Finds the start of a mixture fit. Subclass it and answer `start`.

    Examples
    --------
    >>> class Even(mg.Initializer):
    ...     name = "even"
    ...     def start(self, sample, k, constraint):
    ...         means = np.linspace(sample.values[0], sample.values[-1], k + 2)[1:-1]
    ...         return mg.Start(np.full(k, 1 / k), means, np.full(k, sample.variance() / k**2))
    """

    def start(self, sample: Sample, k: int, constraint: Constraint | None) -> Start:
        """Return the start for k components; it need not hold the constraint."""
        raise NotImplementedError(f"{type(self).__name__} does not answer start(sample, k, constraint)")


class ConstrainedKMeans(Initializer):
    """Start at the clusters of k-means under the constraint of the fit, or under a separation of its own.

    Parameters
    ----------
    delta : float, optional
        The least gap between the clusters' centres, in the place of the fit's constraint.
    method, centers
        As in `mindgap.kmeans`.
    """

    name = "constrained-kmeans"

    def __init__(
        self,
        delta: float | None = None,
        method: Literal["exact", "paper"] = "exact",
        centers: Literal["means", "free"] = "means",
    ) -> None:
        self.delta = delta
        self._own = None if delta is None else LowerOnly(delta)
        self.method = method
        self.centers = centers

    def start(self, sample: Sample, k: int, constraint: Constraint | None) -> Start:
        """Return the shares, means and variances of the clusters."""
        from mindgap.fit_kmeans import kmeans

        held = self._own or constraint
        # On the sorted values, so that the labels ascend.
        clusters = kmeans(
            sample.values, k, held, method=self.method, centers=self.centers, sample_weight=sample.weights
        )
        return Start.of_clusters(sample, clusters.labels)


class Ckmeans(Initializer):
    """Start at the clusters of k-means without a constraint."""

    name = "ckmeans"

    def start(self, sample: Sample, k: int, constraint: Constraint | None) -> Start:
        """Return the shares, means and variances of the clusters."""
        from mindgap.fit_kmeans import kmeans

        return Start.of_clusters(sample, kmeans(sample.values, k, sample_weight=sample.weights).labels)
