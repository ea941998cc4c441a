"""Pictures of results by matplotlib; they need the extra ``mindgap[plot]``."""

from importlib import import_module
from typing import TYPE_CHECKING

from mindgap.foundation.extras import demand

if TYPE_CHECKING:
    from mindgap.plots.canvas import save
    from mindgap.plots.kmeans import plot_kmeans
    from mindgap.plots.mixture import plot_mixture
    from mindgap.plots.pair import side_by_side
    from mindgap.plots.path import plot_path
    from mindgap.plots.residuals import plot_residuals
    from mindgap.plots.selection import plot_selection

_HOMES = {
    "plot_kmeans": "kmeans",
    "plot_mixture": "mixture",
    "plot_path": "path",
    "plot_residuals": "residuals",
    "plot_selection": "selection",
    "save": "canvas",
    "side_by_side": "pair",
}

__all__ = ["plot_kmeans", "plot_mixture", "plot_path", "plot_residuals", "plot_selection", "save", "side_by_side"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'mindgap.plots' has no attribute {name!r}")
    demand("plot", "matplotlib")
    return getattr(import_module(f"mindgap.plots.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
