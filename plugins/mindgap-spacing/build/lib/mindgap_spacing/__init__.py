"""Evenly or geometrically spaced centres for mindgap."""

from __future__ import annotations

from collections.abc import Callable

import mindgap as mg
from mindgap_spacing.equal_spacing import EqualSpacing
from mindgap_spacing.geometric_gaps import GeometricGaps

__all__ = ["EqualSpacing", "GeometricGaps"]


@mg.hookimpl
def register_constraints(register: Callable[[type[mg.Constraint]], None]) -> None:
    """Register the constraints of this package."""
    register(EqualSpacing)
    register(GeometricGaps)
