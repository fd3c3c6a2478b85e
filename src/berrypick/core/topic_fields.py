"""Fields of topics: what a truth or a table says of each topic besides its judgements, such as a domain or a source."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from berrypick.core.errors import shorten


@dataclass(frozen=True)
class TopicField:
    """One field: its value for each topic that has one. ``problem`` says why it cannot tell topics apart."""

    values: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


class TopicFields:
    """Collects fields row by row. A field belongs to topics if all rows of a topic agree on it."""

    def __init__(self, without: Collection[str] = ()) -> None:
        self._without = frozenset(without)
        self._values: dict[str, dict[str, Any]] = {}
        self._problems: dict[str, str] = {}

    def add(self, topic: str, row: Mapping[str, Any], place: str) -> None:
        """The fields of one row; ``place`` is how messages refer to it."""
        for name, value in row.items():
            if name in self._without or name in self._problems or value is None:
                continue
            if not isinstance(value, (str, int, float)):
                self._drop(name, f"its value is no text and no number ({place})")
                continue
            known = self._values.setdefault(name, {}).setdefault(topic, value)
            if known is not value and known != value:
                first, second = (shorten(repr(_text(one)), 40) for one in (known, value))
                self._drop(name, f"topic {topic} has {first} and {second} ({place})")

    def _drop(self, name: str, problem: str) -> None:
        self._values.pop(name, None)
        self._problems[name] = problem

    def found(self) -> dict[str, TopicField]:
        """Every field by its name."""
        good = {
            name: TopicField({topic: _text(value) for topic, value in values.items()})
            for name, values in self._values.items()
        }
        return good | {name: TopicField({}, problem) for name, problem in self._problems.items()}


def _text(value: str | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
