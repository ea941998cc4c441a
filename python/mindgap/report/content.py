"""The data of a report's script: JSON that is safe inside a script element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.foundation.stored import to_json
from mindgap.report.tables import parameter_cells
from mindgap.results.gap_text import gap_labels, gap_states
from mindgap.results.palette import COLOURS, DASHES
from mindgap.results.rootogram import root_differences

if TYPE_CHECKING:
    from mindgap.inference import GapPath
    from mindgap.results.mixture import MixtureResult
    from mindgap.validation import FloatArray

_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}

#: The most points of a curve; more cannot be told apart in a picture.
_MOST_ITERATIONS = 2000


def embedded_json(content: dict[str, Any]) -> str:
    """Return JSON with markup characters escaped."""
    return to_json(content).translate(_UNSAFE)


def report_content(result: MixtureResult, path: GapPath | None, label: str) -> dict[str, Any]:
    """Return the data that the script needs."""
    histogram = result.histogram
    return {
        "label": label,
        "colours": COLOURS,
        "dashes": DASHES,
        "histogram": None
        if histogram is None
        else {"edges": histogram.edges, "density": result.seen * histogram.density()},
        "fit": _fit(result),
        "residuals": None if histogram is None else root_differences(result, histogram),
        "history": _history(result.history),
        "path": None if path is None else _path(path),
    }


def _path(path: GapPath) -> dict[str, Any]:
    return {
        "deltas": np.asarray(path.deltas, dtype=np.float64),
        "bitesAt": path.bites_at,
        "fits": [_fit(result) for result in path.results],
    }


def _fit(result: MixtureResult) -> dict[str, Any]:
    return {
        "weights": result.weights,
        "means": result.means,
        "deviations": np.sqrt(result.variances),
        "gaps": result.gaps,
        "held": [state != "free" for state in gap_states(result)],
        "labels": gap_labels(result.gaps, result.bounds, result.active),
        "thresholds": result.thresholds,
        "cells": [[f"{component}", *parameter_cells(result, component)] for component in range(result.k)],
        "logLikelihood": result.log_likelihood,
    }


def _history(history: FloatArray) -> dict[str, Any]:
    """Return the history, thinned if it is long, with null for a start without a likelihood."""
    iterations = np.unique(np.linspace(0, len(history) - 1, min(len(history), _MOST_ITERATIONS)).astype(np.int64))
    return {"iterations": iterations, "values": history[iterations]}
