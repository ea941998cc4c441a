"""What pictures and reports need to know of what they show, besides the results themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindgap.arrays import FloatArray
    from mindgap.results.mixture_result import MixtureResult


class GapPathLike(Protocol):
    """Mixtures of as many components, fitted along ascending δ."""

    @property
    def deltas(self) -> FloatArray:
        """The least gaps asked for, ascending."""

    @property
    def results(self) -> Sequence[MixtureResult]:
        """The fit at each of `deltas`."""

    @property
    def bites_at(self) -> float | None:
        """The δ from which some gap is at its bound; None if none is along the whole path."""


class SelectionLike(Protocol):
    """A criterion, less being better, for several numbers of components."""

    @property
    def ks(self) -> Sequence[int]:
        """The numbers of components, ascending."""

    @property
    def criterion(self) -> str:
        """The name of the criterion."""

    @property
    def values(self) -> FloatArray:
        """The criterion for each of `ks`; NaN where there is no fit."""

    @property
    def best(self) -> int:
        """The number of components that is best: one of `ks`."""


class IntervalsLike(Protocol):
    """Intervals for the parameters of a mixture, each an array of one row (low, high) a component."""

    @property
    def level(self) -> float:
        """The probability with which an interval is meant to hold the truth: 0.95, for example."""

    @property
    def weights(self) -> FloatArray:
        """The intervals of the weights."""

    @property
    def means(self) -> FloatArray:
        """The intervals of the means."""

    @property
    def variances(self) -> FloatArray:
        """The intervals of the variances."""
