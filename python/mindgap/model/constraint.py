"""The base class of constraints."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.model.plugin import Plugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mindgap.model.sample import Sample


#: The methods about the weights and spreads of mixtures, which k-means does not have.
ABOUT_MIXTURES = ("weight_rows", "precision_rows", "spread_ratio", "variation")


class Constraint(Plugin):
    """A constraint on k ascending centres. Subclass it and implement `gaps`, `rows` or both.

    `gaps` returns bounds on the gaps between neighbouring centres; k-means is exact under them. `rows` returns linear
    rows on the centres; k-means then alternates between assignment and a quadratic program. If a constraint implements
    both, the centres satisfy both. A constraint that depends on the data implements `prepare`. The methods
    `weight_rows`, `precision_rows`, `spread_ratio` and `variation` constrain the weights and spreads of a mixture.
    Combine constraints with ``&``.

    Examples
    --------
    >>> class Doubling(mg.Constraint):
    ...     name = "doubling"
    ...     def __init__(self, first):
    ...         self.first = first
    ...     def gaps(self, k):
    ...         return mg.GapBounds(self.first * 2.0 ** np.arange(k - 1))
    """

    def prepare(self, sample: Sample) -> Constraint:
        """Return the constraint for these data, such as bounds in standard deviations; by default itself.

        Called once for each fit, before `gaps` and `rows` of the returned constraint; again for each bootstrap
        replicate and each fold of a cross-validation, with the data of that fit.
        """
        return self

    def gaps(self, k: int) -> GapBounds | None:
        """Return the bounds on the k-1 gaps, or None if there are none."""
        return None

    def rows(self, k: int) -> LinearRows | None:
        """Return the linear rows on the k centres, or None if there are none."""
        return None

    def weight_rows(self, k: int) -> LinearRows | None:
        """Return rows on the weights of a mixture's k components, ordered by mean, or None."""
        return None

    def precision_rows(self, k: int) -> LinearRows | None:
        """Return rows on the precisions 1/σ² of a mixture's k components, in units of the data, or None."""
        return None

    def spread_ratio(self) -> float | None:
        """Return the largest allowed ratio between two standard deviations of a mixture, or None."""
        return None

    def variation(self) -> float | None:
        """Return the coefficient of variation (std / mean) of all components, infinity to estimate it, or None."""
        return None

    def __and__(self, other: Constraint) -> Constraint:
        """Return the conjunction of two constraints."""
        return All(self, other) if isinstance(other, Constraint) else NotImplemented


class All(Constraint):
    """The conjunction of several constraints, made by ``&``."""

    name = "all"

    def __init__(self, *parts: Constraint) -> None:
        self.parts: tuple[Constraint, ...] = ()
        for part in parts:
            self.parts += part.parts if isinstance(part, All) else (part,)

    def prepare(self, sample: Sample) -> Constraint:
        """Return the conjunction of the parts for these data."""
        return All(*(part.prepare(sample) for part in self.parts))

    def gaps(self, k: int) -> GapBounds | None:
        """Return the intersection of the parts' bounds on the gaps, or None if no part has any."""
        given = [gaps for part in self.parts if (gaps := part.gaps(k)) is not None]
        return reduce(GapBounds.__and__, given) if given else None

    def rows(self, k: int) -> LinearRows | None:
        """Return the rows of all parts, or None if no part has any."""
        return self._joined("rows", k)

    def weight_rows(self, k: int) -> LinearRows | None:
        """Return the rows of all parts on the weights, or None if no part has any."""
        return self._joined("weight_rows", k)

    def precision_rows(self, k: int) -> LinearRows | None:
        """Return the rows of all parts on the precisions, or None if no part has any."""
        return self._joined("precision_rows", k)

    def _joined(self, name: str, k: int) -> LinearRows | None:
        given = [rows for part in self.parts if (rows := getattr(part, name)(k)) is not None]
        return reduce(LinearRows.__add__, given) if given else None

    def spread_ratio(self) -> float | None:
        """Return the smallest ratio of the parts, or None if no part has one."""
        return min((ratio for part in self.parts if (ratio := part.spread_ratio()) is not None), default=None)

    def variation(self) -> float | None:
        """Return the smallest coefficient of the parts, or None if no part has one."""
        return min((found for part in self.parts if (found := part.variation()) is not None), default=None)

    def __repr__(self) -> str:
        return " & ".join(map(repr, self.parts))


class StoredConstraint(Constraint):
    """The bounds and rows of a stored result, whose original constraint may not be available."""

    name = "stored"

    def __init__(self, bounds: GapBounds | LinearRows | None, blocks: Mapping[str, Any], text: str = "") -> None:
        self.bounds, self.blocks, self.text = bounds, blocks, text

    def gaps(self, k: int) -> GapBounds | None:
        """Return the stored bounds on the gaps."""
        return self.bounds if isinstance(self.bounds, GapBounds) else None

    def rows(self, k: int) -> LinearRows | None:
        """Return the stored rows on the means."""
        return self.bounds if isinstance(self.bounds, LinearRows) else None

    def weight_rows(self, k: int) -> LinearRows | None:
        """Return the stored rows on the weights."""
        return self._block("weight_rows")

    def precision_rows(self, k: int) -> LinearRows | None:
        """Return the stored rows on the precisions."""
        return self._block("precision_rows")

    def _block(self, name: str) -> LinearRows | None:
        return None if name not in self.blocks else LinearRows(*self.blocks[name])

    def spread_ratio(self) -> float | None:
        """Return the stored ratio of spreads."""
        return self.blocks.get("spread_ratio")

    def variation(self) -> float | None:
        """Return the stored coefficient of variation."""
        return self.blocks.get("variation")

    def __repr__(self) -> str:
        return self.text or super().__repr__()
