"""The binary form of a summary: a header, then its columns, compressed by zlib.

All numbers are little-endian. The header holds a signature of eight bytes, the version, whether there are weights, the
cell limit, the exponent, the number of cells, and a checksum of the compressed columns. The columns are the differences
of the cell indices, the counts, the weights (if there are any), low, high, offset and within.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError

#: The signature at the beginning.
MAGIC = b"\x93MINDGAP"

_VERSION = 1
_HEADER = struct.Struct("<8sBBIiQI")

#: The bytes of a cell without weights: eight each for the index, the count and four floats.
_CELL = 48

#: The compression level. The columns compress to about a third at any level; this is the fastest.
_LEVEL = 1


def dump(limit: int, weighted: bool, exponent: int, index: Any, count: Any, floats: Any) -> bytes:
    """Return the content of a file."""
    import zlib  # not needed to import mindgap

    columns = [np.diff(index, prepend=0).astype("<i8"), count.astype("<u8"), *floats[0 if weighted else 1 :]]
    # Group bytes of equal significance: those of neighbouring cells are similar and compress well.
    raw = b"".join(np.ascontiguousarray(column, column.dtype.newbyteorder("<")).tobytes() for column in columns)
    shuffled = np.frombuffer(raw, np.uint8).reshape(-1, 8).T.tobytes()
    packed = zlib.compress(shuffled, _LEVEL)
    return _HEADER.pack(MAGIC, _VERSION, weighted, limit, exponent, len(index), zlib.crc32(packed)) + packed


def load(content: bytes) -> tuple[int, bool, int, Any, Any, Any]:
    """Return the limit, whether there are weights, the exponent and the columns; the core checks the numbers."""
    import zlib  # not needed to import mindgap

    if not isinstance(content, (bytes, bytearray, memoryview)) or bytes(content[:8]) != MAGIC:
        raise InvalidInputError("this is not a stored Summary")
    if len(content) < _HEADER.size:
        raise _damaged("it is truncated")
    _, version, weighted, limit, exponent, cells, checksum = _HEADER.unpack_from(content)
    if version != _VERSION or weighted > 1:
        raise InvalidInputError(f"this Summary was stored in version {version}; this mindgap reads version {_VERSION}")
    packed = bytes(content[_HEADER.size :])
    if zlib.crc32(packed) != checksum:
        raise _damaged("its checksum is wrong")
    size = cells * (_CELL + 8 * weighted)
    unpacker = zlib.decompressobj()
    try:
        # Decompress no more than the header says: small content can expand to any size.
        raw = unpacker.decompress(packed, size + 1) if cells <= limit else b""
    except zlib.error as error:
        raise _damaged(str(error)) from error
    if len(raw) != size:
        raise _damaged("its columns have another length than its header says")
    words = np.frombuffer(raw, np.uint8).reshape(8, -1).T.tobytes()
    columns = [words[start : start + 8 * cells] for start in range(0, size, 8 * cells)] if cells else [b""] * 7
    index = np.cumsum(np.frombuffer(columns[0], "<i8"), dtype=np.int64)
    count = np.frombuffer(columns[1], "<u8").astype(np.uint64)
    numbers = [np.frombuffer(column, "<f8") for column in columns[2 : 6 + weighted]]
    floats = np.array([*([] if weighted else [count.astype(np.float64)]), *numbers], dtype=np.float64)
    return limit, bool(weighted), exponent, index, count, floats


def _damaged(why: str) -> InvalidInputError:
    return InvalidInputError(f"this stored Summary is damaged: {why}; write it again")
