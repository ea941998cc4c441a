"""Choosing: the number of components, the gap, and how sure the parameters are."""

from mindgap.choosing.bootstrapping import Bootstrap, Intervals
from mindgap.choosing.likelihood_ratio import LikelihoodRatio, compare
from mindgap.choosing.selection import Selection, select
from mindgap.choosing.separation_path import GapPath, gap_path

__all__ = ["Bootstrap", "GapPath", "Intervals", "LikelihoodRatio", "Selection", "compare", "gap_path", "select"]
