"""What is read of values, recorded as it is read, so that a signature names what a number was computed from.

Fields that options of an evaluation decide are marked by :func:`records`; :func:`observed` tells which of them a
computation reads. What is computed once and read often counts as read each time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")
C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

#: What is read, in the order in which it is; None where nobody observes.
_log: ContextVar[list[str] | None] = ContextVar("_log", default=None)


def observed(compute: Callable[..., T], *arguments: Any) -> tuple[T, set[str]]:
    """Compute something, and tell what was read for it; whoever observes from outside sees it too."""
    log = _log.get()
    if log is not None:
        start = len(log)
        return compute(*arguments), set(log[start:])
    token = _log.set(log := [])
    try:
        return compute(*arguments), set(log)
    finally:
        _log.reset(token)


def record(*names: str) -> None:
    """Say that something was read."""
    log = _log.get()
    if log is not None:
        log += names


@contextmanager
def unobserved() -> Iterator[None]:
    """Let what is read in a block not count as read: it is prepared for whoever computes a number from it."""
    token = _log.set(None)
    try:
        yield
    finally:
        _log.reset(token)


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
        log = _log.get()
        if log is not None:
            log.append(self.name)
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


class part(cached_property[T]):
    """A property that is computed once for all copies of its owner, which has ``_parts``."""

    if not TYPE_CHECKING:  # type checkers know what a cached property gives

        def __get__(self, owner: Any, cls: Any = None) -> Any:
            if owner is None:
                return self
            kept = owner._parts.get(self)
            if kept is None:
                kept = owner._parts[self] = observed(self.func, owner)
            elif (log := _log.get()) is not None:
                log += kept[1]
            return kept[0]


def held_part(owner: Any, name: str) -> Any:
    """Return a part of an owner if it was computed, else None."""
    return owner._parts.get(getattr(type(owner), name), (None,))[0]


def set_part(owner: Any, name: str, value: Any) -> None:
    """Let an owner, which nobody else has, have another value for a part; what follows from it is computed anew."""
    owner._parts.clear()
    owner._parts[getattr(type(owner), name)] = (value, set())


def once_for_each(compute: F) -> F:
    """Let a function be computed once for its first argument, which has ``_parts``, and each of the others."""

    @wraps(compute)
    def found(owner: Any, *arguments: Any) -> Any:
        key = (compute, *arguments)
        kept = owner._parts.get(key)
        if kept is None:
            kept = owner._parts[key] = observed(compute, owner, *arguments)
        elif (log := _log.get()) is not None:
            log += kept[1]
        return kept[0]

    return found  # type: ignore[return-value]
