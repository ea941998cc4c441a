"""Format foreign values and errors for messages: short, printable, and without raising."""

from __future__ import annotations

import reprlib

#: Formats only the first items of a container, however many it has.
_CONTAINERS = reprlib.Repr()
_CONTAINERS.maxlist = _CONTAINERS.maxtuple = _CONTAINERS.maxset = _CONTAINERS.maxfrozenset = _CONTAINERS.maxdict = 20
_CONTAINERS.maxstring = _CONTAINERS.maxother = _CONTAINERS.maxlong = 80


def shorten(value: object, longest: int = 80) -> str:
    """Return the repr of a value, truncated to `longest`; its type if the repr raises."""
    try:
        text = _CONTAINERS.repr(value) if isinstance(value, (list, tuple, set, frozenset, dict)) else repr(value)
    except Exception:  # a foreign repr may raise anything; Python refuses to print very long integers
        if isinstance(value, int):
            return f"an integer of {value.bit_length()} bits"
        return f"an object of type {type(value).__qualname__}"
    return text if len(text) <= longest else f"{text[:longest]}..."


def reason(error: BaseException) -> str:
    """Return the message of an error, or the name of its class if it has none."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__


def printable(text: str) -> str:
    """Return text with unprintable characters escaped.

    Names read from files may hold control characters, bidirectional marks and lone surrogates.
    """
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)
