"""What measures and user models have in common: frozen values with declared, checked, documented parameters.

A class that derives from :class:`Parameterized` is a frozen dataclass whose fields are made by :func:`parameter`. It
becomes one by itself when it is first used, unless ``@dataclass(frozen=True)`` stands above it. It can be built from a
:class:`~berrypick.data.spec.Spec`, prints what it is, and documents itself.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from berrypick.data import spec as specs
from berrypick.data.errors import UsageError, nearest
from berrypick.data.papers import PaperItem


def is_finite(value: Any) -> bool:
    """Whether a number is finite as a float; whole numbers and fractions can be too large for one."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


@dataclass(frozen=True)
class Parameter:
    """One documented parameter: its kind, its help and what its values must satisfy."""

    name: str
    default: Any
    kind: str = "any"
    help: str = ""
    check: Callable[[Any], bool] | None = None
    must: str = ""
    required: bool = False


#: Types that may stand for a kind.
_KINDS: dict[Any, str] = {int: "int", float: "number", bool: "bool", str: "text", object: "any", Any: "any"}


def parameter(
    default: Any, kind: str | type, help: str, *, check: Callable[[Any], bool] | None = None, must: str = ""
) -> Any:
    """Declare a parameter of a measure or user model.

    Parameters
    ----------
    default : object
        The default value.
    kind : str or type
        'int', 'number', 'number or text', 'bool', 'text', 'any', or choices as 'a|b|c'; or int, float, bool, str.
    help : str
        What the parameter means, in a few words.
    check : callable, optional
        Return whether a value is valid.
    must : str
        What a value must be, for the message if ``check`` fails.

    Returns
    -------
    field
        The declaration, which the class keeps.

    Examples
    --------
    >>> import berrypick as bp
    >>> class Upto(bp.Measure):
    ...     "Whether there are so many results."
    ...     least: int = bp.parameter(1, "int", "how many", check=lambda n: n > 0, must="above 0")
    ...     def compute(self, topic):
    ...         return float(topic.ranking.ranks >= self.least)
    >>> bp.score(Upto(least=3), {"q": {"a": 1}}, {"q": {"a": 1.0}})
    0.0
    """
    kind = _KINDS.get(kind, kind)
    if not isinstance(kind, str):
        raise UsageError(f"the kind of a parameter is 'int', 'number', 'bool', 'text', 'any' or choices, not {kind!r}")
    return dataclasses.field(default=default, metadata={"kind": kind, "help": help, "check": check, "must": must})


@dataclass(frozen=True, repr=False)
class Parameterized:
    """Base of measures and user models."""

    #: What a person calls such a thing, for messages.
    what: ClassVar[str] = "declared value"
    #: Keys of references.bib; in other packages BibTeX entries, or plain text.
    references: ClassVar[tuple[str, ...]] = ()
    #: What papers say of it, with the calls that compute it.
    papers: ClassVar[tuple[PaperItem, ...]] = ()
    #: Other names under which people know it.
    aliases: ClassVar[tuple[str, ...]] = ()
    #: Names that are not parameters, whatever a subclass annotates them with.
    _reserved: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, base: bool = False) -> None:
        super().__init_subclass__()
        if base:
            shared = {
                name for name, value in vars(cls).items() if isinstance(value, dataclasses.Field) and value.metadata
            }
            cls._reserved = frozenset(dir(cls)) - shared  # parameters that every subclass has
        for parent in cls.__mro__[1:]:
            if issubclass(parent, Parameterized):  # or its fields would be lost on a subclass that has the decorator
                _make_dataclass(parent)
        if not (cls.__doc__ or "").strip():
            cls.__doc__ = "No description."
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign] # one of its own, which the decorator then leaves

    if not TYPE_CHECKING:  # type checkers take the signature from the fields

        def __new__(cls, *values: Any, **named: Any) -> Any:
            _make_dataclass(cls)
            known = [f.name for f in dataclasses.fields(cls)]
            for name in named:
                if name not in known and not _takes(cls.__init__, name):
                    raise UsageError(f"{cls.name()} has no parameter {name}{cls._offer(name)}")
            return super().__new__(cls)

    @classmethod
    def name(cls) -> str:
        """Return the name people type."""
        return cls.__name__

    @classmethod
    def description(cls) -> str:
        """Return the first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """Return every parameter: fields made by :func:`parameter`, and any other field of the dataclass."""
        _make_dataclass(cls)
        if cls not in _described_once:
            fields = [f for f in dataclasses.fields(cls) if f.init and f.name not in cls._reserved]
            _described_once[cls] = [_described(f) for f in fields]
        return _described_once[cls].copy()

    @classmethod
    def definition_problem(cls) -> str:
        """Why the class cannot be registered; empty if it can."""
        name = cls.name()
        if not (isinstance(name, str) and name.isidentifier() and name.isascii()) or name.startswith("_"):
            return f"its name {name!r} is not one that can be typed: letters, digits and _, and no _ at the start"
        for listed in ("aliases", "references"):
            if not (isinstance(found := getattr(cls, listed), tuple) and all(isinstance(one, str) for one in found)):
                return f"{listed} is a tuple of texts"
        try:
            cls.parameters()
        except UsageError as error:
            return str(error)
        return ""

    def __post_init__(self) -> None:
        for declared in self.parameters():
            value = getattr(self, declared.name)
            if value is not None or declared.default is not None:
                object.__setattr__(self, declared.name, self._checked(declared, plain(value)))

    def _checked(self, declared: Parameter, value: Any) -> Any:
        where = f"{self.name()}: {declared.name}={value!r:.60}"
        if declared.kind == "any":
            good = True
        elif declared.kind == "int":
            good = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**53
        elif declared.kind == "number":
            good = isinstance(value, (int, float)) and not isinstance(value, bool) and is_finite(value)
        elif declared.kind == "number or text":
            good = isinstance(value, (str, int, float)) and not isinstance(value, bool)
            good = good and (isinstance(value, str) or is_finite(value))
        elif declared.kind == "bool":
            good = isinstance(value, bool)
        elif declared.kind == "text":
            good = isinstance(value, str)
        else:
            choices = declared.kind.split("|")
            if value not in choices:
                close = nearest(str(value), choices) or f"; it is one of {', '.join(choices)}"
                raise UsageError(f"{where} is not known{close}")
            return value
        if not good:
            expected = {
                "int": f"a whole number{' of at most 2^53' if type(value) is int else ''}",
                "number": "a finite number",
                "number or text": "a finite number, or a text",
                "bool": "True or False",
                "text": "a text",
            }
            raise UsageError(f"{where} must be {expected[declared.kind]}")
        if declared.check is not None and not declared.check(value):
            raise UsageError(f"{where} must be {declared.must}")
        return value

    def parameter_values(self) -> dict[str, Any]:
        """Return every parameter with its value, those without one left out."""
        values = [(p, getattr(self, p.name)) for p in self.parameters()]
        return {p.name: value for p, value in values if value is not None or p.default is not None}

    def given_values(self) -> dict[str, Any]:
        """Return the parameters whose values are not the default ones."""
        values = [(p, getattr(self, p.name)) for p in self.parameters()]
        return {p.name: value for p, value in values if p.required or not _same(value, p.default)}

    @classmethod
    def from_parameters(cls: type[D], values: dict[str, Any], text: str, **fields: Any) -> D:
        """Make one from what was typed; ``text`` stands in front of what is wrong with it."""
        known = cls.parameters()
        for name in values:
            if name not in [p.name for p in known]:
                raise UsageError(f"{text}: {cls.name()} has no parameter {name}{cls._offer(name)}")
        for p in known:
            if p.required and p.name not in values:
                raise UsageError(f"{text}: {cls.name()} needs the parameter {p.name}")
        return cls(**values, **fields)

    @classmethod
    def _offer(cls, name: str) -> str:
        known = [p.name for p in cls.parameters()]
        return nearest(name, known) or (
            f"; it has {', '.join(known)}" if known else f"; {cls.name()} has no parameters"
        )

    def canonical(self) -> str:
        """Its text with every parameter, as in signatures and explanations."""
        return specs.render(self.name(), self.parameter_values())

    def __str__(self) -> str:
        return self.canonical()

    def __repr__(self) -> str:
        text = specs.render(type(self).__name__, self.given_values())
        return text if text.endswith(")") else f"{text}()"


D = TypeVar("D", bound=Parameterized)

#: Parameters of classes: every measure that is made or shown asks for them.
_described_once: WeakKeyDictionary[type, list[Parameter]] = WeakKeyDictionary()


def _make_dataclass(cls: type) -> None:
    """What ``@dataclass(frozen=True)`` does, for a class that does not have it; not sooner, or it could not have it."""
    if "__dataclass_fields__" not in vars(cls):
        try:
            dataclass(frozen=True, kw_only=True)(cls)
        except (TypeError, ValueError) as error:
            raise UsageError(f"the fields of {cls.__name__} are wrong: {error}") from None


def _described(field: dataclasses.Field[Any]) -> Parameter:
    missing = type(dataclasses.MISSING)  # of which a class that was sent by cloudpickle has its own
    required = isinstance(field.default, missing) and isinstance(field.default_factory, missing)
    default = None if required else field.default
    if isinstance(default, missing):
        default = field.default_factory()  # type: ignore[operator]
    declared = {key: value for key, value in field.metadata.items() if key in ("kind", "help", "check", "must")}
    return Parameter(field.name, default, **declared, required=required)


def _takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a function has a keyword argument of this name, or takes any."""
    from inspect import signature

    found = signature(function).parameters
    return name in found or any(p.kind is p.VAR_KEYWORD for p in found.values())


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except (TypeError, ValueError):  # arrays
        return False


def plain(value: Any) -> Any:
    """A NumPy scalar as a number of Python; a user model as its text, as in EPRUM(user=T2I(tolerance=300))."""
    if isinstance(value, type) and issubclass(value, Parameterized):
        value = value()
    if isinstance(value, Parameterized):
        return str(value)
    return value.item() if isinstance(value, np.generic) else value


def above_zero(default: float | None, help: str) -> Any:
    return parameter(default, "number", help, check=lambda v: v > 0, must="above 0")


def zero_or_more(default: float | None, help: str, kind: str = "number") -> Any:
    return parameter(default, kind, help, check=lambda v: v >= 0, must="0 or more")


def one_or_more(default: int | None, help: str) -> Any:
    """Whole numbers."""
    return parameter(default, "int", help, check=lambda v: v >= 1, must="1 or more")


def zero_to_one(default: float | None, help: str) -> Any:
    return parameter(default, "number", help, check=lambda v: 0 <= v <= 1, must="in [0, 1]")


def positive_share(default: float | None, help: str) -> Any:
    return parameter(default, "number", help, check=lambda v: 0 < v <= 1, must="in (0, 1]")
