"""Array-likes of every kind, with the doubles that each stands for, or none if it must be refused."""

from __future__ import annotations

import array
import collections
import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from soak.draw import Floats

#: What to hand over, and the doubles it stands for; None: it must be refused.
Foreign = tuple[Any, "list[float] | None"]
Form = Callable[[np.random.Generator, Floats], Foreign]

_WHOLE = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
_REAL = ("f2", "f4", "f8", "g")
_REFUSED = ("c8", "c16", "G", "M8[s]", "m8[ns]", "S4", "U6", "V8", "i4,f8")


class Raises:
    """Refuses to be looked at, each time by the same error."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def _raise(self, *_: Any, **__: Any) -> Any:
        raise self._error

    __repr__ = __str__ = __len__ = __iter__ = __eq__ = __bool__ = __array__ = __float__ = __getitem__ = _raise
    __hash__ = None  # type: ignore[assignment]


class Converts:
    """Says that it is an array."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._answer


def dtypes(rng: np.random.Generator, v: Floats) -> Foreign:
    """Numbers of any size, sign and byte order, laid out in any way."""
    kind = rng.choice([*_WHOLE, *_REAL, "?"])
    order = rng.choice(["<", ">", "="])
    with np.errstate(all="ignore"):
        values = np.nan_to_num(v, nan=0, posinf=1, neginf=0) % 100 if kind not in _REAL else v
        made = values.astype(order + kind)
    return layout(rng, made), [float(item) for item in made.astype(made.dtype.newbyteorder("="))]


def layout(rng: np.random.Generator, made: Any) -> Any:
    """Return the same numbers: reversed twice, with gaps, in a column, off their alignment, read-only."""
    n = len(made)
    kind = rng.integers(7)
    if kind == 0:
        return made[::-1].copy()[::-1]
    if kind == 1:
        wide = np.zeros((n, 1000), made.dtype)
        wide[:, 7] = made
        return wide[:, 7]
    if kind == 2:
        return made[:, None]
    if kind == 3:
        raw = b"\0" + made.tobytes()
        return np.frombuffer(raw, np.uint8)[1:].view(made.dtype) if n else made
    if kind == 4:
        made.setflags(write=False)
    if kind == 5:
        return np.asfortranarray(np.stack([made, made], axis=1))[:, 1]
    return made


def repeated(rng: np.random.Generator, v: Floats) -> Foreign:
    """One number, many times over, without memory for it."""
    return np.broadcast_to(v[:1], (5,)), [float(v[0])] * 5


def wrong_dtypes(rng: np.random.Generator, v: Floats) -> Foreign:
    kind = str(rng.choice(_REFUSED))
    made = np.zeros(len(v), kind)
    # As objects, durations are integers.
    return (made if kind.startswith("m") or rng.random() < 0.5 else made.astype(object)), None


def wrong_shapes(rng: np.random.Generator, v: Floats) -> Foreign:
    forms = (
        v[0],
        np.array(v[0]),
        v.reshape(1, -1, 1),
        [[*v, 0.0]] * 3,
        v[:, None, None],
        np.zeros((3, 0)),
        [[1.0], [2, 3]],
    )
    return forms[rng.integers(len(forms))], None


def python_numbers(rng: np.random.Generator, v: Floats) -> Foreign:
    """Lists and other containers of Python's own numbers."""
    numbers: list[Any] = [float(item) for item in v]
    finite = bool(np.isfinite(v).all())
    kind = rng.integers(9)
    if kind == 0 and finite:
        numbers = [Fraction(number) for number in numbers]
    elif kind == 1 and finite:
        numbers = [Decimal(number) for number in numbers]
    elif kind == 2:
        numbers = [np.float64(number) for number in numbers]
    elif kind == 3:
        return np.array(numbers, dtype=object), numbers
    elif kind == 4:
        return array.array("d", numbers), numbers
    elif kind == 5:
        return memoryview(array.array("d", numbers)), numbers
    elif kind == 6:
        return collections.deque(numbers), numbers
    elif kind == 7:
        return tuple(numbers), numbers
    return numbers, [float(number) for number in numbers]


def large_wholes(rng: np.random.Generator, v: Floats) -> Foreign:
    """Integers beyond 2**53: taken if doubles hold them all, else refused."""
    wholes = [int(rng.integers(0, 2**63)) >> int(rng.integers(0, 12)) << int(rng.integers(0, 14)) for _ in v]
    if rng.random() < 0.3:
        wholes[0] = int(rng.choice([2**53 + 1, 2**64 - 1, 2**63, 2**64 + 1, 10**25, 2**80, 2**63 - 1], size=1)[0])
    if rng.random() < 0.3:
        wholes = [-whole for whole in wholes]
    expected = [float(whole) for whole in wholes]
    exact = all(int(double) == whole for double, whole in zip(expected, wholes, strict=True))
    handed: Any = wholes
    if max(wholes) < 2**64 and min(wholes) >= 0:
        handed = np.array(wholes, dtype=rng.choice(["<u8", ">u8"]))
    elif max(map(abs, wholes)) < 2**63:
        handed = np.array(wholes, dtype=rng.choice(["<i8", ">i8"]))
    return handed, expected if exact else None


def boxed(*items: Any) -> Any:
    """An array of objects that numpy does not look into."""
    made = np.empty(len(items), dtype=object)
    for index, item in enumerate(items):
        made[index] = item
    return made


def no_numbers(rng: np.random.Generator, v: Floats) -> Foreign:
    """Things that look like numbers to some, and things that defend themselves."""
    itself: list[Any] = []
    itself.append(itself)
    deep: Any = [1.0]
    for _ in range(int(rng.integers(1, 200))):
        deep = [deep, deep] if rng.random() < 0.02 else [deep]
    errors = (RuntimeError("no"), ZeroDivisionError(), RecursionError("deep"), OverflowError("far"), KeyError("key"))
    sulky = Raises(errors[rng.integers(len(errors))])
    things: tuple[Any, ...] = (
        itself, [deep, deep], sulky, [sulky, 1.0], boxed(1.0, sulky), Converts(3),
        Converts(np.array([1 + 2j])), (number for number in v), {1.0, 2.0}, {1: 2.0}, map(float, v), "123", b"123",
        ["1", "2"], [1.0, "2"], [1.0, None, "x"], object(), [object()], [1 + 2j, 3], [np.complex64(1), 2.0, None],
        [datetime.date(2026, 1, 1)], [np.datetime64("2026"), 1], [np.timedelta64(3), np.timedelta64(4)],
        boxed(np.timedelta64(3), 1.0), [[1.0], 2.0], [1.0, [2.0]], [[], [1.0]], float, lambda: v,
        [np.ma.masked, 1.0], np.ma.masked, np.ma.array(v, mask=np.arange(len(v)) == 0), [10**400, 1], [-(10**5000)],
        boxed(np.array([1.0]), None), Ellipsis, NotImplemented, [True, "False"], type("X", (), {}),
    )  # fmt: skip
    return things[rng.integers(len(things))], None


def frames(rng: np.random.Generator, v: Floats) -> Foreign:
    """Columns of pandas and Arrow."""
    import pandas as pd
    import pyarrow as pa

    numbers = v.tolist()
    series = pd.Series(v, index=rng.permutation(len(v)))
    wrong = [
        pd.Series(pd.to_datetime(["2026-01-01"] * 3)), pd.Series(pd.to_timedelta([1, 2], "s")), pd.Series(["1", "2"]),
        pd.Series([1.0, None, pd.NA]), pd.array([1, None, 3], dtype="Int64"), pd.Series(["a", "b"]).astype("category"),
        pd.DataFrame({"a": v, "b": v}), pd.date_range("2026", periods=3), pd.NaT, pd.NA, pa.array(["1"]),
        pa.array([1.0, None]), pd.Series([2**53 + 1]), pd.Series([1 + 1j]),
    ]  # fmt: skip
    right = [
        series, series.to_frame(), pd.Index(v), pd.array(v, dtype="Float64") if np.isfinite(v).all() else series,
        pa.array(v), pa.chunked_array([v[:1], v[1:]]), series.astype(object),
    ]  # fmt: skip
    if rng.random() < 0.5:
        return wrong[rng.integers(len(wrong))], None
    return right[rng.integers(len(right))], numbers


FORMS: tuple[Form, ...] = (
    dtypes, dtypes, repeated, wrong_dtypes, wrong_shapes, python_numbers, large_wholes, no_numbers, no_numbers, frames,
)  # fmt: skip


def contents(rng: np.random.Generator) -> Floats:
    """A few numbers of which some may be no numbers, or the largest, or the least."""
    v = np.round(rng.normal(0, 10.0 ** rng.integers(-2, 6), int(rng.integers(1, 12))), 2)
    odd = (np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e308, -1.7976931348623157e308, 2.0**53, 1e140, 1e-140)
    if rng.random() < 0.3:
        v[rng.integers(len(v))] = odd[rng.integers(len(odd))]
    return v


def foreign(rng: np.random.Generator) -> Foreign:
    """Something to hand over, and what it stands for."""
    return FORMS[rng.integers(len(FORMS))](rng, contents(rng))
