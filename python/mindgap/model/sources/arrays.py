"""Arrays in memory and in numpy files.

A npy file is read piece by piece at its offsets, not mapped: the pages of a mapped file count as memory of the process,
which schedulers measure. Pass a mapped array to map it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from mindgap.foundation.errors import ChangedDataError, InvalidInputError
from mindgap.foundation.messages import reason, shorten
from mindgap.model.sources.piece import Loaded, Piece, Source, Stamp, refuse_keys

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Iterator

    import numpy.typing as npt


class ArrayPieces(Source):
    """An array in memory, or a mapped one, cut into slices."""

    def __init__(self, values: npt.NDArray[Any], weights: npt.NDArray[Any] | NpyFile | None, size: int) -> None:
        self._values, self._weights, self._size = values, weights, size
        _expect_equal(weights, len(values))

    def pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return the slices."""
        refuse_keys(keys, "an array")
        for start in range(0, len(self._values), self._size):
            stop = min(start + self._size, len(self._values))
            yield Piece(lambda start=start, stop=stop: self._load(start, stop))  # type: ignore[misc]

    def _load(self, start: int, stop: int) -> Loaded:
        return Loaded(self._values[start:stop], _some(self._weights, start, stop))

    def rows(self) -> int:
        """Return the length of the array."""
        return len(self._values)


@dataclass(frozen=True)
class Layout:
    """The location of one column of a stored array, from its header."""

    count: int
    dtype: np.dtype[Any]
    width: int
    place: int | str | None
    by_column: bool

    def column(self, block: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the column from a block of rows."""
        if isinstance(self.place, str):
            return block[self.place]
        return block if self.width == 1 or self.by_column else block.reshape(-1, self.width)[:, self.place]

    @property
    def stride(self) -> int:
        """The number of items from one row to the next."""
        return 1 if self.by_column else self.width


class NpyFile(Source):
    """One column of a npy file."""

    def __init__(self, path: Path, column: int | str | None, weights: Any, size: int, name: str) -> None:
        self._path, self._size, self._weights = path, size, weights
        self._stamp = Stamp(path)
        with path.open("rb") as file:
            self._layout = _layout(file, column, name)
            self._offset = file.tell()
        layout = self._layout
        if layout.by_column and isinstance(layout.place, int):
            self._offset += layout.place * layout.count * layout.dtype.itemsize
        needed = self._offset + layout.count * layout.stride * layout.dtype.itemsize
        if path.stat().st_size < needed:
            raise InvalidInputError(f"{name} is not a .npy file of numbers that can be read: it is truncated")
        _expect_equal(weights, layout.count)

    def pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return blocks of rows, each read when it is used."""
        refuse_keys(keys, str(self._path))
        for start in range(0, self._layout.count, self._size):
            stop = min(start + self._size, self._layout.count)
            place = f"rows {start} to {stop - 1} of {self._path}"
            yield Piece(lambda start=start, stop=stop: self._load(start, stop), place)  # type: ignore[misc]

    def rows(self) -> int:
        """Return the number of rows in the header."""
        return self._layout.count

    def _load(self, start: int, stop: int) -> Loaded:
        return Loaded(self.read(start, stop), _some(self._weights, start, stop))

    def read(self, start: int, stop: int) -> npt.NDArray[Any]:
        """Return the rows from `start` to `stop` of the column."""
        layout = self._layout
        self._stamp.check()
        offset = self._offset + start * layout.stride * layout.dtype.itemsize
        count = (stop - start) * layout.stride
        block = np.fromfile(self._path, dtype=layout.dtype, count=count, offset=offset)
        if len(block) < count:
            raise ChangedDataError(f"{self._path} shrank while it was being read; fit a copy that no one writes to")
        return layout.column(block)


class NpzFile(Source):
    """One array of a npz file, compressed or not; every pass reads it from the beginning."""

    def __init__(self, path: Path, column: str | None, weights: str | None, size: int, name: str) -> None:
        self._path, self._size, self._name = path, size, name
        self._stamp = Stamp(path)
        with self._opened() as archive:
            members = [member.removesuffix(".npy") for member in archive.namelist()]
            self._member = _member(path, members, column, "column")
            self._weights = None if weights is None else _member(path, members, weights, "sample_weight")
            with archive.open(f"{self._member}.npy") as file:
                self._count = _layout(file, None, f"{self._member!r} of {path}").count
            if self._weights is not None:
                with archive.open(f"{self._weights}.npy") as file:
                    length = _layout(file, None, f"{self._weights!r} of {path}").count
                if length != self._count:
                    raise _unequal(length, self._count)

    def pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return blocks of rows, read one after the other."""
        refuse_keys(keys, str(self._path))
        self._stamp.check()
        with self._opened() as archive:
            values = self._column(archive, self._member)
            weights = None if self._weights is None else self._column(archive, self._weights)
            for start in range(0, self._count, self._size):
                loaded = Loaded(next(values), None if weights is None else next(weights))
                stop = min(start + self._size, self._count)
                yield Piece(lambda loaded=loaded: loaded, f"rows {start} to {stop - 1} of {self._path}")  # type: ignore[misc]

    def rows(self) -> int:
        """Return the length of the array."""
        return self._count

    def _column(self, archive: zipfile.ZipFile, member: str) -> Iterator[npt.NDArray[Any]]:
        with archive.open(f"{member}.npy") as file:
            layout = _layout(file, None, f"{member!r} of {self._path}")
            for start in range(0, layout.count, self._size):
                count = min(self._size, layout.count - start)
                content = file.read(count * layout.dtype.itemsize)
                if len(content) < count * layout.dtype.itemsize:
                    raise InvalidInputError(f"{member!r} of {self._path} is truncated; write it again")
                yield np.frombuffer(content, layout.dtype)

    def _opened(self) -> zipfile.ZipFile:
        import zipfile  # not needed to import mindgap

        try:
            return zipfile.ZipFile(self._path)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise InvalidInputError(f"{self._name} is not a .npz file that can be read: {reason(error)}") from error


def _member(path: Path, members: list[str], wanted: str | None, option: str) -> str:
    """Return the name of the requested array; by default the only one."""
    if wanted is None and len(members) == 1:
        return members[0]
    if wanted is None:
        raise InvalidInputError(f"{path} holds the arrays {', '.join(members)}; name one with {option}=")
    if wanted not in members:
        raise InvalidInputError(f"{path} has no array {wanted!r}; it has {', '.join(members)}")
    return wanted


def _layout(file: BinaryIO | Any, column: int | str | None, name: str) -> Layout:
    """Read the header of a stored array. Nothing in it is executed, and sizes are checked against the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy warns about old headers
            version = np.lib.format.read_magic(file)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, by_column, dtype = read(file)
    except Exception as error:  # numpy passes on any error of its parsers
        raise InvalidInputError(f"{name} is not a .npy file of numbers that can be read: {reason(error)}") from error
    if dtype.names:
        if not isinstance(column, str) or column not in dtype.names:
            raise InvalidInputError(f"{name} has the fields {', '.join(dtype.names)}; name one with column=")
        kind, width = dtype[column], 1
    else:
        kind, width = dtype, 1 if len(shape) == 1 else shape[-1] if len(shape) == 2 else 0
        if isinstance(column, str) or (column is not None and not 0 <= column < width):
            raise InvalidInputError(f"{name} has {width} columns without names; there is no column {shorten(column)}")
    if kind.kind not in "biuf" or kind.shape or width == 0 or (width > 1 and column is None) or not shape:
        choose = "name one column with column=0" if width > 1 else "give one column of numbers"
        what = choose if column is None else "it must hold numbers"
        raise InvalidInputError(f"{name} has shape {shape} and dtype {dtype}; {what}")
    return Layout(int(shape[0]), dtype, width, column, bool(by_column) and width > 1)


def _some(weights: npt.NDArray[Any] | NpyFile | None, start: int, stop: int) -> npt.NDArray[Any] | None:
    """Return the weights of the rows from `start` to `stop`."""
    return (
        weights.read(start, stop) if isinstance(weights, NpyFile) else None if weights is None else weights[start:stop]
    )


def _expect_equal(weights: npt.NDArray[Any] | NpyFile | None, points: int) -> None:
    length = weights.rows() if isinstance(weights, NpyFile) else None if weights is None else len(weights)
    if length is not None and length != points:
        raise _unequal(length, points)


def _unequal(weights: int, points: int) -> InvalidInputError:
    return InvalidInputError(f"{weights} weights were given for {points} points; give one weight for each point")
