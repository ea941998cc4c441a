"""The package's own sources as syntax trees, for tests of what they never do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = [ROOT / "python" / "mindgap", *sorted(ROOT.glob("plugins/*/src/*"))]


def sources() -> list[Path]:
    return [path for package in PACKAGES for path in sorted(package.rglob("*.py"))]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported(tree: ast.AST) -> Iterator[str]:
    """The modules that are imported anywhere in it, those of other packages alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Every call, and what is called as it is written, without what it is an attribute of unless that is a name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name):
                yield function.id, node
            elif isinstance(function, ast.Attribute):
                owner = function.value.id if isinstance(function.value, ast.Name) else ""
                yield f"{owner}.{function.attr}", node
