"""The command line in its own process: pipes, terminals and interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mindgap.__main__ import main


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.txt"
    path.write_text("\n".join(str(value**2 % 101) for value in range(200)))
    return path


def test_a_terminal_gets_progress_on_standard_error(numbers: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "mindgap", "select", str(numbers), "-k", "1-3"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, text=True, check=False)
    os.close(theirs)
    shown = os.read(ours, 10000).decode()
    os.close(ours)
    assert ended.returncode == 0
    assert "] 3/3" in shown
    assert "3/3" not in ended.stdout


def test_no_colour_in_a_terminal_that_asks_for_none(numbers: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = os.environ | {"NO_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80"}
    command = [sys.executable, "-m", "mindgap", "kmeans", str(numbers), "-k", "3"]
    ended = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, env=environment, check=False)
    os.close(theirs)
    shown = os.read(ours, 10000).decode()
    os.close(ours)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "proven optimal" in shown
    assert "\x1b[3" not in shown  # bold may be; colours are not


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")
def test_an_interrupt_is_one_line_and_130() -> None:
    command = [sys.executable, "-m", "mindgap", "kmeans", "-", "-k", "2"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    # Numbers flow in slowly until the command surely waits for more of them; then it is interrupted.
    process.stdin.write("1\n")
    process.stdin.flush()
    _wait_until_reading(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "mindgap: interrupted"


def test_an_interrupt_while_it_is_imported_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Slow(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt if name == "run" else AttributeError(name)

    monkeypatch.setitem(sys.modules, "mindgap.cli", Slow("mindgap.cli"))
    with pytest.raises((SystemExit, KeyboardInterrupt)) as ending:
        main()
    assert isinstance(ending.value, SystemExit)
    assert (ending.value.code, capsys.readouterr().err) == (130, "mindgap: interrupted\n")


def _wait_until_reading(pid: int) -> None:
    """Wait until the process has loaded the reader, so that an interrupt meets the command and not Python's start."""
    channel = Path(f"/proc/{pid}/wchan")
    if not channel.exists():
        pytest.skip("there is no /proc to see what a process waits for")
    for _ in range(6000):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        # Where the kernel does not say what it waits for, that it sleeps must do.
        waits = "pipe" in channel.read_text() or (channel.read_text() == "0" and state == "S")
        if waits and "_core" in Path(f"/proc/{pid}/maps").read_text():
            return
        subprocess.run(["sleep", "0.01"], check=True)
    pytest.fail("the command never waited for its input")


def test_a_reader_that_stops(numbers: Path) -> None:
    command = f"{sys.executable} -m mindgap kmeans {numbers} -k 2 --json | head -c 1"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("{", "")
