"""Runs the command line in this process as a shell would."""

from __future__ import annotations

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
        [line] = self.err.splitlines()
        assert line.startswith("mindgap: "), line
        assert self.out == ""
        return line.removeprefix("mindgap: ")


Command = Callable[..., Ended]


def command_runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def command(*arguments: object) -> Ended:
        monkeypatch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as ending:
            run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert isinstance(ending.value.code, int)
        return Ended(ending.value.code, out, err)

    return command
