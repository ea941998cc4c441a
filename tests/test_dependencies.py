"""What mindgap depends on: pinned to the last package, in step with the lock files, under licences that are allowed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import licences
from extras import requirements

ROOT = Path(__file__).parents[1]
EXTRAS = ["cli", "coverage", "docs", "frame", "lint", "parquet", "plot", "sklearn", "test"]
needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not on this machine")


def pins() -> dict[str, str]:
    """The version of each package that constraints.txt sets for this Python."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {pin.name: str(pin.specifier) for pin in pinned if pin.marker is None or pin.marker.evaluate()}


def installed() -> dict[str, str]:
    """The packages that the extras bring, as far as they are installed, with their versions."""
    # Coverage brings setuptools, which a fresh environment may have in a version of its own.
    extras = [extra for extra in EXTRAS if extra != "coverage"]
    waiting = [Requirement(line) for line in requirements((ROOT / "pyproject.toml").read_text("utf-8"), extras)]
    found: dict[str, str] = {}
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # of an extra that this environment does without
        waiting += [Requirement(line) for line in metadata.requires(name) or []]
    return found


def test_every_package_is_pinned_to_what_is_installed() -> None:
    found = installed()
    assert {"numpy", "pluggy", "pytest", "pillow"} <= found.keys()
    assert {name: f"=={version}" for name, version in found.items()} == {name: pins().get(name) for name in found}


def test_the_bounds_for_users_allow_what_is_pinned() -> None:
    for line in requirements((ROOT / "pyproject.toml").read_text("utf-8"), EXTRAS):
        wanted = Requirement(line)
        assert wanted.specifier.contains(pins()[wanted.name].removeprefix("==")), line


@needs_cargo
@pytest.mark.parametrize("manifest", ["Cargo.toml", "rust/mindgap/tests/embedder/Cargo.toml"])
def test_the_lock_file_is_in_step(manifest: str) -> None:
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", str(ROOT / manifest)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_crates_come_from_the_registry_with_their_checksums() -> None:
    packages = re.split(r"^\[\[package\]\]$", (ROOT / "Cargo.lock").read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert len(packages) > 80
    for package in packages:
        own = re.search(r'^name = "mindgap(-python)?"$', package, flags=re.MULTILINE)
        assert own or ('source = "registry+' in package and "checksum = " in package), package


def test_what_is_built_is_built_from_the_lock_file() -> None:
    made = (ROOT / "Makefile").read_text("utf-8") + (ROOT / "tools" / "coverage.sh").read_text("utf-8")
    building = re.findall(
        r"^.*(?:cargo (?:test|build|clippy|package|doc)|maturin (?:develop|build)).*$", made, re.MULTILINE
    )
    assert len(building) >= 8
    assert [line for line in building if "--locked" not in line] == []


@needs_cargo
@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="older Pythons need further packages; the page is for newer ones"
)
def test_the_licences_are_listed() -> None:
    command = [sys.executable, str(ROOT / "tools" / "licences.py"), "--check"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    "expression",
    ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR GPL-2.0) AND Unicode-3.0", "Apache-2.0 WITH LLVM-exception"],
)
def test_licences_that_are_allowed(expression: str) -> None:
    assert licences.checked("a", expression)


@pytest.mark.parametrize(
    "expression",
    ["GPL-3.0", "MIT AND GPL-3.0", "MIT AND (GPL-2.0 OR LGPL-2.1)", "GPL-2.0 OR MIT AND AGPL-3.0", "Proprietary", ""],
)
def test_licences_that_are_not(expression: str) -> None:
    with pytest.raises(licences.LicenceError, match="not on the list"):
        licences.checked("a", expression)
