"""Read and check a stored mixture."""

from __future__ import annotations

import math
from typing import Any

from mindgap.foundation.errors import InvalidInputError
from mindgap.model.constraint import StoredConstraint
from mindgap.model.parameters import WEIGHT_TOLERANCE
from mindgap.model.settings import MixtureSettings
from mindgap.results import archive
from mindgap.results.gap_text import ACTIVE
from mindgap.results.reliability import Finding, RunnerUp, StandardErrors

STATUSES = ("converged", "doubtful", "max-iterations", "time-limit", "collapsed", "lost-weight")


def stored_mixture(text: str | bytes) -> dict[str, Any]:
    """Return the fields of the `MixtureResult` that was stored as JSON, or raise InvalidInputError."""
    fields = archive.Fields.load("MixtureResult", text)
    means = fields.ascending("means")
    k = len(means)
    if k == 0:
        raise InvalidInputError("the stored MixtureResult has no means")
    weights = fields.least_numbers("weights", k, 0.0)
    fields.check("weights", abs(float(weights.sum()) - 1) <= WEIGHT_TOLERANCE, "shares that sum to one")
    variances = fields.numbers("variances", k)
    fields.check("variances", bool((variances > 0).all()), "positive numbers")
    total_weight = fields.number("total_weight")
    fields.check("total_weight", total_weight > 0, "a positive number")
    bounds, rows, blocks = fields.gap_bounds(k), fields.linear_rows(k), fields.blocks(k)
    n_iter = fields.integer("n_iter")
    return {
        "weights": weights,
        "means": means,
        "variances": variances,
        "origins": fields.integers("origins", k, below=k),
        "labels": fields.labels(k),
        "log_likelihood": fields.number("log_likelihood"),
        "history": fields.numbers("history", n_iter + 1, absent=-math.inf),
        "n_iter": n_iter,
        "status": fields.text("status", STATUSES),
        "message": fields.text("message"),
        "gaps": fields.gaps(means),
        "active": fields.texts("active", None if bounds is None else k - 1, ACTIVE),
        "n_parameters": fields.integer("n_parameters", least=0),
        "total_weight": total_weight,
        "entropy": fields.optional("entropy", fields.number),
        "upper_bound": fields.optional("upper_bound", fields.number),
        "newton_decrement": fields.optional("newton_decrement", fields.number),
        "passes": fields.integer("passes"),
        "starts": fields.integer("starts"),
        "starts_at_best": fields.integer("starts_at_best"),
        "runner_up": fields.optional("runner_up", lambda name: RunnerUp.of_stored(fields.nested(name), k)),
        "standard_errors": fields.optional(
            "standard_errors", lambda name: StandardErrors.of_stored(fields.nested(name), k)
        ),
        "findings": tuple(Finding.of_stored(part, k) for part in fields.objects("findings")),
        "degenerate": tuple(fields.integers("degenerate", below=k).tolist()) if fields.has("degenerate") else (),
        "bounds": bounds,
        "rows": rows,
        "settings": fields.optional("settings", lambda name: MixtureSettings.of_stored(fields.nested(name))),
        "data": fields.bins() or fields.histogram(),
        "constraint": fields.optional(
            "constraint", lambda name: StoredConstraint(bounds or rows, blocks, fields.text(name))
        ),
        "blocks": blocks,
    }
