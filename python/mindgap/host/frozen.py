"""Read-only copies of the vectors and matrices that plugins hand over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.arrays import FloatArray, as_matrix, as_vector
from mindgap.errors import InvalidInputError, UnusableValueError

if TYPE_CHECKING:
    from collections.abc import Callable


def frozen(values: Any, name: str) -> FloatArray:
    """Return a read-only copy of a vector of numbers, finite or not."""
    return _frozen(as_vector, values, name)


def frozen_matrix(values: Any, name: str) -> FloatArray:
    """Return a read-only copy of a matrix of numbers, finite or not."""
    return _frozen(as_matrix, values, name)


def frozen_finite(values: Any, name: str) -> FloatArray:
    """Return a read-only copy of a vector of finite numbers."""
    copy = frozen(values, name)
    bad = np.flatnonzero(~np.isfinite(copy))
    if bad.size:
        raise UnusableValueError(f"{name} holds {copy[bad[0]]} at index {bad[0]}; every entry must be finite")
    return copy


def _frozen(read: Callable[[Any, str], FloatArray], values: Any, name: str) -> FloatArray:
    try:
        copy: FloatArray = read(values, name).copy()
    except InvalidInputError as error:
        raise UnusableValueError(str(error)) from error
    copy.setflags(write=False)
    return copy
