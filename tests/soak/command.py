"""Runs the command line in this process as a shell would, and checks what must hold however it ends."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mindgap.cli import run

#: Bad usage or input, no solution, solver, plugin; 1 is a fault of mindgap's own, which there must be none of.
FAULTS = (2, 3, 4, 5)


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def command(arguments: list[str], stdin: bytes = b"") -> Ended:
    """Run a command, and check that a fault is one line and a code, never a traceback."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors) for errors in ("strict", "backslashreplace"))
    before = warnings.showwarning
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _stdin(stdin):
        try:
            run(arguments)
            code: object = "no exit"
        except SystemExit as ending:
            code = ending.code
        finally:
            warnings.showwarning = before
    ended = Ended(code if isinstance(code, int) else -1, *map(_text, (out, err)))
    assert ended.code in (0, *FAULTS), f"{arguments} ended with {code!r}: {ended.err}"
    assert "Traceback" not in ended.err, f"{arguments}: {ended.err}"
    assert "Warning" not in ended.err, f"{arguments}: {ended.err}"
    assert _harmless(ended.out + ended.err), f"{arguments} writes control characters: {ended!r}"
    if ended.code:
        lines = ended.err.splitlines()
        assert ended.out == "", f"{arguments} failed, but printed: {ended.out}"
        assert lines, f"{arguments} failed without a word"
        assert lines[-1].startswith("mindgap: ") or not arguments, f"{arguments}: {ended.err}"
    return ended


def _harmless(text: str) -> bool:
    """Whether a terminal does nothing but show it."""
    return all(character.isprintable() or character == "\n" for character in text)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")


@contextlib.contextmanager
def _stdin(content: bytes) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(content))
    try:
        yield
    finally:
        sys.stdin = before


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """An empty folder that is the working directory for a while."""
    with tempfile.TemporaryDirectory() as name, _working_in(name):
        yield Path(name)


@contextlib.contextmanager
def _working_in(name: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(name)
    try:
        yield
    finally:
        os.chdir(before)
