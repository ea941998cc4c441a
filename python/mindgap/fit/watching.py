"""Reports of a running fit: a live line on standard error, a callback that can stop the fit, or both."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.progress import ProgressLine
from mindgap.model.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: A function that the core calls with the kind of a report and its numbers; it returns True to stop the fit.
    Watch: TypeAlias = Callable[..., Any]


@dataclass(frozen=True)
class Step:
    """The argument of a callback of `kmeans` or `mixture`. The callback returns True to stop the fit.

    Attributes
    ----------
    stage : "search", "climb" or "certificate"
        The stage of the fit: k-means searches for clusters and a proof; a mixture climbs; a certificate is being
        proven.
    iteration : int or None
        The number of iterations of a climb, or of regions examined for a certificate.
    parameters : Parameters or None
        The current parameters of a climb. Pass them to `mixture` as `init` to continue from there.
    log_likelihood : float or None
        The log-likelihood of the current parameters, or the best known one.
    cost : float or None
        The lowest cost of k-means found so far; infinite if no solution has been found.
    bound : float or None
        The lower bound on the cost of k-means; the upper bound that a certificate is proving; for a climb with method
        "best", the log-likelihood predicted after the next step.

    Examples
    --------
    >>> steps = []
    >>> x = mg.datasets.paper_model("A", 500, rng=1).values
    >>> fit = mg.mixture(x, 2, method="paper", callback=steps.append)
    >>> steps[-1].stage, steps[-1].parameters.k
    ('climb', 2)
    """

    stage: Literal["search", "climb", "certificate"]
    iteration: int | None = None
    parameters: Parameters | None = None
    log_likelihood: float | None = None
    cost: float | None = None
    bound: float | None = None


def watching(
    progress: bool, callback: Callable[[Step], Any] | None, paper: bool = False
) -> AbstractContextManager[Watch | None]:
    """Return a context with the function that the core calls, or None if there is nothing to report to."""
    if callback is not None and not callable(callback):
        raise InvalidInputError(f"callback is of type {type(callback).__name__}; give a function of one argument")
    return _watching(progress, callback, paper) if progress or callback is not None else nullcontext()


@contextmanager
def _watching(progress: bool, callback: Callable[[Step], Any] | None, paper: bool) -> Iterator[Watch]:
    with ProgressLine() if progress else nullcontext() as line:

        def watch(kind: str, *values: Any) -> bool:
            if line is not None:
                line(kind, *values)
            step = None if callback is None else _step(kind, values, paper)
            return step is not None and callback is not None and bool(callback(step))

        yield watch


def _step(kind: str, values: tuple[Any, ...], paper: bool) -> Step | None:
    """Return a report of the core as a step, or None if callbacks do not get it."""
    if kind == "search":
        return Step("search", cost=values[0], bound=values[1])
    if kind == "iteration":
        iteration, height, movement, *unordered = values
        order = np.argsort(unordered[1], kind="stable")  # components may pass one another on the way
        parameters = [np.asarray(numbers)[order] for numbers in unordered]
        bound = None if paper else height + movement
        return Step("climb", iteration, Parameters(*parameters), height, bound=bound)
    if kind == "certificate":
        nodes, _, epsilon, height = values
        return Step("certificate", nodes, log_likelihood=height, bound=height + epsilon)
    return None
