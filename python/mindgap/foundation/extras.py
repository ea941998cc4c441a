"""Optional dependencies: imported where they are used, and named with their extra where they are missing."""

from __future__ import annotations

from importlib.util import find_spec

from mindgap.foundation.errors import MissingExtraError


def demand(extra: str, *modules: str) -> None:
    """Raise MissingExtraError, which says what to install, unless all the modules of an extra can be imported."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingExtraError(f'this needs {" and ".join(missing)}; install it with: pip install "mindgap[{extra}]"')
