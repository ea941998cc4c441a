"""The exceptions: their base classes, and their names in tracebacks and pickles."""

from __future__ import annotations

import pickle

import pytest

import mindgap as mg

ERRORS = [value for name in mg.__all__ if isinstance(value := getattr(mg, name), type) and issubclass(value, Exception)]


@pytest.mark.parametrize("error", ERRORS)
def test_every_error_is_a_mindgap_error(error: type[Exception]) -> None:
    assert issubclass(error, (mg.MindgapError, Warning))


def test_invalid_input_is_a_value_error() -> None:
    assert issubclass(mg.InvalidInputError, ValueError)


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_goes_by_its_public_name(error: type[Exception]) -> None:
    assert error.__module__ == "mindgap"
    assert type(pickle.loads(pickle.dumps(error("text")))) is error
