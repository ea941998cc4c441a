"""results.json: every number of a run, for programs."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from mindgap_paper.experiments import CRITERIA_MIXTURE, CURVES, DELTAS

if TYPE_CHECKING:
    from mindgap_paper.account import Account, Part
    from mindgap_paper.comparing import Comparison, Moments
    from mindgap_paper.curves import Curves


def document(account: Account) -> str:
    """Return the run as JSON text."""
    heights = account.heights
    whole = {
        "versions": account.versions,
        "seed": account.seed,
        "threads": account.threads,
        "seconds": round(account.seconds, 3),
        "processor_seconds": round(account.processor_seconds, 3),
        "resumed": account.resumed,
        "experiments": [_part(part) for part in account.parts],
        "nypans": None
        if heights is None
        else {
            "figures": [
                {"method": line.method, "criterion": line.criterion, "printed": line.printed.mean, "value": line.value}
                | {"met": line.met}
                for line in heights[0]
            ],
            "iterations": [count._asdict() for count in heights[1]],
        },
        "faults": account.faults(),
    }
    return json.dumps(_finite(whole), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _part(part: Part) -> dict[str, Any]:
    found: dict[str, Any] = {
        "experiment": part.experiment.key,
        "title": part.experiment.title,
        "model": part.experiment.model,
        "k": part.experiment.k,
        "lower": part.experiment.lower,
        "upper": part.experiment.upper,
        "repeats": part.repeats,
        "data": "authors" if part.authors else "simulated",
        "misses": {
            "problems": part.misses.n,
            "missed": part.misses.missed,
            "failed": part.misses.failed,
            "mean_excess": part.misses.mean_excess,
            "most_excess": part.misses.most_excess,
        },
        "unconverged": part.unconverged,
        "crossed": part.crossed,
        "figures": [_comparison(line) for line in part.comparisons],
    }
    if part.curves is not None:
        found["curves"] = _curves(part.curves)
    return found


def _comparison(line: Comparison) -> dict[str, Any]:
    return {
        "method": line.method,
        "criterion": line.criterion,
        "printed": {"mean": line.printed.mean, "deviation": line.printed.deviation},
        "paper": _moments(line.paper),
        "exact": _moments(line.exact),
        "z": line.z,
        "deviation_ratio": line.ratio,
        "met": line.met,
    }


def _moments(moments: Moments) -> dict[str, Any]:
    return {"mean": moments.mean, "deviation": moments.deviation, "n": moments.n}


def _curves(curves: Curves) -> dict[str, Any]:
    return {
        "deltas": list(DELTAS),
        "methods": list(CURVES),
        "criteria": list(CRITERIA_MIXTURE),
        "mean": curves.mean.tolist(),
        "quantile_05": curves.low.tolist(),
        "quantile_95": curves.high.tolist(),
        "held_back": curves.held_back.tolist(),
        "claims": [claim._asdict() for claim in curves.claims()],
    }


def _finite(value: Any) -> Any:
    """Return the same with null for NaN and infinity."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
