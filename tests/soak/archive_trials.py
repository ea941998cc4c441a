"""Trials of files of named arrays, which an interrupted reproduction leaves behind: whole, or known to be damaged."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import numpy as np

from mindgap.reproduction.array_file import read_arrays
from soak.foreign_json import cut

_ARRAYS = {"samples": np.arange(6.0).reshape(2, 3), "labels": np.zeros((2, 3), dtype=np.int64)}


def stored(compressed: bool) -> bytes:
    """A sound file."""
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **_ARRAYS)  # type: ignore[arg-type]
    return file.getvalue()


def stored_arrays(rng: np.random.Generator) -> str:
    """A file of which bytes are others, or gone."""
    content = stored(bool(rng.integers(2)))
    if rng.random() < 0.5:
        content = cut(rng, content)
    else:
        bent = np.frombuffer(content, np.uint8).copy()
        places = rng.integers(0, len(bent), int(rng.integers(1, 9)))
        bent[places] = rng.integers(0, 256, len(places))
        content = bent.tobytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arrays.npz"
        path.write_bytes(content)
        try:
            found = read_arrays(path)
        except ValueError:
            return "refused"
    assert isinstance(found, dict)
    return "read"


TRIALS = {"stored-arrays": stored_arrays}
