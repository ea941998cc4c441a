"""One-dimensional k-means and Gaussian mixtures whose neighbouring centres keep a given gap."""

from importlib import import_module
from typing import TYPE_CHECKING

from mindgap import _core, validation
from mindgap.fit.kmeans import kmeans
from mindgap.fit.kmeans_rows import kmeans_rows
from mindgap.fit.mixture import mixture
from mindgap.fit.natural_breaks import breaks
from mindgap.fit.watching import Step
from mindgap.foundation.errors import (
    ChangedDataError,
    InfeasibleError,
    InvalidInputError,
    MindgapError,
    MissingExtraError,
    OutOfMemoryError,
    PluginError,
    PluginWarning,
    SolverError,
)
from mindgap.host.builtin.constraints import (
    ConstantCV,
    EqualSpreads,
    FixedSpreads,
    FixedWeights,
    LowerOnly,
    PerGap,
    SpreadRatio,
    TwoSided,
    WeightBounds,
    WeightRatio,
)
from mindgap.host.builtin.engines import Local
from mindgap.host.builtin.initializers import Ckmeans, ConstrainedKMeans
from mindgap.host.hookspecs import hookimpl
from mindgap.host.lookup import PluginRecord, constraint, engine, initializer, plugins, register, unregister
from mindgap.model.binned import Binned
from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.model.chunks import Chunks
from mindgap.model.constraint import Constraint
from mindgap.model.engine import Engine
from mindgap.model.initializer import Initializer
from mindgap.model.moments import Moments
from mindgap.model.parameters import Parameters
from mindgap.model.sample import Sample
from mindgap.model.summary import Summary
from mindgap.results.kmeans import KMeansResult
from mindgap.results.kmeans_rows import KMeansRows
from mindgap.results.mixture import MixtureResult

if TYPE_CHECKING:
    from mindgap import datasets, plots, report
    from mindgap.inference import (
        Bootstrap,
        GapPath,
        GoodnessOfFit,
        LikelihoodRatio,
        Selection,
        compare,
        gap_path,
        goodness_of_fit,
        select,
    )

__version__ = _core.VERSION

# Imported on first use, so that importing mindgap stays fast.
_MODULES = ("datasets", "plots", "report")
_INFERENCE = (
    "Bootstrap",
    "GapPath",
    "GoodnessOfFit",
    "LikelihoodRatio",
    "Selection",
    "compare",
    "gap_path",
    "goodness_of_fit",
    "select",
)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"mindgap.{name}")
    if name in _INFERENCE:
        return getattr(import_module("mindgap.inference"), name)
    raise AttributeError(f"module 'mindgap' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Binned",
    "Bootstrap",
    "ChangedDataError",
    "Chunks",
    "Ckmeans",
    "ConstantCV",
    "ConstrainedKMeans",
    "Constraint",
    "Engine",
    "EqualSpreads",
    "FixedSpreads",
    "FixedWeights",
    "GapBounds",
    "GapPath",
    "GoodnessOfFit",
    "InfeasibleError",
    "Initializer",
    "InvalidInputError",
    "KMeansResult",
    "KMeansRows",
    "LikelihoodRatio",
    "LinearRows",
    "Local",
    "LowerOnly",
    "MindgapError",
    "MissingExtraError",
    "MixtureResult",
    "Moments",
    "OutOfMemoryError",
    "Parameters",
    "PerGap",
    "PluginError",
    "PluginRecord",
    "PluginWarning",
    "Sample",
    "Selection",
    "SolverError",
    "SpreadRatio",
    "Step",
    "Summary",
    "TwoSided",
    "WeightBounds",
    "WeightRatio",
    "__version__",
    "breaks",
    "compare",
    "constraint",
    "datasets",
    "engine",
    "gap_path",
    "goodness_of_fit",
    "hookimpl",
    "initializer",
    "kmeans",
    "kmeans_rows",
    "mixture",
    "plots",
    "plugins",
    "register",
    "report",
    "select",
    "unregister",
    "validation",
]
