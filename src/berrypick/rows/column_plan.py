"""What the names of columns mean, where whole columns are read at once: of files that are scanned, tables, records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, Positions
from berrypick.data.columns import Coded, Packed, Stretches, unpacked
from berrypick.data.costs import OF_STEPS, TOPIC_COSTS
from berrypick.data.words import counted, plain_title
from berrypick.rows.counted_places import COSTS, DETAIL_NUMBERS
from berrypick.rows.field_plan import plan_of
from berrypick.rows.field_values import is_text_value
from berrypick.rows.fields import Role, is_question, plain_name
from berrypick.rows.json_lines import positions

#: Fields of which a column holds names, numbers or texts.
_READ: Mapping[Role, frozenset[str]] = {
    "truth": frozenset({"topic", "doc", "start", "end", "grade"}),
    "run": frozenset({"topic", "doc", "start", "end", "score", "rank", "text", "tag", *DETAIL_NUMBERS}),
}
#: Fields of places that count something else, and the unit that they count.
_UNITS = ((("start_line", "end_line"), "lines"), (("start_time", "end_time"), "seconds"))


@dataclass(frozen=True)
class ColumnPlan:
    """The fields that columns fill, where each row has a plain value in each of them."""

    #: Our names to theirs; start and end are those of lines or seconds where places count these.
    called: Mapping[str, str]
    #: Their names that fill no field.
    rest: tuple[str, ...]
    #: What start and end count where their names say so: lines or seconds.
    unit: str = ""
    #: Names of the rest under which lists and objects may stand, if they do not say where.
    objects: frozenset[str] = frozenset()

    @property
    def asked(self) -> bool:
        """Whether the question is all that names the topic."""
        return is_question(self.called["topic"])

    @property
    def details(self) -> list[str]:
        """Our names of numbers that say what a step cost."""
        return [name for name in DETAIL_NUMBERS if name in self.called]

    def texts_say_more(self, texts: Sequence[str]) -> bool:
        """Whether one of the texts is none, so that another field may be the text of its row."""
        alone = plain_name(self.called["text"]) == "text"
        return not alone and not all(map(is_text_value, texts))


@lru_cache(maxsize=256)
def column_plan(names: tuple[str, ...], role: Role) -> ColumnPlan | None:
    """Make the plan for columns of these names; None if rows have to be read one by one."""
    plan = plan_of(names, role)
    direct = plan.direct
    if direct is None or direct.pages or "topic" not in direct.called:
        return None
    called, unit = dict(direct.called), ""
    for pair, counts in _UNITS:
        if {*pair} <= called.keys() and called.keys().isdisjoint({"start", "end", "length"}):
            called["start"], called["end"] = (called.pop(name) for name in pair)
            unit = counts
            break
    several_texts = len(plan.wanted.get("text", ())) > 1
    if not called.keys() <= _READ[role] or several_texts or (role == "truth" and direct.rest):
        return None
    if ("start" in called) != ("end" in called) or (
        "doc" not in called and ("text" not in called or "start" in called)
    ):
        return None
    objects = direct.objects.difference(plan.may_list)  # lists there make several rows of one
    return ColumnPlan(called, direct.rest, unit, objects)


def placed(
    plan: ColumnPlan, start: Positions | Packed | None, end: Positions | Packed | None, texts: Sequence[str] | None
) -> tuple[Positions | Packed | None, Positions | Packed | None] | None:
    """Start and end as a run has them; None if one of them is no place."""
    if start is None or end is None:
        return start, end
    if plan.unit != "lines":
        return _positions(start), _positions(end)
    first, last = positions(unpacked(start)), positions(unpacked(end))
    if first.dtype.kind != "i" or last.dtype.kind != "i" or not (first >= 1).all() or not (last >= first).all():
        return None
    first = first - 1
    if texts is not None:  # a text has no more lines than its place
        many = (1 + text.strip("\r\n").count("\n") for text in texts)
        if any(size > room for size, room in zip(many, (last - first).tolist(), strict=True)):
            return None
    return first, last


def _positions(column: Positions | Packed) -> Positions | Packed:
    return Packed(column.whole) if isinstance(column, Packed) and column.divisor == 1 else positions(unpacked(column))


def titles_differ(plan: ColumnPlan, topics: Sequence[str]) -> bool:
    """Whether questions that name topics have white space that is not compared."""
    return plan.asked and any(name != plain_title(name) for name in topics)


@dataclass(frozen=True)
class ColumnCosts:
    """What columns of costs say: of topics, and of rows."""

    topics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    #: Columns that stay with the rows, in the order of the file.
    details: Mapping[str, FloatArray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def costs_of_columns(
    details: Mapping[str, FloatArray], topic: Coded | Stretches, listed: bool = False
) -> ColumnCosts | None:
    """Make costs of topics: in flat rows without steps the first value of each; None if one is below 0.

    ``listed``: the rows come from lists, and their costs are their own.
    """
    if any((column < 0).any() for name, column in details.items() if name in COSTS):
        return None
    if not details or listed or not {*OF_STEPS}.isdisjoint(details):
        return ColumnCosts(details=details)
    found: dict[str, dict[str, float]] = {}
    notes = []
    codes, first, rows = np.unique(topic.codes, return_index=True, return_inverse=True)
    for name in TOPIC_COSTS:
        if (column := details.get(name)) is None:
            continue
        for code, value in zip(codes.tolist(), column[first].tolist(), strict=True):
            found.setdefault(topic.names[code], {})[name] = value
        if several := len(np.unique(rows[column != column[first][rows]])):
            notes.append(several_costs(name, several))
    kept = {name: column for name, column in details.items() if name == "tokens"}
    return ColumnCosts(found, kept, tuple(notes))


def several_costs(name: str, topics: int) -> str:
    """Write the note on topics whose rows differ in a cost of the topic."""
    return f"{counted(topics, 'topic')} with several values of {name}: the first row's counts"


def run_columns(
    plan: ColumnPlan,
    topic: Coded | Stretches,
    document: Coded,
    numbers: Mapping[str, Positions | FloatArray | Packed],
    texts: Sequence[str] | None,
) -> dict[str, Any] | None:
    """Columns of a run by our names, as :func:`run_of_columns` takes them; None if rows have to be read one by one."""
    if titles_differ(plan, topic.names) or (texts is not None and plan.texts_say_more(texts)):
        return None
    if "doc" not in plan.called and not all(map(str.strip, texts or ())):
        return None  # nothing says which document it is
    place = placed(plan, numbers.get("start"), numbers.get("end"), texts)
    details = {name: unpacked(numbers[name]) for name in plan.details}
    costs = costs_of_columns(details, topic, listed=plan.called.get("rank") == "step")  # of steps, not of topics
    if place is None or costs is None:
        return None
    score, rank = numbers.get("score"), numbers.get("rank")
    return {"tag": "", "topic": topic, "document": document, "start": place[0], "end": place[1], "score": score,
            "rank": rank, "text": texts, "unit": plan.unit, "costs": costs}  # fmt: skip


#: Larger numbers are not exact as 64-bit floats, and are refused.
LARGEST = 2.0**53


def typed_run(plan: ColumnPlan, columns: Mapping[str, Any]) -> dict[str, Any] | None:
    """The same of columns by our names, names with codes, arrays of numbers and lists of texts, whose values have not
    been checked."""
    topic, texts = columns["topic"], columns.get("text")
    document = columns["doc"] if "doc" in columns else Coded([""], np.zeros(len(topic.codes), dtype=np.int32))
    numbers = checked_numbers({name: held for name, held in columns.items() if isinstance(held, np.ndarray)})
    named = are_names(topic) and ("doc" not in columns or are_names(document))
    return run_columns(plan, topic, document, numbers, texts) if named and numbers is not None else None


def are_names(column: Coded) -> bool:
    """Whether all names are such that nothing has to be said about them."""
    return all(column.names) and all(map(str.isprintable, column.names))


def checked_numbers(numbers: Mapping[str, Any]) -> dict[str, Any] | None:
    """Numbers as a run or truth has them; None if one of them is out of range, or an end is before its start."""
    if not all(bool((np.abs(held) < LARGEST).all()) for held in numbers.values()):
        return None
    start, end = numbers.get("start"), numbers.get("end")
    if start is not None and end is not None and not ((start >= 0) & (end >= start)).all():
        return None
    places = ("start", "end")
    return {name: held if name in places else held.astype(np.float64) for name, held in numbers.items()}
