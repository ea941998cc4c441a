"""Read-only copies of the vectors that plugins hand over."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindgap.arrays import FloatArray, as_vector
from mindgap.errors import InvalidInputError, UnusableValueError


def frozen(values: Any, name: str) -> FloatArray:
    """Return a read-only copy of a vector of numbers, finite or not."""
    try:
        copy: FloatArray = as_vector(values, name).copy()
    except InvalidInputError as error:
        raise UnusableValueError(str(error)) from error
    copy.setflags(write=False)
    return copy


def frozen_finite(values: Any, name: str) -> FloatArray:
    """Return a read-only copy of a vector of finite numbers."""
    copy = frozen(values, name)
    bad = np.flatnonzero(~np.isfinite(copy))
    if bad.size:
        raise UnusableValueError(f"{name} holds {copy[bad[0]]} at index {bad[0]}; every entry must be finite")
    return copy
