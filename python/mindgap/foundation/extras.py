"""Optional dependencies: the error for a missing one names its extra."""

from __future__ import annotations

from importlib.util import find_spec

from mindgap.foundation.errors import MissingExtraError


def demand(extra: str, *modules: str) -> None:
    """Raise MissingExtraError, which says what to install, unless all modules of an extra are installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingExtraError(f'this needs {" and ".join(missing)}; install it with: pip install "mindgap[{extra}]"')
