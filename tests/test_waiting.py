"""The live line for a long wait without other output."""

from __future__ import annotations

import io
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from mindgap.foundation import progress


class Terminal(io.StringIO):
    """Standard error as a terminal, which the test can wait for."""

    def isatty(self) -> bool:
        return True

    def until(self, told: Callable[[str], bool]) -> None:
        while not told(self.getvalue()):
            pass


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    # Not sys.stderr itself, which pytest sets again before each test.
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=shown))
    monkeypatch.setattr(progress, "_PATIENCE", 0.001)
    return shown


def test_a_long_wait_is_counted_and_wiped_out(terminal: Terminal) -> None:
    with progress.waiting("reading heights.csv"):
        terminal.until(lambda text: text.count("reading heights.csv (0 s)") > 1)
    assert terminal.getvalue().endswith("\r")
    assert terminal.getvalue().rsplit("\r", 2)[1].isspace()


def test_it_is_silent_while_something_else_is_shown(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 3600.0)
    with progress.waiting("fitting"), progress.shown(True, "select", 2) as tick:
        tick(1)
        tick(2)
    assert "fitting" not in terminal.getvalue()
    assert "2/2" in terminal.getvalue()


def test_a_pipe_is_told_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.waiting("fitting"):
        pass
    assert capsys.readouterr().err == ""


def test_a_wait_that_fails_leaves_no_clock_behind(terminal: Terminal) -> None:
    def fail() -> None:
        with progress.waiting("reading"):
            terminal.until(lambda text: "reading" in text)
            raise ValueError("no such column")

    with pytest.raises(ValueError, match="no such column"):
        fail()
    assert terminal.getvalue().endswith("\r")


def test_a_live_line_is_wiped_out_on_a_terminal_and_kept_in_a_log(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit() -> None:
        with progress.ProgressLine() as line:
            line("search", 3.0, 2.0)

    fit()
    assert terminal.getvalue().rsplit("\r", 2)[1].isspace()
    log = io.StringIO()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=log))
    fit()
    assert log.getvalue().rstrip(" ").endswith("\n")
    assert "search" in log.getvalue().splitlines()[-1]
