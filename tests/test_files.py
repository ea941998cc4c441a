"""Atomic writes: a failed, interrupted or killed write leaves the old file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from command_line import Command
from mindgap import InvalidInputError
from mindgap.cli.new_plugin import write_package
from mindgap.foundation.files import write_atomically

#: Fails in the middle of the write, as a full disk does.
LIMITED = """
import resource, signal, sys
from mindgap.foundation.files import write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
write_atomically(sys.argv[1], b"new" * 1000)
"""
#: Is killed when all is written but the name.
KILLED = """
import os, pathlib, signal, sys
from mindgap.foundation.files import write_atomically
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(sys.argv[1], b"new" * 1000)
"""


def run(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("old", [None, b"old"])
def test_a_write_that_fails_half_way_leaves_no_trace(old: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    if old is not None:
        path.write_bytes(old)
    ended = run(LIMITED, path)
    assert "InvalidInputError: cannot write" in ended.stderr
    assert "File too large" in ended.stderr
    assert list(tmp_path.iterdir()) == ([] if old is None else [path])
    assert old is None or path.read_bytes() == old


def test_a_process_that_is_killed_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(b"old")
    assert run(KILLED, path).returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    contents = {bytes([65 + letter]) * 200_000 for letter in range(8)}
    write_atomically(path, min(contents))
    seen: set[bytes] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for content in sorted(contents) * 4:
            write_atomically(path, content)
    finally:
        done.set()
        reader.join()
    assert seen <= contents


@pytest.mark.parametrize(
    "arguments",
    [
        ["kmeans", "x.csv", "-k", "2", "--labels", "out"],
        ["mixture", "x.csv", "-k", "2", "--labels", "out"],
        ["kmeans", "x.csv", "-k", "2", "--plot", "out.png"],
        ["path", "x.csv", "-k", "2", "--plot", "out.svg"],
        ["report", "x.csv", "-k", "2", "--out", "out.html"],
    ],
    ids=" ".join,
)
def test_every_output_takes_the_place_of_the_old_file(
    arguments: list[str], tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second name of the old file keeps what was there, which writing into the file would not."""
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("\n".join(map(str, [1.0, 1.5, 2.25, 7.0, 8.0, 8.5])))
    out = Path(arguments[-1])
    out.write_bytes(b"old")
    Path("kept").hardlink_to(out)
    assert command(*arguments).code == 0
    assert out.read_bytes() != b"old"
    assert Path("kept").read_bytes() == b"old"


def test_a_disk_that_cannot_keep_the_content_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: int) -> None:
        raise OSError(5, "Input/output error")

    path = tmp_path / "result.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InvalidInputError, match=r"cannot write .*: Input/output error"):
        write_atomically(path, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("name", ["res\0ult.json", "missing/result.json", "."])
def test_a_place_that_no_file_can_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot write"):
        write_atomically(f"{tmp_path}/{name}", b"new")


def test_a_link_is_followed_and_permissions_are_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    script = "from mindgap.foundation.files import write_atomically; write_atomically('/dev/stdout', b'through')"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert ended.stdout == b"through"


def test_a_new_package_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = Path.write_text

    def fail(path: Path, *arguments: object, **more: object) -> int:
        if path.name == "README.md":
            raise OSError(28, "No space left on device")
        return written(path, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(InvalidInputError, match=r"cannot write .*mindgap-half: No space left on device"):
        write_package("half", "constraint", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_mode_of_any_other(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "new", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o666 & ~mask
