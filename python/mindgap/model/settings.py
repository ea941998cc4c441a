"""The settings of the two fits, each declared once.

The functions, the estimators, the command line and stored results read the default, the allowed values and one line of
help from here. To add a setting, add a field here and a parameter to the function and to the estimator.
"""

from __future__ import annotations

import math
from dataclasses import Field, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from mindgap.validation import as_choice, as_count, as_ends, as_length, as_number, as_positive, as_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from mindgap.foundation.stored import Fields


@dataclass(frozen=True)
class Kind:
    """The type of a setting: how a value is checked, and how it is read from a stored result."""

    type: Any
    check: Callable[[Any, str], Any]
    read: Callable[[Fields, str], Any]
    choices: tuple[str, ...] | None = None
    optional: bool = False

    def checked(self, value: Any, name: str) -> Any:
        """Return the value as a fit takes it, or raise InvalidInputError."""
        return None if value is None and self.optional else self.check(value, name)

    def stored(self, fields: Fields, name: str) -> Any:
        """Return the value in a stored result, or raise InvalidInputError."""
        return None if self.optional and not fields.has(name) else self.read(fields, name)


def _choice(*choices: str, help: str) -> Any:  # noqa: A002  # as click has it
    """Declare a setting with a list of allowed strings; the first is the default."""
    kind = Kind(
        str,
        lambda value, name: as_choice(value, name, choices),
        lambda fields, name: fields.text(name, choices),
        choices,
    )
    return field(default=choices[0], metadata={"kind": kind, "help": help})


def _number_that(check: Callable[[Any, str], float]) -> Callable[[float | None, str], Any]:
    """Return the function that declares a setting that is a number; None is allowed if it is the default."""

    def declare(default: float | None, help: str) -> Any:  # noqa: A002
        kind = Kind(float, check, lambda fields, name: fields.number(name), optional=default is None)
        return field(default=default, metadata={"kind": kind, "help": help})

    return declare


_number, _positive, _length = map(_number_that, (as_number, as_positive, as_length))


def _count(default: int | None, help: str) -> Any:  # noqa: A002
    """Declare a setting that is a positive integer; None is allowed if it is the default."""
    kind = Kind(int, as_count, lambda fields, name: fields.integer(name, least=1), optional=default is None)
    return field(default=default, metadata={"kind": kind, "help": help})


def _seed(default: int, help: str) -> Any:  # noqa: A002
    """Declare a setting that is a random seed."""
    kind = Kind(int, lambda value, name: as_seed(value), lambda fields, name: fields.integer(name))
    return field(default=default, metadata={"kind": kind, "help": help, "option": "--seed"})


def _ends(help: str) -> Any:  # noqa: A002
    """Declare a setting that is a range: two numbers, the first less than the second."""
    kind = Kind((float, float), as_ends, _stored_ends, optional=True)
    return field(default=None, metadata={"kind": kind, "help": help})


def _stored_ends(fields: Fields, name: str) -> tuple[float, float]:
    low, high = fields.numbers(name, 2, absent=-math.inf)[0], fields.numbers(name, 2, absent=math.inf)[1]
    return float(low), float(high)


class Settings:
    """The base class of the settings of both fits."""

    if TYPE_CHECKING:  # set by dataclass
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __post_init__(self) -> None:
        given = vars(self)
        for name, kind, default in _declared(type(self)):  # type: ignore[arg-type]  # classes are hashable
            value = given[name]
            if value is not default and not (type(value) is type(default) and value == default):
                object.__setattr__(self, name, kind.checked(value, name))

    @classmethod
    def of(cls, **given: Any) -> Self:
        """Return the settings with these values; fits with the defaults share one instance, which saves its checks."""
        default, kinds = _default(cls)  # type: ignore[arg-type]  # classes are hashable
        # Values of other types, such as arrays, may not compare to one bool.
        return default if [*map(type, given.values())] == kinds and given == vars(default) else cls(**given)

    def keywords(self) -> dict[str, Any]:
        """Return the settings as keywords of the fit."""
        return dict(vars(self))

    @classmethod
    def of_stored(cls, fields: Fields) -> Self:
        """Return the settings of a stored result."""
        return cls(**{name: kind.stored(fields, name) for name, kind, _ in _declared(cls)})  # type: ignore[arg-type]


@cache
def _declared(settings: Any) -> tuple[tuple[str, Kind, Any], ...]:
    """Return the name, the kind and the default of each setting."""
    return tuple((item.name, item.metadata["kind"], item.default) for item in fields(settings))


@cache
def _default(settings: Any) -> tuple[Any, list[type]]:
    """Return the settings with all defaults, and the types of these."""
    default = settings()
    return default, [*map(type, vars(default).values())]


@dataclass(frozen=True, kw_only=True)
class KMeansSettings(Settings):
    """The settings of `mindgap.kmeans`."""

    centers: str = _choice(
        "free", "means", help="Whether a centre is any position that satisfies the constraint, or its cluster's mean."
    )
    method: str = _choice("exact", "paper", help="The optimum, or exactly the published program.")
    ties: str = _choice("split", "together", help="Whether equal values may be in different clusters.")
    min_size: float | None = _length(None, "The smallest number of points in a cluster (their weight, if weighted).")
    max_size: float | None = _positive(None, "The largest number of points in a cluster (their weight, if weighted).")
    time_limit: float | None = _positive(None, "Stop after this many seconds with the best solution found.")
    tol: float = _length(1e-9, "Stop when the cost is proven to exceed the optimum by at most this fraction.")
    memory_limit: int | None = _count(None, "The maximum memory to use in addition to the data, in bytes.")


@dataclass(frozen=True, kw_only=True)
class MixtureSettings(Settings):
    """The settings of `mindgap.mixture`, without the start and the data."""

    method: str = _choice("best", "paper", help="The highest likelihood, or exactly the published EM.")
    tol: float | None = _number(
        None, "Stop when the log-likelihood can rise by less than this (method paper: when no parameter moves by more)."
    )
    tol_scale: str = _choice(
        "absolute",
        "data",
        help="Measure the tol of method paper in units of the data, or in their standard deviations.",
    )
    max_iter: int = _count(1000, "The maximum number of iterations.")
    variances: str = _choice("free", "equal", help="One variance for each component, or one for all.")
    min_variance: float | None = _number(None, "The smallest variance of a component.")
    resolution: float | None = _number(None, "The step that the values were rounded to, such as 0.0254.")
    support: tuple[float, float] | None = _ends("The range outside which nothing was recorded.")
    starts: int = _count(12, "The number of random starts, in addition to the deterministic ones.")
    rng: int = _seed(0, "The seed of the random starts and of the bootstrap.")
    time_limit: float | None = _positive(None, "Stop after this many seconds with the best fit found.")
    memory_limit: int | None = _count(None, "The maximum memory to use in addition to the data, in bytes.")
