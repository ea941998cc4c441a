"""Install what is in dist/ into a clean environment without a compiler, and use it; `make dist` runs it.

The wheel with its extras, then the extension packages: import, fits, the command line, pictures, an uninstall that
leaves nothing. Only wheels are installed, so nothing is built on the way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
EXTRAS = "cli,frame,parquet,plot,sklearn"
PACKAGES = sorted(path.parent.name for path in (ROOT / "plugins").glob("*/pyproject.toml"))

FITS = """
import mindgap as mg
result = mg.kmeans([-2, 1, 2, 4, 5, 6, 9, 10], 5, mg.LowerOnly(1.75), centers="means")
assert result.optimal and result.labels.tolist() == [0, 1, 2, 2, 3, 3, 4, 4], result
heights = mg.datasets.nypans_heights().values
bounds = mg.PerGap(lower=[0.019, 0.009, 0.002], upper=[0.029, 0.019, 0.012])
assert mg.mixture(heights, 4, bounds, method="paper", tol=1e-3).converged
"""

ESTIMATOR = """
import numpy as np
from mindgap.sklearn import KMeans1D
assert set(KMeans1D(2).fit(np.array([[1.0], [2.0], [8.0], [9.0]])).labels_) == {0, 1}
"""


class CleanEnvironment:
    """A virtual environment with no compiler on its path and no variable that could bring other packages."""

    def __init__(self, directory: Path) -> None:
        venv.create(directory, with_pip=True)
        self.bin = directory / ("Scripts" if os.name == "nt" else "bin")
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MINDGAP", "PYTHON", "VIRTUAL_ENV", "CARGO", "RUST"))
        }
        system = [] if os.name != "nt" else [os.environ["SYSTEMROOT"], os.environ["SYSTEMROOT"] + "\\System32"]
        self.variables = {**kept, "PATH": os.pathsep.join([str(self.bin), *(system or ["/usr/bin", "/bin"])])}
        self.library = Path(sysconfig.get_path("purelib", vars={"base": str(directory)}))
        self.directory = directory

    def run(self, program: str, *arguments: str) -> str:
        """What the program prints; its fault ends this one."""
        command = [str(self.bin / program), *arguments]
        done = subprocess.run(
            command, env=self.variables, cwd=self.directory, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def install(self, *requirements: str) -> None:
        """Install from wheels and nothing else."""
        self.run("python", "-m", "pip", "install", "--only-binary", ":all:", *requirements)

    def left_over(self) -> set[str]:
        """Names in the library and among the programs that are of mindgap."""
        return {path.name for folder in (self.library, self.bin) for path in folder.glob("*mindgap*")}


def own_wheel() -> Path:
    """The wheel in dist/ that pip takes on this machine."""
    supported = frozenset(sys_tags())
    for path in DIST.glob("mindgap-*.whl"):
        if not supported.isdisjoint(parse_wheel_filename(path.name)[3]):
            return path
    sys.exit("dist/ has no wheel for this machine: `make dist` builds it")


def use(environment: CleanEnvironment) -> None:
    """Fit from Python, with the estimators and on the command line, which draws too."""
    environment.run("python", "-c", FITS)
    environment.run("python", "-c", ESTIMATOR)
    table = environment.directory / "table.csv"
    table.write_text("length\n" + "\n".join(str(10 * group + step / 4) for group in (1, 2, 3) for step in range(9)))
    picture = environment.directory / "picture.png"
    options = ["--column", "length", "-k", "3", "--constraint", "lower-only:delta=5"]
    fitted = environment.run("mindgap", "kmeans", str(table), *options, "--json")
    if len(json.loads(fitted)["centers"]) != 3:
        sys.exit(f"three centres were asked for: {fitted}")
    environment.run("mindgap", "mixture", str(table), *options, "--plot", str(picture))
    if not picture.stat().st_size:
        sys.exit("the picture is empty")


def main() -> None:
    """Install, use, uninstall."""
    wheel = own_wheel()
    packages = [next(DIST.glob(f"{name.replace('-', '_')}-*.whl")) for name in PACKAGES]
    with tempfile.TemporaryDirectory() as folder:
        environment = CleanEnvironment(Path(folder) / "venv")
        if any((Path(entry) / "cargo").exists() for entry in environment.variables["PATH"].split(os.pathsep)):
            print("there is a Rust compiler in the system's own directories; only wheels are installed all the same")
        environment.install(str(wheel))
        environment.run("python", "-c", FITS)
        environment.install(f"mindgap[{EXTRAS}] @ {wheel.as_uri()}")
        use(environment)
        environment.install(*map(str, packages))
        listed = json.loads(environment.run("mindgap", "plugins", "--json"))
        if missing := set(PACKAGES) - {record["package"] for record in listed if record["status"] == "loaded"}:
            sys.exit(f"extension packages that are installed and not loaded: {sorted(missing)}")
        environment.run("python", "-m", "pip", "uninstall", "--yes", "mindgap", *PACKAGES)
        if left := environment.left_over():
            sys.exit(f"left after the uninstall: {sorted(left)}")
    print(f"{wheel.name} and {len(packages)} extension packages: installed, used, uninstalled")


if __name__ == "__main__":
    main()
