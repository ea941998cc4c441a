"""The names in the extension packages of this project, so that an error can say which package to install."""

from __future__ import annotations

#: The package of each name, by kind.
PACKAGES: dict[str, dict[str, str]] = {
    "constraint": {
        "equal-spacing": "mindgap-spacing",
        "geometric-gaps": "mindgap-spacing",
        "fixed-means": "mindgap-anchors",
        "mean-bounds": "mindgap-anchors",
        "ratio-range": "mindgap-anchors",
    },
    "initializer": {},
    "engine": {"dask": "mindgap-dask"},
    "command": {"reproduce": "mindgap-paper"},
}


def advice(kind: str, name: str) -> str | None:
    """Return which known package has the name and how to install it, or None."""
    package = PACKAGES[kind].get(name)
    if package is None:
        return None
    install = f"pip install {package} (in a clone of mindgap: pip install ./plugins/{package})"
    return f"{name!r} is in {package}, which is not installed; install it with: {install}"
