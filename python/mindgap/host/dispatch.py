"""Find the engine that owns an object, so that a Dask array is fitted by the Dask engine without ``engine=``.

Arrays, lists and frames in memory import no package.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from mindgap.foundation.errors import PASSING, InvalidInputError, PluginWarning
from mindgap.foundation.messages import reason
from mindgap.host import lookup
from mindgap.host.manager import host
from mindgap.host.registry import KINDS
from mindgap.validation import is_elsewhere

if TYPE_CHECKING:
    from mindgap.model.engine import Engine

#: Packages whose objects are in memory, so that no engine owns them.
_HERE = frozenset({"array", "builtins", "collections", "mindgap", "numpy", "pandas", "polars", "pyarrow"})

_ENGINE = KINDS["engine"]


def engine_for(x: Any) -> Engine | None:
    """Return a new engine for data that belong to an engine; None for data in memory.

    Raises InvalidInputError if the data are not in memory and the package with their engine is not installed.
    """
    package = _package(x)
    if package in _HERE:
        return None
    takers = [entry for entry in host.engines_near(package) if _takes(entry.plugin, x)]
    if len(takers) > 1:
        names = " and ".join(repr(entry.name) for entry in takers)
        raise InvalidInputError(f"the engines {names} both take a {type(x).__name__}; name one with engine=")
    if takers:
        return lookup.engine(takers[0].name)
    if is_elsewhere(x):
        why = lookup.why_absent(_ENGINE, package) or f"no engine takes it; there is {package!r} for Dask collections"
        what = f"x is a {package} {type(x).__name__}, whose numbers are not in this process"
        raise InvalidInputError(f"{what}; {why}; or collect it yourself with .compute()")
    return None


def _package(x: Any) -> str:
    """Return the package of an object's type; "dask" for an object that holds a Dask collection."""
    package = type(x).__module__.partition(".")[0]
    return "dask" if package not in _HERE and is_elsewhere(x) else package


def _takes(engine: type[Engine], x: Any) -> bool:
    """Return whether an engine takes an object; an engine that raises does not stop the fit."""
    try:
        return engine.takes(x) is True
    except PASSING:
        raise
    except BaseException as error:
        what = f"{type(error).__name__}: {reason(error)}"
        warnings.warn(f"the engine {engine.name!r} raised {what} in takes(x)", PluginWarning, stacklevel=2)
        return False
