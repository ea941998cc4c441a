"""Input and parameters of both estimators."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from mindgap.foundation.errors import InvalidInputError
from mindgap.host.lookup import constraint, initializer
from mindgap.model.plugin import Plugin

if TYPE_CHECKING:
    from typing_extensions import Self

    from mindgap.model.settings import Settings
    from mindgap.validation import FloatArray


#: The parameters of estimators that have nested parameters.
_PARTS = {"constraint", "init"}


class OneColumn:
    """A mixin that checks input as scikit-learn does, takes its only column, and supports nested parameters."""

    def _column(self, X: Any, *, reset: bool, least: Any = 1) -> FloatArray:  # noqa: N803
        """Return the column of `X`; with `reset`, store the number and the names of the features."""
        if np.ndim(X) == 1:
            X = X.to_frame() if hasattr(X, "to_frame") else np.reshape(X, (-1, 1))  # noqa: N806
        checked = self._table(X, reset=reset, least=least)
        if checked.shape[1] != 1:
            raise InvalidInputError(
                f"X has {checked.shape[1]} columns; {type(self).__name__} is for one: choose it, as with X[:, [0]]"
            )
        column: FloatArray = checked[:, 0]
        return column

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with `deep`, also those of the constraint and initializer: ``constraint__delta``."""
        params: dict[str, Any] = super().get_params(deep)  # type: ignore[misc]
        for part in _PARTS & params.keys() if deep else ():
            if isinstance(params[part], Plugin):
                params |= {f"{part}__{name}": value for name, value in params[part]._mindgap_parameters().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``constraint__delta=2`` replaces the constraint by a new one."""
        nested: dict[str, dict[str, Any]] = {}
        for key in [key for key in params if key.partition("__")[0] in _PARTS and "__" in key]:
            part, _, name = key.partition("__")
            nested.setdefault(part, {})[name] = params.pop(key)
        super().set_params(**params)  # type: ignore[misc]
        for part, changes in nested.items():
            setattr(self, part, self._changed(part, changes))
        return self

    def _changed(self, part: str, changes: dict[str, Any]) -> Plugin:
        """Return a copy of the constraint or initializer with some parameters changed."""
        given = getattr(self, part)
        old = {"constraint": constraint, "init": initializer}[part](given) if isinstance(given, str) else given
        if not isinstance(old, Plugin) or (unknown := changes.keys() - old.parameters().keys()):
            listed = ", ".join(sorted(changes if not isinstance(old, Plugin) else unknown))
            raise InvalidInputError(f"{part} is {old!r}, which has no parameter {listed}")
        return type(old)(**(old._mindgap_parameters() | changes))

    def _settings(self, declared: type[Settings], **renamed: Any) -> dict[str, Any]:
        """Return the settings of the fit: parameters of the estimator, except those that it names in its own way."""
        return {name: getattr(self, name) for name in declared.__dataclass_fields__ if name not in renamed} | renamed

    def _table(self, X: Any, *, reset: bool, least: Any = 1) -> FloatArray:  # noqa: N803
        """Return `X` as scikit-learn checks it: two-dimensional, finite, with at least so many rows."""
        if not reset:
            check_is_fitted(self)
        rows = min(least, sys.maxsize) if isinstance(least, (int, np.integer)) and least > 1 else 1
        table: FloatArray = validate_data(self, X, reset=reset, dtype=np.float64, ensure_min_samples=rows)
        return table
