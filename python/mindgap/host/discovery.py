"""Finding the plugins of installed packages: the entry points of group ``mindgap``, one distribution at a time.

A distribution whose metadata cannot be read is an item with its fault, never an exception.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindgap.host.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib import metadata

GROUP = "mindgap"
LOAD = "MINDGAP_LOAD_PLUGINS"


@dataclass(frozen=True)
class Found:
    """One entry point of an installed distribution, or the fault that kept it from being read."""

    name: str
    origin: Origin
    entry_point: metadata.EntryPoint | None
    fault: Exception | None = None


def find() -> Iterator[Found]:
    """Yield the entry points of all installed distributions; the first of a name on the path counts."""
    from importlib import metadata  # slow to import, and only needed on first use

    seen: set[str] = set()
    for distribution in metadata.distributions():
        try:
            text = distribution.read_text("entry_points.txt") or ""
            if f"[{GROUP}]" not in text:
                continue
            name = normalised(distribution.metadata["Name"])
        except Exception:  # a broken distribution of somebody else's is not ours to report
            continue
        if name not in seen:
            seen.add(name)
            yield from _of_distribution(distribution)


def _of_distribution(distribution: metadata.Distribution) -> Iterator[Found]:
    try:
        points = [point for point in distribution.entry_points if point.group == GROUP]
    except Exception as fault:
        origin = Origin.of_distribution(distribution, "")
        yield Found(distribution.metadata["Name"], origin, None, fault)
        return
    for point in points:
        yield Found(point.name, Origin.of_distribution(distribution, point.value), point)


def allowed() -> frozenset[str] | None:
    """Return the normalised names of the only distributions to load from, or None for all."""
    listed = os.environ.get(LOAD)
    if listed is None:
        return None
    return frozenset(normalised(name.strip()) for name in listed.split(",") if name.strip())


def normalised(name: str) -> str:
    """Return a distribution's name as installers compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
