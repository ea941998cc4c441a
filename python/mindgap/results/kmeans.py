"""The result of `kmeans`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mindgap.foundation.errors import InvalidInputError
from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.model.sample import Sample
from mindgap.model.settings import KMeansSettings
from mindgap.results import archive
from mindgap.results.fit_result import FitResult
from mindgap.results.frames import Backend, frame_of, gap_columns
from mindgap.results.gap_text import ACTIVE, gap_bound_text, reached_note
from mindgap.results.histogram import Histogram
from mindgap.results.label_files import cluster_columns
from mindgap.results.pointwise import by_boundaries, pointwise
from mindgap.results.table import TextTable, position_texts
from mindgap.validation import FloatArray, freeze

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mindgap._core import KMeansFit
    from mindgap.results.label_files import Columns


#: A cluster with a smaller fraction of the points is probably an artefact of the bounds.
_FEW = 0.01

#: A boundary that is further than this from the middle of its centres, as a fraction of the centres' range, was moved.
_OFF_CENTRE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class KMeansResult(FitResult):
    """Clusters of one-dimensional data, their centres, and what is proven about their cost.

    Attributes
    ----------
    labels : array of int
        The cluster of each point, in input order: 0 to k-1 by ascending centre; -1 for a missing value. If an engine
        holds the data, whatever the engine returns for them, such as a lazy array; else empty, as with
        ``labels=False``.
    centers : array of float
        The centres, ascending.
    boundaries : array of float
        The points between the clusters: midway between two neighbouring centres, or as near to it as the labels allow.
    sizes : array of int
        The number of points in each cluster, without points of weight zero.
    within : array of float
        The weighted sum of squares about each centre.
    inertia : float
        The sum of `within`: what k-means minimises.
    gaps : array of float
        The distances between neighbouring centres.
    active : tuple of str
        The active bound of each gap (or of each row, under linear rows): "free" (none), "lower", "upper" or "both".
    lower_bound : float
        A proven lower bound on the cost of every solution.
    optimal : bool
        Whether `inertia` is proven to be minimal: it equals `lower_bound` to one part in 10⁹.
    bounds : GapBounds or None
        The bounds on the gaps, if the constraint has this form.
    rows : LinearRows or None
        The linear rows on the centres, if the constraint has this form.
    settings : KMeansSettings or None
        The settings of the fit; None if they are not known.
    data : Sample, Histogram or None
        The data, for pictures. If the fit did not copy a large array, narrow cells with their means and weights instead
        of the points; if the result was stored, only a histogram.
    weights : array of float
        The sum of the sample weights in each cluster; its size if there are none.

    Examples
    --------
    >>> result = mg.kmeans([1, 2, 8, 9], 2)
    >>> result.predict([0, 4, 10]).tolist()
    [0, 0, 1]
    >>> print(result.summary())
    cluster  centre  size  within  to next  bound
          0     1.5     2     0.5        7
          1     8.5     2     0.5
    inertia 1, proven optimal
    >>> mg.KMeansResult.from_json(result.to_json()).inertia
    1.0
    """

    labels: npt.NDArray[np.int32]
    centers: FloatArray
    boundaries: FloatArray
    sizes: npt.NDArray[np.int64]
    within: FloatArray
    inertia: float
    gaps: FloatArray
    active: tuple[str, ...]
    lower_bound: float
    optimal: bool
    bounds: GapBounds | None = None
    rows: LinearRows | None = None
    settings: KMeansSettings | None = None
    data: Sample | Histogram | None = None
    weights: FloatArray = field(default_factory=lambda: np.empty(0))

    @classmethod
    def _of_fit(
        cls,
        fit: KMeansFit,
        settings: KMeansSettings,
        rows: GapBounds | LinearRows | None,
        data: Sample | Histogram | None,
    ) -> KMeansResult:
        result = object.__new__(cls)
        # At once, in a third of the time of a frozen class's constructor, which shows in fits of a thousand points.
        vars(result).update(
            fit.measured(),
            bounds=rows if isinstance(rows, GapBounds) else None,
            rows=rows if isinstance(rows, LinearRows) else None,
            settings=settings,
            data=data,
        )
        result.__post_init__()
        return result

    def __post_init__(self) -> None:
        freeze(self.labels, self.centers, self.boundaries, self.sizes, self.within, self.gaps, self.weights)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The points between neighbouring clusters: the `boundaries`."""
        return tuple(self.boundaries.tolist())

    @property
    def k(self) -> int:
        """The number of clusters."""
        return len(self.centers)

    def predict(self, x: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the cluster of each value of `x`; a value on a boundary belongs to the left cluster.

        For a Dask array the labels are a lazy Dask array.
        """
        labels: npt.NDArray[np.int32] = pointwise(x, by_boundaries(self.boundaries), np.int32)
        return labels

    def _label_columns(self) -> Columns:
        return cluster_columns(self.boundaries)

    def table(self) -> TextTable:
        """Return the table that `summary`, notebooks and the command line show."""
        head = ("cluster", "centre", "size", "within", "to next", "bound")
        notes = [self._verdict(), *reached_note(self, "centre"), *self._starved()]
        deviation = np.sqrt(self.inertia / (self.weights.sum() or self.sizes.sum()))
        centers = position_texts(self.centers, float(deviation))
        return TextTable(f"k-means, k = {self.k}", head, [*map(self._cells, range(self.k), centers)], notes)

    def _cells(self, cluster: int, center: str) -> list[str]:
        cells = [f"{cluster}", center, f"{self.sizes[cluster]}", f"{self.within[cluster]:.6g}"]
        if cluster == self.k - 1:
            return [*cells, "", ""]
        return [*cells, f"{self.gaps[cluster]:.6g}", gap_bound_text(self.bounds, self.active, cluster)]

    def _verdict(self) -> str:
        if self.optimal:
            return f"inertia {self.inertia:.10g}, proven optimal"
        return f"inertia {self.inertia:.10g}, the optimum is at least {self.lower_bound:.10g}"

    def _starved(self) -> list[str]:
        """Return a line if the bounds leave a cluster with hardly any points of its own."""
        if self.settings is None or self.bounds is None:
            return []
        if self.settings.centers == "free":
            return self._misplaced(self.settings)
        few = np.flatnonzero(self.sizes < _FEW * self.sizes.sum())
        if not len(few):
            return []
        what = f"cluster {few[0]} has" if len(few) == 1 else f"{len(few)} clusters have"
        return [f'{what} less than {_FEW:.0%} of the points: the bounds may be too large for means; try centers="free"']

    def _misplaced(self, settings: KMeansSettings) -> list[str]:
        """Return a line if free centres leave a cluster without a nearest point, so that it keeps another one's."""
        if settings.min_size is not None or settings.max_size is not None:
            return []
        off = self.boundaries - (self.centers[1:] + self.centers[:-1]) / 2
        far = _OFF_CENTRE * (self.centers[-1] - self.centers[0])
        keep = {*np.flatnonzero(off > far).tolist(), *(1 + np.flatnonzero(off < -far)).tolist()}
        if not keep or not self.gaps.any():
            return []
        what = f"cluster {min(keep)} keeps" if len(keep) == 1 else f"{len(keep)} clusters keep"
        return [f"{what} points that are nearer to another centre: the bounds do not suit {self.k} clusters"]

    def plot(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draw the data, the clusters and their centres, and the gaps with their bounds; needs ``mindgap[plot]``.

        Draws into `ax`, or into a new pyplot figure, and returns the axes. `label` describes the data; by default it is
        the name of their column.
        """
        from mindgap.plots import plot_kmeans

        return plot_kmeans(self, ax, label=label)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the clusters as a data frame: "pandas" or "polars", by default the first that is installed."""
        clusters = {"cluster": np.arange(self.k), "center": self.centers, "size": self.sizes, "within": self.within}
        thresholds = {"threshold_to_next": np.append(self.boundaries, np.nan)}
        return frame_of(clusters | gap_columns(self.gaps, self.bounds, self.active) | thresholds, backend)

    def __repr__(self) -> str:
        centers = np.array2string(self.centers, precision=6, threshold=8, separator=", ")
        return f"KMeansResult(k={self.k}, inertia={self.inertia:.6g}, centers={centers}, optimal={self.optimal})"

    @classmethod
    def from_json(cls, text: str | bytes) -> KMeansResult:
        """Return the result that `to_json` stored, or raise InvalidInputError."""
        fields = archive.Fields.load("KMeansResult", text)
        centers = fields.ascending("centers")
        k = len(centers)
        if k == 0:
            raise InvalidInputError("the stored KMeansResult has no centers")
        bounds = fields.gap_bounds(k)
        return cls(
            labels=fields.labels(k),
            centers=centers,
            boundaries=fields.ascending("boundaries", k - 1),
            sizes=fields.integers("sizes", k, below=2**63),
            within=fields.least_numbers("within", k, 0.0),
            inertia=fields.number("inertia", least=0.0),
            gaps=fields.gaps(centers),
            active=fields.texts("active", None if bounds is None else k - 1, ACTIVE),
            lower_bound=fields.number("lower_bound"),
            optimal=fields.flag("optimal"),
            bounds=bounds,
            rows=fields.linear_rows(k),
            settings=fields.optional("settings", lambda name: KMeansSettings.of_stored(fields.nested(name))),
            data=fields.histogram(),
            weights=fields.least_numbers("weights", k, 0.0),
        )
