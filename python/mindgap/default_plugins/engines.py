"""The built-in engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindgap.engines import Local
from mindgap.hookspecs import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.engines import Engine


@hookimpl
def register_engines(register: Callable[[type[Engine]], None]) -> None:
    """Register the built-in engines."""
    register(Local)
