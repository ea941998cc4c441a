"""Stored documents as JSON: versioned, and checked when read, so that untrusted files are safe to load."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.messages import shorten

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

T = TypeVar("T")

#: The format version that is written; every version up to it can be read.
VERSION = 1

#: Limits of stored numbers and counts, so that sums and products of a few of them are finite.
_LARGEST, _MOST = 1e300, 2**53


def dump(kind: str, fields: dict[str, Any]) -> str:
    """Return the JSON text of a document of that kind."""
    return to_json({"mindgap": kind, "version": VERSION, **fields})


def to_json(document: Any) -> str:
    """Return JSON text, with arrays as lists and non-finite numbers as null."""
    import json  # not needed to import mindgap

    return json.dumps(_plain(document), allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biu":
        return value.tolist()
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a repeated name, which two readers could resolve differently."""
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{shorten(next(name for name in names if names.count(name) > 1))} appears twice")
    return document


class Fields:
    """Typed access to the fields of a stored document; each error names the field."""

    def __init__(self, kind: str, document: dict[str, Any]) -> None:
        self._kind = kind
        self._document = document

    @classmethod
    def load(cls, kind: str, text: str | bytes) -> Self:
        """Return the fields of a document of that kind, or raise InvalidInputError."""
        import json  # not needed to import mindgap

        try:
            document = json.loads(text, object_pairs_hook=_each_once)
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInputError(f"this is not JSON: {error}") from error
        if not isinstance(document, dict) or document.get("mindgap") != kind:
            raise InvalidInputError(f"this is not a stored {kind}")
        version = document.get("version")
        if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= VERSION:
            raise InvalidInputError(
                f"this {kind} was stored in version {shorten(version)}; this mindgap reads up to version {VERSION}"
            )
        return cls(kind, document)

    def number(self, name: str, *, least: float = -_LARGEST) -> float:
        """Return a number whose size is at most 1e300."""
        number = self._number(name, self._get(name))
        if not least <= number <= _LARGEST:
            raise self._fault(name, f"a number of at least {least:g} and at most {_LARGEST:g}")
        return number

    def integer(self, name: str, *, least: int = 0) -> int:
        """Return an integer of at most 2⁵³."""
        value = self._get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < _MOST:
            raise self._fault(name, f"an integer of at least {least}")
        return value

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        value = self._get(name)
        if not isinstance(value, bool):
            raise self._fault(name, "true or false")
        return value

    def text(self, name: str, allowed: tuple[str, ...] | None = None) -> str:
        """Return a string, one of those allowed."""
        value = self._get(name)
        if not isinstance(value, str) or (allowed is not None and value not in allowed):
            raise self._fault(name, "text" if allowed is None else f"one of {', '.join(allowed)}")
        return value

    def texts(self, name: str, length: int | None = None, allowed: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Return a tuple of strings of the given length, each one of those allowed."""
        items = self._list(name, length)
        if not all(isinstance(item, str) and (allowed is None or item in allowed) for item in items):
            raise self._fault(name, f"a list of {'text' if allowed is None else ', '.join(allowed)}")
        return tuple(items)

    def numbers(self, name: str, length: int | None = None, *, absent: float | None = None) -> np.ndarray[Any, Any]:
        """Return finite numbers, of the given length; null stands for `absent`, if that is given."""
        items = self._list(name, length)
        if absent is not None:
            items = [absent if item is None else self._number(name, item) for item in items]
            return np.array(items, dtype=np.float64)
        return np.array([self._number(name, item) for item in items], dtype=np.float64)

    def least_numbers(self, name: str, length: int, least: float) -> np.ndarray[Any, Any]:
        """Return finite numbers, of the given length, all at least `least`."""
        values = self.numbers(name, length)
        self.check(name, bool((values >= least).all()), f"numbers of at least {least:g}")
        return values

    def ascending(self, name: str, length: int | None = None) -> np.ndarray[Any, Any]:
        """Return finite numbers in ascending order."""
        values = self.numbers(name, length)
        self.check(name, bool((values[1:] >= values[:-1]).all()), "ascending numbers")
        return values

    def check(self, name: str, sound: bool, expected: str) -> None:
        """Raise InvalidInputError about a field unless it is valid."""
        if not sound:
            raise self._fault(name, expected)

    def integers(self, name: str, length: int | None = None, *, below: int, least: int = 0) -> np.ndarray[Any, Any]:
        """Return integers from `least` to `below - 1`."""
        items = self._list(name, length)
        if not all(type(item) is int and least <= item < below for item in items):
            raise self._fault(name, f"a list of integers from {least} to {below - 1}")
        return np.array(items, dtype=np.int64)

    def nested(self, name: str) -> Self:
        """Return the fields of a nested object."""
        value = self._get(name)
        if not isinstance(value, dict):
            raise self._fault(name, "an object")
        return type(self)(f"{self._kind}'s {name}", value)

    def objects(self, name: str) -> list[Self]:
        """Return the fields of each object in a list."""
        items = self._list(name, None)
        if not all(isinstance(item, dict) for item in items):
            raise self._fault(name, "a list of objects")
        return [type(self)(f"{self._kind}'s {name}", item) for item in items]

    def optional(self, name: str, read: Callable[[str], T]) -> T | None:
        """Return what `read` returns for a field, or None if the field is absent or null."""
        return read(name) if self.has(name) else None

    def has(self, name: str) -> bool:
        """Return whether the field is present and not null."""
        return self._document.get(name) is not None

    def _get(self, name: str) -> Any:
        if name not in self._document:
            raise InvalidInputError(f"the stored {self._kind} lacks {name!r}")
        return self._document[name]

    def _list(self, name: str, length: int | None) -> list[Any]:
        items = self._get(name)
        if not isinstance(items, list) or (length is not None and len(items) != length):
            raise self._fault(name, "a list" if length is None else f"a list of {length}")
        return items

    def _number(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._fault(name, "a finite number")
        try:
            number = float(value)
        except OverflowError:
            raise self._fault(name, "a finite number") from None
        if not math.isfinite(number):
            raise self._fault(name, "a finite number")
        return number

    def _fault(self, name: str, expected: str) -> InvalidInputError:
        return InvalidInputError(f"the stored {self._kind} has a bad {name!r}: expected {expected}")
