"""The binary form of a summary: a header, then its columns, packed by zlib.

Little-endian throughout. Header: eight bytes that no other format begins with, then the version, whether there are
weights, the cell limit, the exponent, the number of cells, and a checksum of the packed columns. Columns: the steps of
the cell indices, the counts, then weight (only where there are weights), low, high, offset and within.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError

#: What the content begins with.
MAGIC = b"\x93MINDGAP"

_VERSION = 1
_HEADER = struct.Struct("<8sBBIiQI")

#: Bytes of a cell: eight for each of index, count, four floats, and the weight where there are weights.
_CELL = 48

#: The columns compress to about a third at any level; this is the quickest.
_LEVEL = 1


def dump(limit: int, weighted: bool, exponent: int, index: Any, count: Any, floats: Any) -> bytes:
    """Return the content of a file."""
    import zlib  # not needed to import mindgap

    columns = [np.diff(index, prepend=0).astype("<i8"), count.astype("<u8"), *floats[0 if weighted else 1 :]]
    # Bytes of the same rank beside each other: those of neighbouring cells are alike.
    raw = b"".join(np.ascontiguousarray(column, column.dtype.newbyteorder("<")).tobytes() for column in columns)
    shuffled = np.frombuffer(raw, np.uint8).reshape(-1, 8).T.tobytes()
    packed = zlib.compress(shuffled, _LEVEL)
    return _HEADER.pack(MAGIC, _VERSION, weighted, limit, exponent, len(index), zlib.crc32(packed)) + packed


def load(content: bytes) -> tuple[int, bool, int, Any, Any, Any]:
    """Return the limit, whether there are weights, the exponent, and the columns; the core checks their numbers."""
    import zlib  # not needed to import mindgap

    if not isinstance(content, (bytes, bytearray, memoryview)) or bytes(content[:8]) != MAGIC:
        raise InvalidInputError("this is not a stored Summary")
    if len(content) < _HEADER.size:
        raise _damaged("it ends too early")
    _, version, weighted, limit, exponent, cells, checksum = _HEADER.unpack_from(content)
    if version != _VERSION or weighted > 1:
        raise InvalidInputError(f"this Summary was stored in version {version}; this mindgap reads version {_VERSION}")
    packed = bytes(content[_HEADER.size :])
    if zlib.crc32(packed) != checksum:
        raise _damaged("its checksum is another")
    size = cells * (_CELL + 8 * weighted)
    unpacker = zlib.decompressobj()
    try:
        # No more than the header promises, whatever the packed columns grow to.
        raw = unpacker.decompress(packed, size + 1) if cells <= limit else b""
    except zlib.error as error:
        raise _damaged(str(error)) from error
    if len(raw) != size:
        raise _damaged("its columns are not as long as it says")
    words = np.frombuffer(raw, np.uint8).reshape(8, -1).T.tobytes()
    columns = [words[start : start + 8 * cells] for start in range(0, size, 8 * cells)] if cells else [b""] * 7
    index = np.cumsum(np.frombuffer(columns[0], "<i8"), dtype=np.int64)
    count = np.frombuffer(columns[1], "<u8").astype(np.uint64)
    numbers = [np.frombuffer(column, "<f8") for column in columns[2 : 6 + weighted]]
    floats = np.array([*([] if weighted else [count.astype(np.float64)]), *numbers], dtype=np.float64)
    return limit, bool(weighted), exponent, index, count, floats


def _damaged(why: str) -> InvalidInputError:
    return InvalidInputError(f"this stored Summary is damaged: {why}; write it again")
