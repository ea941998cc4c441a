"""Points that a fitted mixture is asked about, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.validation import FloatArray, as_vector


def point_weights(sample_weight: Any, n: int) -> FloatArray | None:
    """Return weights that can be averaged with: as many as there are points, none negative, the largest one."""
    if sample_weight is None:
        return None
    weights = as_vector(sample_weight, "sample_weight")
    if len(weights) != n:
        raise InvalidInputError(f"sample_weight has {len(weights)} weights for {n} points; give one a point")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InvalidInputError("sample_weight must be finite and not negative, and not zero throughout")
    shares: FloatArray = weights / weights.max()
    return shares


def finite_points(x: Any) -> FloatArray:
    """Return the points as an array; every one must be finite."""
    values = as_vector(x, "x")
    if not np.isfinite(values).all():
        index = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InvalidInputError(f"x holds {values[index]} at index {index}; drop or replace it")
    return values
