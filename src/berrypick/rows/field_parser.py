"""Rows of any carrier, read by our names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import NoneType
from typing import Any

from berrypick.data.costs import TOPIC_COSTS
from berrypick.data.errors import UsageError, nearest, option, shorten
from berrypick.data.words import plain_title
from berrypick.rows.chosen_fields import NOTHING_CHOSEN, ChosenFields
from berrypick.rows.counted_places import DETAILS, in_one_unit
from berrypick.rows.entries import ENTRY_ID, Entries
from berrypick.rows.field_lists import (
    has_no_texts,
    in_list,
    lists_of,
    named_item,
    one_text_each,
)
from berrypick.rows.field_plan import DirectFields, FieldPlan, plan_of, refuse_unknown, rivals_of
from berrypick.rows.field_rows import FieldError, FieldRow, with_fields
from berrypick.rows.field_values import (
    WITH_PAGES,
    flat,
    from_distance,
    has_text_or_offsets,
    is_other,
    is_text_value,
    place_inside,
    refuse_places,
    with_end,
)
from berrypick.rows.fields import (
    LAST_QUOTES,
    LISTED_FIELDS,
    NUMBERS,
    PAGE_NAMES,
    TABLE,
    Role,
    is_page,
    is_question,
    plain_name,
)
from berrypick.rows.layouts import LayoutError, with_places
from berrypick.rows.loader_fields import PAGE_FIELDS, without_loader_fields
from berrypick.rows.relevance_fields import OPEN, grade_of
from berrypick.rows.row_lists import OF_TOPIC, spread

_OF_RUNS = ("tag", "rank", "results")
_NOTHING: frozenset[str] = frozenset()
_SCALARS = frozenset({str, int, float, bool})
#: Types of values that are no lists.
_ALONE = _SCALARS | {NoneType}
_CONTAINERS = frozenset({list, tuple, dict})


class FieldParser:
    """Reads rows by our names, and keeps the names of what it did not read.

    ``ends``: an end that is missing follows from the text or the length of its row; those who know what offsets count
    do that themselves. ``metadata``: of several names of a document the first counts, whatever tier it is of.
    ``chosen``: what a person says about fields.
    """

    def __init__(
        self, role: Role, ends: bool = True, metadata: bool = False, chosen: ChosenFields = NOTHING_CHOSEN
    ) -> None:
        self.role: Role = role
        self._ends, self._metadata, self._chosen = ends, metadata, chosen
        self.unread: dict[str, None] = {}
        #: Whether the last row was an entry: the list of results of its topic, perhaps an empty one.
        self.is_entry = False
        #: The rows of a run that were read, by topic.
        self.entries = Entries()
        self._names: tuple[Any, ...] = ()
        self._plan = FieldPlan(role, simple=False, wanted={})
        self._seen: dict[str, None] = {}  # names of all rows, where a person has named some
        for role_name, _ in chosen.named:
            if role_name not in TABLE[role]:
                offer = (
                    nearest(role_name, [*TABLE[role]]) or "; roles are topic, doc, start, end, quote, grade and group"
                )
                raise UsageError(f"{option('fields')}: {shorten(role_name, 40)} is not a role{offer}")

    def read(self, given: Mapping[Any, Any]) -> Sequence[Mapping[str, Any]]:
        """A row by our names; several rows where it holds a list of texts. What would not be used is an error."""
        rows = self._read(given)
        if self.role == "run" and self._plan.asked:
            for row in rows:
                if type(row.get("topic")) is str:
                    row["topic"] = plain_title(row["topic"])  # type: ignore[index]
        return rows

    def _read(self, given: Mapping[Any, Any]) -> Sequence[Mapping[str, Any]]:
        names = tuple(given)
        if not names or names != self._names:  # most rows have the names of the one before
            if {*map(type, names)} != {str}:
                given = {str(name): value for name, value in given.items()}
                names = tuple(given)
            self._names, self._plan = names, self._plan_for(names)
        plan, self.is_entry = self._plan, False
        if plan.ignored:
            given = {name: value for name, value in given.items() if name not in plan.ignored}
        may_list = plan.may_list_beside_doc if type(given.get("doc")) is str else plan.may_list
        if may_list and not all(type(given[name]) in _ALONE for name in may_list):
            rows = self._spread(plan, given)
            if rows is not None:
                return rows
        if plan.simple:
            return (given,)
        try:
            row = self._direct_row(plan, given)
            return self._any_row(given) if row is None else (row,)
        except LayoutError as error:
            raise FieldError(str(error), error.remedy) from None

    def _plan_for(self, names: tuple[str, ...]) -> FieldPlan:
        if self._chosen:
            self._seen |= dict.fromkeys(names)
        return plan_of(names, self.role, self._chosen, self._metadata)

    # --- rows of plain values ---

    def _direct_row(self, plan: FieldPlan, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Read a row as its names say; None if a value decides otherwise."""
        if "metadata" in given or "meta" in given or "node" in given:
            given = flat(given)
            plan = self._plan_for(tuple(given))
        direct = plan.direct
        if direct is None or not all(type(given[name]) in _SCALARS for name in direct.called.values()):
            return None
        for name in direct.texts:
            if not is_text_value(given[name]):
                return None
        for name in direct.rest:
            kind = type(value := given[name])
            if kind not in _ALONE and not (
                kind in _CONTAINERS and name in direct.objects and not (value and place_inside(value))
            ):
                return None
        if direct.as_is and not (self._ends and direct.lacks_end):
            return given
        if any(given[name] is None for name in direct.pages):
            return None
        return self._renamed(direct, given)

    def _renamed(self, direct: DirectFields, given: Mapping[str, Any]) -> FieldRow:
        """A row of plain values by our names."""
        row = FieldRow([(ours, given[theirs]) for ours, theirs in direct.called.items()])
        row.called = direct.called
        if direct.rest:
            self._keep_rest(row, _NOTHING, {name: given[name] for name in direct.rest})
        if direct.pages:
            row[PAGE_FIELDS] = {name: given[name] for name in direct.pages}
        if direct.steps:
            if "distance" in direct.called:
                from_distance(row)
            called = dict(row.called)
            in_one_unit(row, called, self.role)
            row.called = called
        return with_end(row) if self._ends else row

    # --- rows of other values ---

    def _any_row(self, given: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Read a row of any fields: flatten it, look up names, read the place, read the text."""
        given, pages = flat(given), dict[str, Any]()
        if self.role == "run" and has_text_or_offsets(given):
            given, pages = without_loader_fields(given, is_page, place_inside)
        given = with_places(given)
        plan = self._plan_for(tuple(given))
        given = {name: value for name, value in given.items() if name not in plan.ignored}
        refuse_places({name: value for name, value in given.items() if value is not None})
        row = self._row(plan.wanted, given)
        if self.role == "run" and has_no_texts(row, plan.wanted, given):
            self.is_entry = True
            for name in plan.wanted["text"]:
                self.unread.pop(name, None)
            return (self._empty_entry(plan.wanted, given),)
        self._place(row)
        if pages:
            row[PAGE_FIELDS] = pages
        if self._ends:
            row = with_end(row)
        self.is_entry = isinstance(row.get("text"), (list, tuple))
        if self.is_entry and "id" in row:
            row[ENTRY_ID] = row.pop("id")
        if self.is_entry and (own := {name: row.pop(name) for name in TOPIC_COSTS if row.get(name) is not None}):
            row[OF_TOPIC] = own
        return one_text_each(row, self.role)

    def _empty_entry(self, wanted: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]) -> FieldRow:
        """A row that says that nothing was retrieved for its topic."""
        names = {ours: self._name(ours, {name: given[name] for name in wanted[ours]})
                 for ours in ("topic", "id", "run", "stage") if ours in wanted}  # fmt: skip
        row = FieldRow({ours: given[name] for ours, name in names.items() if name is not None})
        row.called = {ours: name for ours, name in names.items() if name is not None}
        if self.role == "truth":
            row["is_impossible"] = True
            return row
        row["results"] = []
        if own := self._own_costs(wanted, given):
            row[OF_TOPIC] = own
        if "id" in row:
            row[ENTRY_ID] = row.pop("id")
        if "tag" in given and "run" not in row:
            row["tag"] = given["tag"]
        return row

    # --- rows that hold lists ---

    def _spread(self, plan: FieldPlan, given: Mapping[str, Any]) -> Sequence[Mapping[str, Any]] | None:
        """The rows of a row that holds lists; None if it holds none."""
        held = lists_of(plan, given)
        if held is None:
            return None
        own = self._own_costs(plan.wanted, held.given)
        items = {name: value for name, value in held.given.items() if not own or name not in plan.names(*own)}
        try:
            rows = spread(items, held.whole, held.cells)
        except ValueError as error:
            raise FieldError(str(error), "give one list, with an item for each result") from None
        if rows is None:
            return None
        self.is_entry = held.is_entry
        if rows:
            found = self._items(plan, held.given, rows)
            return [with_fields(one, {OF_TOPIC: own}) for one in found] if own else found
        if any(held.given[name] is not None and name not in held.lists for name in plan.names(*LISTED_FIELDS)):
            raise FieldError("has both a result and an empty list of results", "keep one of them")
        return (self._empty_entry(plan.wanted, held.given),)

    def _own_costs(self, wanted: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]) -> dict[str, Any]:
        """The costs of a topic that stand beside its list; what results say of theirs is in the list."""
        if self.role != "run":
            return {}
        held = {ours: given.get(wanted[ours][0]) for ours in TOPIC_COSTS if ours in wanted}
        return {ours: value for ours, value in held.items() if value is not None and type(value) in _SCALARS}

    def _items(
        self, plan: FieldPlan, given: Mapping[str, Any], rows: list[dict[str, Any]]
    ) -> Sequence[Mapping[str, Any]]:
        """Read the rows of the items of a list."""
        parser = FieldParser(self.role, self._ends, self._metadata, self._chosen)
        own = self._own_id(plan, given, rows)
        found = [one for row in rows for one in parser.read_item(row)]
        self.unread |= parser.unread
        self._seen |= parser._seen
        return found if own is None else [with_fields(one, {ENTRY_ID: own}) for one in found]

    def _own_id(self, plan: FieldPlan, given: Mapping[str, Any], rows: list[dict[str, Any]]) -> Any:
        """The id of an entry. Its rows lose what they have under that name: the same, or the id of a chunk."""
        if not self.is_entry or "id" not in plan.wanted:
            return None
        name = plan.wanted["id"][0]
        for row in rows:
            if row.pop(name, None) is not given[name]:
                self.unread[name] = None
        return given[name]

    def read_item(self, row: dict[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Read the row of an item of a list; a value that is not an object is under the name ``item``."""
        if self.role == "truth":
            return self.read(named_item(row))
        string = isinstance(row.get("item"), str)
        if "item" in row:
            row["doc"] = row.pop("item")
        return [in_list(one, string) for one in self.read(row)]

    def refuse_unknown(self, where: str) -> None:
        """Refuse names that a person gave and no row has."""
        refuse_unknown(self._chosen, [*self._seen], where)

    def number_names(self, names: Iterable[str]) -> dict[str, str]:
        """Names of fields that hold numbers, to what these are called here."""
        wanted = plan_of(tuple(names), self.role, self._chosen).wanted
        return {theirs: ours for ours, held in wanted.items() if ours in NUMBERS for theirs in held}

    def read_columns(
        self, columns: Mapping[str, Sequence[Any]]
    ) -> tuple[dict[str, Sequence[Any]], dict[str, str]] | None:
        """Columns by our names, with what they are called, where all values are plain; None if some are not."""
        direct = plan_of(tuple(columns), self.role, self._chosen).direct
        if direct is None or self._chosen or direct.pages or direct.steps:
            return None
        if (self._ends and direct.lacks_end) or (direct.rest and self.role == "truth"):
            return None
        for name, held in columns.items():
            kinds = {*map(type, held)}
            if not kinds <= _SCALARS or (float in kinds and any(value != value for value in held)):
                return None
            if name in direct.texts and not all(map(is_text_value, held)):
                return None
        for name in direct.rest:
            self._keep_rest(FieldRow(), _NOTHING, {name: next((value for value in columns[name] if value != ""), None)})
        return {ours: columns[theirs] for ours, theirs in direct.called.items()}, dict(direct.called)

    def _row(self, wanted: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]) -> FieldRow:
        row = FieldRow()
        called: dict[str, str] = {}
        for ours, theirs in wanted.items():
            held = {name: given[name] for name in theirs}
            name = self._text_name(ours, held, row) if ours in ("quote", "text") else self._name(ours, held)
            if name is not None and name not in called.values():
                row[ours], called[ours] = given[name], name
            elif (ours in given and given[ours] is None) or (ours == "grade" and name is None):
                row[ours] = None  # null is not the same as a field that is not there
                called.update({ours: theirs[0]} if ours == "grade" else {})
        if plain_name(called.get("start", "")) == WITH_PAGES:
            for ours in PAGE_NAMES:
                row.pop(ours, None)
        if self.role == "truth" and "answer" in given and given["answer"] is None:
            row["answer"] = None  # says that there is none
        if self.role == "run":
            from_distance(row)
        for name in ("tag", "results"):
            if name in given and self.role == "run":
                row[name] = given[name]
        self._keep_rest(row, {*called.values(), *row}, given)
        row.called = called
        return row

    def _place(self, row: FieldRow) -> None:
        """Fields that count lines or seconds are start and end of these; what is no detail of a step is unread."""
        called = dict(row.called)
        in_one_unit(row, called, self.role)
        for name in DETAILS if self.role == "run" else ():
            if name in row and type(row[name]) not in _SCALARS:
                del row[name]
                self.unread[called.pop(name, name)] = None
        row.called = called

    def _name(self, ours: str, held: Mapping[str, Any]) -> str | None:
        """The name whose value counts."""
        found = [name for name, value in held.items() if value is not None and not is_other(ours, name, value)]
        usual = [name for name in found if ours != "id" and plain_name(name) in TABLE[self.role][ours].usual]
        rivals = rivals_of(ours, usual, found)
        if len(rivals) > 1 and not (self._metadata and ours == "doc"):
            known = {name: grade_of(held[name]) if ours == "grade" else None for name in rivals}
            values = {str(held[name] if known[name] is None else known[name]) for name in rivals}
            if len(values) > 1:
                also = f", or name it with {option('fields', f'{ours}={rivals[0]}')}" if self.role == "truth" else ""
                raise FieldError(
                    f"has {len(rivals)} fields for the {ours}, which differ: {', '.join(rivals)}",
                    f"keep one of them{also}",
                )
        return next(iter([*usual, *found]), None)

    def _text_name(self, ours: str, held: Mapping[str, Any], row: Mapping[str, Any]) -> str | None:
        """The first name that holds text."""
        if ours == "text" and row.get("quote") is not None:
            return "text" if "text" in held else None
        placed = row.get("start") is not None
        for name, value in held.items():
            if is_text_value(value) and not (placed and plain_name(name) in LAST_QUOTES):
                return name
        return next((name for name, value in held.items() if plain_name(name) == ours and value is not None), None)

    def _keep_rest(self, row: FieldRow, used: AbstractSet[str], given: Mapping[str, Any]) -> None:
        """Other fields are those of a topic in a truth, and unread in a run."""
        for name, value in given.items():
            if (
                name in used
                or value is None
                or name in self.unread
                or (isinstance(value, str) and not value and self.role == "run")
            ):
                continue
            if self.role == "truth" and name not in _OF_RUNS:
                self._refuse_open(row, name, value)
                row.setdefault(name, value)
            elif not is_question(name) and not name.startswith("_"):
                self.unread[name] = None

    def _refuse_open(self, row: Mapping[str, Any], name: str, value: Any) -> None:
        """Refuse a field that may be the grade, in a row that has no other: a judged-false row would be relevant."""
        if plain_name(name) not in OPEN or "grade" in row or grade_of(value) is None or name in self._chosen.groups:
            return
        if row.get("is_impossible") or row.get("judged") is not None or row.get("answer", "") is None:
            return  # nothing is graded in such a row
        if "grade" in {*self._chosen.ignored, *(role for role, _ in self._chosen.named)}:
            return
        shown = name if name.isprintable() and not {*",="} & {*name} else "NAME"
        raise FieldError(
            f"{shorten(name, 40)} may be the grade or something else",
            f"read it with {option('fields', f'grade={shown}')}, or ignore it with {option('fields', f'{shown}=')}",
        )

    def leave(self, names: Iterable[str]) -> None:
        """Columns that are not even loaded."""
        self.unread.update(dict.fromkeys(name for name in names if not is_question(name)))

    def leave_values(self, names: Iterable[str]) -> None:
        """Fields of rows that hold something and are not read."""
        for name in names:
            self._keep_rest(FieldRow(), _NOTHING, {name: True})
