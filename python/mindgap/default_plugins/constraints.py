"""The built-in constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindgap.constraints import LowerOnly, PerGap, TwoSided
from mindgap.hookspecs import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.constraints import Constraint


@hookimpl
def register_constraints(register: Callable[[type[Constraint]], None]) -> None:
    """Register the built-in constraints."""
    register(LowerOnly)
    register(TwoSided)
    register(PerGap)
