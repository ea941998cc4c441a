"""The registry: the class and the origin of every registered name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mindgap.foundation.errors import PluginError
from mindgap.model.constraint import ABOUT_MIXTURES, Constraint
from mindgap.model.engine import Engine
from mindgap.model.initializer import Initializer
from mindgap.model.plugin import Plugin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mindgap.host.origin import Origin

#: Valid names of plugins.
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


#: Names with a meaning of their own: the search of a mixture, and no constraint on the command line.
RESERVED = {("initializer", "auto"), ("constraint", "none")}


@dataclass(frozen=True)
class Kind:
    """One kind of plugin: its base class, its hook, and the methods it must implement."""

    name: str
    base: type[Plugin]
    hook: str
    answers: tuple[str, ...]
    needs_all: bool = True

    def missing(self, plugin: type[Plugin]) -> tuple[str, ...]:
        """Return the required methods that a class does not implement."""
        unanswered = tuple(name for name in self.answers if getattr(plugin, name) is getattr(self.base, name))
        return unanswered if self.needs_all or len(unanswered) == len(self.answers) else ()


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "constraint",
            Constraint,
            "register_constraints",
            ("gaps", "rows", "prepare", *ABOUT_MIXTURES),
            needs_all=False,
        ),
        Kind("initializer", Initializer, "register_initializers", ("start",)),
        Kind("engine", Engine, "register_engines", ("load", "moments")),
    )
}

#: Commands are click objects, which only the command line needs; the host collects them apart from the classes.
COMMAND = Kind("command", Plugin, "register_commands", ())


@dataclass(frozen=True)
class Entry:
    """One registered class, or one command."""

    kind: Kind
    name: str
    plugin: Any
    origin: Origin
    hooks: tuple[str, ...]


class Registry:
    """The registered classes of every kind, by name.

    Lookups take no lock: the mapping is replaced, never changed in place, so that other threads see all of a plugin or
    nothing. Changes are made under the host's lock.
    """

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], Entry] = {}

    def check(self, kind: Kind, plugin: object, staged: Iterable[Entry] = ()) -> type[Plugin]:
        """Return the class if it can be registered beside the existing and the staged entries, or raise PluginError."""
        if not (isinstance(plugin, type) and issubclass(plugin, kind.base)):
            raise PluginError(f"{plugin!r} is not a subclass of mindgap.{kind.base.__name__}")
        if not NAME.fullmatch(str(plugin.name)):
            how = 'give it a class attribute such as name = "my-own"'
            raise PluginError(f"{plugin.__qualname__} has the name {plugin.name!r}; {how}")
        if missing := kind.missing(plugin):
            joined = (" and " if kind.needs_all else " or ").join(missing)
            raise PluginError(f"{plugin.__qualname__} does not implement {joined}")
        self.check_free(kind, plugin.name, staged)
        return plugin

    def check_free(self, kind: Kind, name: str, staged: Iterable[Entry] = ()) -> None:
        """Raise PluginError if the name is reserved, or an existing or a staged entry has it."""
        if (kind.name, name) in RESERVED:
            raise PluginError(f"the {kind.name} name {name!r} has a meaning of its own; choose another name")
        for holder in (*self._entries.values(), *staged):
            if (holder.kind, holder.name) == (kind, name):
                raise PluginError(f"the {kind.name} {name!r} is taken by {holder.origin}; choose another name")

    def add(self, entries: Iterable[Entry]) -> None:
        """Add entries that have been checked."""
        self._entries = self._entries | {(entry.kind.name, entry.name): entry for entry in entries}

    def discard(self, entries: Iterable[Entry]) -> None:
        """Remove entries."""
        gone = {(entry.kind.name, entry.name) for entry in entries}
        self._entries = {key: entry for key, entry in self._entries.items() if key not in gone}

    def get(self, kind: Kind, name: str) -> Entry | None:
        """Return the entry of that name, if there is one."""
        return self._entries.get((kind.name, name))

    def names(self, kind: Kind) -> list[str]:
        """Return the names of one kind."""
        return [entry.name for entry in self if entry.kind is kind]

    def entry_of(self, plugin: type[Plugin]) -> Entry | None:
        """Return the entry under which exactly this class is registered."""
        return next((entry for entry in self if entry.plugin is plugin), None)

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self._entries.values()))


def hint(name: str, known: Iterable[str]) -> str:
    """Return "did you mean ...? " if a known name is similar."""
    import difflib  # only needed for messages

    nearest = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {nearest[0]!r}? " if nearest else ""
