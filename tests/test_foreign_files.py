"""Damaged, misleading and unusual files and arguments: one line says what is wrong."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Command
from mindgap.inference import selecting
from soak.foreign_files import _HEADERS


def stored(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def read(command: Command, content: bytes, *options: str) -> list[float]:
    path = Path("data")
    path.write_bytes(content)
    ended = command("kmeans", path, "-k", 1, "--labels", "labels.csv", *options)
    assert ended.code == 0, ended.err
    names, *rows = (line.split(",") for line in Path("labels.csv").read_text().splitlines())
    asked = options[options.index("--column") + 1] if "--column" in options else "1"
    place = names.index(asked) if asked in names else int(asked) - 1
    return [float(row[place]) for row in rows]


def fault(command: Command, content: bytes, *options: str) -> str:
    path = Path("data")
    path.write_bytes(content)
    ended = command("kmeans", path, "-k", 1, *options)
    assert ended.code == 2
    return ended.fault


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("content", [b"x\n1,5\n2,5\n", b"x\n1\n1,234.5\n", b"1\n2\n3,5\n", b"a,b\nrow,1,2\n"])
def test_cells_beyond_the_first_row_are_not_dropped(content: bytes, command: Command) -> None:
    assert "in its first row; quote cells that hold the separator" in fault(command, content, "--column", "1")


def test_empty_cells_at_the_end_of_a_row_are_nothing(command: Command) -> None:
    assert read(command, b"x\n1,\n2,,\n3\n") == [1, 2, 3]


@pytest.mark.parametrize("first", ["1_000", "$5", "5%", "=1+1", '"1,5"', "1 234", "2026-01-01"])
def test_a_first_number_that_cannot_be_read_is_no_name(first: str, command: Command) -> None:
    content = f"{first}\n2\n3\n".encode()
    assert "neither a number nor a name; add --header" in fault(command, content)
    assert read(command, content, "--header") == [2, 3]


@pytest.mark.parametrize("header", _HEADERS, ids=range(len(_HEADERS)))
def test_npy_headers_that_claim_anything(header: str, command: Command) -> None:
    text = header.encode() + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    assert "data" in fault(command, content)


def test_npy_with_no_rows(command: Command) -> None:
    assert "has no values in column 2" in fault(command, stored(np.zeros((0, 2))), "--column", "2")


def test_whole_numbers_that_no_double_holds(command: Command) -> None:
    assert "which no double represents" in fault(command, stored(np.array([2**53 + 1])))
    assert "cannot be read as Parquet: Integer value 9007199254740993" in fault(command, parquet(x=[2**53 + 1]))


def parquet(names: list[str] | None = None, **columns: list[Any]) -> bytes:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    file = io.BytesIO()
    write_table(arrow.table(list(columns.values()), names=names or list(columns)), file)
    return file.getvalue()


def test_parquet_columns_of_one_name_are_told_apart_by_number(command: Command) -> None:
    content = parquet(["x", "x"], a=[1.0, 2.0], b=[3.0, 4.0])
    assert [read(command, content, "--column", place) for place in "12"] == [[1, 2], [3, 4]]


def test_parquet_names_with_dots_are_names(command: Command) -> None:
    assert read(command, parquet(["a", "a.b"], a=[1.0, 2.0], b=[3.0, 4.0]), "--column", "a.b") == [3, 4]


@pytest.mark.parametrize("damage", [slice(-200, -100), slice(4, 24)], ids=["footer", "page"])
def test_damaged_parquet(damage: slice, command: Command) -> None:
    content = bytearray(parquet(x=[1.0, 2.0]))
    content[damage] = b"\xff" * len(content[damage])
    assert "cannot be read as Parquet" in fault(command, bytes(content))


@pytest.mark.parametrize("number", ["1" * 5000, "²", "0", "-1", "99999999999999999999"])
def test_numbers_of_columns_that_are_none(number: str, command: Command) -> None:
    assert "has no column" in fault(command, b"1,2\n3,4\n", "--column", number)


def test_names_cannot_steer_the_terminal(command: Command) -> None:
    red = "\x1b[31mred\u202e"
    assert "\\x1b[31mred\\u202e" in fault(command, f"{red},b\n1,2\n".encode())
    Path("data").write_bytes(f"{red}\n1\n2\n".encode())
    ended = command("kmeans", "data", "-k", 1)
    assert (ended.code, "2 values of \\x1b[31mred\\u202e" in ended.out) == (0, True)
    assert "\\x1b[31mred" in command("kmeans", f"{red}.csv", "-k", 1).fault


@pytest.mark.parametrize(
    "arguments",
    [
        ("select", "-k", "1-999999999999"),
        ("select", "-k", "1-10001"),
        ("select", "-k", "²"),
        ("select", "-k", "9" * 5000),
        ("path", "-k", 1, "--deltas", "0:1:999999999999"),
        ("path", "-k", 1, "--deltas", "0:1:0"),
        ("path", "-k", 1, "--deltas", "0:inf:3"),
        ("path", "-k", 1, "--deltas", "-1e308:1e308:3"),
        ("kmeans", "-k", 2, "--constraint", "lower-only:delta=" + "-" * 990 + "1"),
        ("kmeans", "-k", 2, "--labels", "data"),
        ("kmeans", "-k", 2, "--labels", "./data"),
        ("kmeans", "-k", 2, "--labels", "."),
        ("kmeans", "-k", 2, "--labels", "a" * 5000 + "/out.csv"),
        ("kmeans", "-k", 2, "--labels", "a" * 300),
        ("kmeans", "-k", 2, "--labels", "out\0.csv"),
        ("kmeans", "-k", 2, "--labels", "data/out.csv"),
        ("kmeans", "-k", 2, "--labels", "out.png", "--plot", "./out.png"),
        ("report", "-k", 1, "--out", "data"),
        ("report", "-k", 1, "--bootstrap", 10**12),
    ],
)
def test_arguments_that_are_refused(arguments: tuple[Any, ...], command: Command) -> None:
    Path("data").write_text("1\n2\n5\n")
    ended = command(*arguments, "data")
    assert ended.code == 2
    assert ended.fault
    assert [path.name for path in Path().iterdir()] == ["data"]
    assert Path("data").read_text() == "1\n2\n5\n"


def test_a_new_plugin_needs_a_place_to_be(command: Command) -> None:
    Path("file").touch()
    assert "cannot write" in command("new-plugin", "mine", "--kind", "constraint", "--dir", "file/below").fault


def test_names_with_dollars_are_no_formulas(command: Command) -> None:
    Path("data").write_text("$x_{$\n1\n2\n5\n")
    for kind in ("svg", "png"):
        assert command("kmeans", "data", "-k", 2, "--plot", f"out.{kind}").code == 0
    assert b"\x1b" not in Path("out.svg").read_bytes()


def test_a_fault_of_its_own_is_one_line_too(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selecting, "mixture", lambda *_, **__: 1 / 0)
    Path("data").write_text("1\n2\n5\n")
    ended = command("select", "data", "-k", "1")
    assert (ended.code, ended.fault.startswith("internal error, please report it: ZeroDivision")) == (1, True)
    monkeypatch.setenv("MINDGAP_TRACEBACK", "1")
    from mindgap.cli import run

    with pytest.raises(ZeroDivisionError):
        run(["select", "data", "-k", "1"])


POSIX = pytest.mark.skipif(sys.platform == "win32", reason="devices and pipes are another matter there")


@POSIX
@pytest.mark.parametrize(
    ("redirected", "code", "message"),
    [
        ("/dev/zero -k 1", 2, "mindgap: /dev/zero is a device; give a file"),
        ("- -k 1 < /dev/zero", 2, "mindgap: standard input is a device; give a file"),
        ("/dev/null -k 1", 2, "mindgap: /dev/null is empty"),
        ("- -k 1 <&-", 2, "mindgap: there is no standard input; give a file"),
        ("data -k 1 > /dev/full", 2, "mindgap: the output cannot be written: No space left on device"),
        ("data -k 1 >&-", 0, ""),
    ],
    ids=["device", "device-in", "null", "no-in", "full", "no-out"],
)
def test_devices_and_streams_that_are_not_there(redirected: str, code: int, message: str) -> None:
    if "/dev/" in redirected and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    Path("data").write_text("1\n2\n5\n")
    # What never ends would take all the memory of the machine otherwise.
    limited = f"ulimit -v 4000000 2>&-; {sys.executable} -m mindgap kmeans {redirected}"
    ended = subprocess.run(["sh", "-c", limited], capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended
    assert ended.stderr.startswith(message), ended
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.splitlines()) == bool(message), ended


def test_a_name_is_printed_where_the_output_claims_to_be_ascii() -> None:
    Path("data").write_text("größe\n1\n2\n5\n", encoding="utf-8")
    command = [sys.executable, "-m", "mindgap", "kmeans", "data", "-k", "1"]
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(command, env=ascii_only, capture_output=True, encoding="utf-8", check=False)
    assert (ended.returncode, "größe" in ended.stdout) == (0, True), ended


@POSIX
def test_a_named_pipe_is_waited_for(command: Command) -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_text("1\n2\n5\n"))
    writer.start()
    ended = command("kmeans", "pipe", "-k", 1)
    writer.join()
    assert (ended.code, "3 values" in ended.out) == (0, True)


@POSIX
def test_a_file_that_may_not_be_read(command: Command) -> None:
    Path("data").write_text("1\n")
    Path("data").chmod(0)
    if os.access("data", os.R_OK):
        pytest.skip("nothing is forbidden to this user")
    assert command("kmeans", "data", "-k", 1).fault == "data cannot be read: Permission denied"


@POSIX
def test_a_report_on_a_file_whose_name_is_no_text() -> None:
    name = b"na\xffme<b>.csv"
    try:
        with open(name, "w") as file:  # noqa: PTH123  # whose name is no str
            file.write("1\n2\n5\n")
    except OSError:
        pytest.skip("file names are text here")
    command: list[str | bytes] = [
        sys.executable,
        "-m",
        "mindgap",
        "report",
        name,
        "-k",
        "1",
        "--bootstrap",
        "0",
        "--out",
        "out.html",
    ]
    ended = subprocess.run(command, capture_output=True, check=False)
    assert ended.returncode == 0, ended
    assert "na?me&lt;b&gt;.csv" in Path("out.html").read_text(encoding="utf-8")
