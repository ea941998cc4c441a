"""Data that are read chunk by chunk, as often as needed: larger than memory, or not in arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mindgap.model.sources import open_source
from mindgap.validation import FloatArray, as_count, as_vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindgap.model.sources import Piece

#: The number of points in a chunk of an array or file: 8 MB.
SIZE = 2**20


class Chunks:
    """Data for `kmeans` and `mixture` that are read in chunks, never all into memory.

    A fit reads the data several times: once for a summary, once for each iteration of a mixture, a few times to refine
    the summary for k-means. It holds one or two chunks per processor in memory. If the data change between two passes,
    it raises `ChangedDataError`.

    Parameters
    ----------
    source : array, path, paths, table, iterable or callable
        - an array, which is cut into chunks, such as ``numpy.load(path, mmap_mode="r")``;
        - the path of a npy, npz, Parquet or CSV file, of a folder with Parquet files, or a list of paths;
        - a table of Arrow or polars, or a data frame of pandas;
        - the chunks themselves: an iterable that can be read several times, or a function that returns an iterator.
          A chunk is an array, a pair of arrays (values and their weights), or a table (an Arrow record
          batch, a polars frame).

        Parquet and CSV files need the extra ``mindgap[parquet]``.
    sample_weight : array, path, list of paths or str, optional
        A weight for each point of an array or npy file; of tables and npz files, the name of the column of weights.
    size : int
        The number of points in a chunk of an array or file. A chunk of a Parquet file is one or more whole row groups.
    column : str or int, optional
        The column of a table, the array of a npz file, the field of a structured array; or the number, from 0, of a
        column of a matrix in a npy file. Not needed if there is only one.

    Examples
    --------
    >>> chunks = mg.Chunks(lambda: (np.arange(start, start + 100.0) for start in (0, 100, 900)))
    >>> mg.kmeans(chunks, 2).centers.tolist()
    [99.5, 949.5]
    """

    def __init__(
        self, source: Any, sample_weight: Any = None, size: int = SIZE, *, column: str | int | None = None
    ) -> None:
        self._source = open_source(source, sample_weight, as_count(size, "size"), column)

    def __iter__(self) -> Iterator[tuple[FloatArray, FloatArray | None]]:
        """Yield the values and weights of each chunk."""
        for number, piece in enumerate(self._pieces()):
            values, weights, _ = load_piece(number, piece)
            yield values, weights

    def _pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return the chunks, which are loaded when they are used, with the given key columns."""
        return self._source.pieces(keys)

    def _rows(self) -> int | None:
        """Return the number of points if it is known without reading them."""
        return self._source.rows()


def load_piece(number: int, piece: Piece) -> tuple[FloatArray, FloatArray | None, dict[str, Any]]:
    """Return the values of a chunk, their weights, and its key columns."""
    loaded = piece.load()
    name = title(number, piece)
    weights = None if loaded.weights is None else as_vector(loaded.weights, f"the weights of {name}")
    return as_vector(loaded.values, name), weights, loaded.keys or {}


def title(number: int, piece: Piece) -> str:
    """Return the name of a chunk for messages."""
    return f"chunk {number}" if piece.place is None else f"chunk {number} ({piece.place})"
