"""The built-in initializers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindgap.hookspecs import hookimpl
from mindgap.initializers import Ckmeans, ConstrainedKMeans

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.initializers import Initializer


@hookimpl
def register_initializers(register: Callable[[type[Initializer]], None]) -> None:
    """Register the built-in initializers."""
    register(ConstrainedKMeans)
    register(Ckmeans)
