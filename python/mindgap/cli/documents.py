"""The output of `--json`: the stored form of a fit, with the file, the column and the settings."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from mindgap import __version__
from mindgap.cli.reading import Data, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.cli.groups import Part
    from mindgap.cli.reading import Request
    from mindgap.model.settings import Settings


def run_facts(request: Request, data: Data | Elsewhere, **given: Any) -> dict[str, Any]:
    """Return the origin of a result, without options that were not given."""
    facts: dict[str, Any] = {"mindgap": __version__, "file": request.title, "column": request.column}
    if isinstance(data, Data):
        facts |= {
            "column": data.name or request.column or "1",
            "units": request.units,
            "weights": request.weights,
            "group_by": request.group_by,
            "rows": len(data.kept),
            "values": len(data.values),
            "missing": data.n_dropped,
        }
    facts |= given
    return {name: value for name, value in facts.items() if value is not None}


def settings_of(kind: type[Settings], given: dict[str, Any]) -> dict[str, Any]:
    """Return all settings of a fit: those given, and the defaults of the others."""
    declared = {name: given.get(name, field.default) for name, field in kind.__dataclass_fields__.items()}
    others = {name: getattr(value, "name", value) for name, value in given.items() if name not in declared}
    return {name: value for name, value in (declared | others).items() if value is not None}


def grouped_json(
    parts: list[Part], document: Callable[[Part], dict[str, Any]], facts: dict[str, Any]
) -> dict[str, Any]:
    """Return `document` of the only part, or of each group."""
    if parts[0].places is None:
        return {**document(parts[0]), "run": facts}
    groups = {part.name: {"reason": part.reason} if part.result is None else document(part) for part in parts}
    return {"groups": groups, "run": facts}


def stored_fit(part: Part) -> dict[str, Any]:
    """Return the stored form of a fit."""
    named = {} if part.data.name is None else {"name": part.data.name}
    return {**json.loads(part.result.to_json()), **named}


def command_line(arguments: list[str]) -> str:
    """Return the shell command that repeats a run."""
    return shlex.join(["mindgap", *arguments])
