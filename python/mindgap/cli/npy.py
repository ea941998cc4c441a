"""Arrays that numpy stored: one column, one of several by number, or a field by name."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.cli.tables import Column, place_of
from mindgap.errors import InvalidInputError
from mindgap.foundation.messages import reason
from mindgap.validation import as_vector

if TYPE_CHECKING:
    import numpy.typing as npt

    from mindgap.cli.reading import Request


def read_npy(request: Request, content: bytes) -> tuple[Column, Column | None]:
    """Return the column that was asked for, and that of the weights if one was."""
    array = _stored(request, content)
    if array.ndim not in (1, 2):
        raise InvalidInputError(f"{request.title} has shape {array.shape}; give one column, or rows and columns")
    column = _column(request, array, request.column, "--column")
    return column, None if request.weights is None else _column(request, array, request.weights, "--weights")


def _stored(request: Request, content: bytes) -> npt.NDArray[Any]:
    """Return the array, whose objects are never unpickled; a header that claims more than there is costs nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what numpy has to say of old headers
            array: npt.NDArray[Any] = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception as error:  # numpy lets through what its parsers of headers and dtypes raise, and MemoryError
        why = reason(error).splitlines()[0]
        raise InvalidInputError(f"{request.title} cannot be read as npy: {why}") from None
    return array


def _column(request: Request, array: npt.NDArray[Any], wanted: str | None, option: str) -> Column:
    names = array.dtype.names
    width = len(names) if names else 1 if array.ndim == 1 else array.shape[1]
    place = place_of(wanted, names, width, request.title, option)
    name = names[place] if names else None
    values = array[name] if name is not None else array if array.ndim == 1 else array[:, place]
    column = as_vector(values, f"column {name or place + 1} of {request.title}")
    return Column(column, place + 1, name).refuse_infinite(request.title)
