"""What each pass over the data cost."""

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
        From building the graph to having the answer.
    tasks : int
        The tasks of the pass, loading counted in.
    sent : int
        Bytes of the graph. Measured at the first pass of its kind: the graphs of later ones differ in parameters alone.
    received : int
        Bytes of the answer.
    """

    kind: str
    seconds: float
    tasks: int
    sent: int
    received: int

    def log(self) -> None:
        """Tell the logger ``mindgap_dask``, at level INFO."""
        text = "%s: %.3f s, %d tasks, %d bytes sent, %d received"
        LOGGER.info(text, self.kind, self.seconds, self.tasks, self.sent, self.received)
