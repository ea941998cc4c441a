"""Compressed files (gzip, bzip2, xz, zstd, zip), detected by their first bytes. Files of other programs are refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from importlib import import_module
from typing import TYPE_CHECKING

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.extras import demand
from mindgap.foundation.messages import reason

if TYPE_CHECKING:
    from collections.abc import Callable

_EXPORT = "save the sheet as CSV"

#: The first bytes of files that mindgap does not read, with their kind and what to do.
_FOREIGN = {
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", _EXPORT),
    b"SQLite format 3": ("an SQLite database", "export the column, as with sqlite3 -csv"),
    b"\x89HDF": ("an HDF5 file", "save the array with numpy.save"),
    b"$FL2": ("an SPSS file", "export it as CSV"),
    b"<stata_dta>": ("a Stata file", "export it as CSV"),
    b"FEA1": ("a Feather file of version 1", "save it as Parquet"),
    b"%PDF": ("a PDF", "copy the numbers into a text file"),
    b"RDX": ("an R workspace", "write.csv() the data frame"),
}


def unpacked(content: bytes, title: str) -> bytes:
    """Return the content, decompressed if necessary; refuse files in formats of other programs."""
    for begin, unpack in _PACKED.items():
        if content.startswith(begin):
            try:
                return unpack(content, title)
            except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error, zipfile.BadZipFile) as error:
                if isinstance(error, InvalidInputError):
                    raise
                raise InvalidInputError(f"{title} cannot be unpacked: {reason(error)}") from None
    for begin, (what, advice) in _FOREIGN.items():
        if content.startswith(begin):
            raise InvalidInputError(f"{title} is {what}, which mindgap does not read; {advice}")
    return content


def _zip(content: bytes, title: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
        if "[Content_Types].xml" in names or "content.xml" in names:
            raise InvalidInputError(
                f"{title} is a workbook, which mindgap does not read; {_EXPORT}, "
                "or in Python: pandas.read_excel(...)[column] into mindgap.mixture"
            )
        if any(name.endswith(".npy") for name in names):
            raise InvalidInputError(f"{title} is a numpy archive (npz); save the one array with numpy.save")
        if len(names) != 1:
            raise InvalidInputError(f"{title} holds {len(names)} files; give a zip with one, or unpack it first")
        try:
            return archive.read(names[0])
        except (RuntimeError, NotImplementedError) as error:  # encrypted, or compressed by an unknown method
            raise InvalidInputError(f"{title} cannot be unpacked: {reason(error)}") from None


def _zstd(content: bytes, title: str) -> bytes:
    demand("cli", "pyarrow")
    arrow = import_module("pyarrow")
    found: bytes = arrow.CompressedInputStream(arrow.BufferReader(content), "zstd").read()
    return found


_PACKED: dict[bytes, Callable[[bytes, str], bytes]] = {
    b"\x1f\x8b": lambda content, _title: gzip.decompress(content),
    b"BZh": lambda content, _title: bz2.decompress(content),
    b"\xfd7zXZ\x00": lambda content, _title: lzma.decompress(content),
    b"\x28\xb5\x2f\xfd": _zstd,
    b"PK\x03\x04": _zip,
}
