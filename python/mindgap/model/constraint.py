"""The base class of constraints: what k ascending centres must hold."""

from __future__ import annotations

from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.model.plugin import Plugin


class Constraint(Plugin):
    """What k ascending centres must hold. Subclass it and answer `gaps` or `rows`, whichever fits.

    With `gaps`, k-means is exact. With `rows`, any linear rows on the centres are possible: mixtures take them as
    they are, k-means by alternating assignment and a quadratic program.

    Examples
    --------
    >>> class Doubling(mg.Constraint):
    ...     name = "doubling"
    ...     def __init__(self, first):
    ...         self.first = first
    ...     def gaps(self, k):
    ...         return mg.GapBounds(self.first * 2.0 ** np.arange(k - 1))
    """

    def gaps(self, k: int) -> GapBounds | None:
        """Return the bounds on the k-1 gaps, or None if the constraint is not of that form."""
        return None

    def rows(self, k: int) -> LinearRows | None:
        """Return the linear rows on the k centres, or None if the constraint answers `gaps`."""
        return None
