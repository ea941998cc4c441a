"""Trials of the command line: hostile files, and arguments in any combination."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from soak.command import command, folder
from soak.foreign_files import file

_NAMES = (
    "data.csv",
    "with space.txt",
    "größe.csv",
    "-dash.csv",
    "<b>&.csv",
    "$x$.csv",
    "new\nline.csv",
    "\x1b[31m.csv",
    "a" * 200,
)


def foreign_files(rng: np.random.Generator) -> str:
    """A file that is read as what it says, or refused in a line; the labels say what was read."""
    made = file(rng)
    with folder() as here:
        name = _NAMES[rng.integers(len(_NAMES))]
        path = here / name
        path.write_bytes(made.content)
        ended = command(["kmeans", *made.options, "-k", "1", "--labels", "out.csv", "--", name])
        assert path.read_bytes() == made.content, "the data were written to"
        if ended.code:
            assert made.values is None, f"{made}: {ended.err}"
            left = [item.name for item in here.iterdir()]
            assert left == [name], f"left behind: {left}"
            return "refused"
        with Path("out.csv").open(encoding="utf-8", newline="") as labels:
            rows = list(csv.reader(labels))[1:]
        read = [float(row[0]) for row in rows if row[0]]
        assert read, "labels of nothing"
        if made.values is not None:
            assert read == made.values, f"read {read}, not {made.values}"
            return "as written"
        assert told(made.content, read), f"read {read} from {made.content[:300]!r}"
        return "read"


def told(content: bytes, read: list[float]) -> bool:
    """Whether a text of one number a line holds these numbers; anything else may be anything."""
    lines = content.split(b"\n")
    try:
        numbers = [float(line) for line in lines if line.strip()]
    except ValueError:
        return True
    return not all(np.isfinite(numbers)) or b"_" in content or read == numbers


_WORDS = (
    "0", "1", "2", "3", "-1", "99999999999999999999", "1e3", "nan", "inf", "-inf", "0.5", "", " ", "x", "-", "--",
    "1-3", "3-1", "1-999999999999", "²", "1," * 50, "0:1:3", "0:1:999999999999", "0:inf:3", "nan:1:3", "0:1:-2",
    "1e308:-1e308:3", "0:1", "lower-only:delta=1", "lower-only:delta=nan", "lower-only", "two-sided:lower=2,upper=1",
    "per-gap:lower=[1,2]", "nosuch:a=1", "lower-only:delta=" + "-" * 990 + "1", "ckmeans", "auto", "local",
    "constrained-kmeans:method=paper", "means", "free", "exact", "paper", "split", "together", "equal", "data",
    "absolute", "bic", "icl", "out.csv", "out.png", "out.svg", "out.html", "data.csv", "nowhere/out.csv",
    "nowhere/out.png", ".", "/", "/dev/null", "/dev/full", "data.csv/out.png", "a" * 300 + ".png",
    "x" * 5000 + "/out.csv", "out\x00.csv", "\ud800.html", "<script>alert(1)</script>", "\x1b[31m", "$x_{$", "中",
)  # fmt: skip
_OPTIONS = (
    "-k", "--column", "--weights", "--delimiter", "--constraint", "--centers", "--method", "--ties", "--labels",
    "--plot", "--init", "--tol", "--tol-scale", "--max-iter", "--variances", "--min-variance", "--engine",
    "--deltas", "--width", "--criterion", "--out", "--title", "--bootstrap", "--seed", "--kind", "--dir",
    "--nonsense",
)  # fmt: skip
_FLAGS = ("--json", "--drop-missing", "--header", "--no-header", "--help", "--version", "-h")
_COMMANDS = ("kmeans", "mixture", "select", "path", "report", "plugins", "new-plugin", "nosuch", "")
#: What each command needs, and a few of its own options, so that most combinations get beyond their reading.
_USUAL = {
    "kmeans": ["-k", "--constraint", "--centers", "--method", "--ties", "--labels", "--plot"],
    "mixture": [
        "-k",
        "--constraint",
        "--init",
        "--tol",
        "--max-iter",
        "--variances",
        "--min-variance",
        "--labels",
        "--plot",
    ],
    "select": ["-k", "--criterion", "--constraint", "--labels"],
    "path": ["-k", "--deltas", "--width"],
    "report": ["-k", "--out", "--title", "--deltas", "--bootstrap", "--seed"],
}


_SPECS = ("lower-only:delta=1", "two-sided:lower=1,upper=9", "per-gap:lower=[1]", "lower-only:delta=99")
_SENSIBLE = {
    "--constraint": _SPECS, "--labels": ("out.csv", "/dev/null", "$x$.csv"), "--plot": ("out.png", "out.svg"),
    "--out": ("out.html", "<script>.html"), "--title": ("<script>alert(1)</script>", "\ud800", "$x_{$"),
    "--deltas": ("0:1:3", "0,1"), "--init": ("auto", "ckmeans", "constrained-kmeans:method=paper"),
    "--tol": ("0", "1e-3", "1e308"), "--max-iter": ("1", "5"), "--criterion": ("bic", "icl"),
    "--centers": ("means", "free"), "--width": ("0", "0.5", "1e308"), "--min-variance": ("1e-9", "1e308"),
    "--seed": ("0", "7", "-7", "9" * 30),
}  # fmt: skip


def arguments(rng: np.random.Generator) -> str:
    """A command with options of any value: whatever is written is written whole, and what is read stays as it was."""
    name = str(rng.choice(_COMMANDS))
    given = [name] if name else []
    options = _USUAL.get(name, list(_OPTIONS)) if rng.random() < 0.8 else list(_OPTIONS)
    if name in _USUAL and rng.random() < 0.9:
        given += ["-k", str(rng.choice(["1", "2", "3"]))]
    if name == "report" and rng.random() < 0.9:
        given += ["--bootstrap", str(rng.choice(["0", "2"]))]
    for _ in range(int(rng.integers(0, 4))):
        option = str(rng.choice(options))
        sensible = _SENSIBLE.get(option, _WORDS)
        given += [option, str(rng.choice(sensible if rng.random() < 0.6 else _WORDS))]
    if rng.random() < 0.2:
        given.append(str(rng.choice(_FLAGS)))
    if rng.random() < 0.95:
        given.append(str(rng.choice(["data.csv", "data.csv", "data.csv", "data.csv", "-", "nosuch.csv", "."])))
    content = b"x,w\n" + b"".join(b"%d,%d\n" % (value * value % 17, value % 3) for value in range(20))
    if "--column" not in given and name in _USUAL:
        given += ["--column", "x"]
    with folder() as here:
        (here / "data.csv").write_bytes(content)
        ended = command(given, content)
        if "-" not in given:  # which is where the data come from then, and the file is but another
            assert (here / "data.csv").read_bytes() == content, f"{given} wrote to the data"
        drafts = [left.name for left in here.glob(".*")]
        assert not drafts, f"{given} left {drafts}"
        for left in (*here.glob("*.html"), *here.glob("out.*")):
            assert left.stat().st_size, f"{given} left {left} empty"
    return f"code {ended.code}"


TRIALS = {"files": foreign_files, "arguments": arguments}
