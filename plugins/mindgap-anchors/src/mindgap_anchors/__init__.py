"""Constraints for mindgap: known, bounded or proportional centres."""

from __future__ import annotations

from collections.abc import Callable

import mindgap as mg
from mindgap_anchors.fixed_means import FixedMeans
from mindgap_anchors.mean_bounds import MeanBounds
from mindgap_anchors.ratio_range import RatioRange

__all__ = ["FixedMeans", "MeanBounds", "RatioRange"]


@mg.hookimpl
def register_constraints(register: Callable[[type[mg.Constraint]], None]) -> None:
    """Register the constraints of this package."""
    register(FixedMeans)
    register(MeanBounds)
    register(RatioRange)
