"""Results as JSON: versioned, checked on the way in, safe to load from strangers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mindgap.bounds import GapBounds, LinearRows
from mindgap.brief import brief
from mindgap.errors import InvalidInputError
from mindgap.results.histogram import Histogram

if TYPE_CHECKING:
    from mindgap.results.kmeans_result import KMeansResult
    from mindgap.results.mixture_result import MixtureResult

VERSION = 1

#: No likelihood is beyond this, and no count; the sums and products that results make of them are finite.
_LARGEST, _MOST = 1e300, 2**53

#: How far stored numbers that follow from each other may be apart, as a share.
_ROUNDING = 1e-9


def dump(result: KMeansResult | MixtureResult, extra: dict[str, Any] | None = None) -> str:
    """The JSON text of a result, with fields beside its own."""
    nested = ("bounds", "data", "settings")
    fields = {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in nested}
    if result.bounds is not None:
        fields |= {"gap_lower": result.bounds.lower, "gap_upper": result.bounds.upper}
    if result.histogram is not None:
        fields |= {"histogram_counts": result.histogram.counts, "histogram_edges": result.histogram.edges}
    import json  # not needed to import mindgap

    if not isinstance(fields["labels"], np.ndarray):
        fields["labels"] = np.empty(0, dtype=np.int32)  # they lie where the data lie
    plain = {name: _plain(value) for name, value in (fields | (extra or {})).items()}
    return json.dumps({"mindgap": type(result).__name__, "version": VERSION, **plain}, allow_nan=False)


def load(kind: str, text: str | bytes) -> Fields:
    """The fields of a result of that kind, or InvalidInputError."""
    import json

    try:
        document = json.loads(text, object_pairs_hook=_each_once)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"this is not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("mindgap") != kind:
        raise InvalidInputError(f"this is not a stored {kind}")
    version = document.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise InvalidInputError(
            f"this {kind} was stored in version {brief(version)}; this mindgap reads version {VERSION}"
        )
    return Fields(kind, document)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two readers must not be able to take different values from one text."""
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{brief(next(name for name in names if names.count(name) > 1))} stands in it twice")
    return document


def _plain(value: Any) -> Any:
    """JSON has no infinity; the only ones that a result holds are absent bounds."""
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, float) and math.isinf(value):
        return None
    return value


class Fields:
    """Typed access to the fields of a stored result; each fault names the field."""

    def __init__(self, kind: str, document: dict[str, Any]) -> None:
        self._kind = kind
        self._document = document

    def number(self, name: str, *, least: float = -_LARGEST) -> float:
        """One number, so far from the ends that sums of a few are finite."""
        number = self._number(name, self._get(name))
        if not least <= number <= _LARGEST:
            raise self._fault(name, f"a number of at least {least:g} and at most {_LARGEST:g}")
        return number

    def whole(self, name: str, *, least: int = 0) -> int:
        """One whole number that can be a count."""
        value = self._get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < _MOST:
            raise self._fault(name, f"a whole number of at least {least}")
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._get(name)
        if not isinstance(value, bool):
            raise self._fault(name, "true or false")
        return value

    def text(self, name: str, allowed: tuple[str, ...] | None = None) -> str:
        """A string, one of those allowed."""
        value = self._get(name)
        if not isinstance(value, str) or (allowed is not None and value not in allowed):
            raise self._fault(name, "text" if allowed is None else f"one of {', '.join(allowed)}")
        return value

    def texts(self, name: str, length: int | None, allowed: tuple[str, ...]) -> tuple[str, ...]:
        """Strings, as many as said, each one of those allowed."""
        items = self._list(name, length)
        if not all(isinstance(item, str) and item in allowed for item in items):
            raise self._fault(name, f"a list of {', '.join(allowed)}")
        return tuple(items)

    def numbers(self, name: str, length: int | None = None, *, absent: float | None = None) -> np.ndarray[Any, Any]:
        """Finite numbers, as many as said; null stands for `absent` where that is given."""
        items = self._list(name, length)
        if absent is not None:
            items = [absent if item is None else self._number(name, item) for item in items]
            return np.array(items, dtype=np.float64)
        return np.array([self._number(name, item) for item in items], dtype=np.float64)

    def least_numbers(self, name: str, length: int, least: float) -> np.ndarray[Any, Any]:
        """Finite numbers, as many as said, none below the least."""
        values = self.numbers(name, length)
        self.check(name, bool((values >= least).all()), f"numbers of at least {least:g}")
        return values

    def ascending(self, name: str, length: int | None = None) -> np.ndarray[Any, Any]:
        """Finite numbers that do not fall."""
        values = self.numbers(name, length)
        self.check(name, bool((values[1:] >= values[:-1]).all()), "ascending numbers")
        return values

    def gaps(self, centers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The gaps of those centres, to rounding."""
        gaps = self.numbers("gaps", len(centers) - 1)
        # Halves, whose difference is finite.
        wrong = np.abs(gaps / 2 - (centers[1:] / 2 - centers[:-1] / 2))
        slack = _ROUNDING * np.maximum(np.abs(centers[1:]), np.abs(centers[:-1]))
        self.check("gaps", bool((gaps >= 0).all() and (wrong <= slack).all()), "the distances between the centres")
        return gaps

    def check(self, name: str, sound: bool, expected: str) -> None:
        """Refuse a field that is not sound."""
        if not sound:
            raise self._fault(name, expected)

    def wholes(self, name: str, length: int | None = None, *, below: int, least: int = 0) -> np.ndarray[Any, Any]:
        """Whole numbers from `least` up to, not including, `below`."""
        items = self._list(name, length)
        if not all(type(item) is int and least <= item < below for item in items):
            raise self._fault(name, f"a list of whole numbers from {least} to {below - 1}")
        return np.array(items, dtype=np.int64)

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self._document.get(name) is not None

    def gap_bounds(self, k: int) -> GapBounds | None:
        """The bounds on the gaps of k centres, if the result has any."""
        if not self.has("gap_lower"):
            return None
        return GapBounds(self.numbers("gap_lower", k - 1), self.numbers("gap_upper", k - 1, absent=math.inf))

    def linear_rows(self, k: int) -> LinearRows | None:
        """The linear rows on k centres, if the result was fitted under any."""
        if not self.has("fit_rows"):
            return None
        lower = self.numbers("fit_rows_lower", absent=-math.inf)
        upper = self.numbers("fit_rows_upper", len(lower), absent=math.inf)
        return LinearRows(self.numbers("fit_rows", len(lower) * k).reshape(len(lower), k), lower, upper)

    def histogram(self) -> Histogram | None:
        """The histogram of the data, if the result has one."""
        if self._document.get("histogram_counts") is None:
            return None
        return Histogram(self.numbers("histogram_counts"), self.numbers("histogram_edges"))

    def _get(self, name: str) -> Any:
        if name not in self._document:
            raise InvalidInputError(f"the stored {self._kind} lacks {name!r}")
        return self._document[name]

    def _list(self, name: str, length: int | None) -> list[Any]:
        items = self._get(name)
        if not isinstance(items, list) or (length is not None and len(items) != length):
            raise self._fault(name, "a list" if length is None else f"a list of {length}")
        return items

    def _number(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._fault(name, "a finite number")
        try:
            number = float(value)
        except OverflowError:
            raise self._fault(name, "a finite number") from None
        if not math.isfinite(number):
            raise self._fault(name, "a finite number")
        return number

    def _fault(self, name: str, expected: str) -> InvalidInputError:
        return InvalidInputError(f"the stored {self._kind} has a bad {name!r}: expected {expected}")
