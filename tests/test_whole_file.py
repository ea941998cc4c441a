"""Files are there whole or not at all: a failed, interrupted or killed write leaves what was there before."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mindgap.cli.new_plugin import write_package
from mindgap.errors import InvalidInputError
from mindgap.foundation.files import write_whole
from sources import calls, name_of, sources

#: What writes a file under its own name while it is being written.
WRITES = {"write_text", "write_bytes", "savez", "savez_compressed", "savetxt", "tofile", "savefig"} | {
    f"to_{kind}" for kind in ("csv", "parquet", "excel", "feather", "hdf")
}
#: Who calls one of these names, and what it is there.
INNOCENT = {
    ("python/mindgap/foundation/files.py", "fdopen"): "the draft",
    ("python/mindgap/foundation/files.py", "write_bytes"): "to a device or a pipe, which cannot be replaced",
    ("python/mindgap/cli/new_plugin.py", "write_text"): "below a folder that gets its name when all of it is written",
    ("python/mindgap/plots/canvas.py", "savefig"): "to memory",
    ("plugins/mindgap-paper/src/mindgap_paper/stored.py", "savez"): "to memory",
}


def writers(tree: ast.AST) -> list[str]:
    """The calls that could leave half a file: the names above, their relatives, and `open` to write."""
    found = []
    for name, call in calls(tree):
        method = name.rpartition(".")[2]
        if method in WRITES or name == "np.save":
            found.append(method)
        if method in {"open", "fdopen"}:
            modes = [*call.args, *(keyword.value for keyword in call.keywords)]
            texts = [mode.value for mode in modes if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
            if any(set(text) <= set("rwaxbt+U") and set(text) & set("wax+") for text in texts):
                found.append(method)
    return found


@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_whoever_writes_writes_whole(path: Path) -> None:
    found = writers(ast.parse(path.read_text(encoding="utf-8")))
    assert [method for method in found if (name_of(path), method) not in INNOCENT] == []


@pytest.mark.parametrize(
    "code", ["open(p, 'w')", "p.open(mode='ab')", "p.write_text(t)", "np.save(p, x)", "f.to_csv(p)"]
)
def test_whoever_did_not_would_be_found_out(code: str) -> None:
    assert writers(ast.parse(code))


#: Fails in the middle of the write, as a full disk does.
LIMITED = """
import resource, signal, sys
from mindgap.foundation.files import write_whole
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
write_whole(sys.argv[1], b"new" * 1000)
"""
#: Is killed when all is written but the name.
KILLED = """
import os, pathlib, signal, sys
from mindgap.foundation.files import write_whole
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_whole(sys.argv[1], b"new" * 1000)
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
    write_whole(path, min(contents))
    seen: set[bytes] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for content in sorted(contents) * 4:
            write_whole(path, content)
    finally:
        done.set()
        reader.join()
    assert seen <= contents


def test_a_disk_that_cannot_keep_the_content_is_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: int) -> None:
        raise OSError(5, "Input/output error")

    path = tmp_path / "result.json"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InvalidInputError, match=r"cannot write .*: Input/output error"):
        write_whole(path, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]
    assert path.read_bytes() == b"old"


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="cannot write"):
        write_whole("res\0ult.json", b"new")


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    script = "from mindgap.foundation.files import write_whole; write_whole('/dev/stdout', b'through')"
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
