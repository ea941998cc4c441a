"""The base class of constraints, initializers and engines: a name and parameters."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar


class Plugin:
    """An object with a name, whose constructor parameters are kept as attributes of the same names.

    Two objects of one class are equal if their parameters are. Private names of this class begin with `_mindgap`, so
    that they do not clash with attributes of a plugin.
    """

    name: ClassVar[str] = ""
    """The name to register it under: lower case words joined by hyphens."""

    @classmethod
    def parameters(cls) -> dict[str, inspect.Parameter]:
        """Return the parameters of the constructor, by name."""
        if cls.__init__ is object.__init__:
            return {}
        return dict(inspect.signature(cls).parameters)

    def _mindgap_parameters(self) -> dict[str, Any]:
        """Return the values of the constructor's parameters that are kept as attributes."""
        unknown = object()
        values = {name: getattr(self, name, unknown) for name in self.parameters()}
        return {name: value for name, value in values.items() if value is not unknown}

    def _mindgap_key(self) -> object:
        """Return a key for comparison: the class and all parameters, or the object's id if a parameter is not kept."""
        values = self._mindgap_parameters()
        if values.keys() != self.parameters().keys():
            return id(self)
        return type(self), tuple((name, _hashable(value)) for name, value in values.items())

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self._mindgap_key() == other._mindgap_key())

    def __hash__(self) -> int:
        return hash(self._mindgap_key())

    def __repr__(self) -> str:
        given = [f"{name}={_plain(value)!r}" for name, value in self._mindgap_parameters().items()]
        return f"{type(self).__name__}({', '.join(given)})"


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _hashable(value: Any) -> Any:
    value = _plain(value)
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value
