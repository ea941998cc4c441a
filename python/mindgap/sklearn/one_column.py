"""What both estimators take: n numbers, or one column of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from mindgap.errors import InvalidInputError

if TYPE_CHECKING:
    from mindgap.model.settings import Settings
    from mindgap.validation import FloatArray


class OneColumn:
    """Mixin: checks input as scikit-learn does, and hands on its only column."""

    def _column(self, X: Any, *, reset: bool, least: Any = 1) -> FloatArray:  # noqa: N803
        """Return the column of `X`; where `reset`, remember the number and the names of the features."""
        if np.ndim(X) == 1:
            X = X.to_frame() if hasattr(X, "to_frame") else np.reshape(X, (-1, 1))  # noqa: N806
        checked = self._table(X, reset=reset, least=least)
        if checked.shape[1] != 1:
            raise InvalidInputError(
                f"X has {checked.shape[1]} columns; {type(self).__name__} is for one: choose it, as with X[:, [0]]"
            )
        column: FloatArray = checked[:, 0]
        return column

    def _settings(self, declared: type[Settings]) -> dict[str, Any]:
        """Return the settings of the fit, which are parameters of the estimator."""
        return {name: getattr(self, name) for name in declared.__dataclass_fields__}

    def _table(self, X: Any, *, reset: bool, least: Any = 1) -> FloatArray:  # noqa: N803
        """Return `X` as scikit-learn checks it: two-dimensional, finite, with at least so many rows."""
        if not reset:
            check_is_fitted(self)
        rows = min(least, sys.maxsize) if isinstance(least, (int, np.integer)) and least > 1 else 1
        table: FloatArray = validate_data(self, X, reset=reset, dtype=np.float64, ensure_min_samples=rows)
        return table
