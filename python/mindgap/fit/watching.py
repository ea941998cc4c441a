"""What a running fit tells: a live line on standard error, a callback that may stop it, or both."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mindgap.foundation.errors import InvalidInputError
from mindgap.foundation.progress import ProgressLine
from mindgap.model.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: What the core calls with a word for the report and its numbers; True ends the fit.
    Watch: TypeAlias = Callable[..., Any]


@dataclass(frozen=True)
class Step:
    """What a callback of `kmeans` or `mixture` is called with. Return True from the callback to stop the fit.

    Attributes
    ----------
    stage : "search", "climb" or "certificate"
        What goes on: k-means looks for clusters and a proof; a mixture climbs; its certificate is being proven.
    iteration : int or None
        How many iterations of a climb have ended; of a certificate, how many regions were looked at.
    parameters : Parameters or None
        The iterate of a climb. Give it to `mixture` as `init` to go on from there.
    log_likelihood : float or None
        That of the iterate, or the best known.
    cost : float or None
        The least cost of k-means found so far; infinite while nothing is found.
    bound : float or None
        What no clustering can cost less than; of a certificate, the bound that is being proven; of a climb by method
        "best", how high the likelihood would be after the next step.

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
    """Return a context with what the core is to call; None where nobody watches."""
    if callback is not None and not callable(callback):
        raise InvalidInputError(f"callback is a {type(callback).__name__}; give a function of one argument")
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
    """Return what a report of the core says; None for what no callback is told."""
    if kind == "search":
        return Step("search", cost=values[0], bound=values[1])
    if kind == "iteration":
        iteration, height, movement, *parameters = values
        bound = None if paper else height + movement
        return Step("climb", iteration, Parameters(*parameters), height, bound=bound)
    if kind == "certificate":
        nodes, _, epsilon, height = values
        return Step("certificate", nodes, log_likelihood=height, bound=height + epsilon)
    return None
