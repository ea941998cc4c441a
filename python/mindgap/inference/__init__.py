"""Inference: choose the number of components and the gap, test models, and measure the uncertainty of parameters."""

from mindgap.inference.bootstrapping import Bootstrap
from mindgap.inference.goodness import GoodnessOfFit, goodness_of_fit
from mindgap.inference.likelihood_ratio import LikelihoodRatio, compare
from mindgap.inference.selecting import select
from mindgap.inference.selection import Selection
from mindgap.inference.separation_path import GapPath, gap_path
from mindgap.results.reliability import Intervals

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
