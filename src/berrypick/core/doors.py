"""The doors by which features come in: entry points of installed packages, our own distribution's first.

A command, a panel of the report page, a protocol, a reader of what clients return or a function of ``bp.`` is named by
an entry point of the groups ``berrypick.commands``, ``berrypick.panels``, ``berrypick.protocols``,
``berrypick.clients`` or ``berrypick.functions``, or handed to :func:`berrypick.register`. The add-ons of
this package come in the same way: the core imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

from berrypick.core.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: Where our own add-ons lie; one that is not there is no error until it is asked for.
ADDONS = "berrypick.addons"


@cache
def own_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points that our own distribution has for a group, by name, without loading any."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        points = distribution("berrypick").entry_points
    except PackageNotFoundError:  # the source without an installation
        points = ()  # type: ignore[assignment]
    declared = {point.name: point for point in points if point.group == f"berrypick.{group}"}
    return {**declared, **_points_of_files(group)} if group.removesuffix("s") in _DEFINED else declared


#: What a file of an add-on defines: ``pool_command`` in pool_command.py, TradeOff in trade_off_panel.py, inex2010 in
#: inex2010_protocol.py.
_DEFINED: dict[str, Callable[[str], str]] = {
    "command": lambda name: f"{name}_command",
    "panel": lambda name: name.title().replace("_", ""),
    "protocol": lambda name: name,
}


def _points_of_files(group: str) -> dict[str, EntryPoint]:
    """Return the commands, panels and protocols of add-ons whose files are named after them: no list to edit."""
    from importlib.metadata import EntryPoint
    from pathlib import Path

    import berrypick

    kind, found = group.removesuffix("s"), {}
    for path in (one for top in berrypick.__path__ for one in Path(top).glob(f"addons/*/*_{kind}.py")):
        name = path.stem.removesuffix(f"_{kind}")
        value = f"{ADDONS}.{path.parent.name}.{path.stem}:{_DEFINED[kind](name)}"
        found[name] = EntryPoint(name, value, f"berrypick.{group}")
    return dict(sorted(found.items()))


def other_points(group: str) -> list[EntryPoint]:
    """Return the entry points that other packages declare for a group, without loading any."""
    from importlib.metadata import entry_points

    own = {point.value for point in own_points(group).values()}
    found = [point for point in entry_points(group=f"berrypick.{group}") if point.value not in own]
    return sorted(found, key=lambda point: (point.name, point.value))


def load_own(group: str, name: str) -> Any:
    """Load what one of our own entry points names; None if there is none, or its add-on is not there."""
    point = own_points(group).get(name)
    try:
        return None if point is None else point.load()
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(ADDONS):
            raise
        return None


def source_of(point: EntryPoint) -> str:
    """Say which package an entry point belongs to."""
    return f"{getattr(point.dist, 'name', 'an installed package')} ({point.value})"


class Door:
    """The things of one kind that come in from outside the core, by name; each is loaded when it is asked for."""

    def __init__(
        self, group: str, what: str, check: Callable[[Any], str], taken: Callable[[], Collection[str]] = tuple
    ) -> None:
        self.group, self.what = group, what
        #: Why a value cannot be used ('' if it can), and the names that the core has.
        self._check, self._taken = check, taken
        self._registered: dict[str, Any] = {}
        self.reload()
        doors.append(self)

    def reload(self) -> None:
        """Forget what was found at entry points; what was registered stays."""
        self._loaded: dict[str, Any] = {}
        self._broken: dict[str, str] = {}
        self._others: list[EntryPoint] | None = None

    def takes(self, value: Any) -> bool:
        """Say whether a value is of this kind."""
        return not self._check(value)

    def register(self, value: Any) -> None:
        """Add a value under its own name; a name of ours is taken."""
        name = str(getattr(value, "name", None) or value.__name__)
        if name in own_points(self.group) or name in self._taken():
            raise UsageError(f"{self.what} {name} cannot be registered: the name is taken")
        self._registered[name] = value

    def names(self) -> list[str]:
        """Return every name, our own first, in the order in which they are declared."""
        others = [point.name for point in self._other_points()]
        return list(dict.fromkeys((*own_points(self.group), *self._registered, *others)))

    def find(self, name: str) -> Any:
        """Return what has a name; None if there is nothing, or the add-on that has it is not there."""
        if name in self._registered:
            return self._registered[name]
        if name not in self._loaded:
            own = name in own_points(self.group)
            self._loaded[name] = load_own(self.group, name) if own else self._load_other(name)
        if name in self._broken:
            raise UsageError(self._broken[name])
        return self._loaded[name]

    def need(self, name: str, why: str) -> Any:
        """Return what has a name; an error that says what needs it if it is not there."""
        found = self.find(name)
        if found is None:
            raise UsageError(f"{why} needs the add-on with the {self.what} {name}, which is not installed")
        return found

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Go through everything that can be used; what cannot is kept for :meth:`problems`."""
        for name in self.names():
            try:
                value = self.find(name)
            except UsageError:
                continue
            if value is not None:
                yield name, value

    def problems(self) -> list[str]:
        """Return why some entry points cannot be used."""
        return list(self._broken.values())

    def _other_points(self) -> list[EntryPoint]:
        if self._others is None:
            self._others = other_points(self.group)
        return self._others

    def _load_other(self, name: str) -> Any:
        """Load the entry point of another package; of two with one name, neither: which one would be chance."""
        points = [point for point in self._other_points() if point.name == name]
        if not points:
            return None
        try:
            if name in self._taken():
                raise UsageError(f"the name {name} is taken")
            if len(points) > 1:
                raise UsageError(f"the name {name} is taken by {source_of(points[0])}")
            value = points[0].load()
            if problem := self._check(value):
                raise UsageError(problem)
        except Exception as error:  # whatever the import of another package may raise
            why = str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
            self._broken[name] = f"{self.what} {name} of {source_of(points[-1])} cannot be used: {why}"
            return None
        return value


#: Every door, for :func:`berrypick.register` and for tests that install packages.
doors: list[Door] = []


def _not_a_function(value: Any) -> str:
    return "" if isinstance(value, (FunctionType, type)) else "it is not a function or a class"


class _Functions(Door):
    """A class that is registered by hand is a measure, a user model, a format or a panel, and no name of ``bp.``."""

    def takes(self, value: Any) -> bool:
        return isinstance(value, FunctionType)


def _names_of_the_core() -> list[str]:
    import berrypick

    return berrypick.__all__


#: Names of ``bp.``: functions, and in packages classes too.
functions = _Functions("functions", "function", _not_a_function, _names_of_the_core)


def html_of(value: Any) -> str | None:
    """Return a value as HTML for notebooks, or None where no add-on makes it: they show its text then."""
    made = functions.find("as_html")
    return None if made is None else made(value)
