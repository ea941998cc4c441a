"""One-dimensional k-means and Gaussian mixtures whose neighbouring centres keep a given gap."""

from importlib.metadata import version as _version

from mindgap.errors import InfeasibleError, InvalidInputError, MindgapError, PluginError, SolverError

__version__ = _version("mindgap")

__all__ = [
    "InfeasibleError",
    "InvalidInputError",
    "MindgapError",
    "PluginError",
    "SolverError",
]
