"""Results as data frames of pandas or polars, which are imported only here."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mindgap.foundation.errors import MissingExtraError
from mindgap.validation import as_choice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mindgap.model.bounds import GapBounds
    from mindgap.validation import FloatArray

Backend: TypeAlias = Literal["pandas", "polars"]

_LIBRARIES = ("pandas", "polars")


def frame_of(columns: Mapping[str, Any], backend: Backend | None) -> Any:
    """Return a frame with these columns, of the given library or else of the first that is installed."""
    libraries = _LIBRARIES if backend is None else (as_choice(backend, "backend", _LIBRARIES),)
    library = next((name for name in libraries if find_spec(name) is not None), None)
    if library is None:
        raise MissingExtraError(
            f'to_frame() needs {" or ".join(libraries)}; install one: pip install "mindgap[frame]", or polars itself'
        )
    # pandas marks what is missing with NaN, polars with null.
    nulls = {"nan_to_null": True} if library == "polars" else {}
    return import_module(library).DataFrame(dict(columns), **nulls)


def gap_columns(gaps: FloatArray, bounds: GapBounds | None, active: Sequence[str]) -> dict[str, Any]:
    """Return the columns about the gap from each centre to the next; they are empty for the last centre.

    Without bounds on the gaps `active` is left out, since it is about other rows.
    """
    unbounded = np.full(len(gaps), np.nan)
    lower, upper = (unbounded, unbounded) if bounds is None else (bounds.lower, bounds.upper)
    return {
        "gap_to_next": np.append(gaps, np.nan),
        "gap_lower": np.append(lower, np.nan),
        "gap_upper": np.append(upper, np.nan),
        "active": [None] * (len(gaps) + 1) if bounds is None else [*active, None],
    }
