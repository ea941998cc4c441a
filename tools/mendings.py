"""Undo each mending in a copy of the sources, and see its tests fail; `make mendings` runs it.

`tests/mendings/*.toml` say what was wrong, how the sources read now and how they would read with the fault, and
which tests notice. Those pass on the sources as they are, and fail one fault at a time; a fault that no test notices
makes the run fail.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LISTS = ROOT / "tests" / "mendings"
WORK = ROOT / "target" / "mendings"
COPY = WORK / "copy"
CORE = COPY / "python" / "mindgap" / "_core.abi3.so"
PLUGINS = WORK / "plugins"

#: After so many seconds a test will not end; it is then stopped with this code.
PATIENCE = 150
TIMED_OUT = 124


class Edit(NamedTuple):
    """A place in the sources, as it is and as it was."""

    file: str
    now: str
    once: str

    def undone(self, text: str) -> str:
        """Return the file with the fault in it."""
        if text.count(self.now) != 1:
            sys.exit(
                f"{self.file} holds the following {text.count(self.now)} times, and should hold it once:\n{self.now}"
            )
        return text.replace(self.now, self.once)


class Mending(NamedTuple):
    """A fault, how to bring it back, and the tests that notice."""

    fault: str
    edits: list[Edit]
    tests: list[str]


def mendings(only: str = "") -> list[Mending]:
    """Return the mendings of the list of this name, or else those whose fault has it in its words."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "pip._vendor.tomli")
    whole = LISTS / f"{only}.toml"
    return [
        Mending(listed["fault"], [Edit(**edit) for edit in listed["edits"]], listed["tests"])
        for path in ([whole] if whole.exists() else sorted(LISTS.glob("*.toml")))
        for listed in toml.loads(path.read_text(encoding="utf-8"))["mending"]
        if whole.exists() or only in listed["fault"]
    ]


def copy_sources() -> None:
    """Bring the copy up to date, without touching what is: cargo goes by the time of a file."""
    listed = subprocess.check_output(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT)
    names = {name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()}
    for name in names:
        put(COPY / name, (ROOT / name).read_bytes())
    for path in COPY.rglob("*.*"):
        if path.suffix in {".py", ".rs", ".toml"} and path.relative_to(COPY).as_posix() not in names:
            path.unlink()
    shared = WORK / "shared"
    if (ROOT.parent / "shared").is_dir() and not shared.exists():
        shared.symlink_to(ROOT.parent / "shared")


def put(path: Path, content: bytes) -> None:
    """Write a file that does not hold this yet."""
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def build(rust: bool, plugins: bool) -> None:
    """Build what Python tests of the copy load: the core, and the extension packages."""
    if rust or not CORE.exists():
        run(["cargo", "build", "--locked", "--quiet", "-p", "mindgap-python"], check=True)
        put(CORE, (WORK / "rust" / "debug" / "lib_core.so").read_bytes())
    if plugins and not PLUGINS.exists():
        packages = [str(path) for path in (COPY / "plugins").iterdir() if path.is_dir()]
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        run([*pip, "--target", str(PLUGINS), *packages], check=True)


def run(command: list[str], check: bool = False, plugins: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command in the copy, where only the tests of the extension packages find these installed.

    What they hold is taken from their sources; what is installed only says that they are there.
    """
    paths = [COPY / "python", *([*(COPY / "plugins").glob("*/src"), PLUGINS] if plugins else [])]
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(WORK / "rust"),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
    }
    finished = subprocess.run(
        command, cwd=COPY, env=environment, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if check and finished.returncode:
        sys.exit(f"{' '.join(command)} failed with {finished.returncode}:\n{finished.stdout}")
    return finished


def in_rust(test: str) -> bool:
    """Return whether a test is one of the crate's or the binding's own."""
    return test.startswith("rust/")


def outcome(test: str) -> bool | None:
    """Return whether a test passed, or None if it did not run. One that does not end has not passed."""
    patience = ["timeout", str(PATIENCE)]
    if not in_rust(test):
        pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test]
        code = run([*patience, *pytest], plugins=test.startswith("plugins/")).returncode
        return {0: True, 1: False, TIMED_OUT: False}.get(code)
    file, _, name = test.partition("::")
    package, where = file.split("/")[1:3]
    target = ["--test", Path(file).stem] if where == "tests" else ["--lib"]
    cargo = ["cargo", "test", "--locked", "--quiet", "-p", package, *target]
    run([*cargo, "--no-run"], check=True)
    finished = run([*patience, *cargo, name])
    if finished.returncode == TIMED_OUT:
        return False
    ran = re.search(r"test result: \w+\. (\d+) passed; (\d+) failed", finished.stdout)
    if ran:
        return ran[2] == "0" if sum(map(int, ran.groups())) > 0 else None
    # What ends the program, as a stack that overflows does, leaves it no time to count.
    return False if "running" in finished.stdout else None


def undo(mending: Mending) -> list[str]:
    """Return the tests that do not fail with the fault."""
    for edit in mending.edits:
        put(COPY / edit.file, edit.undone((COPY / edit.file).read_text(encoding="utf-8")).encode())
    rust = any(edit.file.startswith("rust/") for edit in mending.edits) and not all(map(in_rust, mending.tests))
    build(rust, plugins=any(test.startswith("plugins/") for test in mending.tests))
    missed = [test for test in mending.tests if outcome(test) is not False]
    for edit in mending.edits:
        put(COPY / edit.file, (ROOT / edit.file).read_bytes())
    if rust:
        CORE.unlink()
    return missed


def main() -> None:
    """Undo every mending that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="a list by its name, or part of what was wrong")
    chosen = mendings(parser.parse_args().only)
    copy_sources()
    shutil.rmtree(PLUGINS, ignore_errors=True)
    build(rust=True, plugins=any(test.startswith("plugins/") for mending in chosen for test in mending.tests))
    failing = [test for test in sorted({test for mending in chosen for test in mending.tests}) if not outcome(test)]
    if failing:
        sys.exit("These tests do not pass as the sources are:\n" + "\n".join(failing))
    unnoticed = 0
    for number, mending in enumerate(chosen, 1):
        began = time.monotonic()
        missed = undo(mending)
        unnoticed += bool(missed)
        verdict = "NOT NOTICED BY " + ", ".join(missed) if missed else "noticed"
        print(f"{number}/{len(chosen)} {mending.fault}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"{len(chosen)} mendings undone, {unnoticed} not noticed")
    sys.exit(unnoticed > 0)


if __name__ == "__main__":
    main()
