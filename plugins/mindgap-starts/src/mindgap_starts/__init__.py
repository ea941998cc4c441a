"""More starts for mindgap's mixtures."""

from __future__ import annotations

from collections.abc import Callable

import mindgap as mg
from mindgap_starts.multistart import Multistart
from mindgap_starts.quantile import Quantile

__all__ = ["Multistart", "Quantile"]


@mg.hookimpl
def register_initializers(register: Callable[[type[mg.Initializer]], None]) -> None:
    """Register the initializers of this package."""
    register(Quantile)
    register(Multistart)
