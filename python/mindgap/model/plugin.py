"""What constraints, initializers and engines have in common: a name and parameters."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar


class Plugin:
    """A named thing with the parameters of its constructor, each kept as the attribute of the same name."""

    name: ClassVar[str] = ""
    """What it is registered and asked for by: lower case words joined by hyphens."""

    @classmethod
    def parameters(cls) -> dict[str, inspect.Parameter]:
        """Return the parameters of the constructor, by name."""
        if cls.__init__ is object.__init__:
            return {}
        return dict(inspect.signature(cls).parameters)

    def __repr__(self) -> str:
        unknown = object()
        values = {name: getattr(self, name, unknown) for name in self.parameters()}
        given = [f"{name}={_brief(value)}" for name, value in values.items() if value is not unknown]
        return f"{type(self).__name__}({', '.join(given)})"


def _brief(value: Any) -> str:
    return repr(value.tolist() if hasattr(value, "tolist") else value)
