"""What is read of values, recorded as it is read, so that a signature names what a number was computed from.

Fields that options of an evaluation decide are marked by :func:`records`. Who wants to know what a computation reads of
them lets it run under :func:`observed`. What is computed once and read often counts as read each time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")
C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

_reads: ContextVar[set[str] | None] = ContextVar("_reads", default=None)


@contextmanager
def observed() -> Iterator[set[str]]:
    """Record what is read inside; whoever observes from outside sees it too."""
    found: set[str] = set()
    outer = _reads.set(found)
    try:
        yield found
    finally:
        _reads.reset(outer)
        record(found)


def record(names: Iterable[str]) -> None:
    """Say that something was read."""
    found = _reads.get()
    if found is not None:
        found.update(names)


def records(**fields: str) -> Callable[[C], C]:
    """Let a dataclass record that some of its fields are read, each under a name that signatures know."""

    def decorate(cls: C) -> C:
        for field, name in fields.items():
            setattr(cls, field, _Recorded(field, name))
        return cls

    return decorate


class _Recorded:
    """A field of a value, which records that it is read."""

    def __init__(self, field: str, name: str) -> None:
        self.field, self.name = field, name

    def __get__(self, value: Any, owner: type | None = None) -> Any:
        if value is None:
            return self
        found = _reads.get()
        if found is not None:
            found.add(self.name)
        return value.__dict__[self.field]

    def __set__(self, value: Any, given: Any) -> None:
        value.__dict__[self.field] = given


def unrecorded(value: Any, field: str) -> Any:
    """Return a field for a use on which no number depends, e.g. to copy it or to name it in a message."""
    return value.__dict__[field]


def copied(value: T, **changes: Any) -> T:
    """Copy a dataclass with other values in some fields; to copy the others is not to read them."""
    kept = {field.name: unrecorded(value, field.name) for field in dataclasses.fields(value) if field.init}  # type: ignore[arg-type]
    return type(value)(**{**kept, **changes})


def once(owner: Any, compute: Callable[..., T], *arguments: Any) -> T:
    """Compute something of an owner once for all who read it, and keep it in its ``_parts``."""
    key = (compute, *arguments)
    if key not in owner._parts:
        with observed() as read:
            owner._parts[key] = compute(owner, *arguments), read
    value: T
    value, read = owner._parts[key]
    record(read)
    return value


class part(cached_property[T]):
    """A property that is computed once for all copies of its owner."""

    if not TYPE_CHECKING:  # type checkers know what a cached property gives

        def __get__(self, owner: Any, cls: Any = None) -> Any:
            if owner is None:
                return self
            found = owner.__dict__[self.attrname] = once(owner, self.func)
            return found


def once_for_each(compute: F) -> F:
    """Let a function be computed once for its first argument, which has ``_parts``, and each of the others."""

    @wraps(compute)
    def found(owner: Any, *arguments: Any) -> Any:
        return once(owner, compute, *arguments)

    return found  # type: ignore[return-value]
