"""What measures and user models have in common: frozen values with declared, checked, documented parameters.

A class that derives from :class:`Parameterized` is a frozen dataclass whose fields are made by :func:`parameter`.
It can be built from a :class:`~berrypick.core.spec.Spec`, prints its canonical form, and documents itself.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar, TypeVar

from berrypick.core import spec as specs
from berrypick.core.errors import UsageError, nearest


@dataclass(frozen=True)
class Parameter:
    """One documented parameter: its kind, its help and what its values must satisfy."""

    name: str
    default: Any
    kind: str
    help: str
    check: Callable[[Any], bool] | None = None
    must: str = ""


def parameter(default: Any, kind: str, help: str, *, check: Callable[[Any], bool] | None = None, must: str = "") -> Any:
    """Declare a parameter. ``kind``: 'int', 'number', 'bool', 'text', or choices as 'a|b|c'."""
    return dataclasses.field(default=default, metadata={"kind": kind, "help": help, "check": check, "must": must})


@dataclass(frozen=True)
class Parameterized:
    """Base of measures and user models."""

    #: What a person calls such a thing, for messages.
    what: ClassVar[str] = "declared value"

    @classmethod
    def name(cls) -> str:
        return cls.__name__

    @classmethod
    def parameters(cls) -> list[Parameter]:
        return [Parameter(f.name, f.default, **f.metadata) for f in dataclasses.fields(cls) if "kind" in f.metadata]

    def __post_init__(self) -> None:
        for declared in self.parameters():
            value = getattr(self, declared.name)
            if value is not None or declared.default is not None:
                object.__setattr__(self, declared.name, self._checked(declared, value))

    def _checked(self, declared: Parameter, value: Any) -> Any:
        where = f"{self.name()}: {declared.name}={value!r}"
        if declared.kind == "int":
            good = isinstance(value, int) and not isinstance(value, bool)
        elif declared.kind == "number":
            good = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")
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
            expected = {"int": "a whole number", "number": "a finite number", "bool": "True or False", "text": "a text"}
            raise UsageError(f"{where} must be {expected[declared.kind]}")
        if declared.check is not None and not declared.check(value):
            raise UsageError(f"{where} must be {declared.must}")
        return value

    def parameter_values(self) -> dict[str, Any]:
        """Every parameter with its value, those without one left out."""
        values = {p.name: getattr(self, p.name) for p in self.parameters()}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_parameters(cls: type[D], values: dict[str, Any], text: str, **fields: Any) -> D:
        known = [p.name for p in cls.parameters()]
        for name in values:
            if name not in known:
                offer = nearest(name, known) or (
                    f"; it has {', '.join(known)}" if known else f"; {cls.name()} has no parameters"
                )
                raise UsageError(f"{text}: {cls.name()} has no parameter {name}{offer}")
        return cls(**values, **fields)

    def __str__(self) -> str:
        return specs.render(self.name(), self.parameter_values())


D = TypeVar("D", bound=Parameterized)
T = TypeVar("T")


def discover(package: ModuleType, base: type[T]) -> dict[str, type[T]]:
    """Every public subclass of ``base`` defined in a module of ``package``: adding a file is all that is needed."""
    found: dict[str, type[T]] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if info.name.startswith("_") or info.name == "base":
            continue
        for value in classes_in(importlib.import_module(f"{package.__name__}.{info.name}"), base):
            found[value.name()] = value  # type: ignore[attr-defined]
    return found


def classes_in(module: ModuleType, base: type[T]) -> list[type[T]]:
    """Every public subclass of ``base`` that is defined in a module."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, base)
        and value.__module__ == module.__name__
        and not value.__name__.startswith("_")
    ]
