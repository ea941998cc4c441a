"""The base class of constraints."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.model.plugin import Plugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mindgap.model.sample import Sample


class Constraint(Plugin):
    """A constraint on k ascending centres. Subclass it and implement `gaps`, `rows` or both.

    With `gaps`, k-means is exact. With `rows`, any linear rows on the centres are possible: mixtures take them as
    they are, k-means by alternating assignment and a quadratic program. Centres hold what both answer. A constraint
    that depends on the data answers `prepare`. What is known of a mixture's weights and spreads is answered by
    `weight_rows`, `precision_rows`, `spread_ratio` and `variation`. Two constraints are combined with ``&``.

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
        """Return the constraint for these data, such as bounds in standard deviations; itself unless answered.

        Called once a fit, before `gaps` and `rows` are asked of what it returns; again for each bootstrap replicate
        and each fold of a cross-validation, with the data of that fit.
        """
        return self

    def gaps(self, k: int) -> GapBounds | None:
        """Return the bounds on the k-1 gaps, or None if there are none."""
        return None

    def rows(self, k: int) -> LinearRows | None:
        """Return the linear rows on the k centres, or None if there are none."""
        return None

    def weight_rows(self, k: int) -> LinearRows | None:
        """Return rows on the weights of a mixture's k components, counted by ascending mean, or None."""
        return None

    def precision_rows(self, k: int) -> LinearRows | None:
        """Return rows on the precisions 1/σ² of a mixture's k components, in units of the data, or None."""
        return None

    def spread_ratio(self) -> float | None:
        """Return how many times the smallest standard deviation of a mixture the largest may be, or None."""
        return None

    def variation(self) -> float | None:
        """Return the coefficient c of spreads that are c times the means, infinity for any, or None if they are not."""
        return None

    def __and__(self, other: Constraint) -> Constraint:
        """Return a constraint that asks what both ask."""
        return All(self, other) if isinstance(other, Constraint) else NotImplemented


class All(Constraint):
    """What several constraints ask, together: what ``&`` makes of them."""

    name = "all"

    def __init__(self, *parts: Constraint) -> None:
        self.parts: tuple[Constraint, ...] = ()
        for part in parts:
            self.parts += part.parts if isinstance(part, All) else (part,)

    def prepare(self, sample: Sample) -> Constraint:
        """Return what all parts ask of these data."""
        return All(*(part.prepare(sample) for part in self.parts))

    def gaps(self, k: int) -> GapBounds | None:
        """Return the bounds on the gaps that all parts ask, or None if none of them has any."""
        asked = [gaps for part in self.parts if (gaps := part.gaps(k)) is not None]
        return reduce(GapBounds.__and__, asked) if asked else None

    def rows(self, k: int) -> LinearRows | None:
        """Return the rows of all parts, or None if none of them has any."""
        asked = [rows for part in self.parts if (rows := part.rows(k)) is not None]
        return reduce(LinearRows.__add__, asked) if asked else None

    def weight_rows(self, k: int) -> LinearRows | None:
        """Return the rows on the weights of all parts, or None if none of them has any."""
        asked = [rows for part in self.parts if (rows := part.weight_rows(k)) is not None]
        return reduce(LinearRows.__add__, asked) if asked else None

    def precision_rows(self, k: int) -> LinearRows | None:
        """Return the rows on the precisions of all parts, or None if none of them has any."""
        asked = [rows for part in self.parts if (rows := part.precision_rows(k)) is not None]
        return reduce(LinearRows.__add__, asked) if asked else None

    def spread_ratio(self) -> float | None:
        """Return the least ratio of spreads that a part asks for, or None if none does."""
        return min((ratio for part in self.parts if (ratio := part.spread_ratio()) is not None), default=None)

    def variation(self) -> float | None:
        """Return the coefficient of variation that a part asks for, a given one before any; None if none does."""
        return min((found for part in self.parts if (found := part.variation()) is not None), default=None)

    def __repr__(self) -> str:
        return " & ".join(map(repr, self.parts))


class Kept(Constraint):
    """What a stored result was held to, whatever constraint it came from."""

    name = "kept"

    def __init__(self, held: GapBounds | LinearRows | None, blocks: Mapping[str, Any], text: str = "") -> None:
        self.held, self.blocks, self.text = held, blocks, text

    def gaps(self, k: int) -> GapBounds | None:
        """Return the bounds on the gaps that were kept."""
        return self.held if isinstance(self.held, GapBounds) else None

    def rows(self, k: int) -> LinearRows | None:
        """Return the rows on the means that were kept."""
        return self.held if isinstance(self.held, LinearRows) else None

    def weight_rows(self, k: int) -> LinearRows | None:
        """Return the rows on the weights that were kept."""
        return self._block("weight_rows")

    def precision_rows(self, k: int) -> LinearRows | None:
        """Return the rows on the precisions that were kept."""
        return self._block("precision_rows")

    def _block(self, name: str) -> LinearRows | None:
        return None if name not in self.blocks else LinearRows(*self.blocks[name])

    def spread_ratio(self) -> float | None:
        """Return the ratio of spreads that was kept."""
        return self.blocks.get("spread_ratio")

    def variation(self) -> float | None:
        """Return the coefficient of variation that was kept."""
        return self.blocks.get("variation")

    def __repr__(self) -> str:
        return self.text or super().__repr__()
