"""Values and errors from outside in the words of a message: short, and never a failure of their own."""

from __future__ import annotations

import reprlib

#: Of a container no more than its first items is looked at, however many it has.
_CONTAINERS = reprlib.Repr()
_CONTAINERS.maxlist = _CONTAINERS.maxtuple = _CONTAINERS.maxset = _CONTAINERS.maxfrozenset = _CONTAINERS.maxdict = 20
_CONTAINERS.maxstring = _CONTAINERS.maxother = _CONTAINERS.maxlong = 80


def shorten(value: object, longest: int = 80) -> str:
    """Return the repr of a value, cut where it is long; its type where it has none."""
    try:
        text = _CONTAINERS.repr(value) if isinstance(value, (list, tuple, set, frozenset, dict)) else repr(value)
    except Exception:  # a repr of someone else's, or an integer too long to be written in decimals
        if isinstance(value, int):
            return f"an integer of {value.bit_length()} bits"
        return f"an object of type {type(value).__qualname__}"
    return text if len(text) <= longest else f"{text[:longest]}..."


def reason(error: BaseException) -> str:
    """Return what an error says; its class where it does not say anything."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__


def printable(text: str) -> str:
    """Return text in which what a terminal or a reader would act on, or could not show, is spelt out.

    Control characters, marks that turn the direction of writing, and halves of characters come from names in files.
    """
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)
