"""The plugin host: loads each plugin on its own, blocks the broken ones, and keeps the registry.

Nothing is loaded before the first use. A plugin's classes are registered all together or not at all.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pluggy

from mindgap._core import VERSION
from mindgap.errors import InvalidInputError, PluginError, PluginWarning
from mindgap.host import discovery, hookspecs
from mindgap.host.commands import collected
from mindgap.host.origin import Origin
from mindgap.host.registry import COMMAND, KINDS, Entry, Kind, Registry, hint

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.model.plugin import Plugin

TRACE = "MINDGAP_TRACE_PLUGINS"
DEFAULT_PLUGINS = ("constraints", "initializers", "engines")
_HOOKS = (*(kind.hook for kind in KINDS.values()), COMMAND.hook)


@dataclass(frozen=True)
class Blocked:
    """An entry point that was not loaded, and why."""

    name: str
    origin: Origin
    status: str
    cause: str


class _Loading(threading.local):
    """Whether this very thread is loading plugins, one of which may use mindgap while it is imported or registered."""

    here = False


class PluginHost:
    """Everything that is registered, and the plugins that brought it."""

    def __init__(self) -> None:
        self.blocked: list[Blocked] = []
        self._registry = Registry()
        self._registered: list[tuple[object, list[Entry]]] = []
        self._lock = threading.RLock()
        self._loaded = False
        self._loading = _Loading()
        self._manager = pluggy.PluginManager("mindgap")
        self._manager.add_hookspecs(hookspecs)

    def registry(self) -> Registry:
        """Return the registry, after everything has been loaded."""
        if not self._loaded and not self._loading.here:
            self._loading.here = True
            try:
                self._load()
            finally:
                self._loading.here = False
        return self._registry

    def registry_so_far(self) -> Registry:
        """Return the registry with the built-in plugins and whatever has been loaded; nothing is imported for it."""
        with self._lock:
            if not self._manager.get_plugins():
                self._add_defaults()
        return self._registry

    def register(self, plugin: object) -> None:
        """Register a plugin of the user's own, an object with hooks or a class, or raise PluginError."""
        registry = self.registry()
        with self._lock:
            if kind := _kind_of(plugin):
                assert isinstance(plugin, type)
                self._forget_redefined(plugin)
                checked = registry.check(kind, plugin)
                entry = Entry(kind, checked.name, checked, Origin(None, None, plugin.__module__), ())
                registry.add([entry])
                entries = [entry]
            else:
                if isinstance(plugin, type):
                    bases = ", ".join(f"mindgap.{kind.base.__name__}" for kind in KINDS.values())
                    raise PluginError(f"{plugin!r} is a class, but not one of {bases}; register an instance of it")
                module = getattr(plugin, "__name__", type(plugin).__module__)
                entries = self._add(plugin, f"{module}-{id(plugin)}", Origin(None, None, module))
            self._registered.append((plugin, entries))

    def unregister(self, plugin: object) -> None:
        """Take back what `register` did."""
        with self._lock:
            for index, (registered, entries) in enumerate(self._registered):
                if registered is plugin:
                    self._registry.discard(entries)
                    if self._manager.is_registered(plugin):
                        self._manager.unregister(plugin)
                    del self._registered[index]
                    return
        raise InvalidInputError(f"{plugin!r} was not registered with mindgap.register")

    def _forget_redefined(self, plugin: type) -> None:
        """Running a notebook's cell again redefines its class: the new one replaces the old one."""
        for registered, _ in list(self._registered):
            same = isinstance(registered, type) and registered.__qualname__ == plugin.__qualname__
            if same and registered.__module__ == plugin.__module__ and registered is not plugin:
                self.unregister(registered)

    def _load(self) -> None:
        self.registry_so_far()
        only = discovery.allowed()
        found = [(point, _wanted(point, only)) for point in discovery.find()]
        # Before the lock is taken: a module that another thread imports may wait for that lock, to register a plugin.
        plugins = [_imported(point) if wanted else None for point, wanted in found]
        with self._lock:
            if self._loaded:
                return
            try:
                for (point, wanted), plugin in zip(found, plugins, strict=True):
                    if wanted:
                        self._add_found(point, plugin)
                    else:
                        reason = f"{discovery.LOAD} leaves it out"
                        self.blocked.append(Blocked(point.name, point.origin, "disabled", reason))
                self._report((only or frozenset()) - {_package(point) for point, _ in found})
            finally:
                self._loaded = True

    def _add_defaults(self) -> None:
        if os.environ.get(TRACE) == "1":
            self._manager.add_hookcall_monitoring(_trace, _ignore_outcome)
        for module in DEFAULT_PLUGINS:
            plugin = import_module(f"mindgap.host.builtin.{module}")
            self._add(plugin, plugin.__name__, Origin("mindgap", VERSION, plugin.__name__))

    def _add_found(self, found: discovery.Found, plugin: object) -> None:
        """Register what an entry point named, or the fault that kept it from being imported; nothing is raised."""
        try:
            if isinstance(plugin, PluginError):
                raise plugin
            self._add(plugin, f"{found.origin.package}:{found.name}", found.origin)
        except Exception as error:
            cause = str(error) if isinstance(error, PluginError) else _describe(error)
            self.blocked.append(Blocked(found.name, found.origin, "blocked", cause))

    def _report(self, absent: frozenset[str] | set[str]) -> None:
        for blocked in self.blocked:
            if blocked.status == "blocked":
                _warn(f"plugin {blocked.name!r} of {blocked.origin} is blocked: {blocked.cause}")
        for name in sorted(absent):
            _warn(f"{discovery.LOAD} names {name!r}, but no installed package of that name has mindgap plugins")

    def _add(self, plugin: object, name: str, origin: Origin) -> list[Entry]:
        """Register what one plugin's hooks bring, or raise PluginError and leave no trace of it."""
        try:
            self._manager.register(plugin, name)
        except pluggy.PluginValidationError as error:
            raise PluginError(_one_line(error)) from error
        except ValueError as error:
            raise PluginError(f"{plugin!r} is registered already") from error
        try:
            hooks = self._hooks_of(plugin)
            staged: list[Entry] = []
            for kind in KINDS.values():
                if kind.hook in hooks:
                    self._call(plugin, kind.hook, register=self._stage(staged, kind, origin, hooks))
            if COMMAND.hook in hooks:
                for name, command in collected(lambda cli: self._call(plugin, COMMAND.hook, cli=cli)):
                    self._registry.check_free(COMMAND, name, staged)
                    staged.append(Entry(COMMAND, name, command, origin, hooks))
        except BaseException:
            self._manager.unregister(plugin)
            raise
        self._registry.add(staged)
        return staged

    def _hooks_of(self, plugin: object) -> tuple[str, ...]:
        callers = self._manager.get_hookcallers(plugin) or []
        for caller in callers:
            if not caller.has_spec():
                known = ", ".join(_HOOKS)
                raise PluginError(f"there is no hook {caller.name!r}; {hint(caller.name, _HOOKS)}there are {known}")
        if not callers:
            raise PluginError(f"it implements no hook; mark {' or '.join(_HOOKS)} with @mindgap.hookimpl")
        return tuple(name for name in _HOOKS if name in {caller.name for caller in callers})

    def _stage(
        self, staged: list[Entry], kind: Kind, origin: Origin, hooks: tuple[str, ...]
    ) -> Callable[[type[Plugin]], None]:
        def register(plugin: type[Plugin]) -> None:
            checked = self._registry.check(kind, plugin, staged)
            staged.append(Entry(kind, checked.name, checked, origin, hooks))

        return register

    def _call(self, plugin: object, hook: str, **arguments: object) -> None:
        others = [other for _, other in self._manager.list_name_plugin() if other is not plugin and other is not None]
        try:
            self._manager.subset_hook_caller(hook, others)(**arguments)
        except PluginError:
            raise
        except (Exception, SystemExit) as error:
            raise PluginError(f"{hook} raised {_describe(error)}") from error


def _package(found: discovery.Found) -> str:
    return discovery.normalised(found.origin.package or "")


def _wanted(found: discovery.Found, only: frozenset[str] | None) -> bool:
    return only is None or _package(found) in only


def _imported(found: discovery.Found) -> object:
    """Return what an entry point names, or the fault that keeps it from being imported."""
    if found.fault is not None or found.entry_point is None:
        return PluginError(f"its entry points cannot be read: {_describe(found.fault)}")
    try:
        return found.entry_point.load()
    except (Exception, SystemExit) as error:
        return PluginError(f"importing {found.entry_point.value} raised {_describe(error)}")


def _kind_of(plugin: object) -> Kind | None:
    if not isinstance(plugin, type):
        return None
    return next((kind for kind in KINDS.values() if issubclass(plugin, kind.base)), None)


def _describe(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {_one_line(error)}"


def _one_line(error: object) -> str:
    return " ".join(str(error).split())


def _warn(message: str) -> None:
    """Warn at the line outside mindgap that made it load its plugins."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "mindgap":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, PluginWarning, stacklevel=level)


def _trace(hook_name: str, hook_impls: Any, kwargs: Any) -> None:
    for impl in hook_impls:
        print(f"mindgap: {hook_name} of {impl.plugin_name}", file=sys.stderr)


def _ignore_outcome(outcome: Any, hook_name: str, hook_impls: Any, kwargs: Any) -> None:
    """Monitoring wants a call after the hook, too."""


host = PluginHost()
