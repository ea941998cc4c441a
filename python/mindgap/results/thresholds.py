"""The points where one component of a mixture becomes less likely than the next. O(k)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mindgap.validation import FloatArray

#: The number of bisections between two means: enough to reach the resolution of a double.
_HALVINGS = 64


def crossings(weights: FloatArray, means: FloatArray, variances: FloatArray) -> tuple[float | None, ...]:
    """Return the point between each two neighbouring means where both components are equally likely, or None.

    There is exactly one if each component is the more likely of the two at its own mean, since the log ratio is a
    quadratic function; else None.
    """
    gap = np.diff(means)
    with np.errstate(all="ignore"):
        ratio = np.log(weights[:-1]) - np.log(weights[1:]) + (np.log(variances[1:]) - np.log(variances[:-1])) / 2
        left, right = gap / np.sqrt(variances[:-1]), gap / np.sqrt(variances[1:])

        def first_ahead(place: FloatArray) -> FloatArray:
            """Return the log ratio of the first to the second density at a `place` from 0 (first mean) to 1."""
            near, far = left * place, right * (1 - place)
            # A product instead of a difference of squares, which may be infinity minus infinity.
            ahead: FloatArray = ratio + (far - near) * (far + near) / 2
            return ahead

        low, high = np.zeros_like(gap), np.ones_like(gap)
        crosses = (first_ahead(low) > 0) & (first_ahead(high) < 0)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            ahead = first_ahead(middle) > 0
            low, high = np.where(ahead, middle, low), np.where(ahead, high, middle)
    points = means[:-1] + gap * (low + high) / 2
    return tuple(float(point) if there else None for point, there in zip(points, crosses, strict=True))
