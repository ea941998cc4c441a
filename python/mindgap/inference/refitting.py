"""Fit other data with the constraint and settings of a result, from its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mindgap.fit.mixture import mixture
from mindgap.foundation.errors import InvalidInputError, OutOfMemoryError, SolverError
from mindgap.model.constraint import StoredConstraint
from mindgap.model.parameters import Parameters
from mindgap.results.mixture import DEGENERATE

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.model.constraint import Constraint
    from mindgap.results.mixture import MixtureResult


def no_proof(settings: dict[str, Any]) -> None:
    """Refuse to write the proofs of several fits to one file."""
    if settings.get("proof") is not None:
        raise InvalidInputError("one file holds the proof of one fit; use mixture(..., proof=...) for the one you want")


def constraint_of(result: MixtureResult) -> Constraint | None:
    """Return the constraint of a result, or a constraint with its bounds or rows."""
    rows = result.bounds or result.rows
    return result.constraint or (None if rows is None else StoredConstraint(rows, result.blocks))


def climbed_like(result: MixtureResult) -> Callable[[Any, MixtureResult], MixtureResult | None]:
    """Return a function that fits a sample like `result`, from the parameters of another fit.

    The function returns None if the fit fails or degenerates.
    """
    fitted = _fitted_like(result)

    def climb(sample: Any, origin: MixtureResult) -> MixtureResult | None:
        fit = fitted(sample, init=Parameters(origin.weights, origin.means, origin.variances))
        return None if fit is None or fit.status in DEGENERATE else fit

    return climb


def refit_like(result: MixtureResult) -> Callable[..., MixtureResult | None]:
    """Return a function that fits a sample like `result`, from its parameters or those of another fit.

    The function returns None if the fit fails or degenerates.
    """
    climb = climbed_like(result)
    if not ((result.weights > 0).all() and (result.variances > 0).all()):
        raise InvalidInputError(f"this fit is degenerate ({result.message}), so nothing can be drawn from it")
    return lambda sample, origin=result: climb(sample, origin)


def searched_like(result: MixtureResult) -> Callable[..., MixtureResult | None]:
    """Return a function that fits a sample like `result`, with a search for the highest likelihood.

    The function returns None if the fit fails. A component that vanishes is not a failure.
    """
    fitted = _fitted_like(result)

    def search(sample: Any) -> MixtureResult | None:
        fit = fitted(sample)
        return None if fit is None or fit.status == "collapsed" else fit

    return search


def _fitted_like(result: MixtureResult) -> Callable[..., MixtureResult | None]:
    """Return a function that fits a sample with the constraint and settings of `result`, or returns None."""
    settings, constraint = result.settings, constraint_of(result)
    if settings is None:
        raise InvalidInputError(
            "this result lacks its constraint or settings (it was stored without them); fit it again"
        )
    keywords = settings.keywords()

    def fitted(sample: Any, **start: Any) -> MixtureResult | None:
        try:
            return mixture(sample, result.k, constraint, **start, **keywords)
        except OutOfMemoryError:
            raise
        except (SolverError, InvalidInputError):
            return None  # too few distinct values were drawn, or the solver failed

    return fitted
