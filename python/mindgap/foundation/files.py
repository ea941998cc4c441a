"""Atomic writes of files, and a check that an array is one column."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindgap.foundation.errors import InvalidInputError

if TYPE_CHECKING:
    import numpy.typing as npt


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file atomically: under a temporary name in the same folder, then renamed.

    A symbolic link stays and its target is replaced. A device or pipe is written to directly.

    Parameters
    ----------
    path : path
        The file to write.
    content : bytes
        Its new content.

    Examples
    --------
    >>> from mindgap.host import write_atomically
    >>> write_atomically("labels.txt", b"0 1 1")  # doctest: +SKIP
    """
    try:
        given = Path(path)  # /dev/stdout leads to a pipe, which has no path of its own
        if given.exists() and not given.is_file() and not given.is_dir():
            given.write_bytes(content)
            return
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise IsADirectoryError("it is a folder")
        _replace(target, content)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InvalidInputError(f"cannot write {str(path)!r}: {why}") from error


def _replace(target: Path, content: bytes) -> None:
    import tempfile  # not needed to import mindgap

    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # a power cut after the rename must not leave an empty file
        draft.chmod(_mode(target))
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """Return the permissions of the replaced file, or the default ones for a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def one_column(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Return a view of a numeric array of one column as one dimension, or raise InvalidInputError."""
    if array.dtype.kind not in "biuf" or not (array.ndim == 1 or (array.ndim == 2 and array.shape[1] == 1)):
        raise InvalidInputError(f"{name} has shape {array.shape} and dtype {array.dtype}; give one column of numbers")
    return array if array.ndim == 1 else array[:, 0]
