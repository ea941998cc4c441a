"""Choosing: the number of components, the gap, and how certain the parameters are."""

from mindgap.inference.bootstrapping import Bootstrap
from mindgap.inference.goodness import GoodnessOfFit, goodness_of_fit
from mindgap.inference.likelihood_ratio import LikelihoodRatio, compare
from mindgap.inference.selecting import select
from mindgap.inference.selection import Selection
from mindgap.inference.separation_path import GapPath, gap_path
from mindgap.results.sureness import Intervals

__all__ = [
    "Bootstrap",
    "GapPath",
    "GoodnessOfFit",
    "Intervals",
    "LikelihoodRatio",
    "Selection",
    "compare",
    "gap_path",
    "goodness_of_fit",
    "select",
]
