"""Where measures, user models and formats are found by name: built in, registered, or from an installed package.

A built-in class is found by its file, in the package or in a sub-package of it. A class of an add-on or of another
package is named by an entry point of the groups ``berrypick.measures``, ``berrypick.users`` or ``berrypick.formats``,
or handed to :func:`register`. Entry points are loaded only when a name is not built in, or when everything is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from berrypick.core import doors
from berrypick.core.errors import BerrypickError, UsageError, nearest


class Registrable(Protocol):
    """What the registry asks of a class."""

    #: Other names of it.
    aliases: ClassVar[tuple[str, ...]]

    @classmethod
    def name(cls) -> str: ...

    @classmethod
    def definition_problem(cls) -> str:
        """Why the class cannot be registered; empty if it can."""


T = TypeVar("T", bound=Registrable)
C = TypeVar("C", bound=type)

_registries: list[Registry[Any]] = []
#: Sub-packages that hold no classes of their own kind.
HELPERS = ("io",)


def register(definition: C) -> C:
    """Make a measure, user model or format known by its name; a command, panel, protocol or function as well.

    Parameters
    ----------
    definition : class or function
        What is registered.

    Returns
    -------
    class or function
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
    for registry in _registries:
        if isinstance(definition, type) and issubclass(definition, registry.base):
            registry.register(definition)
            return definition
    for door in doors.doors:
        if door.takes(definition):
            door.register(definition)
            return definition
    raise UsageError(
        f"{getattr(definition, '__name__', repr(definition)):.60} cannot be registered: "
        "it is not a class derived from bp.Measure, bp.UserModel or bp.Format"
    )


class Registry(Generic[T]):
    """The classes of one kind: name, alias and suggestion in one place."""

    def __init__(
        self, package: ModuleType, base: type[T], what: str, *, external: Callable[[], Sequence[str]] = tuple
    ) -> None:
        self.package, self.base, self.what = package, base, what
        self._group = package.__name__.rpartition(".")[2]
        #: Names that belong to another library, which are not looked for among plugins.
        self.external = external
        self._registered: dict[str, type[T]] = {}
        self.reload()
        _registries.append(self)

    def reload(self) -> None:
        """Forget what was found in files and entry points; what was registered stays."""
        self._built_in: dict[str, type[T]] | None = None
        #: Public modules by file name.
        self._stems: dict[str, str] | None = None
        self._plugins: dict[str, type[T]] | None = None
        #: The classes of the file that has a name, for names that were looked for.
        self._files: dict[str, list[type[T]]] = {}
        #: Entry points that cannot be used, by name, with the reason.
        self._broken: dict[str, str] = {}

    # look-up

    def find(self, name: str) -> type[T] | None:
        """A class by its name or an alias; None if there is none, or the name belongs to another library."""
        found = self._from_file(name, lambda cls: cls.name()) or self._registered.get(name)
        found = found or doors.load_own(self._group, name)
        if found is not None or name in self.external():  # which loads the other library
            return found
        for known in (self.built_in, self._registered.copy, self.plugins):
            for candidate in known().values():
                if name == candidate.name() or name in candidate.aliases:
                    return candidate
        if name in self._broken:
            raise UsageError(self._broken[name])
        return None

    def get(self, name: str) -> type[T]:
        """A class by its name or an alias; an error with a suggestion if there is none."""
        found = self.find(name)
        if found is None:
            raise self.unknown(name)
        return found

    def unknown(self, name: str, known: Sequence[str] = (), otherwise: str = "") -> UsageError:
        """The error about a name that is not known; the suggestion is one of ``known``, else of everything."""
        known = known or [*self.names(), *self.external()]
        return UsageError(f"unknown {self.what} {name}{nearest(name, list(known)) or otherwise}")

    def names(self) -> list[str]:
        """Every name and alias."""
        return [name for cls in self for name in (cls.name(), *cls.aliases)]

    def all(self) -> dict[str, type[T]]:
        """Every class by name: built in, registered, from installed packages."""
        return {cls.name(): cls for cls in self}

    def __iter__(self) -> Iterator[type[T]]:
        """Every class; installed packages are looked at last, and only if the iteration gets there."""
        yield from self.built_in().values()
        yield from list(self._registered.values())
        yield from (cls for cls in self.plugins().values() if cls.name() not in self._registered)

    def attribute(self, name: str) -> type[T]:
        """A class as an attribute of the package, for ``from berrypick.measures import nxCG``."""
        if not name.startswith("_") and self._modules().get(name) != name:
            in_file = self._from_file(name, lambda cls: cls.__name__)
            kinds = (base for cls in self for base in cls.__mro__ if issubclass(base, self.base))  # base classes too
            found = in_file or next((cls for cls in kinds if cls.__name__ == name), None)
            if found is not None:
                return found
        raise AttributeError(f"module {self.package.__name__!r} has no attribute {name!r}")

    def attributes(self) -> list[str]:
        """The names of all classes, for completion."""
        return sorted({*self.package.__all__, *(cls.__name__ for cls in self)})

    def problems(self) -> list[str]:
        """Why some installed entry points are not used."""
        self.plugins()
        return list(self._broken.values())

    # where classes come from

    def _from_file(self, name: str, name_of: Callable[[type[T]], str]) -> type[T] | None:
        """A built-in class from the file that has its name, without reading any other file."""
        stem = name.lower().replace("-", "_")
        if stem not in self._files:
            found = [self._modules().get(one) for one in (stem, f"{stem}_{self.what.partition(' ')[0]}")]
            there = [module for module in found if module is not None]
            self._files[stem] = [cls for module in there[:1] for cls in self._classes_in(module)]
        return next((cls for cls in self._files[stem] if name_of(cls) == name), None)

    def _modules(self) -> dict[str, str]:
        """The public modules of the package and of its families, by file name: where each is below the package."""
        if self._stems is None:
            from pkgutil import iter_modules

            self._stems = {}
            for top in iter_modules(self.package.__path__):
                if top.ispkg and top.name not in HELPERS:
                    inside = iter_modules([f"{path}/{top.name}" for path in self.package.__path__])
                    self._stems |= {info.name: f"{top.name}.{info.name}" for info in inside}
                elif not top.ispkg:
                    self._stems[top.name] = top.name
            for name in [name for name in self._stems if name.startswith("_") or name == "base"]:
                del self._stems[name]
        return self._stems

    def built_in(self) -> dict[str, type[T]]:
        """Every public class defined in a module of the package, for which adding a file is all that is needed, and
        those of our add-ons; in the order of the files' names, which decides between formats that a file may have."""
        if self._built_in is None:
            files = {stem: self._classes_in(module) for stem, module in self._modules().items()}
            for name in doors.own_points(self._group):
                cls = doors.load_own(self._group, name)
                files.setdefault(name.lower().replace("-", "_"), []).extend([] if cls is None else [cls])
            self._built_in = {cls.name(): cls for stem in sorted(files) for cls in files[stem]}
        return self._built_in

    def _classes_in(self, name: str) -> list[type[T]]:
        module = import_module(f"{self.package.__name__}.{name}")
        return [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, self.base)
            and value.__module__ == module.__name__
            and not value.__name__.startswith("_")
        ]

    def register(self, cls: type[T]) -> None:
        """Add a class; an invalid one, or another class of a name that is known, is an error."""
        self._check(cls)
        taken = next((name for name in (cls.name(), *cls.aliases) if self._taken(name, cls)), None)
        if taken is not None:
            raise UsageError(f"{self.what} {cls.__name__} cannot be registered: the name {taken} is taken")
        self._registered[cls.name()] = cls

    def _check(self, cls: type[T]) -> None:
        problem = cls.definition_problem()
        if problem:
            raise UsageError(f"{self.what} {cls.__name__} cannot be registered: {problem}")

    def plugins(self) -> dict[str, type[T]]:
        """The classes that entry points of installed packages name."""
        if self._plugins is None:
            self._plugins = {}
            for point in doors.other_points(self._group):
                self._load(point)
        return self._plugins

    def _load(self, point: Any) -> None:
        """One entry point; what is wrong with it is kept, and does not disturb the others."""
        assert self._plugins is not None
        source = doors.source_of(point)
        try:
            cls = point.load()
            if not (isinstance(cls, type) and issubclass(cls, self.base)):
                raise UsageError(f"it is not a class derived from bp.{self.base.__name__}")
            self._check(cls)
            taken = next((name for name in (cls.name(), *cls.aliases) if self._taken(name, cls)), None)
            if taken is not None:
                self._plugins.pop(taken, None)  # of two installed packages, neither: which one would be chance
                raise UsageError(f"the name {taken} is taken")
            self._plugins[cls.name()] = cls
        except Exception as error:  # whatever the import of another package may raise
            why = str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
            self._broken[point.name] = f"{self.what} {point.name} of {source} cannot be used: {why}"

    def _taken(self, name: str, cls: type[T]) -> bool:
        """Whether another class has a name or alias, but for entry points that are not loaded yet."""
        known = [*self.built_in().values(), *self._registered.values(), *(self._plugins or {}).values()]
        others = [one for one in known if name == one.name() or name in one.aliases]
        return name in self.external() or any(one is not cls and not _defined_again(one, cls) for one in others)


@contextmanager
def plugin_errors(what: str, *classes: type) -> Iterator[None]:
    """Errors in classes of other packages become one message that says where; our own stay what they are."""
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


def _defined_again(one: type, other: type) -> bool:
    """Whether a class replaces an earlier form of itself: a cell of a notebook that is run again."""
    return one.__module__ == other.__module__ == "__main__" and one.__qualname__ == other.__qualname__
