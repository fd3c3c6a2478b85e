"""Where measures, user models, formats, protocols, panels and commands are found by name.

Ours are found by their files, those of other packages by entry points, and a program can register its own with
:func:`register`. Nothing is imported before it is asked for: names come from reading files and from the metadata of
installed packages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from berrypick.data.errors import BerrypickError, UsageError, nearest
from berrypick.registry.definitions import Definition, Room

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
C = TypeVar("C")

#: Every registry, for :func:`register` and for tests that install packages.
registries: list[Registry[Any]] = []
_changed = 0


def changes() -> int:
    """Return how often a registry changed: a name may mean something else after that."""
    return _changed


def _count_change() -> None:
    global _changed
    _changed += 1


def register(definition: C) -> C:
    """Register a measure, user model, format, command, panel, protocol or client reader by its name.

    Parameters
    ----------
    definition : class or value
        What is registered.

    Returns
    -------
    class or value
        The same, so that it can be used as a decorator.

    Examples
    --------
    >>> import berrypick as bp
    >>> @bp.register
    ... class Found(bp.Measure):
    ...     "The number of ranks."
    ...     def compute(self, topic):
    ...         return topic.ranking.ranks
    >>> bp.score("Found", {"q": {"a": 1}}, {"q": {"b": 2, "a": 1}})
    2.0
    """
    for registry in registries:
        if registry.takes(definition):
            registry.register(definition)
            return definition
    raise UsageError(
        f"{getattr(definition, '__name__', repr(definition)):.60} cannot be registered: "
        "it is not a class derived from bp.Measure, bp.UserModel or bp.Format"
    )


class Registry(Generic[T]):
    """The things of one kind, by name: ours, registered ones, and those of installed packages.

    Parameters
    ----------
    group : str
        The group of entry points for other packages, without ``berrypick.``.
    what : str
        What one of them is called in messages.
    room : Room or None
        Where ours are defined; None if there are none.
    check : function
        Why a value cannot be used; '' if it can.
    takes : function
        Whether a value that is registered by hand is of this kind.
    name_of : function
        The name of a definition that was read and not imported.
    external : function
        Names that belong to another library, which are not looked for among plugins.
    """

    def __init__(
        self,
        group: str,
        what: str,
        room: Room | None,
        check: Callable[[Any], str],
        *,
        takes: Callable[[Any], bool] | None = None,
        name_of: Callable[[Definition], str] = lambda one: one.attribute,
        external: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.group, self.what, self.room, self.external = group, what, room, external
        self._check, self._takes, self._name_of = check, takes, name_of
        self._registered: dict[str, T] = {}
        self.reload()
        registries.append(self)

    def reload(self) -> None:
        """Forget what was found in files and entry points; what was registered stays."""
        _count_change()
        self._index: dict[str, Definition] | None = None
        self._stems: dict[str, list[tuple[str, str]]] | None = None
        self._loaded: dict[tuple[str, str], T] = {}
        #: Names that were looked for in the file that has their name, and what it defines.
        self._looked_up: dict[str, Definition | None] = {}
        self._plugins: dict[str, T] | None = None
        #: Entry points that cannot be used, by name, with the reason.
        self._broken: dict[str, str] = {}

    # look-up

    def find(self, name: str) -> T | None:
        """Return what has a name or an alias; None if there is nothing, or the name belongs to another library."""
        definition = self._in_file(name)
        if definition is not None:
            return self.load(definition)
        if name in self._registered:
            return self._registered[name]
        definition = self._by_name(name)
        if definition is not None:
            return self.load(definition)
        if name in self.external():  # which may load the other library
            return None
        for known in list(self._registered.values()):
            if name in _aliases(known):
                return known
        for key, value in self.plugins().items():
            if name == key or name in _aliases(value):
                return value
        if name in self._broken:
            raise UsageError(self._broken[name])
        return None

    def get(self, name: str) -> T:
        """Return what has a name or an alias; an error with a suggestion if there is nothing."""
        found = self.find(name)
        if found is None:
            raise self.unknown(name)
        return found

    def unknown(self, name: str, known: Sequence[str] = (), otherwise: str = "") -> UsageError:
        """Return the error about an unknown name; the suggestion is one of ``known``, else of everything."""
        known = known or [*self.names(), *self.external()]
        return UsageError(f"unknown {self.what} {name}{nearest(name, list(known)) or otherwise}")

    def names(self) -> list[str]:
        """Return every name and alias, ours first; only plugins are loaded."""
        ours = ((name, *one.facts.get("aliases", ())) for name, one in self.definitions().items())
        others = ((name, *_aliases(value)) for name, value in self.others().items())
        return list(dict.fromkeys(name for names in (*ours, *others) for name in names))

    def all(self) -> dict[str, T]:
        """Return everything by name: ours, registered, from installed packages."""
        return dict(self.items())

    def items(self) -> Iterator[tuple[str, T]]:
        """Go through everything that can be used, by name; installed packages come last."""
        yield from ((name, self.load(one)) for name, one in self.definitions().items())
        yield from self.others().items()

    def others(self) -> dict[str, T]:
        """Return what programs registered and installed packages bring, by name."""
        return {**self._registered, **{k: one for k, one in self.plugins().items() if k not in self._registered}}

    def __iter__(self) -> Iterator[T]:
        return (value for _, value in self.items())

    def definitions(self) -> dict[str, Definition]:
        """Return our own definitions by name, read from their files in the order of their names."""
        if self._index is None:
            found = () if self.room is None else self.room.definitions()
            named = {name: one for one in found if (name := self._name_of(one))}
            self._index = dict(sorted(named.items(), key=lambda item: item[0].lower().replace("-", "_")))
        return self._index

    def built_in(self) -> dict[str, T]:
        """Return our own by name, loaded."""
        return {name: self.load(one) for name, one in self.definitions().items()}

    def problems(self) -> list[str]:
        """Return why some installed entry points cannot be used."""
        self.plugins()
        return list(self._broken.values())

    def attribute(self, name: str) -> T:
        """Return a class as an attribute of its package, for ``from berrypick.measures import nxCG``."""
        if not name.startswith("_"):
            definition = next((one for one in self.definitions().values() if one.attribute == name), None)
            if definition is not None:
                return self.load(definition)
            others = (base for one in self for base in getattr(one, "__mro__", ()))  # base classes that they share too
            found = next((one for one in others if one.__name__ == name and self.takes(one)), None)
            if found is not None:
                return found
        raise AttributeError(f"module 'berrypick.{self.group}' has no attribute {name!r}")

    def attributes(self) -> list[str]:
        """Return the names of all classes, for completion."""
        others = {one.__name__ for one in self.others().values() if isinstance(one, type)}
        return sorted({one.attribute for one in self.definitions().values()} | others)

    # ours

    def _in_file(self, name: str) -> Definition | None:
        """Return a definition from the file that has its name, without reading any other file."""
        if self.room is None:
            return None
        if self._stems is None:
            self._stems = {}
            for module, path in self.room.files():
                self._stems.setdefault(module.rpartition(".")[2], []).append((module, path))
        if name not in self._looked_up:
            there = self._stems.get(name.lower().replace("-", "_"), [])
            found = (one for one in self.room.definitions(there) if self._name_of(one) == name)
            self._looked_up[name] = next(found, None)
        return self._looked_up[name]

    def _by_name(self, name: str) -> Definition | None:
        """Return a definition by its name or an alias, which reads all files of the room."""
        known = self.definitions()
        return known.get(name) or next((one for one in known.values() if name in one.facts.get("aliases", ())), None)

    def load(self, definition: Definition) -> T:
        """Import one of ours."""
        key = definition.module, definition.attribute
        if key not in self._loaded:
            self._loaded[key] = definition.load()
            if problem := self._check(self._loaded[key]):
                raise TypeError(f"{'.'.join(key)}: {problem}")  # a file in the wrong room
        return self._loaded[key]

    # what programs and other packages bring

    def takes(self, value: Any) -> bool:
        """Return whether a value is of this kind."""
        return self._takes(value) if self._takes is not None else not self._check(value)

    def register(self, value: T) -> None:
        """Add a value under its own name; one that cannot be used, or whose name is taken, is an error."""
        called = getattr(value, "__name__", None) or value_name(value)
        if problem := self._check(value):
            raise UsageError(f"{self.what} {called} cannot be registered: {problem}")
        taken = self._taken(value, value_name(value))
        if taken is not None:
            raise UsageError(f"{self.what} {called} cannot be registered: the name {taken} is taken")
        self._registered[value_name(value)] = value
        _count_change()

    def plugins(self) -> dict[str, T]:
        """Return what installed packages bring, by name; on a name clash, none of those that have the name."""
        if self._plugins is None:
            self._plugins = {}
            from importlib.metadata import entry_points

            for point in sorted(entry_points(group=f"berrypick.{self.group}"), key=lambda one: (one.name, one.value)):
                self._load_plugin(point)
        return self._plugins

    def _load_plugin(self, point: EntryPoint) -> None:
        """Load an entry point; what is wrong with it is kept, and does not disturb the others."""
        assert self._plugins is not None
        try:
            value = point.load()
            if problem := self._check(value):
                raise UsageError(problem)
            key = value_name(value) if callable(getattr(value, "name", None)) else point.name
            taken = key if point.name in self._broken else self._taken(value, key)
            if taken is not None:
                if taken in self._plugins:
                    del self._plugins[taken]  # on a name clash, load neither
                raise UsageError(f"the name {taken} is taken")
            self._plugins[key] = value
        except Exception as error:  # whatever the import of another package may raise
            why = str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
            source = f"{getattr(point.dist, 'name', 'an installed package')} ({point.value})"
            self._broken[point.name] = f"{self.what} {point.name} of {source} cannot be used: {why}"

    def _taken(self, value: T, key: str) -> str | None:
        """Return the first name of a value that something else has, but for entry points that are not loaded yet."""
        others = {**self._registered, **(self._plugins or {})}
        others = {k: one for k, one in others.items() if one is not value and not _defined_again(one, value)}
        for name in (key, *_aliases(value)):
            if self._in_file(name) or self._by_name(name) or name in self.external():
                return name
            if name in others or any(name in _aliases(one) for one in others.values()):
                return name
        return None


def class_problem(base: type) -> Callable[[Any], str]:
    """Return the check of a registry of classes: derived from a base, and complete by what that says of itself."""

    def problem(value: Any) -> str:
        if not (isinstance(value, type) and issubclass(value, base)):
            return f"it is not a class derived from bp.{base.__name__}"
        found: str = value.definition_problem()  # type: ignore[attr-defined]
        return found

    return problem


def value_name(value: Any) -> str:
    """Return the name that people type: a method of classes, an attribute of values."""
    name = getattr(value, "name", None) or getattr(value, "__name__", "")
    return str(name() if callable(name) else name)


def _aliases(value: Any) -> tuple[str, ...]:
    return tuple(getattr(value, "aliases", ()))


@contextmanager
def plugin_errors(what: str, *classes: type) -> Iterator[None]:
    """Turn errors in classes of other packages into one message that says where; our own stay what they are."""
    try:
        yield
    except (BerrypickError, MemoryError):
        raise
    except Exception as error:
        if all(cls.__module__.startswith("berrypick.") for cls in classes):
            raise
        from traceback import extract_tb

        place = extract_tb(error.__traceback__)[-1]
        why = f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
        raise BerrypickError(f"{what} failed with {why}") from error


def _defined_again(one: Any, other: Any) -> bool:
    """Return whether a class replaces an earlier form of itself: a cell of a notebook that is run again."""
    if not (isinstance(one, type) and isinstance(other, type)):
        return False
    return one.__module__ == other.__module__ == "__main__" and one.__qualname__ == other.__qualname__
