"""Find the plugins of installed packages: the entry points of group ``mindgap``. Nothing is imported here."""

from __future__ import annotations

import operator
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindgap._core import VERSION
from mindgap.host.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib import metadata

GROUP = "mindgap"
LOAD = "MINDGAP_LOAD_PLUGINS"

_COMPARE = {
    ">=": operator.ge,
    "~=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass
class Found:
    """A module that is an entry point of an installed distribution, and its status.

    `status` is "waiting" until the module is imported, then "loaded" or "blocked"; "disabled" if
    MINDGAP_LOAD_PLUGINS leaves the distribution out. `cause` says why it is not loaded, or that it registers nothing.
    """

    names: tuple[str, ...]
    origin: Origin
    entry_point: metadata.EntryPoint | None
    status: str = "waiting"
    cause: str | None = None
    reported: bool = False

    @property
    def package(self) -> str:
        """The normalised name of the distribution."""
        return normalised(self.origin.package or "")

    def block(self, cause: str) -> None:
        """Mark it as blocked."""
        self.status, self.cause = "blocked", cause


def find() -> list[Found]:
    """Return the entry points of all installed distributions; of several with one name, the first on the path."""
    from importlib import metadata  # slow to import, and only needed on first use

    only = allowed()
    seen: dict[str, list[Found]] = {}
    for distribution in metadata.distributions():
        try:
            text = distribution.read_text("entry_points.txt") or ""
            if f"[{GROUP}]" not in text:
                continue
            package = normalised(distribution.metadata["Name"])
        except Exception:  # an unrelated broken distribution
            continue
        if package not in seen:
            seen[package] = list(_of_distribution(distribution))
            if only is not None and package not in only:
                for found in seen[package]:
                    found.status, found.cause = "disabled", f"{LOAD} leaves it out"
    return [found for group in seen.values() for found in group]


def _of_distribution(distribution: metadata.Distribution) -> Iterator[Found]:
    try:
        points = [point for point in distribution.entry_points if point.group == GROUP]
        unmet = unmet_requirement(distribution.requires or [])
    except Exception as error:
        name = distribution.metadata["Name"]
        cause = f"its entry points cannot be read: {type(error).__name__}: {' '.join(str(error).split())}"
        yield Found((name,), Origin.of_distribution(distribution, ""), None, "blocked", cause)
        return
    for value in dict.fromkeys(point.value for point in points):
        alike = [point for point in points if point.value == value]
        found = Found(tuple(point.name for point in alike), Origin.of_distribution(distribution, value), alike[0])
        if unmet:
            found.block(f"it needs {unmet}, but this is mindgap {VERSION}")
        yield found


def unmet_requirement(requirements: list[str], version: str = VERSION) -> str | None:
    """Return the requirement on mindgap that `version` does not meet, or None. Installers can be told to ignore it."""
    ours = _numbers(version)
    for requirement in requirements:
        needed = re.match(r"mindgap\s*(?:\[[^]]*\])?\s*\(?([<>=!~][^;)]*)", requirement)
        for sign, wanted in re.findall(r"([<>=!~]=?)\s*([\d.]+)", needed[1] if needed else ""):
            theirs = _numbers(wanted)
            width = max(len(ours), len(theirs))
            pair = (numbers + (0,) * (width - len(numbers)) for numbers in (ours, theirs))
            if sign in _COMPARE and not _COMPARE[sign](*pair):
                return f"mindgap{sign}{wanted}"
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[^\d.]", version)[0]))


def allowed() -> frozenset[str] | None:
    """Return the normalised names of the only distributions to load from, or None for all."""
    listed = os.environ.get(LOAD)
    if listed is None:
        return None
    return frozenset(normalised(name.strip()) for name in listed.split(",") if name.strip())


def normalised(name: str) -> str:
    """Return the normalised name of a distribution."""
    return re.sub(r"[-_.]+", "-", name).lower()
