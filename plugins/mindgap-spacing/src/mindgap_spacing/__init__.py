"""Evenly or geometrically spaced centres for mindgap."""

from __future__ import annotations

from collections.abc import Callable

import mindgap as mg
from mindgap_spacing.equal_spacing import EqualSpacing
from mindgap_spacing.geometric_gaps import GeometricGaps
from mindgap_spacing.profile import RatioProfile, profile_ratio

__all__ = ["EqualSpacing", "GeometricGaps", "RatioProfile", "profile_ratio"]


@mg.hookimpl
def register_constraints(register: Callable[[type[mg.Constraint]], None]) -> None:
    """Register the constraints of this package."""
    register(EqualSpacing)
    register(GeometricGaps)
