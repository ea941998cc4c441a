"""The only allowed outcomes of hostile input: a valid result, or an error that mindgap raises on purpose."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import mindgap as mg


def attempt(call: Callable[[], Any]) -> Any:
    """Return the answer, or the error if it is one of mindgap's; whatever else is raised, a warning too, goes on."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return call()
        except mg.MindgapError as error:
            refusal = error
    assert str(refusal).strip(), f"{type(refusal).__name__} says nothing"
    return refusal


def refused(answer: Any) -> bool:
    """Whether the attempt ended in an error."""
    return isinstance(answer, mg.MindgapError)
