"""What a person says about the fields of a file: which field has which role, and which to ignore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from berrypick.data.errors import UsageError, option, shorten

#: What ``fields`` may be: ``grade=rating,topic=thread``, or the same as a dictionary.
GivenFields = str | Mapping[str, str | Sequence[str]] | None


@dataclass(frozen=True)
class ChosenFields:
    """Roles and the names of their fields; ``ignored`` are roles or names of fields that are not read, ``groups`` are
    fields of topics whatever their names."""

    named: tuple[tuple[str, str], ...] = ()
    ignored: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: GivenFields) -> ChosenFields:
        """Read what a person says."""
        said = read_fields(given)
        groups = said.pop("group", ())
        named = tuple((role, name) for role, name in said.items() if name and isinstance(name, str))
        ignored = tuple(role for role, name in said.items() if not name)
        return cls(named, ignored, (groups,) if isinstance(groups, str) else groups)

    def __bool__(self) -> bool:
        return bool(self.named or self.ignored or self.groups)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of fields that have to be in the file."""
        return (*(name for _, name in self.named), *self.groups)


NOTHING_CHOSEN = ChosenFields()


def read_fields(given: GivenFields) -> dict[str, str | tuple[str, ...]]:
    """Parse ``question=q,quote=ctx`` or a dictionary; several groups are several ``group=``."""
    if given is None:
        return {}
    pairs: list[tuple[str, str]] = []
    if isinstance(given, str):
        for part in filter(None, (one.strip() for one in given.split(","))):
            role, sign, name = part.partition("=")
            if not sign or not role.strip():
                raise UsageError(
                    f"{option('fields')}: {shorten(part, 60)!r} is not ROLE=NAME, as in question=q,quote=ctx"
                )
            pairs.append((role.strip(), name.strip()))
    else:
        for role, held in given.items():
            names = [held or ""] if isinstance(held, str) or held is None else held
            if not isinstance(role, str) or not isinstance(names, Sequence) or {*map(type, names)} - {str}:
                raise UsageError(
                    f"{option('fields')}: {role!r:.40}: {held!r:.40} is not a role and the name of a field"
                )
            pairs += [(role, one) for one in names]
    found: dict[str, str | tuple[str, ...]] = {}
    for role, name in pairs:
        if role == "group":
            found[role] = (*found.get(role, ()), name)
        elif role in found:
            raise UsageError(f"{option('fields')}: {role} is given twice")
        else:
            found[role] = name
    return found
