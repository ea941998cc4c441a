"""Data that are read piece by piece, as often as a fit asks: larger than memory, or not arrays at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from mindgap.errors import InvalidInputError
from mindgap.foundation.files import map_column, one_column
from mindgap.validation import FloatArray, as_count, as_vector

#: Points that an array or a file is cut into: 8 MB.
SIZE = 2**20


class Chunks:
    """Data for `kmeans` and `mixture` that are never in memory as a whole.

    A fit reads them several times: once for a summary, once for each iteration of a mixture, a few times for the
    closer looks of k-means. It holds some chunks at a time, one or two for each processor.

    Parameters
    ----------
    source : array, path, iterable or callable
        An array (such as `numpy.load(path, mmap_mode="r")`), or the path of a ``.npy`` file, which is cut into pieces;
        or the chunks themselves: anything that can be iterated over again and again, or a function that returns an
        iterator. A chunk is an array, or a pair of arrays: values and their weights.
    sample_weight : array or path, optional
        A weight for each point of an array or file.
    size : int
        The points of a piece of an array or file.

    Examples
    --------
    >>> chunks = mg.Chunks(lambda: (np.arange(start, start + 100.0) for start in (0, 100, 900)))
    >>> mg.kmeans(chunks, 2).centers.tolist()
    [99.5, 949.5]
    """

    def __init__(self, source: Any, sample_weight: Any = None, size: int = SIZE) -> None:
        length = as_count(size, "size")
        if isinstance(source, Iterator):
            raise InvalidInputError(
                "an iterator can be read only once, and a fit reads its data several times; give a function that "
                "returns a new one, or feed a Summary"
            )
        values = _opened(source, "source")
        if isinstance(values, np.ndarray):
            self._read: Callable[[], Iterable[Any]] = _pieces(values, _weights(sample_weight), length)
        elif sample_weight is not None:
            raise InvalidInputError(
                "sample_weight goes with an array or a file; give pairs (values, weights) as chunks"
            )
        elif callable(source):
            self._read = source
        elif isinstance(source, Iterable):
            self._read = lambda: source
        else:
            raise InvalidInputError(f"{type(source).__name__} is not a source of chunks; give an array, a path, chunks")

    def __iter__(self) -> Iterator[tuple[FloatArray, FloatArray | None]]:
        """Values and weights, chunk by chunk."""
        for index, chunk in enumerate(self._read()):
            pair = isinstance(chunk, tuple) and len(chunk) == 2
            values, weights = chunk if pair else (chunk, None)
            name = f"chunk {index}"
            yield as_vector(values, name), None if weights is None else as_vector(weights, f"the weights of {name}")


def _opened(source: Any, name: str) -> Any:
    """The column of a file, mapped into memory, or of an array; anything else as it is."""
    if isinstance(source, (str, os.PathLike)):
        return map_column(source, name)
    return one_column(source, name) if isinstance(source, np.ndarray) else source


def _weights(given: Any) -> Any:
    weights = _opened(given, "sample_weight")
    return weights if weights is None or isinstance(weights, np.ndarray) else as_vector(weights, "sample_weight")


def _pieces(values: Any, weights: Any, size: int) -> Callable[[], Iterator[Any]]:
    if weights is not None and len(weights) != len(values):
        raise InvalidInputError(f"{len(weights)} weights were given for {len(values)} points; give one weight a point")

    def read() -> Iterator[Any]:
        for start in range(0, len(values), size):
            piece = slice(start, start + size)
            yield (values[piece], None if weights is None else weights[piece])

    return read
