"""results.json: every number of a run, for programs."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap_paper.experiments import CRITERIA_MIXTURE, CURVES, DELTAS

if TYPE_CHECKING:
    from mindgap_paper.account import Account, Part
    from mindgap_paper.comparing import Comparison
    from mindgap_paper.curves import Curves


def document(account: Account) -> str:
    """Return the run as JSON text."""
    names = ("versions", "seed", "threads", "seconds", "processor_seconds", "resumed")
    whole = {name: getattr(account, name) for name in names}
    whole |= {"experiments": [_part(part) for part in account.parts], "nypans": None, "faults": account.faults()}
    if account.heights is not None:
        lines, iterations = account.heights
        figures = [line._asdict() | {"printed": line.printed.mean, "met": line.met} for line in lines]
        whole["nypans"] = {"figures": figures, "iterations": [count._asdict() for count in iterations]}
    return json.dumps(_plain(whole), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _part(part: Part) -> dict[str, Any]:
    experiment = part.experiment
    found = {name: getattr(experiment, name) for name in ("title", "model", "k", "lower", "upper")}
    found |= {
        "experiment": experiment.key,
        "repeats": part.repeats,
        "data": "authors" if part.authors else "simulated",
        "misses": asdict(part.misses),
        "unconverged": part.unconverged,
        "crossed": part.crossed,
        "figures": [_comparison(line) for line in part.comparisons],
    }
    return found if part.curves is None else found | {"curves": _curves(part.curves)}


def _comparison(line: Comparison) -> dict[str, Any]:
    found = {name: getattr(line, name) for name in ("method", "criterion", "z", "ratio", "met")}
    return found | {"printed": line.printed._asdict(), "paper": asdict(line.paper), "exact": asdict(line.exact)}


def _curves(curves: Curves) -> dict[str, Any]:
    axes = {"deltas": DELTAS, "methods": CURVES, "criteria": CRITERIA_MIXTURE}
    return axes | asdict(curves) | {"claims": [claim._asdict() for claim in curves.claims()]}


def _plain(value: Any) -> Any:
    """Return the value with lists for arrays, and null for NaN and infinity."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
