"""Checks of new points and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindgap.foundation.errors import InvalidInputError
from mindgap.validation import FloatArray, as_vector


def point_weights(sample_weight: Any, n: int) -> FloatArray | None:
    """Return valid weights for an average over n points, scaled so that the largest is one."""
    if sample_weight is None:
        return None
    weights = as_vector(sample_weight, "sample_weight")
    if len(weights) != n:
        raise InvalidInputError(f"sample_weight has {len(weights)} weights for {n} points; give one for each point")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InvalidInputError(
            "sample_weight must be finite and not negative, and at least one weight must be positive"
        )
    shares: FloatArray = weights / weights.max()
    return shares


def finite_points(x: Any) -> FloatArray:
    """Return the points as an array, or raise InvalidInputError if one is not finite."""
    values = as_vector(x, "x")
    if not np.isfinite(values).all():
        index = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InvalidInputError(f"x holds {values[index]} at index {index}; drop or replace it")
    return values
