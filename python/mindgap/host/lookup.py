"""Look up constraints, initializers and engines by name or spec string, register them, and list them."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mindgap.foundation.errors import PASSING, InvalidInputError, MindgapError, PluginError
from mindgap.foundation.messages import reason, shorten
from mindgap.host import known, spec
from mindgap.host.manager import host
from mindgap.host.registry import COMMAND, KINDS, Entry, Kind, hint
from mindgap.model.bounds import GapBounds
from mindgap.model.constraint import All, Constraint
from mindgap.model.engine import Engine
from mindgap.model.initializer import Initializer

if TYPE_CHECKING:
    from mindgap.model.plugin import Plugin

P = TypeVar("P")


@dataclass(frozen=True)
class PluginRecord:
    """One entry of `plugins`: a registered plugin, or an entry point that was not loaded.

    Attributes
    ----------
    name : str
        The name of the plugin, or of the entry point that was not loaded.
    kind : str or None
        "constraint", "initializer", "engine" or "command"; None if nothing was registered.
    package, version : str or None
        The distribution of the plugin; None if a script registered it.
    hooks : tuple of str
        The hooks that the plugin implements.
    status : str
        "loaded", "blocked" (it is broken, or needs another mindgap) or "disabled" (by MINDGAP_LOAD_PLUGINS).
    parameters : tuple of str
        The parameters with their defaults: ``("lower", "upper=None")``.
    cause : str or None
        Why it was not loaded, or that it registers nothing.

    Examples
    --------
    >>> [record] = [record for record in mg.plugins() if record.name == "two-sided"]
    >>> record.kind, record.parameters, record.status
    ('constraint', ('lower', 'upper'), 'loaded')
    """

    name: str
    kind: str | None
    package: str | None
    version: str | None
    hooks: tuple[str, ...]
    status: str
    parameters: tuple[str, ...]
    cause: str | None = None


def constraint(spec: str | Constraint, **parameters: Any) -> Constraint:
    """Return a constraint by name or spec string; an object is returned unchanged.

    Parameters
    ----------
    spec : str or Constraint
        A name, or a name with parameters: ``"name:parameter=value,..."``; several are joined by ``&``.
    **parameters
        Parameters, if `spec` is a name.

    Examples
    --------
    >>> mg.constraint("per-gap", lower=[1, 2])
    PerGap(lower=[1.0, 2.0], upper=[inf, inf])
    >>> mg.constraint("two-sided:lower=1,upper=2")
    TwoSided(lower=1.0, upper=2.0)
    >>> mg.constraint("lower-only:delta=1 & per-gap:lower=[0,3]").gaps(3)
    GapBounds(lower=[1.0, 3.0], upper=[inf, inf])
    """
    if isinstance(spec, str) and "&" in spec and not parameters:
        return All(*(constraint(part) for part in spec.split("&")))
    return cast("Constraint", _resolve("constraint", spec, parameters))


def initializer(spec: str | Initializer, **parameters: Any) -> Initializer:
    """Return an initializer by name or spec string; an object is returned unchanged.

    Parameters
    ----------
    spec : str or Initializer
        A name, or a name with parameters: ``"name:parameter=value,..."``.
    **parameters
        Parameters, if `spec` is a name.

    Examples
    --------
    >>> mg.initializer("constrained-kmeans:delta=2")
    ConstrainedKMeans(delta=2.0, method='exact', centers='means')
    """
    return cast("Initializer", _resolve("initializer", spec, parameters))


def engine(spec: str | Engine, **parameters: Any) -> Engine:
    """Return an engine by name or spec string; an object is returned unchanged.

    Parameters
    ----------
    spec : str or Engine
        A name, or a name with parameters: ``"name:parameter=value,..."``.
    **parameters
        Parameters, if `spec` is a name.

    Examples
    --------
    >>> mg.engine("local")
    Local()
    """
    return cast("Engine", _resolve("engine", spec, parameters))


def register(plugin: P) -> P:
    """Register a plugin and return it, so that `register` can be used as a decorator.

    Parameters
    ----------
    plugin
        A subclass of `Constraint`, `Initializer` or `Engine`; or a module or other object whose functions are marked
        with `hookimpl`.

    Raises
    ------
    PluginError
        If it is broken; then nothing is registered.

    Examples
    --------
    >>> @mg.register
    ... class AtLeastOne(mg.Constraint):
    ...     name = "at-least-one"
    ...
    ...     def gaps(self, k):
    ...         return mg.GapBounds(lower=[1.0] * (k - 1))
    >>> mg.kmeans([0, 0.25, 4], 2, "at-least-one").centers
    array([0.125, 4.   ])
    >>> mg.unregister(AtLeastOne)
    """
    host.register(plugin)
    return plugin


def unregister(plugin: object) -> None:
    """Undo `register` of the same object.

    Parameters
    ----------
    plugin
        The object that was given to `register`.

    Examples
    --------
    >>> class Ordered(mg.Constraint):
    ...     name = "ordered"
    ...
    ...     def gaps(self, k):
    ...         return mg.GapBounds(lower=[0.0] * (k - 1))
    >>> mg.unregister(mg.register(Ordered))
    >>> any(record.name == "ordered" for record in mg.plugins())
    False
    """
    host.unregister(plugin)


def plugins() -> list[PluginRecord]:
    """Return all registered plugins, and all entry points that registered nothing, with the cause.

    Imports every installed plugin package.

    Examples
    --------
    >>> [record.name for record in mg.plugins() if record.kind == "engine" and record.package == "mindgap"]
    ['local']
    """
    loaded = [_record(entry) for entry in host.load()]
    others = [
        PluginRecord(item.names[0], None, item.origin.package, item.origin.version, (), item.status, (), item.cause)
        for item in host.found()
        if item.cause is not None
    ]
    return loaded + others


def _record(entry: Entry) -> PluginRecord:
    takes = [option.opts[0] for option in entry.plugin.params] if entry.kind is COMMAND else _takes(entry.plugin)
    origin = entry.origin
    return PluginRecord(
        entry.name, entry.kind.name, origin.package, origin.version, entry.hooks, "loaded", tuple(takes)
    )


def _takes(plugin: type[Plugin]) -> list[str]:
    return [
        name if parameter.default is Parameter.empty else f"{name}={parameter.default!r}"
        for name, parameter in plugin.parameters().items()
    ]


def _resolve(kind_name: str, given: object, parameters: dict[str, Any]) -> Plugin:
    kind = KINDS[kind_name]
    if isinstance(given, kind.base):
        if parameters:
            raise InvalidInputError(
                f"{shorten(given)} already has its parameters; give them to the class or with a name"
            )
        return given
    if isinstance(given, type) and issubclass(given, kind.base):
        raise InvalidInputError(f"{given.__name__} is a class; make an object of it: {given.__name__}(...)")
    if not isinstance(given, str):
        what = f"give a name such as {host.registry().names(kind)[0]!r}"
        needed = f"{what}, or an object of mindgap.{kind.base.__name__}{_as_bound(kind_name, given)}"
        raise InvalidInputError(f"{shorten(given)} is not a valid {kind_name}; {needed}")
    try:
        name, in_spec = spec.parse(given)
    except spec.UnnamedValueError as error:
        raise _with_names(kind, given, error) from None
    if twice := sorted(in_spec.keys() & parameters.keys()):
        raise InvalidInputError(f"{', '.join(twice)} is given both in {given!r} and as an argument")
    return _build(_find(kind, name), in_spec | parameters)


def _as_bound(kind_name: str, given: object) -> str:
    """Return a suggestion for a number or bounds that were given as a constraint."""
    if kind_name == "constraint" and isinstance(given, GapBounds):
        return "; for these bounds on the gaps, PerGap(lower, upper)"
    if kind_name != "constraint" or isinstance(given, bool) or not isinstance(given, (int, float)):
        return ""
    number = given if isinstance(given, int) else float(given)
    return f"; for a lower bound on every gap, LowerOnly({shorten(number)})"


def _with_names(kind: Kind, given: str, error: spec.UnnamedValueError) -> InvalidInputError:
    """Return the error for a value without a name, with an example that uses the plugin's parameters."""
    entry = host.find(kind, error.name)
    names = list(entry.plugin.parameters()) if entry else []
    if not names:
        return error
    value = given.partition(":")[2].strip()
    example = (
        f"{error.name}:{names[0]}={value}" if "=" not in value and "," not in value else _skeleton(error.name, names)
    )
    return InvalidInputError(f"{given!r} has a value without a name; write it like {example}")


def _skeleton(name: str, parameters: list[str]) -> str:
    return f"{name}:" + ",".join(f"{parameter}=..." for parameter in parameters)


def _find(kind: Kind, name: str) -> Entry:
    """Return the entry of a name, or raise an error with similar names and the package that may have it."""
    if found := host.find(kind, name):
        return found
    if cause := why_absent(kind, name):
        raise InvalidInputError(f"there is no {kind.name} {name!r}; {cause}")
    there = host.registry().names(kind)
    if kind.name == "constraint" and name.replace(".", "", 1).isdecimal():
        raise InvalidInputError(f"{name!r} is no constraint; for a lower bound on every gap, lower-only:delta={name}")
    text = f"there is no {kind.name} {name!r}; {hint(name, there)}there are {', '.join(there)}"
    if kind.name == "initializer":
        text += "; init='auto' is the search"
    if absent := [item for item in host.found() if item.status != "loaded"]:
        text += f"; `mindgap plugins` lists {len(absent)} that are not loaded"
    raise InvalidInputError(text)


def why_absent(kind: Kind, name: str) -> str | None:
    """Return which known package has the name and why it is not loaded, or None."""
    package = known.PACKAGES[kind.name].get(name)
    for item in host.found():
        named = {*item.names, item.package, item.package.removeprefix("mindgap-")}
        if item.status != "loaded" and (item.package == package or name in named):
            return f"{item.names[0]!r} of {item.origin} is {item.status}: {item.cause}"
    installed = any(item.package == package for item in host.found())
    return None if installed else known.advice(kind.name, name)


def commands() -> list[Entry]:
    """Return the commands of installed packages."""
    return [entry for entry in host.load() if entry.kind is COMMAND]


def _build(entry: Entry, parameters: dict[str, Any]) -> Plugin:
    _check_parameters(entry, parameters)
    try:
        return cast("Plugin", entry.plugin(**parameters))
    except (MindgapError, *PASSING):
        raise
    except BaseException as error:
        who = f"{entry.kind.name} {entry.name!r} ({entry.origin})"
        if parameters and isinstance(error, (TypeError, ValueError, ArithmeticError)):
            given = ", ".join(f"{name}={shorten(value)}" for name, value in parameters.items())
            raise InvalidInputError(f"{who} does not take {given}: {reason(error)}") from error
        raise PluginError(f"{who} raised {type(error).__name__} while it was built: {reason(error)}") from error


def _check_parameters(entry: Entry, parameters: dict[str, Any]) -> None:
    accepted = entry.plugin.parameters()
    takes = f"it takes {', '.join(_takes(entry.plugin)) or 'no parameters'}"
    who = f"{entry.kind.name} {entry.name!r}"
    open_ended = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in accepted.values())
    for name in parameters:
        if name not in accepted and not open_ended:
            raise InvalidInputError(f"{who} has no parameter {name!r}; {hint(name, accepted)}{takes}")
    variadic = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    for name, parameter in accepted.items():
        if parameter.default is Parameter.empty and parameter.kind not in variadic and name not in parameters:
            raise InvalidInputError(f"{who} needs the parameter {name!r}; {takes}")
