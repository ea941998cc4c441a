"""Write the licences of what mindgap is built from and works with; ``--check`` compares instead.

``docs/licences.md`` lists the crates in the compiled core, the crates that only build it, and the Python packages of
the extras for users. ``THIRD-PARTY-LICENCES.txt`` holds the texts that go with the crates in the core, and is part of
every wheel. A licence that is not on the list of the allowed ones is an error.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from extras import requirements

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licences.md"
TEXTS = ROOT / "THIRD-PARTY-LICENCES.txt"
USERS = ["cli", "frame", "parquet", "plot", "sklearn"]

#: Licences that ask for no more than that their text and the authors' names are kept.
ALLOWED = frozenset(
    [
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "HPND",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "PSF-2.0",
        "Python-2.0",
        "Unicode-3.0",
        "Unlicense",
        "Zlib",
    ]
)
#: What packages say that write no SPDX expression, as one.
AS_SPDX = {
    "BSD License": "BSD-3-Clause",
    "BSD-3-Clause License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "MIT License": "MIT",
    "Python Software Foundation License": "PSF-2.0",
    "Dual License": "Apache-2.0 OR BSD-3-Clause",
}


class LicenceError(Exception):
    """A licence that is missing or not allowed."""


def terms(expression: str) -> str | None:
    """Return the licences by which the expression may be met, or None if what it asks for is not all allowed."""
    text = re.sub(r"\s*/\s*", " OR ", expression)
    words = re.sub(r" WITH [\w.-]+", "", text)
    tokens = re.findall(r"[()]|[\w.+-]+", words)
    python = [{"AND": "and", "OR": "or"}.get(word, word if word in "()" else str(word in ALLOWED)) for word in tokens]
    return text if _holds(python) else None


def _holds(tokens: list[str]) -> bool:
    """Evaluate True, False, and, or and brackets; `and` binds closer."""
    alternatives, all_so_far = [], True
    while tokens and tokens[0] != ")":
        token = tokens.pop(0)
        if token == "or":
            alternatives.append(all_so_far)
            all_so_far = True
        elif token == "(":
            all_so_far &= _holds(tokens)
            tokens.pop(0)
        elif token != "and":
            all_so_far &= token == "True"
    return any([*alternatives, all_so_far])


def crates() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the crates that end up in the compiled module on some platform, and those that only build it."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", str(ROOT / "Cargo.toml")]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    [root] = [identifier for identifier, package in packages.items() if package["name"] == "mindgap-python"]

    def reached(seeds: set[str], kinds: set[str | None], macros: bool) -> set[str]:
        seen: set[str] = set()
        waiting = list(seeds)
        while waiting:
            here = waiting.pop()
            if here in seen or (not macros and _is_macro(packages[here])):
                continue
            seen.add(here)
            for dependency in nodes[here]["deps"]:
                if kinds & {kind["kind"] for kind in dependency["dep_kinds"]}:
                    waiting.append(dependency["pkg"])
        return seen

    linked = reached({root}, {None}, macros=False)
    building = reached({root}, {None, "build"}, macros=True) - linked

    def outside(chosen: set[str]) -> list[dict[str, Any]]:
        found = [packages[identifier] for identifier in chosen if packages[identifier]["source"]]
        return sorted(found, key=lambda package: (package["name"], package["version"]))

    return outside(linked), outside(building)


def _is_macro(package: dict[str, Any]) -> bool:
    return any("proc-macro" in target["kind"] for target in package["targets"])


def distributions() -> list[tuple[str, str]]:
    """Return name and licence of each Python package that the extras for users bring, as they are installed here."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    waiting = [Requirement(line) for line in requirements(text, USERS)]
    found: dict[str, str] = {}
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        found[name] = licence_of(metadata.metadata(name))
        waiting += [Requirement(line) for line in metadata.requires(name) or []]
    return sorted(found.items())


def licence_of(about: Any) -> str:
    """Return the licence of a distribution from its metadata, as an SPDX expression where that can be told."""
    classifiers = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or [] if "License ::" in line]
    said = about.get("License") or ""
    short = said if said and "\n" not in said and len(said) < 60 else ""
    stated = about.get("License-Expression") or short or " AND ".join(classifiers)
    return AS_SPDX.get(stated, stated)


def checked(name: str, expression: str) -> str:
    """Return the expression, or raise LicenceError if it asks for what is not allowed."""
    if allowed := terms(expression):
        return allowed
    raise LicenceError(f"{name} has the licence {expression!r}, which is not on the list in tools/licences.py")


def page() -> str:
    """Return the text of docs/licences.md."""
    linked, building = crates()
    python = distributions()

    def table(head: str, rows: Iterator[tuple[str, ...]]) -> str:
        lines = [head, "|".join(["", *["---"] * (head.count("|") - 1), ""])]
        return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])

    def rows(packages: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
        return ((p["name"], p["version"], checked(p["name"], p["license"] or "")) for p in packages)

    return f"""# Licences

mindgap is under MIT or Apache-2.0, at your choice. This page lists what it is built from and what it works with; it is
written by `python tools/licences.py`, and a test holds it to `Cargo.lock` and to the installed packages. Nothing here
is under the GPL or another licence that reaches beyond its own files: a licence outside the list in that program is a
failed test.

## In the compiled core

These {len(linked)} crates are in the wheel, on one platform or another, and so are the texts of their licences
(`THIRD-PARTY-LICENCES.txt`).

{table("| crate | version | licence |", rows(linked))}

## To build it

These {len(building)} crates run while the core is compiled, and nothing of theirs is in the wheel.

{table("| crate | version | licence |", rows(building))}

## Python packages

None of them is in the wheel. `numpy` and `pluggy` are always installed beside it, the others come with the extras
{", ".join(f"`{extra}`" for extra in USERS)}; `constraints.txt` has the versions that the tests run with.

{table("| package | licence |", ((name, checked(name, licence)) for name, licence in python))}
"""


def texts() -> str:
    """Return the texts of the licences of the crates in the core, each once, with the crates that it is for."""
    together: dict[str, list[str]] = {}
    for package in crates()[0]:
        folder = Path(package["manifest_path"]).parent
        for text in dict.fromkeys(path.read_text(encoding="utf-8").strip() for path in licence_files(folder)):
            together.setdefault(text, []).append(f"{package['name']} {package['version']}")
    line = "=" * 80
    parts = [f"{line}\n{', '.join(names)}\n{line}\n\n{text}\n" for text, names in together.items()]
    return "\n".join(["The compiled core of mindgap contains these crates, under these licences.\n", *parts])


def licence_files(folder: Path) -> list[Path]:
    """Return the files of a crate that hold its licence: that of MIT where there is a choice, with any notice."""
    named = sorted(
        path for path in folder.iterdir() if re.match(r"(?i)(licen[cs]e|copying|notice|unlicense)", path.name)
    )
    files = [path for path in named if path.is_file()]
    if mit := [path for path in files if "mit" in path.name.lower()]:
        notices = [path for path in files if path.name.lower().startswith("notice") or "unicode" in path.name.lower()]
        return [*mit, *notices]
    return files


def main() -> int:
    """Write both files, or with --check return 1 if one of them is out of date."""
    made = {PAGE: page(), TEXTS: texts()}
    if "--check" not in sys.argv[1:]:
        for path, text in made.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [str(path.relative_to(ROOT)) for path, text in made.items() if path.read_text(encoding="utf-8") != text]
    if stale:
        print(f"{', '.join(stale)} out of date: run python tools/licences.py", file=sys.stderr)
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
