"""Files of named arrays (.npz), read whole and never unpickled."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path


def read_arrays(path: Path) -> dict[str, Any]:
    """Return the arrays of a file by name; OSError if it cannot be read, ValueError if it is no such file."""
    content = path.read_bytes()
    try:
        with np.load(BytesIO(content), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored}
    except Exception as error:
        # An empty file, one array alone, a part of a file, a header that claims more than there is: numpy has no error
        # of its own for any of them, and lets through those of zip, of zlib and of Python's parser.
        raise ValueError(f"it is no file of arrays ({error})") from error
