"""Certificates of mixtures: a proven upper bound on the log-likelihood of every admissible mixture."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from mindgap import _core
from mindgap.foundation.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from mindgap.model.sample import Sample

#: The largest distance of the bound above the best known log-likelihood: less than matters for any decision.
EPSILON = 0.1

#: A mixture that the proof finds replaces the fit if its log-likelihood is higher by more than this.
BETTER = 1e-7


def certified(
    fit: _core.MixtureFit,
    climbed: Callable[[Any], _core.MixtureFit],
    sample: Sample,
    proof: str | PathLike[str] | None,
    time_limit: float | None,
    watch: Any,
) -> tuple[_core.MixtureFit, float | None]:
    """Return the fit, or a better one that the proof found, and the bound if it was proven in time."""
    limit = None if time_limit is None else max(time_limit, 0.0)
    found = _core.certify(fit, sample._core, epsilon=EPSILON, record=proof is not None, time_limit=limit, watch=watch)
    if found.log_likelihood > fit.log_likelihood + BETTER:
        better = climbed(found.parameters)
        fit = max(fit, better, key=lambda either: either.log_likelihood)
    if proof is not None:
        if found.proof is None:
            warnings.warn(
                "nothing was proven in time, so there is no proof to write; allow more time",
                stacklevel=3,
            )
        else:
            write_atomically(proof, found.proof.encode())
    return fit, found.upper_bound
