"""Stored results of finished data sets, so that an interrupted run can continue."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import mindgap
from mindgap.host import write_atomically
from mindgap_paper.array_file import read_arrays

if TYPE_CHECKING:
    from mindgap_paper.experiments import FloatArray


def build_digest() -> str:
    """Return a digest of the code of mindgap and of this package: stored results of other code are not used."""
    digest = hashlib.sha256()
    for root in (Path(mindgap.__file__).parent, Path(__file__).parent):
        for path in sorted(path for path in root.rglob("*") if path.suffix in {".py", ".so", ".pyd"}):
            digest.update(path.read_bytes())
    return digest.hexdigest()


class Store:
    """The stored results of one experiment, one file for each run of data sets."""

    def __init__(self, folder: Path, identity: str) -> None:
        self._folder = folder
        self._identity = identity

    def load(self, first: int, end: int) -> dict[str, FloatArray] | None:
        """Return the results of data sets first..end, or None if they are incomplete or from another run."""
        try:
            found = read_arrays(self._path(first, end))
        except (OSError, ValueError):
            return None
        return found if str(found.pop("identity", "")) == self._identity else None

    def save(self, first: int, end: int, results: dict[str, FloatArray]) -> None:
        """Store the results of data sets first..end."""
        self._folder.mkdir(parents=True, exist_ok=True)
        buffer = BytesIO()
        np.savez(buffer, **results, identity=np.array(self._identity))  # type: ignore[arg-type]
        write_atomically(self._path(first, end), buffer.getvalue())

    def clear(self) -> None:
        """Remove the stored results when the run is finished."""
        for path in self._folder.glob("*.npz"):
            path.unlink(missing_ok=True)
        if self._folder.is_dir() and not any(self._folder.iterdir()):
            self._folder.rmdir()

    def _path(self, first: int, end: int) -> Path:
        return self._folder / f"{first:06d}-{end:06d}.npz"
