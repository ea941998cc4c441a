"""The origin of a plugin, for messages and lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib import metadata


@dataclass(frozen=True)
class Origin:
    """The distribution of a plugin, or its module if it is from a script."""

    package: str | None
    version: str | None
    module: str

    def __str__(self) -> str:
        if self.package is None:
            return f"module {self.module}"
        return f"{self.package} {self.version}"

    @classmethod
    def of_distribution(cls, distribution: metadata.Distribution, module: str) -> Origin:
        """Return the origin of a module of an installed distribution."""
        return cls(distribution.metadata["Name"], distribution.version, module)

    @classmethod
    def of_class(cls, plugin: type) -> Origin:
        """Return the origin of an unregistered class: its distribution if there is one, else its module."""
        from importlib import metadata  # slow to import, and only needed for a message

        module = plugin.__module__
        for package in metadata.packages_distributions().get(module.partition(".")[0], ()):
            return cls.of_distribution(metadata.distribution(package), module)
        return cls(None, None, module)
