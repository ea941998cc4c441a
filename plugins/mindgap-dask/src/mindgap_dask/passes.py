"""The cost of each pass over the data."""

from __future__ import annotations

import logging
from dataclasses import dataclass

LOGGER = logging.getLogger("mindgap_dask")


@dataclass(frozen=True)
class Pass:
    """One pass over all chunks.

    Attributes
    ----------
    kind : str
        "load", "moments", "finish" or "zoom".
    seconds : float
        The time from building the graph to the result.
    tasks : int
        The number of tasks, including loading.
    sent : int
        The bytes of the graph, measured at the first pass of its kind: later graphs differ only in parameters.
    received : int
        The bytes of the result.
    """

    kind: str
    seconds: float
    tasks: int
    sent: int
    received: int

    def log(self) -> None:
        """Log the pass to the logger ``mindgap_dask`` at level INFO."""
        text = "%s: %.3f s, %d tasks, %d bytes sent, %d received"
        LOGGER.info(text, self.kind, self.seconds, self.tasks, self.sent, self.received)
