"""Resolve a constraint into what the core takes: gap bounds or rows on the centres, and rows on weights and spreads.

Answers of built-in constraints are used as they are; those of plugins go through the guard.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from mindgap.foundation.errors import InfeasibleError, InvalidInputError
from mindgap.host import guard
from mindgap.host.builtin.constraints import ON_GAPS, ON_MIXTURES
from mindgap.model.bounds import GapBounds, LinearRows
from mindgap.model.constraint import All, Constraint

if TYPE_CHECKING:
    from mindgap.model.sample import Sample

_BUILT_IN = frozenset({*ON_GAPS, *ON_MIXTURES})


def resolve(
    constraint: Constraint | None, sample: Sample | None, k: int
) -> tuple[Constraint | None, GapBounds | LinearRows | None, dict[str, Any]]:
    """Return the constraint for these data, its bounds or rows on k centres, and what `blocks_of` returns.

    A constraint that does not depend on the data needs no sample.
    """
    if constraint is None:
        return None, None, {}
    ready = constraint if sample is None else prepared(constraint, sample)
    return ready, rows_of(ready, k), blocks_of(ready, k)


def prepared(constraint: Constraint, sample: Sample) -> Constraint:
    """Return the constraint for these data: itself, unless it implements `prepare`."""
    if type(constraint).prepare is Constraint.prepare:
        return constraint
    if isinstance(constraint, All):
        ready = All(*(prepared(part, sample) for part in constraint.parts))
        return constraint if ready == constraint else ready
    return guard.prepare(constraint, sample)


def depends_on_data(constraint: Constraint) -> bool:
    """Whether a constraint must be prepared for the data of each fit."""
    if isinstance(constraint, All):
        return any(map(depends_on_data, constraint.parts))
    return type(constraint).prepare is not Constraint.prepare


def rows_of(constraint: Constraint, k: int) -> GapBounds | LinearRows | None:
    """Return the bounds or rows of a constraint on k centres, or None if it has none."""
    if type(constraint) in ON_MIXTURES:
        return None
    if type(constraint) in ON_GAPS:
        return constraint.gaps(k)
    if isinstance(constraint, All):
        parts = [rows for part in constraint.parts if (rows := rows_of(part, k)) is not None]
        if not parts:
            return None
        bounds_of_all = [part for part in parts if isinstance(part, GapBounds)]
        if len(bounds_of_all) == len(parts):
            return reduce(GapBounds.__and__, bounds_of_all)
        return reduce(LinearRows.__add__, (part.as_rows() if isinstance(part, GapBounds) else part for part in parts))
    return guard.rows(constraint, k)


def refuse_mixture_blocks(constraint: Constraint | None, blocks: dict[str, Any]) -> None:
    """Refuse a constraint on weights or spreads for k-means."""
    if blocks:
        raise InvalidInputError(
            f"{constraint!r} is about weights or spreads, which k-means does not have; fit a mixture"
        )


def blocks_of(constraint: Constraint, k: int) -> dict[str, Any]:
    """Return what a constraint says about the weights and spreads of k components, as keywords of the core."""
    if type(constraint) in ON_GAPS:
        return {}
    parts = constraint.parts if isinstance(constraint, All) else (constraint,)
    blocks: dict[str, Any] = {}
    for name in ("weight_rows", "precision_rows"):
        rows = [found for part in parts if (found := _block_rows(part, name, k)) is not None and len(found)]
        if rows:
            blocks[name] = reduce(LinearRows.__add__, rows).arrays()
    ratios = [ratio for part in parts if (ratio := _number(part, "spread_ratio")) is not None]
    if ratios:
        blocks["spread_ratio"] = min(ratios)
    given = {c for part in parts if (c := _number(part, "variation")) is not None}
    if len(finite := sorted(given - {float("inf")})) > 1:
        raise InfeasibleError(
            f"two coefficients of variation are required, {finite[0]} and {finite[1]}; give one of them", k=k
        )
    return blocks | ({"variation": min(given)} if given else {})


def _block_rows(part: Constraint, name: str, k: int) -> LinearRows | None:
    found: LinearRows | None = getattr(part, name)(k) if type(part) in _BUILT_IN else guard.block_rows(part, name, k)
    return found


def _number(part: Constraint, name: str) -> float | None:
    found: float | None = getattr(part, name)() if type(part) in _BUILT_IN else getattr(guard, name)(part)
    return found
