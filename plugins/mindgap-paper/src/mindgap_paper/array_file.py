"""Files of named arrays (.npz), which are never unpickled."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path


def read_arrays(path: Path) -> dict[str, Any]:
    """Return the arrays of a file by name; OSError if it cannot be read, ValueError if it is not such a file."""
    content = path.read_bytes()
    try:
        with np.load(BytesIO(content), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored}
    except Exception as error:
        # For an empty or truncated file, a single array or a false header, numpy passes on errors of zip, zlib and
        # Python's parser.
        raise ValueError(f"it is not a file of arrays ({error})") from error
