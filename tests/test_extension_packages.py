"""Every package under plugins/, and those that the generator writes, in a clean environment of their own.

Install mindgap as a wheel, then one package; it is found by its entry point alone, passes its own tests, its README's
code runs; uninstall it, and nothing of it is left.
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


#: What the plugins are given that do not do without; three groups near 10, 20 and 30 hold all of it.
PARAMETERS = {
    "geometric-gaps": ":ratio=1",
    "fixed-means": ":means=[10,20,30]",
    "mean-bounds": ":lower=[5,15,25]",
    "ratio-range": ":lower=1.5,upper=2.5",
    "fresh-constraint": ":first=1",
}
OPTIONS = {"constraint": "--constraint", "initializer": "--init", "engine": "--engine"}


class Environment:
    """A virtual environment with mindgap in it, and no plugins."""

    def __init__(self, directory: Path, wheel: Path) -> None:
        venv.create(directory, with_pip=True)
        self.bin = directory / ("Scripts" if sys.platform == "win32" else "bin")
        self.variables = {
            name: value for name, value in os.environ.items() if not name.startswith(("MINDGAP", "PYTHON"))
        }
        self.pip("install", "pytest", f"mindgap[cli] @ {wheel.as_uri()}")

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
    return Environment(tmp_path_factory.mktemp("clean") / "venv", wheel)


def check(environment: Environment, source: Path, into: Path) -> None:
    """Install, use, test and uninstall a copy of one package; building leaves its traces beside the sources."""
    package = into / source.name
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    name, module = package.name, package.name.replace("-", "_")
    assert all(record["package"] == "mindgap" for record in environment.plugins())
    environment.pip("install", f"{package}[test]")
    brought = [record for record in environment.plugins() if record["package"] == name]
    assert brought
    assert all(record["status"] == "loaded" for record in brought)
    for record in brought:
        check_use(environment, record, into)
    environment.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(package), cwd=package)
    check_readme(environment, package)
    environment.pip("uninstall", "--yes", name)
    assert all(record["package"] == "mindgap" for record in environment.plugins())
    environment.run("python", "-c", f"import importlib.util as u; assert u.find_spec({module!r}) is None")


def check_use(environment: Environment, record: dict[str, str], folder: Path) -> None:
    """Fit a mixture by the plugin's name, from the command line and from Python: the same fit. A command has help."""
    if record["kind"] == "command":
        assert record["name"] in environment.run("mindgap", record["name"], "--help")
        return
    data = folder / "three_groups.csv"
    values = [10 * group + (step - 7) * 0.4 for group in (1, 2, 3) for step in range(15)]
    data.write_text("\n".join(["value", *map(repr, values)]))
    option = OPTIONS[record["kind"]]
    spec = record["name"] + PARAMETERS.get(record["name"], "")
    fitted = environment.run("mindgap", "mixture", str(data), "-k", "3", option, spec, "--max-iter", "20", "--json")
    script = f"import mindgap as mg; print(mg.mixture({values}, 3, {option[2:]}={spec!r}, max_iter=20).means.tolist())"
    assert json.loads(environment.run("python", "-c", script)) == json.loads(fitted)["means"]


def check_readme(environment: Environment, package: Path) -> None:
    """Run the blocks of a README that promise, in comments at the start of a line, what they print."""
    text = (package / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        if promised := "".join(f"{line[2:]}\n" for line in block.splitlines() if line.startswith("# ")):
            assert environment.run("python", "-c", block) == promised


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_comes_and_goes(name: str, environment: Environment, tmp_path: Path) -> None:
    check(environment, ROOT / "plugins" / name, tmp_path)


@pytest.mark.parametrize("kind", TEMPLATE_KINDS)
def test_what_the_generator_writes_comes_and_goes(kind: str, environment: Environment, tmp_path: Path) -> None:
    write_package(f"fresh-{kind}", kind, tmp_path)
    check(environment, tmp_path / f"mindgap-fresh-{kind}", tmp_path / "copy")


def test_the_bare_package_needs_numpy_and_pluggy_alone(environment: Environment) -> None:
    script = "import importlib.metadata as m; print([r for r in m.requires('mindgap') if 'extra ==' not in r])"
    required = environment.run("python", "-c", script)
    assert re.findall(r"[a-z]+", required) == ["numpy", "pluggy"]
