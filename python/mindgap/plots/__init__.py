"""Pictures of results, by matplotlib: the extra ``mindgap[plot]``, which importing this asks for if it is missing."""

from mindgap.foundation.extras import demand

demand("plot", "matplotlib")

from mindgap.plots.canvas import save  # noqa: E402  (only once matplotlib is known to be there)
from mindgap.plots.kmeans import plot_kmeans  # noqa: E402
from mindgap.plots.mixture import plot_mixture  # noqa: E402
from mindgap.plots.path import plot_path  # noqa: E402
from mindgap.plots.selection import plot_selection  # noqa: E402
from mindgap.plots.side_by_side import side_by_side  # noqa: E402

__all__ = ["plot_kmeans", "plot_mixture", "plot_path", "plot_selection", "save", "side_by_side"]
