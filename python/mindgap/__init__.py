"""One-dimensional k-means and Gaussian mixtures whose neighbouring centres keep a given gap."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mindgap import _core
from mindgap.bounds import GapBounds, LinearRows
from mindgap.chunks import Chunks
from mindgap.constraints import Constraint, LowerOnly, PerGap, TwoSided
from mindgap.engines import Engine, Local
from mindgap.errors import (
    InfeasibleError,
    InvalidInputError,
    MindgapError,
    MissingExtraError,
    OutOfMemoryError,
    PluginError,
    PluginWarning,
    SolverError,
)
from mindgap.fit_kmeans import kmeans
from mindgap.fit_mixture import mixture
from mindgap.hookspecs import hookimpl
from mindgap.host.lookup import PluginRecord, constraint, engine, initializer, plugins, register, unregister
from mindgap.initializers import Ckmeans, ConstrainedKMeans, Initializer
from mindgap.moments import Moments
from mindgap.results.kmeans_result import KMeansResult
from mindgap.results.mixture_result import MixtureResult
from mindgap.sample import Sample
from mindgap.start import Start
from mindgap.summary import Summary

if TYPE_CHECKING:
    from mindgap import datasets
    from mindgap.choosing import Bootstrap, GapPath, LikelihoodRatio, Selection, compare, gap_path, select

__version__ = _core.VERSION

# Imported when first asked for, so that importing mindgap stays quick.
_CHOOSING = ("Bootstrap", "GapPath", "LikelihoodRatio", "Selection", "compare", "gap_path", "select")


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return import_module("mindgap.datasets")
    if name in _CHOOSING:
        return getattr(import_module("mindgap.choosing"), name)
    raise AttributeError(f"module 'mindgap' has no attribute {name!r}")


__all__ = [
    "Bootstrap",
    "Chunks",
    "Ckmeans",
    "ConstrainedKMeans",
    "Constraint",
    "Engine",
    "GapBounds",
    "GapPath",
    "InfeasibleError",
    "Initializer",
    "InvalidInputError",
    "KMeansResult",
    "LikelihoodRatio",
    "LinearRows",
    "Local",
    "LowerOnly",
    "MindgapError",
    "MissingExtraError",
    "MixtureResult",
    "Moments",
    "OutOfMemoryError",
    "PerGap",
    "PluginError",
    "PluginRecord",
    "PluginWarning",
    "Sample",
    "Selection",
    "SolverError",
    "Start",
    "Summary",
    "TwoSided",
    "__version__",
    "compare",
    "constraint",
    "datasets",
    "engine",
    "gap_path",
    "hookimpl",
    "initializer",
    "kmeans",
    "mixture",
    "plugins",
    "register",
    "select",
    "unregister",
]
