"""The built-in initializers, and the hook that registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mindgap import _core
from mindgap.host.builtin.constraints import LowerOnly
from mindgap.host.hookspecs import hookimpl
from mindgap.host.resolving import rows_of
from mindgap.model.initializer import Initializer
from mindgap.model.parameters import Parameters
from mindgap.model.settings import KMeansSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.model.constraint import Constraint
    from mindgap.model.sample import Sample


class ConstrainedKMeans(Initializer):
    """Start at the clusters of k-means under the lower bounds of the fit's constraint.

    Upper bounds are ignored. If the constraint is linear rows, k-means satisfies the rows.

    Parameters
    ----------
    delta : float, optional
        One lower bound for all gaps, instead of the constraint's.
    method, centers
        As in `mindgap.kmeans`.

    Examples
    --------
    >>> start = mg.ConstrainedKMeans(delta=2.0).start(mg.Sample([0, 1, 5, 6]), 2, None)
    >>> start.means.tolist()
    [0.5, 5.5]
    """

    name = "constrained-kmeans"

    def __init__(
        self,
        delta: float | None = None,
        method: Literal["exact", "paper"] = "exact",
        centers: Literal["means", "free"] = "means",
    ) -> None:
        self.delta = None if delta is None else LowerOnly(delta).delta
        settings = KMeansSettings(method=method, centers=centers)
        self.method, self.centers = settings.method, settings.centers

    def start(self, sample: Sample, k: int, constraint: Constraint | None) -> Parameters:
        """Return the weights, centres and variances of the clusters."""
        bounds = None
        if constraint is not None and self.delta is None:
            rows = rows_of(constraint, k)
            bounds = None if rows is None else rows.arrays()
        found = _core.constrained_kmeans_start(
            sample._core, k, bounds, delta=self.delta, method=self.method, centers=self.centers
        )
        return Parameters(*found)


class Ckmeans(Initializer):
    """Start at the clusters of k-means without a constraint.

    Examples
    --------
    >>> mg.Ckmeans().start(mg.Sample([0, 1, 5, 6]), 2, None).weights.tolist()
    [0.5, 0.5]
    """

    name = "ckmeans"

    def start(self, sample: Sample, k: int, constraint: Constraint | None) -> Parameters:
        """Return the weights, means and variances of the clusters."""
        return Parameters(*_core.ckmeans_start(sample._core, k))


#: Initializers whose starts need no check.
BUILT_IN = frozenset({ConstrainedKMeans, Ckmeans})


@hookimpl
def register_initializers(register: Callable[[type[Initializer]], None]) -> None:
    """Register the built-in initializers."""
    register(ConstrainedKMeans)
    register(Ckmeans)
