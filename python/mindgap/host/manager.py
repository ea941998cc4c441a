"""The plugin host imports a package when one of its names is used, blocks broken packages, and keeps the registry.

The classes of a plugin are registered all together or not at all.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pluggy

from mindgap._core import VERSION
from mindgap.foundation.errors import InvalidInputError, PluginError, PluginWarning
from mindgap.host import discovery, hookspecs, known
from mindgap.host.commands import collected
from mindgap.host.origin import Origin
from mindgap.host.registry import COMMAND, KINDS, Entry, Kind, Registry, hint

if TYPE_CHECKING:
    from collections.abc import Callable

    from mindgap.host.discovery import Found

TRACE = "MINDGAP_TRACE_PLUGINS"
BUILT_IN = ("constraints", "initializers", "engines")
_HOOKS = (*(kind.hook for kind in KINDS.values()), COMMAND.hook)


class PluginHost:
    """The registered plugins, and the installed packages that have more.

    `around_imports` returns the context in which plugins are imported and registered. The command line uses it to
    keep their output out of its own.
    """

    def __init__(self) -> None:
        self.around_imports: Callable[[], AbstractContextManager[Any]] = nullcontext
        self._registry = Registry()
        self._registered: list[tuple[object, list[Entry]]] = []
        self._found: list[Found] | None = None
        self._lock = threading.RLock()
        self._manager = pluggy.PluginManager("mindgap")
        self._manager.add_hookspecs(hookspecs)

    def registry(self) -> Registry:
        """Return the registry as it is now, with the built-in plugins; no package is imported."""
        with self._lock:
            if not self._manager.get_plugins():
                for module in BUILT_IN:
                    plugin = import_module(f"mindgap.host.builtin.{module}")
                    self._add(plugin, plugin.__name__, Origin("mindgap", VERSION, plugin.__name__))
        return self._registry

    def find(self, kind: Kind, name: str) -> Entry | None:
        """Return the entry of a name. Imports the package that is known to have it, else all installed packages."""
        if entry := self.registry().get(kind, name):
            return entry
        package = known.PACKAGES[kind.name].get(name)
        found = self.found()
        for likely in ([item for item in found if name in item.names or item.package == package], found):
            self._load(likely)
            if entry := self._registry.get(kind, name):
                return entry
        return None

    def engines_near(self, package: str) -> list[Entry]:
        """Return the registered engines, after importing the plugins that are named after a package."""
        registry, kind = self.registry(), KINDS["engine"]
        known_as = known.PACKAGES[kind.name].get(package)
        self._load([item for item in self.found() if package in item.names or item.package == known_as])
        return [entry for entry in registry if entry.kind is kind]

    def load(self) -> Registry:
        """Import every installed plugin package and return the registry."""
        registry = self.registry()
        self._load(self.found())
        return registry

    def found(self) -> list[Found]:
        """Return the plugins of installed packages, whether imported or not."""
        with self._lock:
            if self._found is not None:
                return self._found
            self._found = discovery.find()
        for name in sorted((discovery.allowed() or frozenset()) - {item.package for item in self._found}):
            _warn(f"{discovery.LOAD} names {name!r}, but no installed package of that name has mindgap plugins")
        return self._found

    def register(self, plugin: object) -> None:
        """Register a class or an object with hooks, or raise PluginError."""
        registry = self.registry()
        with self._lock:
            if kind := _kind_of(plugin):
                assert isinstance(plugin, type)
                self._forget_redefined(plugin)
                checked = registry.check(kind, plugin)
                entries = [Entry(kind, checked.name, checked, Origin(None, None, plugin.__module__), ())]
                registry.add(entries)
            else:
                if isinstance(plugin, type):
                    bases = ", ".join(f"mindgap.{kind.base.__name__}" for kind in KINDS.values())
                    raise PluginError(f"{plugin!r} is a class, but not one of {bases}; register an instance of it")
                module = getattr(plugin, "__name__", type(plugin).__module__)
                entries = self._add(plugin, f"{module}-{id(plugin)}", Origin(None, None, module))
            self._registered.append((plugin, entries))

    def unregister(self, plugin: object) -> None:
        """Undo `register`."""
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
        """Remove the previous definition of a class, which running a notebook cell again redefines."""
        for registered, _ in list(self._registered):
            same = isinstance(registered, type) and registered.__qualname__ == plugin.__qualname__
            if same and registered.__module__ == plugin.__module__ and registered is not plugin:
                self.unregister(registered)

    def _load(self, wanted: list[Found]) -> None:
        """Import and register plugins that are not loaded yet. Blocked ones cause a warning, never an error."""
        with self.around_imports():
            # Import without the lock: a module that another thread imports may wait for the lock to register a plugin.
            modules = [(found, self._imported(found)) for found in wanted if found.status == "waiting"]
            with self._lock:
                for found, plugin in modules:
                    if found.status == "waiting" and plugin is not None:
                        self._settle(found, plugin)
        for found in wanted:
            if found.status == "blocked" and not found.reported:
                found.reported = True
                _warn(f"plugin {found.names[0]!r} of {found.origin} is blocked: {found.cause}")

    def _imported(self, found: Found) -> object | None:
        """Return the object of an entry point; None if it is blocked, or if this thread is importing it already."""
        assert found.entry_point is not None
        try:
            module = import_module(found.entry_point.module)
            return None if getattr(module.__spec__, "_initializing", False) else found.entry_point.load()
        except (Exception, SystemExit) as error:
            if found.status == "waiting":
                found.block(f"importing {found.entry_point.value} raised {_describe(error)}")
            return None

    def _settle(self, found: Found, plugin: object) -> None:
        try:
            brought = self._add(plugin, f"{found.origin.package}:{found.names[0]}", found.origin)
        except Exception as error:
            found.block(str(error) if isinstance(error, PluginError) else _describe(error))
        else:
            found.status, found.cause = "loaded", None if brought else "it registers nothing"

    def _add(self, plugin: object, name: str, origin: Origin) -> list[Entry]:
        """Register everything a plugin's hooks provide, or raise PluginError and register nothing."""
        try:
            self._manager.register(plugin, name)
        except pluggy.PluginValidationError as error:
            raise PluginError(_one_line(error)) from error
        except ValueError as error:
            raise PluginError(f"{plugin!r} is registered already") from error
        try:
            hooks = self._hooks_of(plugin)
            names = tuple(hooks)
            staged: list[Entry] = []
            for kind in KINDS.values():
                if kind.hook in hooks:
                    _call(kind.hook, hooks, name, register=self._stage(staged, kind, origin, names))
            if COMMAND.hook in hooks:
                for command_name, command in collected(lambda cli: _call(COMMAND.hook, hooks, name, cli=cli)):
                    self._registry.check_free(COMMAND, command_name, staged)
                    staged.append(Entry(COMMAND, command_name, command, origin, names))
        except BaseException:
            self._manager.unregister(plugin)
            raise
        self._registry.add(staged)
        return staged

    def _hooks_of(self, plugin: object) -> dict[str, pluggy.HookImpl]:
        """Return a plugin's implementations by hook; raise PluginError if a hook is unknown or lacks its argument.

        An unknown hook that is marked with ``hookimpl(optionalhook=True)`` is ignored.
        """
        callers = self._manager.get_hookcallers(plugin) or []
        if not callers:
            raise PluginError(f"it implements no hook; mark {' or '.join(_HOOKS)} with @mindgap.hookimpl")
        found = {}
        for caller in callers:
            [hook] = [hook for hook in caller.get_hookimpls() if hook.plugin is plugin]
            if caller.spec is not None:
                if set(caller.spec.argnames) - set(hook.argnames):
                    signature = f"{caller.name}({', '.join(caller.spec.argnames)})"
                    raise PluginError(f"{caller.name} does not take its argument; write {signature}")
                found[caller.name] = hook
            elif not hook.optionalhook:
                listed = ", ".join(_HOOKS)
                raise PluginError(f"there is no hook {caller.name!r}; {hint(caller.name, _HOOKS)}there are {listed}")
        return {name: found[name] for name in _HOOKS if name in found}

    def _stage(
        self, staged: list[Entry], kind: Kind, origin: Origin, hooks: tuple[str, ...]
    ) -> Callable[[object], None]:
        def register(plugin: object) -> None:
            checked = self._registry.check(kind, plugin, staged)
            staged.append(Entry(kind, checked.name, checked, origin, hooks))

        return register


def _call(name: str, hooks: dict[str, pluggy.HookImpl], plugin: str, **arguments: object) -> None:
    """Call one of a plugin's hooks."""
    if os.environ.get(TRACE) == "1":
        print(f"mindgap: {name} of {plugin}", file=sys.stderr)
    try:
        hooks[name].function(**arguments)
    except PluginError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(f"{name} raised {_describe(error)}") from error


def _kind_of(plugin: object) -> Kind | None:
    if not isinstance(plugin, type):
        return None
    return next((kind for kind in KINDS.values() if issubclass(plugin, kind.base)), None)


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {_one_line(error)}"


def _one_line(error: object) -> str:
    return " ".join(str(error).split())


def _warn(message: str) -> None:
    """Warn at the line outside mindgap that caused the plugins to load."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "mindgap":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, PluginWarning, stacklevel=level)


host = PluginHost()
