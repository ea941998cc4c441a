"""The extension packages and what the generator writes, in a clean environment.

Install mindgap from its wheel, then all the packages: each is found by its entry point alone, passes its own tests, its
README's code runs. Uninstall them, and nothing of them is left.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from mindgap.cli.new_plugin import TEMPLATE_KINDS, write_package

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(path.parent.name for path in (ROOT / "plugins").glob("*/pyproject.toml"))
GENERATED = [f"mindgap-fresh-{kind}" for kind in TEMPLATE_KINDS]

#: What the plugins are given that do not do without; three groups near 10, 20 and 30 hold all of it.
PARAMETERS = {
    "geometric-gaps": ":ratio=1",
    "fixed-means": ":means=[10,20,30]",
    "mean-bounds": ":lower=[5,15,25]",
    "ratio-range": ":lower=1.5,upper=2.5",
    "fresh-constraint": ":first=1",
}
OPTIONS = {"constraint": "--constraint", "initializer": "--init", "engine": "--engine"}

pytestmark = pytest.mark.slow


class Environment:
    """A virtual environment with mindgap in it, and no plugins."""

    def __init__(self, directory: Path, wheel: Path) -> None:
        venv.create(directory, with_pip=True)
        self.bin = directory / ("Scripts" if sys.platform == "win32" else "bin")
        self.variables = {
            name: value for name, value in os.environ.items() if not name.startswith(("MINDGAP", "PYTHON", "PYTEST"))
        }
        self.pip("install", f"mindgap[cli] @ {wheel.as_uri()}")

    def run(self, program: str, *arguments: str, cwd: Path | None = None) -> str:
        command = [str(self.bin / program), *arguments]
        done = subprocess.run(command, env=self.variables, cwd=cwd, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def pip(self, *arguments: str) -> str:
        constraints = ["-c", str(ROOT / "constraints.txt")] if arguments[0] == "install" else []
        return self.run("python", "-m", "pip", *arguments, *constraints, "--disable-pip-version-check")

    def plugins(self) -> list[dict[str, str]]:
        records: list[dict[str, str]] = json.loads(self.run("mindgap", "plugins", "--json"))
        return records


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    if subprocess.run([sys.executable, "-m", "maturin", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("maturin, which builds the wheel, is not installed here; `make test` installs it")
    wheels = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--out", str(wheels)]
    built = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    [wheel] = wheels.glob("*.whl")
    environment = Environment(tmp_path_factory.mktemp("clean") / "venv", wheel)
    assert all(record["package"] == "mindgap" for record in environment.plugins())
    return environment


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Copies of the packages, and generated ones; building leaves its traces beside the sources."""
    folder = tmp_path_factory.mktemp("packages")
    for name in PACKAGES:
        ignored = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
        shutil.copytree(ROOT / "plugins" / name, folder / name, ignore=ignored)
    for kind in TEMPLATE_KINDS:
        write_package(f"fresh-{kind}", kind, folder)
    return {name: folder / name for name in [*PACKAGES, *GENERATED]}


@pytest.fixture(scope="module")
def installed(environment: Environment, sources: dict[str, Path]) -> Environment:
    # An isolated environment to build each of them in would take longer than all the rest.
    environment.pip("install", "setuptools")
    environment.pip("install", "--no-build-isolation", *(f"{source}[test]" for source in sources.values()))
    return environment


@pytest.fixture(scope="module")
def brought(installed: Environment) -> list[dict[str, str]]:
    return [record for record in installed.plugins() if record["package"] != "mindgap"]


def test_every_package_is_found_by_its_entry_point(brought: list[dict[str, str]]) -> None:
    assert {record["package"] for record in brought} == {*PACKAGES, *GENERATED}
    assert {record["status"] for record in brought} == {"loaded"}


def test_the_command_line_and_python_fit_the_same(
    installed: Environment, brought: list[dict[str, str]], tmp_path: Path
) -> None:
    """Fit a mixture by each plugin's name."""
    data = tmp_path / "three_groups.csv"
    values = [10 * group + (step - 7) * 0.4 for group in (1, 2, 3) for step in range(15)]
    data.write_text("\n".join(["value", *map(repr, values)]))
    expected: dict[str, object] = {}
    script = f"import json, mindgap as mg\nvalues, means = {values}, {{}}\n"
    for record in brought:
        if record["kind"] == "command":
            continue
        option, spec = OPTIONS[record["kind"]], record["name"] + PARAMETERS.get(record["name"], "")
        fitted = installed.run("mindgap", "mixture", str(data), "-k", "3", option, spec, "--max-iter", "20", "--json")
        expected[spec] = json.loads(fitted)["means"]
        script += f"means[{spec!r}] = mg.mixture(values, 3, {option[2:]}={spec!r}, max_iter=20).means.tolist()\n"
    assert json.loads(installed.run("python", "-c", f"{script}print(json.dumps(means))")) == expected


def test_every_command_has_help(installed: Environment, brought: list[dict[str, str]]) -> None:
    commands = [record["name"] for record in brought if record["kind"] == "command"]
    assert commands
    for name in commands:
        assert name in installed.run("mindgap", name, "--help")


@pytest.mark.parametrize("name", [*PACKAGES, *GENERATED])
def test_a_package_passes_its_own_tests(name: str, installed: Environment, sources: dict[str, Path]) -> None:
    package = sources[name]
    installed.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(package), cwd=package)


@pytest.mark.parametrize("name", [*PACKAGES, *GENERATED])
def test_the_code_of_a_readme_prints_what_it_promises(
    name: str, installed: Environment, sources: dict[str, Path]
) -> None:
    """Comments at the start of a line say what a block prints."""
    text = (sources[name] / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        if promised := "".join(f"{line[2:]}\n" for line in block.splitlines() if line.startswith("# ")):
            assert installed.run("python", "-c", block) == promised


def test_the_bare_package_needs_numpy_and_pluggy_alone(environment: Environment) -> None:
    script = "import importlib.metadata as m; print([r for r in m.requires('mindgap') if 'extra ==' not in r])"
    required = environment.run("python", "-c", script)
    assert re.findall(r"[a-z]+", required) == ["numpy", "pluggy"]


def test_nothing_is_left_of_packages_that_are_uninstalled(installed: Environment, sources: dict[str, Path]) -> None:
    """Comes last, since the others need them."""
    installed.pip("uninstall", "--yes", *sources)
    assert all(record["package"] == "mindgap" for record in installed.plugins())
    modules = [name.replace("-", "_") for name in sources]
    script = f"import importlib.util as u; assert not any(map(u.find_spec, {modules!r}))"
    installed.run("python", "-c", script)
