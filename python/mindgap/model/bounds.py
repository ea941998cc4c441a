"""What a constraint returns: bounds on the gaps between neighbouring centres, or linear rows on the centres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mindgap.foundation.errors import InfeasibleError, UnusableValueError
from mindgap.validation import FloatArray, frozen, frozen_matrix

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class GapBounds:
    """Bounds ``lower[g] <= centers[g + 1] - centers[g] <= upper[g]`` on the k-1 gaps of k ascending centres.

    Parameters
    ----------
    lower : array-like of k-1 floats
        The least gaps, finite and not negative.
    upper : array-like of k-1 floats, optional
        The largest gaps; infinity, or None for all of them, means no bound.

    Examples
    --------
    >>> mg.GapBounds([1.0, 2.0])
    GapBounds(lower=[1.0, 2.0], upper=[inf, inf])
    """

    lower: FloatArray
    upper: FloatArray

    def __init__(self, lower: npt.ArrayLike, upper: npt.ArrayLike | None = None) -> None:
        least = frozen(lower, "lower")
        largest = frozen(np.full(len(least), np.inf) if upper is None else upper, "upper")
        if len(least) != len(largest):
            raise UnusableValueError(f"lower has {len(least)} bounds and upper {len(largest)}; give as many of each")
        for gap, bounds in enumerate(zip(least.tolist(), largest.tolist(), strict=True)):
            check_gap(*bounds, f"gap {gap}")
        object.__setattr__(self, "lower", least)
        object.__setattr__(self, "upper", largest)

    @classmethod
    def _of_sound(cls, lower: FloatArray, upper: FloatArray) -> GapBounds:
        """Return bounds that are known to be valid, without a check or a copy."""
        bounds = cls.__new__(cls)
        lower.setflags(write=False)
        upper.setflags(write=False)
        object.__setattr__(bounds, "lower", lower)
        object.__setattr__(bounds, "upper", upper)
        return bounds

    def __len__(self) -> int:
        return len(self.lower)

    def __repr__(self) -> str:
        return f"GapBounds(lower={self.lower.tolist()}, upper={self.upper.tolist()})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GapBounds):
            return NotImplemented
        return np.array_equal(self.lower, other.lower) and np.array_equal(self.upper, other.upper)

    __hash__ = None  # type: ignore[assignment]  # arrays are not hashable

    @property
    def single_lower(self) -> float | None:
        """The lower bound of all gaps if they share one and have no upper bound, else None."""
        if len(self) == 0 or np.isfinite(self.upper).any() or (self.lower != self.lower[0]).any():
            return None
        return float(self.lower[0])

    def arrays(self) -> tuple[FloatArray, FloatArray]:
        """Return the bounds as the core takes them."""
        return self.lower, self.upper

    def __and__(self, other: GapBounds) -> GapBounds:
        """Return the intersection of two bounds."""
        lower, upper = np.maximum(self.lower, other.lower), np.minimum(self.upper, other.upper)
        for gap in np.flatnonzero(lower > upper).tolist():
            what = f"gap {gap} must be at least {lower[gap]:g} and at most {upper[gap]:g}"
            raise InfeasibleError(f"{what}: no gap can", k=len(self) + 1, lower=lower.tolist(), upper=upper.tolist())
        return GapBounds(lower, upper)

    def as_rows(self) -> LinearRows:
        """Return the same bounds as linear rows on the centres."""
        gaps = len(self)
        return LinearRows(np.eye(gaps, gaps + 1, 1) - np.eye(gaps, gaps + 1), self.lower, self.upper)


@dataclass(frozen=True, eq=False)
class LinearRows:
    """Linear rows ``lower <= matrix @ centers <= upper`` on k ascending centres.

    Parameters
    ----------
    matrix : array-like of shape (rows, k)
        The coefficients, finite; no row is all zero.
    lower, upper : array-like of one float per row
        The bounds; equal ones make an equality, minus infinity and infinity mean no bound.

    Examples
    --------
    Three centres, evenly spaced:

    >>> mg.LinearRows([[1, -2, 1]], [0], [0]).k
    3
    """

    matrix: FloatArray
    lower: FloatArray
    upper: FloatArray

    def __init__(self, matrix: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike) -> None:
        coefficients = frozen_matrix(matrix, "matrix")
        if coefficients.shape[1] == 0:
            raise UnusableValueError(f"matrix has shape {coefficients.shape}; give a row for each bound")
        least, largest = frozen(lower, "lower"), frozen(upper, "upper")
        if not len(coefficients) == len(least) == len(largest):
            rows = f"matrix has {len(coefficients)} rows, lower {len(least)} and upper {len(largest)} bounds"
            raise UnusableValueError(f"{rows}; give as many of each")
        for row, bounds in enumerate(zip(least.tolist(), largest.tolist(), strict=True)):
            _check_row(row, coefficients[row], *bounds)
        object.__setattr__(self, "matrix", coefficients)
        object.__setattr__(self, "lower", least)
        object.__setattr__(self, "upper", largest)

    def __add__(self, other: LinearRows) -> LinearRows:
        """Return these rows followed by the others."""
        if not isinstance(other, LinearRows):
            return NotImplemented
        mine, theirs = self.arrays(), other.arrays()
        return LinearRows(*(np.concatenate(pair) for pair in zip(mine, theirs, strict=True)))

    @property
    def k(self) -> int:
        """The number of centres."""
        return int(self.matrix.shape[1])

    def arrays(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the rows as the core takes them."""
        return self.matrix, self.lower, self.upper

    def __len__(self) -> int:
        return len(self.lower)

    def __repr__(self) -> str:
        bounds = f"lower={self.lower.tolist()}, upper={self.upper.tolist()}"
        return f"LinearRows(matrix={self.matrix.tolist()}, {bounds})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearRows):
            return NotImplemented
        pairs = ((self.matrix, other.matrix), (self.lower, other.lower), (self.upper, other.upper))
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    __hash__ = None  # type: ignore[assignment]  # arrays are not hashable


def check_gap(lower: float, upper: float, gap: str) -> None:
    """Refuse bounds that no gap can satisfy; `gap` names the gap."""
    if not (np.isfinite(lower) and lower >= 0):
        raise UnusableValueError(f"the lower bound of {gap} is {lower}; it must be finite and not negative")
    if np.isnan(upper) or upper < 0:
        raise UnusableValueError(
            f"the upper bound of {gap} is {upper}; it must be a number that is not negative, or infinity"
        )
    if lower > upper:
        raise UnusableValueError(f"the lower bound {lower} of {gap} is above its upper bound {upper}")


def _check_row(row: int, coefficients: FloatArray, lower: float, upper: float) -> None:
    if not np.isfinite(coefficients).all():
        raise UnusableValueError(f"row {row} has coefficients {coefficients.tolist()}; they must all be finite")
    if not coefficients.any():
        raise UnusableValueError(f"row {row} has coefficients that are all zero; drop it")
    if np.isnan(lower) or np.isnan(upper) or lower == np.inf or upper == -np.inf:
        raise UnusableValueError(f"row {row} has the bounds {lower} and {upper}; no value satisfies them")
    if lower > upper:
        raise UnusableValueError(f"row {row} has the lower bound {lower} above its upper bound {upper}")
