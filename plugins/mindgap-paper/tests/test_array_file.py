"""Files of arrays from outside: complete, or known to be damaged."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from mindgap_paper.array_file import read_arrays

from command_line import Command

ARRAYS = {"samples": np.arange(6.0).reshape(2, 3), "labels": np.zeros((2, 3), dtype=np.int64)}


def stored(compressed: bool) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **ARRAYS)
    return file.getvalue()


@pytest.mark.parametrize("method", [12, 99])
def test_packed_in_an_unknown_way(method: int, tmp_path: Path) -> None:
    content = stored(compressed=False)
    # Where the zip directory says how its entries are packed.
    for place in range(len(content)):
        if content[place : place + 4] in (b"PK\x01\x02", b"PK\x03\x04"):
            at = place + (10 if content[place + 2] == 1 else 8)
            content = content[:at] + bytes([method]) + content[at + 1 :]
    (tmp_path / "arrays.npz").write_bytes(content)
    with pytest.raises(ValueError, match="it is not a file of arrays"):
        read_arrays(tmp_path / "arrays.npz")


@pytest.mark.parametrize("seed", range(100))
def test_bytes_changed_or_missing(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    content = stored(bool(rng.integers(2)))
    if rng.random() < 0.5:
        content = content[: rng.integers(len(content))]
    else:
        bent = np.frombuffer(content, np.uint8).copy()
        places = rng.integers(0, len(bent), int(rng.integers(1, 9)))
        bent[places] = rng.integers(0, 256, len(places))
        content = bent.tobytes()
    path = tmp_path / "arrays.npz"
    path.write_bytes(content)
    with suppress(ValueError):  # nothing else may come of it
        assert isinstance(read_arrays(path), dict)


def test_authors_data_that_are_no_numbers(command: Command, tmp_path: Path) -> None:
    np.savez(tmp_path / "paper_exp1.npz", samples=np.full((2, 3), "a"), labels=np.zeros((2, 3)))
    ended = command("reproduce", "1", "--data", tmp_path, "--out", tmp_path / "out")
    assert (ended.code, "must be numbers" in ended.fault) == (2, True)
