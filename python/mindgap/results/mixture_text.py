"""A mixture as text: the table of its components, how it was found, and what is proven about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mindgap.results.gap_text import gap_bound_text, reached_note
from mindgap.results.table import TextTable, position_texts

if TYPE_CHECKING:
    from mindgap.results.mixture import MixtureResult


def mixture_table(fit: MixtureResult) -> TextTable:
    """Return the components, one row each, and below them how the fit ended."""
    plural = "" if fit.n_iter == 1 else "s"
    ending = f"log-likelihood {fit.log_likelihood:.10g}, {fit.n_iter} iteration{plural}, {fit.message}"
    head = ("component", "weight", "mean", "std. dev.", "to next", "bound")
    found = [*_reliability(fit), *map(str, fit.findings)]
    notes = [ending, *found, *reached_note(fit, "mean"), *certificate(fit)]
    notes += [] if fit.hint is None else [fit.hint]
    means = position_texts(fit.means, float(np.sqrt(fit.variances.max())))
    rows = [_cells(fit, component, mean) for component, mean in enumerate(means)]
    return TextTable(f"Gaussian mixture, k = {fit.k}", head, rows, notes)


def certificate(fit: MixtureResult) -> list[str]:
    """Return what is proven about the likelihood: one line, or none."""
    if fit.upper_bound is None:
        return []
    above = fit.upper_bound - fit.log_likelihood
    return [f"no mixture under these constraints is better by more than {above:.2g}"]


def _reliability(fit: MixtureResult) -> list[str]:
    """Return lines on how the fit was found, if there was a search, and how precise it is."""
    notes = []
    if fit.starts > 1:
        notes.append(f"the best of {fit.starts} starts, of which {fit.starts_at_best} ended here")
    if fit.runner_up is not None:
        behind = fit.log_likelihood - fit.runner_up.log_likelihood
        notes.append(f"the next best fit is {behind:.3g} log units lower")
    if fit.standard_errors is not None:
        notes += fit.standard_errors.notes()
    return notes


def _cells(fit: MixtureResult, component: int, mean: str) -> list[str]:
    deviation = np.sqrt(fit.variances[component])
    cells = [f"{component}", f"{fit.weights[component]:.4f}", mean, f"{deviation:.6g}"]
    if component == fit.k - 1:
        return [*cells, "", ""]
    return [*cells, f"{fit.gaps[component]:.6g}", gap_bound_text(fit.bounds, fit.active, component)]
