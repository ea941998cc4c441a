"""Input of the commands: CSV, TSV, Parquet, npy and standard input, and the errors for input that cannot be read."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Command

VALUES = [1.0, 1.5, 7.0, 8.0]


@pytest.fixture
def centers(command: Command) -> Any:
    """The two centres that `mindgap kmeans` finds in a file."""

    def centers(*arguments: object, stdin: bytes = b"") -> list[float]:
        ended = command("kmeans", *arguments, "-k", 2, "--json", stdin=stdin)
        assert (ended.code, ended.err) == (0, "")
        found: list[float] = json.loads(ended.out)["centers"]
        return found

    return centers


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("x\n1\n1.5\n7\n8\n", ()),
        ("1\n1.5\n7\n8", ()),
        ("1\r\n1.5\r\n7\r\n8\r\n", ()),
        ("\n\nx\n1\n1.5\n7\n8\n\n\n", ()),
        ("a,x\nu,1\nv,1.5\nw,7\nz,8\n", ("--column", "x")),
        ("a,x\nu,1\n\nv,1.5\nw,7\n\nz,8\n", ("--column", "2")),
        ("9,1\n9,1.5\n9,7\n9,8\n", ("--column", "2")),
        ('"a, b", "x"\n"u, u",1\n"v\nv",1.5\nw,"7"\nz, 8\n', ("--column", "2")),
        ("a;x\nu;1\nv;1.5\nw;7\nz;8\n", ("--column", "x")),
        ("a\tx\nu,u\t1\nv\t1.5\nw\t7\nz\t8\n", ("--column", "x")),
        ("a|x\nu|1\nv|1.5\nw|7\nz|8\n", ("--column", "x", "--delimiter", "|")),
        ("a\tx\nu;\t1\nv\t1.5\nw\t7\nz\t8\n", ("--column", "x", "--delimiter", "tab")),
        ("2010\n1\n1.5\n7\n8\n", ("--header",)),
        ("2009,2010\n0,1\n0,1.5\n0,7\n0,8\n", ("--header", "--column", "2010")),
        ("1e0\n+1.5\n 7 \n8.\n", ("--no-header",)),
    ],
)
def test_delimited_text(text: str, options: tuple[str, ...], tmp_path: Path, centers: Any) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path = tmp_path / "data.csv"
        path.write_bytes(text.encode(encoding))
        assert centers(path, *options) == [1.25, 7.5]
        assert centers("-", *options, stdin=text.encode(encoding)) == [1.25, 7.5]


@pytest.mark.parametrize(
    ("array", "options"),
    [
        (np.array(VALUES), ()),
        (np.array(VALUES, dtype=np.float32)[:, None], ()),
        (np.array([[0, value] for value in VALUES]), ("--column", "2")),
        (np.array([(0, value) for value in VALUES], dtype=[("a", "i4"), ("x", "f8")]), ("--column", "x")),
    ],
)
def test_npy(array: Any, options: tuple[str, ...], tmp_path: Path, centers: Any) -> None:
    path = tmp_path / "data.npy"
    np.save(path, array)
    assert centers(path, *options) == [1.25, 7.5]
    assert centers("-", *options, stdin=path.read_bytes()) == [1.25, 7.5]


def test_parquet(tmp_path: Path, centers: Any, command: Command) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "data.parquet"
    frame = pandas.DataFrame({"x": [*VALUES, None], "whole": [1, 2, 3, 4, 5], "word": list("abcde")})
    frame.to_parquet(path)
    assert centers(path, "--column", "x", "--drop-missing") == [1.25, 7.5]
    assert centers("-", "--column", "1", "--drop-missing", stdin=path.read_bytes()) == [1.25, 7.5]
    assert centers(path, "--column", "whole") == [1.5, 4.0]
    assert "1 value is missing in column x" in command("kmeans", path, "-k", 2, "--column", "x").fault
    assert "column word" in command("kmeans", path, "-k", 2, "--column", "word").fault
    assert "there are x, whole, word" in command("kmeans", path, "-k", 2, "--column", "y").fault
    path.write_bytes(path.read_bytes()[:-20])
    assert "cannot be read as Parquet" in command("kmeans", path, "-k", 2, "--column", "x").fault


def test_parquet_without_pyarrow_names_the_extra(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindgap.foundation.extras.find_spec", lambda name: None)
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1....PAR1")
    ended = command("kmeans", path, "-k", 2)
    assert ended.code == 2
    assert 'pip install "mindgap[parquet]"' in ended.fault


def test_weights(tmp_path: Path, centers: Any, command: Command) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x,n\n1,3\n2,1\n7,1\n8,\n9,0\n")
    assert centers(path, "--column", "x", "--weights", "n", "--drop-missing") == [1.25, 7.0]
    assert "missing in column n" in command("kmeans", path, "-k", 2, "--column", "x", "--weights", "n").fault
    path.write_text("x,n\n1,3\n2,-1\n")
    ended = command("kmeans", path, "-k", 2, "--column", "x", "--weights", "n")
    assert (ended.code, ended.fault) == (2, f"column n of {path} holds -1.0 at line 3; weights must not be negative")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"", (), "is empty"),
        (b" \n\n", (), "is empty"),
        (b"\xef\xbb\xbf", (), "is empty"),
        (b"x\n", (), "has a header but no rows"),
        (b"x\nNA\n\n.\n", ("--drop-missing",), "has no values in column x"),
        (b"a,x\n1,2\n", (), "has 2 columns (a, x); choose one with --column"),
        (b"1,2\n", (), "has 2 columns; choose one with --column"),
        (b"a,height\n1,2\n", ("--column", "hieght"), "no column 'hieght'; did you mean 'height'? there are a, height"),
        (b"1,2\n", ("--column", "x"), "no names but 2 columns; give a number from 1"),
        (b"1,2\n", ("--column", "3"), "has no column '3'"),
        (b"2019,2020\n1,2\n", ("--column", "2020"), "or --header if the first row has names"),
        (
            b"x,w\n1,1\n2,-1\n",
            ("--column", "x", "--weights", "w"),
            "holds -1.0 at line 3; weights must not be negative",
        ),
        (b"x,x\n1,2\n", ("--column", "x"), "more than one column 'x'"),
        (b"x\n1\ntwo\n", (), "holds text at line 3: 'two'"),
        (b'a,x\n"1\n1",1\n2,two\n', ("--column", "x"), "holds text at line 4: 'two'"),
        (b"x\n1\n1_000\n", (), "holds text at line 3: '1_000'"),
        (b"a;x\n1;1,5\n", ("--column", "x"), "at line 2: '1,5'; write decimals with a point"),
        (b'x\n"1,500"\n', (), "'1,500'; remove commas that separate thousands"),
        (b'x\n"1,234,567.5"\n', (), "remove commas that separate thousands"),
        (b"x\n1\n\n3\nnan\n", (), "2 values are missing in column x"),
        (b"x\n1\n\n3\nnan\n", (), "the first at line 3; --drop-missing leaves them out"),
        (b"a,x\n1,NA\n2\n3,4\n", ("--column", "x"), "2 values are missing"),
        (b"x\n1\ninf\n", (), "holds inf at line 3"),
        (b"x\n1\n-Infinity\n", (), "holds -inf at line 3"),
        (b"x\ncaf\xe9\n", (), "is not UTF-8 text (line 2)"),
        (b'x\n"1\n2\n', (), "cannot be read as CSV"),
        (b"\x93NUMPY", (), "cannot be read as npy"),
        (b"x\n1\n", ("--delimiter", "ab"), "give one character, or tab"),
    ],
)
def test_what_cannot_be_read(
    content: bytes, options: tuple[str, ...], message: str, tmp_path: Path, command: Command
) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    ended = command("kmeans", path, "-k", 1, *options)
    assert ended.code == 2
    assert message in ended.fault
    assert message in command("kmeans", "-", "-k", 1, *options, stdin=content).fault


def test_arrays_of_something_else(tmp_path: Path, command: Command) -> None:
    for array, message in [
        (np.array(["a"]), "has dtype <U1"),
        (np.zeros((2, 2, 2)), "has shape (2, 2, 2)"),
        (np.zeros((2, 2)), "has 2 columns"),
        (np.array([1.0, np.inf]), "holds inf at row 2"),
        (np.array([1.0, np.nan]), "1 value is missing in column 1"),
        (np.array([1.0, None], dtype=object), "cannot be read as npy"),
    ]:
        stored = io.BytesIO()
        np.save(stored, array, allow_pickle=True)
        path = tmp_path / "data.npy"
        path.write_bytes(stored.getvalue())
        assert message in command("kmeans", path, "-k", 1).fault


def test_no_such_file_and_no_file(tmp_path: Path, command: Command) -> None:
    assert "there is no file" in command("kmeans", tmp_path / "nothing.csv", "-k", 2).fault
    assert "is a folder" in command("kmeans", tmp_path, "-k", 2).fault
    assert "is a folder" in command("kmeans", "", "-k", 2).fault


PACKED: dict[str, Any] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda content: pytest.importorskip("pyarrow").compress(content, "zstd", asbytes=True),
    "zip": lambda content: _zipped({"data.csv": content}),
}


def _zipped(files: dict[str, bytes]) -> bytes:
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stored.getvalue()


@pytest.mark.parametrize("kind", PACKED)
def test_packed_files(kind: str, tmp_path: Path, centers: Any, command: Command) -> None:
    path = tmp_path / f"data.csv.{kind}"
    path.write_bytes(PACKED[kind](b"a,x\n1,1\n1,1.5\n1,7\n1,8\n"))
    assert centers(path, "--column", "x") == [1.25, 7.5]
    assert centers("-", "--column", "x", stdin=path.read_bytes()) == [1.25, 7.5]
    path.write_bytes(path.read_bytes()[:-9])
    assert command("kmeans", path, "-k", 2, "--column", "x").code == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_zipped({"[Content_Types].xml": b"", "xl/workbook.xml": b""}), "save the sheet as CSV"),
        (_zipped({"a.csv": b"1", "b.csv": b"2"}), "holds 2 files"),
        (_zipped({"x.npy": b"1"}), "save the one array with numpy.save"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "save the sheet as CSV"),
        (b"SQLite format 3\0", "is an SQLite database"),
    ],
)
def test_files_of_other_programs(content: bytes, message: str, tmp_path: Path, command: Command) -> None:
    path = tmp_path / "data"
    path.write_bytes(content)
    ended = command("kmeans", path, "-k", 2)
    assert ended.code == 2
    assert message in ended.fault


def test_feather(tmp_path: Path, centers: Any) -> None:
    feather = pytest.importorskip("pyarrow.feather")
    arrow = pytest.importorskip("pyarrow")
    feather.write_feather(arrow.table({"a": ["u"] * 4, "x": VALUES}), str(tmp_path / "data.feather"))
    assert centers(tmp_path / "data.feather", "--column", "x") == [1.25, 7.5]


@pytest.mark.parametrize("from_size", [0, 1 << 30])
@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a;x\nu;1\nv;1,5\nw;7,0\nz;8\n", ("--column", "x", "--decimal", ",")),
        ("1\n1,5\n7\n8\n", ("--decimal", ",")),
        (
            "# made by\na,x\n# more\nu,1\nv,1.5\n  # and more, more\nw,7\nz,8\n# end\n",
            ("--column", "x", "--comment", "#"),
        ),
        ("a,x\nu,1\nv,?\nw,1.5\nz,7\nq,-99\nr,8\n", ("--column", "x", "--na", "?", "--na", "-99.0", "--drop-missing")),
        ("a,x\nu,1 cm\nv,1.5cm\nw,7 cm\nz,8\n", ("--column", "x", "--units", "cm")),
        ("  name    x\n  u    1\n  v  1.5\nw      7  \n z  8\n", ("--column", "x")),
        ("1  1\n1  1.5\n1  7\n1\t 8\n", ("--column", "2")),
        ("a x\nu 1\nv    1.5\nw 7\nz 8\n", ("--column", "x", "--delimiter", "whitespace")),
    ],
)
def test_dialects(
    from_size: int, text: str, options: tuple[str, ...], tmp_path: Path, centers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindgap.cli.delimited.ARROW_FROM", from_size)
    path = tmp_path / "data.csv"
    path.write_text(text)
    assert centers(path, *options) == [1.25, 7.5]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("x\n1\n170 cm\n", (), "add --units 'cm'"),
        ("x\n1\n?\n", (), "add --na '?'"),
        ("a;x\n1;1,5\n2;1.5\n", ("--column", "x", "--decimal", ","), "at line 3"),
        ("a,x\n1,2\n# c\n3,four\n", ("--column", "x", "--comment", "#"), "at line 4"),
        ("x\n1\n-99\n", ("--na", "-99"), "1 value is missing in column x"),
    ],
)
def test_messages_name_the_line_and_the_option(
    text: str, options: tuple[str, ...], message: str, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.csv"
    path.write_text(text)
    for size in (0, 1 << 30):
        monkeypatch.setattr("mindgap.cli.delimited.ARROW_FROM", size)
        ended = command("kmeans", path, "-k", 1, *options)
        assert ended.code == 2
        assert message in ended.fault
