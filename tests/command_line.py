"""Runs the command line in this process as a shell would."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from mindgap.cli import run


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def fault(self) -> str:
        """The one line on standard error that a fault is, without the program's name."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("mindgap: "), self.err
        assert self.out == ""
        return lines[0].removeprefix("mindgap: ")


Command = Callable[..., Ended]


def command_runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def command(*arguments: object, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        monkeypatch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as ending:
            run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert isinstance(ending.value.code, int)
        return Ended(ending.value.code, out, err)

    return command
