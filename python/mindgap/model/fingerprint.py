"""A fingerprint of the data, to check that every pass reads the same points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from mindgap.validation import FloatArray

_MODULUS = 2**64

#: The relative difference allowed between two sums of the same weights, which may be added in another order.
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Fingerprint:
    """The number of points, their total weight, and the sum of their bits, which differs for other values.

    It does not depend on the order of the points, and costs a tenth of an E step. Fingerprints of parts of the data
    are added with ``+``.

    Parameters
    ----------
    points : int
        The number of points.
    weight : float
        Their total weight.
    bits : int
        The sum of their bits, modulo 2⁶⁴.

    Examples
    --------
    >>> from mindgap.host import Fingerprint
    >>> Fingerprint.of(np.array([1.0, 2.0]), None).difference(Fingerprint.of(np.array([1.0]), None))
    '2 points, where the first pass had 1'
    """

    points: int = 0
    weight: float = 0.0
    bits: int = 0

    @classmethod
    def of(cls, values: FloatArray, weights: FloatArray | None) -> Fingerprint:
        """Return the fingerprint of an array."""
        bits = int(np.add.reduce(values.view(np.uint64)))
        if weights is None:
            return cls(len(values), float(len(values)), bits)
        bits += int(np.dot(_folded(values), _folded(weights)))  # ties each weight to its value
        return cls(len(values), float(weights.sum()), bits % _MODULUS)

    def __add__(self, other: Fingerprint) -> Fingerprint:
        return Fingerprint(self.points + other.points, self.weight + other.weight, (self.bits + other.bits) % _MODULUS)

    def difference(self, first: Fingerprint) -> str | None:
        """Return how these points differ from those of the first pass, or None."""
        if self.points != first.points:
            return f"{self.points} points, where the first pass had {first.points}"
        if not math.isclose(self.weight, first.weight, rel_tol=_TOLERANCE):
            return f"a total weight of {self.weight:.10g}, where the first pass had {first.weight:.10g}"
        return None if self.bits == first.bits else "other values than the first pass had"


def _folded(numbers: FloatArray) -> npt.NDArray[np.uint64]:
    """Return the bits of doubles with the upper half folded into the lower one, which is zero for integers."""
    bits = numbers.view(np.uint64)
    folded: npt.NDArray[np.uint64] = bits ^ (bits >> np.uint64(32))
    return folded


#: What to do about a source that changes between passes.
ADVICE = "a fit reads its data several times: fit a copy that does not change, or a Summary made in one pass"
