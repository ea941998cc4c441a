"""The pages as programs: what they show is run, so that it is true and draws their pictures.

A page's blocks run in order, in one folder. A ``python`` block continues the page's one namespace; its lines that
begin with "# " are what it prints. A ``console`` block is a session in a shell: "$ " begins a command, and the lines up
to the next are what it prints; "..." stands for anything. A command must succeed unless "echo $?" follows it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

_FENCE = re.compile(r"^```(python|console)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_LIKENESS = doctest.ELLIPSIS
# How much work a fit was is shown, but promised to nobody.
_EFFORT = re.compile(r"\d+ iterations?(?=, )|(?<=the best of )\d+ starts, of which \d+(?= ended here)")


class Block(NamedTuple):
    """Code in a page, and the line that it begins on."""

    language: str
    code: str
    line: int


class BrokenPromiseError(AssertionError):
    """A page does not do what it shows."""


def blocks(page: Path) -> list[Block]:
    """Return the code of a page."""
    text = page.read_text(encoding="utf-8")
    return [Block(found[1], found[2], text.count("\n", 0, found.start()) + 2) for found in _FENCE.finditer(text)]


def pictures(page: Path) -> list[str]:
    """Return the names of the pictures that the code of a page draws."""
    return re.findall(r"!\[[^\]]*\]\(drawn/([^)]+)\)", page.read_text(encoding="utf-8"))


def run(page: Path, folder: Path) -> ModuleType:
    """Run a page in `folder`, hold it to what it shows, and return its namespace."""
    module = ModuleType(f"page_{page.stem}")
    sys.modules[module.__name__] = module  # where classes that the page defines say that they are from
    try:
        with _inside(folder):
            for block in blocks(page):
                where = f"{page.name}:{block.line}"
                if block.language == "python":
                    run_python(block.code, module, where)
                else:
                    run_console(block.code, folder, where)
    finally:
        del sys.modules[module.__name__]
    return module


def run_python(code: str, module: ModuleType, where: str) -> None:
    """Run one block of Python, and compare what it prints with its comments, if it has any."""
    promised = "".join(f"{line[2:]}\n" for line in code.splitlines() if line.startswith("# "))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, where, "exec"), vars(module))
    if promised:
        _compare(promised, printed.getvalue(), where)


def run_console(session: str, folder: Path, where: str) -> None:
    """Run one session in a shell, and compare what its commands print with what it shows, if it shows anything."""
    commands = _commands(session)
    code = 0
    for index, (command, promised) in enumerate(commands):
        ended = subprocess.run(
            ["bash", "-c", f"(exit {code}); {command}"],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        code = ended.returncode
        judged = index + 1 < len(commands) and commands[index + 1][0] == "echo $?"
        if code and not judged:
            raise BrokenPromiseError(f"{where}: {command!r} ended with {code}:\n{ended.stdout}")
        if promised:
            _compare(promised, ended.stdout, f"{where}, {command!r}")


def _commands(session: str) -> list[tuple[str, str]]:
    """Return each command of a session, its continuation lines joined, and what it prints."""
    commands: list[tuple[str, str]] = []
    continued = False
    for line in session.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], ""))
        elif continued:
            commands[-1] = (f"{commands[-1][0]}\n{line}", "")
        else:
            commands[-1] = (commands[-1][0], f"{commands[-1][1]}{line}\n")
            continue
        continued = line.endswith("\\")
    return commands


def _environment() -> dict[str, str]:
    """Return the environment of a shell in which this very Python's `mindgap` is found."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("MINDGAP_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), own.get("PATH", "")])
    return own | {"PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "MPLBACKEND": "agg"}


def _compare(promised: str, printed: str, where: str) -> None:
    printed = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    if not doctest.OutputChecker().check_output(_EFFORT.sub("", promised), _EFFORT.sub("", printed), _LIKENESS):
        raise BrokenPromiseError(f"{where} promises\n{promised}but prints\n{printed}")


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
