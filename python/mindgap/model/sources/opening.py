"""Choose the source for an object by its type, and for a file by its first bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.files import one_column
from mindgap.foundation.messages import shorten
from mindgap.model.sources.arrays import ArrayPieces, NpyFile, NpzFile
from mindgap.model.sources.piece import Joined, Loaded, Piece, Source, refuse_keys
from mindgap.model.sources.tables import (
    CsvFile,
    ParquetFile,
    TablePieces,
    choose,
    is_table,
    loaded_of,
    names_of,
)
from mindgap.validation import as_vector

#: Suffixes of text files, whose content has no signature.
_TEXTS = (".csv", ".tsv", ".txt")

#: How every npy file begins.
_NPY = b"\x93NUMPY"


def open_source(source: Any, sample_weight: Any, size: int, column: int | str | None) -> Source:
    """Return the source for an argument of `Chunks`; reads the headers of files."""
    if isinstance(source, Iterator) or type(source).__name__ == "RecordBatchReader":
        raise InvalidInputError(
            "an iterator can be read only once, and a fit reads its data several times; give a function that "
            "returns a new one, or feed a Summary"
        )
    if isinstance(source, np.ndarray):
        return ArrayPieces(one_column(source, "source"), _weights(sample_weight, size), size)
    if _is_path(source):
        return _of_path(Path(source), sample_weight, size, column)
    if is_table(source):
        return TablePieces(source, _name(column), _name(sample_weight, "sample_weight"), size)
    if isinstance(source, (list, tuple)) and source and all(map(_is_path, source)):
        return _of_paths([Path(part) for part in source], sample_weight, size, column)
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise InvalidInputError("sample_weight goes with an array or a file; give pairs (values, weights) as chunks")
    if callable(source):
        return Given(source, _name(column), sample_weight)
    if isinstance(source, Iterable):
        return Given(lambda: source, _name(column), sample_weight)
    kind = type(source).__name__
    raise InvalidInputError(f"{kind} is not a source of chunks; give an array, a path, a table or chunks")


class Given(Source):
    """Chunks from the caller's iterable or function: arrays, pairs of values and weights, or tables."""

    def __init__(self, read: Callable[[], Iterable[Any]], column: str | None, weights: str | None) -> None:
        self._read, self._column, self._weights = read, column, weights

    def pieces(self, keys: tuple[str, ...] = ()) -> Iterator[Piece]:
        """Return the chunks in the order they are produced."""
        chunks = self._read()
        if not isinstance(chunks, Iterable):
            raise InvalidInputError(f"the source of the chunks returned {shorten(chunks)}; it must return an iterator")
        for number, chunk in enumerate(chunks):
            loaded = self._loaded(chunk, f"chunk {number}", keys)
            yield Piece(lambda loaded=loaded: loaded)  # type: ignore[misc]

    def _loaded(self, chunk: Any, title: str, keys: tuple[str, ...]) -> Loaded:
        if is_table(chunk):
            column = choose(self._column, names_of(chunk), title, "column")
            weights = None if self._weights is None else choose(self._weights, names_of(chunk), title, "sample_weight")
            return loaded_of(chunk, column, weights, keys, title)
        refuse_keys(keys, title)
        if self._weights is not None:
            raise InvalidInputError(
                f"{title} is not a table with a column {self._weights!r}; give pairs (values, weights)"
            )
        return Loaded(*chunk) if isinstance(chunk, tuple) and len(chunk) == 2 else Loaded(chunk)


def _is_path(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike))


def _name(column: Any, option: str = "column") -> str | None:
    if column is not None and not isinstance(column, str):
        raise InvalidInputError(f"{option} must be the name of a column here, not a {type(column).__name__}")
    return column


def _weights(given: Any, size: int) -> Any:
    """Return weights as an array or a npy file."""
    if given is None:
        return None
    if _is_path(given):
        return NpyFile(Path(given), None, None, size, f"sample_weight {given}")
    return one_column(given, "sample_weight") if isinstance(given, np.ndarray) else as_vector(given, "sample_weight")


def _of_paths(paths: list[Path], sample_weight: Any, size: int, column: int | str | None) -> Source:
    """Return the concatenation of several files; each npy file has its own file of weights."""
    if isinstance(sample_weight, (list, tuple)):
        if len(sample_weight) != len(paths):
            raise InvalidInputError(f"sample_weight has {len(sample_weight)} files for {len(paths)} of the values")
        weights = list(sample_weight)
    else:
        weights = [sample_weight] * len(paths)
    return Joined([_of_path(path, weight, size, column) for path, weight in zip(paths, weights, strict=True)])


def _of_path(path: Path, sample_weight: Any, size: int, column: int | str | None) -> Source:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.parquet") if file.is_file())
        if not files:
            raise InvalidInputError(f"{path} is a folder without *.parquet files; give a list of files instead")
        return _of_paths(files, _name(sample_weight, "sample_weight"), size, column)
    start = _start(path)
    if start.startswith(b"PAR1"):
        return ParquetFile(path, _name(column), _name(sample_weight, "sample_weight"), size)
    if start.startswith(b"PK") and path.suffix != ".npy":
        return NpzFile(path, _name(column), _name(sample_weight, "sample_weight"), size, str(path))
    if path.suffix.lower() in _TEXTS:
        return CsvFile(path, _name(column), _name(sample_weight, "sample_weight"))
    if path.suffix.lower() not in (".npy", ".npz") and not start.startswith(_NPY):
        raise InvalidInputError(f"{path} is of no known kind; give a .npy, .npz, .parquet, .csv or .tsv file")
    return NpyFile(path, column, _weights(sample_weight, size), size, str(path))


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(8)
    except OSError as error:
        raise InvalidInputError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
