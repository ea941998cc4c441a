"""Arrays in npy files: one column, a column by number, or a field by name."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.cli.tables import Column, Table
from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.messages import reason
from mindgap.validation import as_vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from mindgap.cli.reading import Request


class StoredArray(Table):
    """The columns of an array."""

    def __init__(self, request: Request, content: bytes) -> None:
        self._title = request.title
        self._array = array = _stored(request, content)
        if array.ndim not in (1, 2):
            raise InvalidInputError(f"{request.title} has shape {array.shape}; give one column, or rows and columns")
        self.names = list(array.dtype.names) if array.dtype.names else None
        self.width = len(self.names) if self.names else 1 if array.ndim == 1 else array.shape[1]

    def numbers(self, *places: int) -> list[Column]:
        """Return columns of numbers."""
        return [self._column(place) for place in places]

    def texts(self, place: int) -> list[str]:
        """Return a column as text."""
        return [f"{cell}" for cell in self._cells(place).tolist()]

    def rows(self) -> Iterator[list[str]]:
        """Return all cells as text."""
        return map(list, zip(*map(self.texts, range(self.width)), strict=True))

    def _cells(self, place: int) -> npt.NDArray[Any]:
        if self.names:
            return np.asarray(self._array[self.names[place]])
        return self._array if self._array.ndim == 1 else self._array[:, place]

    def _column(self, place: int) -> Column:
        name = self.names[place] if self.names else None
        column = as_vector(self._cells(place), f"column {name or place + 1} of {self._title}")
        return Column(column, place + 1, name)


def _stored(request: Request, content: bytes) -> npt.NDArray[Any]:
    """Return the array. Objects are never unpickled, and a header with a false size allocates nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy warns about old headers
            array: npt.NDArray[Any] = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception as error:  # numpy passes on any error of its parsers, and MemoryError
        why = reason(error).splitlines()[0]
        raise InvalidInputError(f"{request.title} cannot be read as npy: {why}") from None
    return array
