"""Validation of arguments, for mindgap and for plugins: numbers, counts, choices, vectors and matrices.

Each function takes a value and the name of its parameter. It returns the value as the core takes it, or raises
`InvalidInputError` with that name.

Examples
--------
>>> from mindgap.validation import as_positive
>>> as_positive(np.float32(1.5), "ratio")
1.5
>>> as_positive(True, "ratio")
Traceback (most recent call last):
mindgap.InvalidInputError: ratio is True; it must be one number
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mindgap.foundation.errors import InvalidInputError, UnusableValueError
from mindgap.foundation.messages import reason, shorten

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "RNG",
    "FloatArray",
    "as_choice",
    "as_count",
    "as_generator",
    "as_length",
    "as_matrix",
    "as_number",
    "as_positive",
    "as_seed",
    "as_vector",
    "frozen",
    "frozen_finite",
    "frozen_matrix",
]

FloatArray = npt.NDArray[np.float64]

#: A source of random numbers: a seed, a generator, or None for a new seed each time.
RNG: TypeAlias = "int | np.random.Generator | np.random.SeedSequence | None"

_NUMBERS = "biuf"
_DOUBLE = np.dtype(np.float64)

#: The largest count of points, clusters or iterations. A double represents every integer up to here.
_LARGEST_COUNT = 2**53

#: Types that float() converts to a real number, losing their meaning.
_NO_NUMBERS = (complex, np.complexfloating, np.datetime64, np.timedelta64)


def as_vector(x: Any, name: str) -> FloatArray:
    """Return a list, an array of any stride or byte order, a column or a series as a vector of doubles.

    Raises InvalidInputError for anything that is not a vector of real numbers, and for integers that no double
    represents. The core checks that the numbers are finite.
    """
    if type(x) is np.ndarray and x.dtype == _DOUBLE and x.ndim == 1 and x.flags.c_contiguous and x.flags.aligned:
        return x
    return _in_order(_as_column(_as_real(x, name), name))


def as_matrix(x: Any, name: str) -> FloatArray:
    """Return a matrix of doubles in row-major order; otherwise as `as_vector`."""
    array = _as_real(x, name)
    if array.ndim != 2:
        raise InvalidInputError(f"{name} has shape {array.shape}; give a matrix")
    return _in_order(array)


def as_table(x: Any, name: str) -> npt.NDArray[Any]:
    """Return a matrix in row-major order; single precision is kept, everything else is as in `as_matrix`."""
    if type(x) is np.ndarray and x.dtype == np.float32 and x.ndim == 2:
        return np.require(x, dtype=np.float32, requirements=["C", "A"])
    return as_matrix(x, name)


def _in_order(array: FloatArray) -> FloatArray:
    """Return the array contiguous and aligned, as the core reads it."""
    ordered: FloatArray = np.require(array, requirements=["C", "A"])
    return ordered


def _as_real(x: Any, name: str) -> FloatArray:
    """Return an array of doubles of any shape."""
    array = _as_array(x, name)
    if array.dtype.kind == "O":
        if array.ndim == 0 and not hasattr(x, "__float__"):
            kind = "None" if x is None else f"of type {type(x).__name__}"
            raise InvalidInputError(f"{name} is {kind}; give a sequence of numbers, such as a list")
        return _from_objects(array, name)
    if array.dtype.kind not in _NUMBERS:
        raise InvalidInputError(f"{name} has dtype {array.dtype}; give real numbers")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        # A long double above the largest double becomes infinite, which the core refuses.
        with np.errstate(all="ignore"):
            doubles = array.astype(np.float64)
    else:
        doubles = array.astype(np.float64, copy=False)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        _refuse_rounded(array, doubles, name)
    elif isinstance(x, (list, tuple)) and (np.abs(doubles) >= _LARGEST_COUNT).any():
        # numpy has already converted integers in a mixed list to doubles.
        return _from_objects(np.array(x, dtype=object), name)
    return doubles


def _as_array(x: Any, name: str) -> npt.NDArray[Any]:
    if isinstance(x, (str, bytes)):
        raise InvalidInputError(
            f"{name} is text ({x[:40]!r}); give numbers, or read the file first if this is its name"
        )
    if is_elsewhere(x):
        kind = f"{type(x).__module__.partition('.')[0]} {type(x).__name__}"
        how = 'fit it with engine="dask" of the package mindgap-dask, or collect it yourself with .compute()'
        raise InvalidInputError(f"{name} is a {kind}, whose numbers are not in this process; {how}")
    if count := _masked(x):
        raise InvalidInputError(f"{name} has {count} masked values; drop or fill them")
    try:
        return np.asarray(x)
    except MemoryError:
        raise
    except Exception as error:  # the object's own conversion may raise anything
        raise InvalidInputError(f"{name} is not an array of numbers: {reason(error)}") from error


def is_elsewhere(x: Any) -> bool:
    """Return whether `x` is or holds a Dask collection, which numpy would load into this process."""
    graph = getattr(x, "__dask_graph__", None)
    try:
        return callable(graph) and graph() is not None
    except Exception:
        return False


def _masked(x: Any) -> int:
    """Return the number of masked values; numpy would use the data under the mask."""
    if "numpy.ma" not in sys.modules:
        return 0  # no masked arrays exist yet, and the import takes as long as a hundred fits
    if isinstance(x, np.ma.MaskedArray):
        return int(np.sum(np.ma.getmaskarray(x)))
    parts = x if isinstance(x, (list, tuple)) else ()
    return sum(_masked(item) for item in parts if isinstance(item, np.ma.MaskedArray))


def _refuse_rounded(wholes: npt.NDArray[Any], doubles: FloatArray, name: str) -> None:
    """Refuse integers that the conversion to doubles has changed."""
    if wholes.size == 0 or max(int(wholes.max()), -int(wholes.min())) <= _LARGEST_COUNT:
        return
    beyond = doubles >= float(np.iinfo(wholes.dtype).max)
    rounded = np.flatnonzero(beyond | (np.where(beyond, 0.0, doubles).astype(wholes.dtype) != wholes))
    if rounded.size:
        raise _rounded(int(wholes.flat[rounded[0]]), int(rounded[0]), name)


def _rounded(whole: int, index: int, name: str) -> InvalidInputError:
    return InvalidInputError(
        f"{name} holds the integer {shorten(whole)} at index {index}, which no double represents; "
        "subtract an offset from all of them, or round them yourself, as with astype(float)"
    )


def _from_objects(array: npt.NDArray[Any], name: str) -> FloatArray:
    """Convert Python numbers, decimals and fractions; refuse text, dates and durations."""
    doubles = [_from_object(item, index, name) for index, item in enumerate(array.flat)]
    return np.array(doubles, dtype=np.float64).reshape(array.shape)


def _from_object(item: Any, index: int, name: str) -> float:
    if isinstance(item, (str, bytes)):
        raise InvalidInputError(f"{name} holds text ({shorten(item)}) at index {index}; convert it to numbers first")
    if item is None:
        return np.nan
    if isinstance(item, _NO_NUMBERS) or item is np.ma.masked or hasattr(item, "__len__"):
        raise InvalidInputError(f"{name} holds {shorten(item)} at index {index}, which is not a real number")
    try:
        number = float(item)
    except MemoryError:
        raise
    except Exception as error:
        raise InvalidInputError(
            f"{name} holds objects that are not real numbers: {shorten(item)} at index {index}: {reason(error)}"
        ) from error
    if isinstance(item, (int, np.integer)) and number != int(item):
        raise _rounded(int(item), index, name)
    return number


def _as_column(array: FloatArray, name: str) -> FloatArray:
    if array.ndim == 1:
        return array
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim == 0:
        raise InvalidInputError(f"{name} is a single number; give a sequence of numbers")
    raise InvalidInputError(f"{name} has shape {array.shape}; mindgap is for one column of numbers")


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer. Booleans and durations are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def as_count(k: Any, name: str, least: int = 1) -> int:
    """Return an integer that is at least `least`."""
    if type(k) is not int and not is_integer(k):
        raise InvalidInputError(f"{name} is {shorten(k)}; it must be an integer")
    if k < least:
        raise InvalidInputError(f"{name} is {shorten(int(k))}; it must be at least {least}")
    if k > _LARGEST_COUNT:
        raise InvalidInputError(f"{name} is {shorten(int(k))}, which is too large")
    return int(k)


def as_number(value: Any, name: str) -> float:
    """Return one real number, which may be infinite or NaN."""
    if type(value) is float:
        return value
    if not (is_integer(value) or isinstance(value, (float, np.floating))):
        raise InvalidInputError(f"{name} is {shorten(value)}; it must be one number")
    try:
        with np.errstate(all="ignore"):
            return float(value)
    except OverflowError as error:
        raise InvalidInputError(f"{name} is {shorten(value)}, which is larger than the largest double") from error


def as_ends(value: Any, name: str) -> tuple[float, float]:
    """Return two numbers, the first less than the second; either may be infinite."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or len(value) != 2:
        raise InvalidInputError(f"{name} is {shorten(value)}; give two numbers, the low end and the high end")
    low, high = as_number(value[0], name), as_number(value[1], name)
    if not low < high:
        raise InvalidInputError(f"{name} is {shorten(value)}; its low end must be below its high end")
    return low, high


def as_length(value: Any, name: str) -> float:
    """Return one number that is finite and not negative: a distance, a bound on a gap."""
    number = as_number(value, name)
    if not (np.isfinite(number) and number >= 0):
        raise InvalidInputError(f"{name} is {number:g}; it must be finite and not negative")
    return number


def as_positive(value: Any, name: str) -> float:
    """Return one number that is finite and positive: a scale, a ratio."""
    number = as_number(value, name)
    if not (np.isfinite(number) and number > 0):
        raise InvalidInputError(f"{name} is {number:g}; it must be finite and positive")
    return number


def as_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return the value if it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        allowed = " or ".join([", ".join(map(repr, choices[:-1])), repr(choices[-1])])
        raise InvalidInputError(f"{name} must be {allowed}, not {shorten(value)}")
    return value


def as_seed(rng: RNG) -> int:
    """Return `rng` as a seed: a new one for None, the next draw for a generator."""
    if isinstance(rng, np.random.SeedSequence) and isinstance(rng.entropy, int) and not rng.spawn_key:
        return rng.entropy
    if rng is None or isinstance(rng, (np.random.Generator, np.random.SeedSequence)):
        return int(np.random.default_rng(rng).integers(2**63))
    if not is_integer(rng) or rng < 0:
        raise InvalidInputError(f"rng is {shorten(rng)}; it must be None, a non-negative integer or a numpy Generator")
    return int(rng)


def as_generator(rng: RNG) -> np.random.Generator:
    """Return `rng` if it is a generator, else a generator with this seed."""
    if isinstance(rng, (np.random.Generator, np.random.SeedSequence)):
        return np.random.default_rng(rng)
    return np.random.default_rng(as_seed(rng))


def freeze(*arrays: Any) -> None:
    """Make arrays read-only; other objects, such as the labels of an engine, are left alone."""
    for array in arrays:
        if isinstance(array, np.ndarray):
            # By position in half the time of a keyword; a fit does it a dozen times.
            array.setflags(False)  # type: ignore[call-arg]


class Frozen:
    """The base class of dataclasses whose arrays are read-only, also when they were unpickled or copied."""

    def __post_init__(self) -> None:
        raise NotImplementedError

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()


def frozen(values: Any, name: str) -> FloatArray:
    """Return a read-only copy of a vector of numbers, which may be infinite or NaN."""
    return _frozen(as_vector, values, name)


def frozen_matrix(values: Any, name: str) -> FloatArray:
    """Return a read-only copy of a matrix of numbers, which may be infinite or NaN."""
    return _frozen(as_matrix, values, name)


def frozen_finite(values: Any, name: str) -> FloatArray:
    """Return a read-only copy of a vector of finite numbers."""
    copy = frozen(values, name)
    bad = np.flatnonzero(~np.isfinite(copy))
    if bad.size:
        raise UnusableValueError(f"{name} holds {copy[bad[0]]} at index {bad[0]}; every entry must be finite")
    return copy


def _frozen(read: Callable[[Any, str], FloatArray], values: Any, name: str) -> FloatArray:
    try:
        copy: FloatArray = read(values, name).copy()
    except InvalidInputError as error:
        raise UnusableValueError(str(error)) from None
    copy.setflags(write=False)
    return copy
