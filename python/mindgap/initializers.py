"""Initializers: where a mixture's EM starts. The base class of plugins, and the built-in ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mindgap import _core
from mindgap.arrays import as_word
from mindgap.constraints import LowerOnly
from mindgap.host.plugin import Plugin
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
    """Start at the clusters of k-means under the lower bounds of the fit's constraint.

    Upper bounds are left to the fit. Under a constraint that is linear rows, k-means holds the rows.

    Parameters
    ----------
    delta : float, optional
        One lower bound for all gaps, in place of the constraint's.
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
        self.delta = None if delta is None else LowerOnly(delta).delta
        self.method = as_word(method, "method")
        self.centers = as_word(centers, "centers")

    def start(self, sample: Sample, k: int, constraint: Constraint | None) -> Start:
        """Return the shares, centres and variances of the clusters."""
        from mindgap.host import guard  # which looks plugins up, and so knows this module

        bounds = None
        if constraint is not None and self.delta is None:
            bounds = guard.restriction(constraint, k).arrays()
        found = _core.constrained_kmeans_start(
            sample._core, k, bounds, delta=self.delta, method=self.method, centers=self.centers
        )
        return Start(*found)


class Ckmeans(Initializer):
    """Start at the clusters of k-means without a constraint."""

    name = "ckmeans"

    def start(self, sample: Sample, k: int, constraint: Constraint | None) -> Start:
        """Return the shares, means and variances of the clusters."""
        return Start(*_core.ckmeans_start(sample._core, k))
