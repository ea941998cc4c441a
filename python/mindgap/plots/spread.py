"""Arrange labels in a row without overlap, each as near to its target as possible. O(n)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mindgap.validation import FloatArray


def spread(places: FloatArray, sizes: FloatArray, low: float, high: float) -> FloatArray | None:
    """Return the centres of labels of the given sizes between low and high, or None if they do not fit.

    This is least squares under lower bounds on the gaps; shifted by the sizes of the preceding labels, it is isotonic
    regression, solved by pooling neighbours that would overlap.
    """
    if len(places) == 0:
        return places
    if sizes.sum() > high - low:
        return None
    shifts = np.cumsum(sizes) - sizes / 2
    blocks: list[tuple[float, int]] = []
    for mean in (places - shifts).tolist():
        count = 1
        while blocks and blocks[-1][0] >= mean:
            before, size = blocks.pop()
            mean = (before * size + mean * count) / (size + count)
            count += size
        blocks.append((mean, count))
    free = np.repeat([mean for mean, _ in blocks], [count for _, count in blocks])
    held: FloatArray = np.clip(free, low, high - sizes.sum()) + shifts
    return held
