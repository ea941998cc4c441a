"""A piece of the data of `Chunks`, and the interface of sources."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from mindgap.foundation.errors import ChangedDataError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Loaded(NamedTuple):
    """Values, their weights if any, and the requested key columns by name."""

    values: Any
    weights: Any = None
    keys: dict[str, Any] | None = None


@dataclass(frozen=True)
class Piece:
    """A piece that is loaded on demand; `place` is its location, for messages, if known."""

    load: Callable[[], Loaded]
    place: str | None = None


class Source(ABC):
    """Data in pieces that can be read any number of times."""

    @abstractmethod
    def pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return all pieces in order, with the given key columns."""

    def rows(self) -> int | None:
        """Return the number of points if it is known without reading them."""
        return None


class Joined(Source):
    """Several sources, one after the other."""

    def __init__(self, parts: list[Source]) -> None:
        self._parts = parts

    def pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return the pieces of all parts."""
        for part in self._parts:
            yield from part.pieces(keys)

    def rows(self) -> int | None:
        """Return the number of points of all parts."""
        counts = [part.rows() for part in self._parts]
        return None if None in counts else sum(count for count in counts if count is not None)


class Stamp:
    """The size and time of a file when it was first opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state = self._now()

    def check(self) -> None:
        """Raise ChangedDataError if the file has been written to or replaced."""
        if self._now() != self._state:
            how = "fit a copy that no one writes to"
            raise ChangedDataError(f"{self._path} was written to while it was being read; {how}")

    def _now(self) -> tuple[int, int, int]:
        try:
            status = self._path.stat()
        except OSError as error:
            raise InvalidInputError(f"{self._path} cannot be read: {error.strerror or error}") from error
        return status.st_size, status.st_mtime_ns, status.st_ino


def refuse_keys(keys: tuple[str, ...], what: str) -> None:
    """Refuse key columns if the source has no other columns."""
    if keys:
        raise InvalidInputError(f"{what} has no column {keys[0]!r} to write beside the labels; leave keys out")
