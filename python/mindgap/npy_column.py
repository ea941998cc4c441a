"""A column of numbers in a .npy file, mapped into memory: what is not used is never read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.brief import reason
from mindgap.errors import InvalidInputError

if TYPE_CHECKING:
    import os

    import numpy.typing as npt


def map_column(path: str | os.PathLike[str], name: str) -> npt.NDArray[Any]:
    """Return the column in a file; `name` is what messages call it."""
    try:
        array = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:  # numpy lets through what its parsers of headers and dtypes raise
        raise InvalidInputError(f"{name} is not a .npy file of numbers that can be read: {reason(error)}") from error
    return one_column(array, name)


def one_column(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Return an array of numbers of any kind as one dimension, without a copy."""
    if array.dtype.kind not in "biuf" or not (array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1)):
        raise InvalidInputError(f"{name} has shape {array.shape} and dtype {array.dtype}; give one column of numbers")
    return array if array.ndim == 1 else array[:, 0]
