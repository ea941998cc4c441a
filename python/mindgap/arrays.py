"""From whatever holds numbers to one contiguous array of doubles, or a clear no."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mindgap.errors import InvalidInputError

FloatArray = npt.NDArray[np.float64]

_NUMBERS = "biuf"

#: What any count of points, clusters or iterations stays below.
_LARGEST_COUNT = 2**53


def as_vector(x: Any, name: str) -> FloatArray:
    """One-dimensional doubles from a list, an array of any stride or byte order, a column, a series.

    Raises InvalidInputError for anything that is not a vector of real numbers. Whether the numbers are finite is
    for the core to say, which looks at each of them anyway.
    """
    if isinstance(x, (str, bytes)):
        raise InvalidInputError(
            f"{name} is text ({x[:40]!r}); give numbers, read from a file first if that is its name"
        )
    if isinstance(x, np.ma.MaskedArray) and (count := int(np.sum(np.ma.getmaskarray(x)))):
        raise InvalidInputError(f"{name} has {count} masked values; drop or fill them")
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise InvalidInputError(f"{name} is not an array of numbers: {error}") from error
    # Aligned, too: what comes out of a buffer that holds other things need not be.
    return np.require(_as_column(_as_real(array, name), name), requirements=["C", "A"])


def _as_real(array: npt.NDArray[Any], name: str) -> FloatArray:
    if array.dtype.kind == "O":
        return _from_objects(array, name)
    if array.dtype.kind not in _NUMBERS:
        raise InvalidInputError(f"{name} has dtype {array.dtype}; give real numbers")
    return array.astype(np.float64, copy=False)


def _from_objects(array: npt.NDArray[Any], name: str) -> FloatArray:
    """Python numbers, decimals, fractions; not text that looks like a number."""
    for index, item in enumerate(array.flat):
        if isinstance(item, (str, bytes)):
            raise InvalidInputError(f"{name} holds text ({item!r}) at index {index}; convert it to numbers first")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(f"{name} holds objects that are not real numbers: {error}") from error


def _as_column(array: FloatArray, name: str) -> FloatArray:
    if array.ndim == 1:
        return array
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim == 0:
        raise InvalidInputError(f"{name} is a single number; give a sequence of numbers")
    raise InvalidInputError(f"{name} has shape {array.shape}; mindgap is for one column of numbers")


def as_count(k: Any, name: str) -> int:
    """A whole number of at least one."""
    if isinstance(k, (bool, np.bool_)) or not isinstance(k, (int, np.integer)):
        raise InvalidInputError(f"{name} is {k!r}; it must be a whole number")
    if k < 1:
        raise InvalidInputError(f"{name} is {k}; it must be at least 1")
    if k > _LARGEST_COUNT:
        raise InvalidInputError(f"{name} is {k}, which is beyond all counting")
    return int(k)


def as_number(value: Any, name: str) -> float:
    """One real number, finite or not."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InvalidInputError(f"{name} is {value!r}; it must be one number")
    try:
        return float(value)
    except OverflowError as error:
        raise InvalidInputError(f"{name} is {value!r}, which is beyond the largest double") from error
