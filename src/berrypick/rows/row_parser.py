"""The one parser of rows: truths and runs, of every carrier, are read part by part, as the keys of a row say.

A parser lists its parts in the order in which a row goes through them: look up names, read the place, read the text,
compare them with each other and with earlier rows, keep what was read. Each part names the keys that it is about. The
plan for a tuple of keys has the parts that rows with these keys need, so most rows go through few, and rows with one
plan could be read column by column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from berrypick.files.problems import Problems
from berrypick.rows.fields import PAGE_NAMES
from berrypick.rows.json_lines import Fields, Rows
from berrypick.rows.layouts import one_place_each

if TYPE_CHECKING:
    from berrypick.data.boxes import Place

#: A row with none of these keys has no place on a page.
PAGES = frozenset(PAGE_NAMES)
#: So many plans are kept; a file may have other keys in every row.
_MOST_PLANS = 1024


class ParsedRow(Fields):
    """The fields of one row, and what parts have read from them so far."""

    item = 0  # the same for all places of one result
    topic = ""
    document = ""
    span: tuple[float, float] | None = None
    place: Place | None = None
    # of a truth
    grade: float | None = None
    named: Mapping[str, tuple[str, ...]] = {}  # sets or hops
    # of a run
    unit = ""
    score: float | None = None
    rank: float | None = None
    run = ""


#: Reads one part of a row; returns true if the row is done, and goes through no more parts.
ReadPart = Callable[[Any, Any], bool | None]


@dataclass(frozen=True)
class Part:
    """A method of a parser that reads one part of a row, and the keys of which a row needs one to go through it."""

    read: ReadPart
    keys: frozenset[str]

    @classmethod
    def of(cls, read: ReadPart, *keys: str) -> Part:
        """Make a part for rows with one of some keys; without keys it is for all rows."""
        return cls(read, frozenset(keys))


class RowParser:
    """Reads rows by the parts that its subclass lists, and keeps what they say."""

    parts: ClassVar[tuple[Part, ...]] = ()

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self._plans: dict[tuple[str, ...], tuple[ReadPart, ...]] = {}

    def plan(self, keys: tuple[str, ...]) -> tuple[ReadPart, ...]:
        """Return the parts that rows with these keys go through."""
        if (known := self._plans.get(keys)) is not None:
            return known
        found = tuple(part.read for part in self.parts if not part.keys or not part.keys.isdisjoint(keys))
        if len(self._plans) < _MOST_PLANS:
            self._plans[keys] = found
        return found

    def read(self, rows: Rows) -> None:
        """Take every row through its plan."""
        keys: tuple[str, ...] = ()
        plan = self.plan(keys)
        for item, number, text, value in one_place_each(rows):
            if (names := tuple(value)) != keys:  # most rows have the keys of the one before
                keys, plan = names, self.plan(names)
            row = ParsedRow(number, text, value, self.problems)
            row.item = item
            for part in plan:
                if part(self, row):
                    break

    def read_topic(self, row: ParsedRow) -> None:
        """Read the name of the topic."""
        row.topic = row.name("topic")

    def is_bad(self, row: ParsedRow) -> bool:
        """Stop at a row with a problem."""
        return not row.good
