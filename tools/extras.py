"""Print the requirements of some extras of a pyproject.toml, and the package's own, one a line.

So that they can be installed without building the package: ``python tools/extras.py pyproject.toml test cli``.
"""

import sys
from importlib import import_module
from pathlib import Path


def requirements(text: str, extras: list[str]) -> list[str]:
    """Return the run-time requirements and those of `extras`."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "pip._vendor.tomli")
    project = toml.loads(text)["project"]
    optional = project["optional-dependencies"]
    return [*project["dependencies"], *(line for extra in extras for line in optional[extra])]


if __name__ == "__main__":
    print("\n".join(requirements(Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2:])))
