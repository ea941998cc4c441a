"""Data that are read piece by piece, as often as a fit asks: larger than memory, or not arrays at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mindgap.model.sources import open_source
from mindgap.validation import FloatArray, as_count, as_vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindgap.model.sources import Piece

#: Points that an array or a file is cut into: 8 MB.
SIZE = 2**20


class Chunks:
    """Data for `kmeans` and `mixture` that are never in memory as a whole.

    A fit reads them several times: once for a summary, once for each iteration of a mixture, a few times for the
    closer looks of k-means. It holds some chunks at a time, one or two for each processor. A source that is not the
    same every time is a `ChangedDataError`.

    Parameters
    ----------
    source : array, path, paths, table, iterable or callable
        - an array, which is cut into pieces, such as ``numpy.load(path, mmap_mode="r")``;
        - the path of a npy, npz, Parquet or CSV file, of a folder with Parquet files, or a list of paths;
        - a table of Arrow or polars, or a data frame of pandas;
        - the chunks themselves: anything that can be iterated over again and again, or a function that returns an
          iterator. A chunk is an array, a pair of arrays (values and their weights), or a table (an Arrow record
          batch, a polars frame).

        Parquet and CSV files need the extra ``mindgap[parquet]``.
    sample_weight : array, path, list of paths or str, optional
        A weight for each point of an array or npy file; of tables and npz files, the name of the column of weights.
    size : int
        The points of a piece of an array or file. A row group of a Parquet file is read whole; small ones together.
    column : str or int, optional
        The column of a table, the array of a npz file, the field of a structured array; or the number, from 0, of a
        column of a matrix in a npy file. Not needed where there is only one.

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
        """Values and weights, chunk by chunk."""
        for number, piece in enumerate(self._pieces()):
            values, weights, _ = load_piece(number, piece)
            yield values, weights

    def _pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """The chunks, each to be loaded when it is used, with some other columns of a table."""
        return self._source.pieces(keys)

    def _rows(self) -> int | None:
        """The number of points, if it is known before they are read."""
        return self._source.rows()


def load_piece(number: int, piece: Piece) -> tuple[FloatArray, FloatArray | None, dict[str, Any]]:
    """Return the values of a chunk, their weights, and its key columns."""
    loaded = piece.load()
    name = title(number, piece)
    weights = None if loaded.weights is None else as_vector(loaded.weights, f"the weights of {name}")
    return as_vector(loaded.values, name), weights, loaded.keys or {}


def title(number: int, piece: Piece) -> str:
    """Return what messages call a chunk."""
    return f"chunk {number}" if piece.place is None else f"chunk {number} ({piece.place})"
