"""Where a truth or a run comes from, and values that are made of parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True, eq=False)
class Origin:
    """Where a truth or a run comes from, and what its parser has to say of it.

    Attributes
    ----------
    source
        The file.
    format
        The format of the file.
    notes
        Notes on how it was read.
    skipped
        What the parser skipped, merged or assumed, and how often.
    unread
        Fields of the input that were not read.
    foreign
        Labels outside the vocabulary of the format, each with its first line.
    """

    source: str = ""
    format: str = ""
    notes: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    foreign: Mapping[str, int] = field(default_factory=dict)


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """The names of the fields of a part."""
    return tuple(field.name for field in fields(kind))


class Composed:
    """A dataclass with parts, which are dataclasses themselves; it has the origin of what it holds."""

    #: The class of each part, by the field that holds it.
    _parts: ClassVar[Mapping[str, type]]
    origin: Origin

    @property
    def source(self) -> str:
        """The file, or ''."""
        return self.origin.source

    @property
    def format(self) -> str:
        """The format of the file, or ''."""
        return self.origin.format

    @property
    def skipped(self) -> Mapping[str, int]:
        """What the parser skipped, merged or assumed, and how often."""
        return self.origin.skipped

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how it was read."""
        return self.origin.notes

    def changed(self, **values: Any) -> Self:
        """Return the same with other values; those of a part by their own names: ``run.changed(quoted={})``."""
        parts = {}
        for name, kind in self._parts.items():
            own = {field: values.pop(field) for field in _names(kind) if field in values}
            if own:
                parts[name] = replace(getattr(self, name), **own)
        return replace(self, **values, **parts)  # type: ignore[type-var]
