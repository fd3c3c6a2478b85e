"""Rows that hold lists of results, or of what is relevant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.data.strings import is_text
from berrypick.rows.counted_places import COUNTED
from berrypick.rows.field_plan import FieldPlan
from berrypick.rows.field_rows import FieldError, FieldRow, with_fields
from berrypick.rows.fields import LISTED_FIELDS, OF_ONE, TEXTS_ONLY, Role, ours_of, plain_name
from berrypick.rows.relevance_fields import are_relevance
from berrypick.rows.row_lists import LISTED, STRING, as_lists


@dataclass(frozen=True)
class HeldLists:
    """The lists in a row: which of them hold results, and which have an item for each result."""

    given: Mapping[str, Any]
    #: Names of all lists.
    lists: frozenset[str]
    #: Names of lists whose items are results.
    whole: tuple[str, ...]
    #: Names of lists of one length, whose first items are one result, and so on.
    cells: set[str]
    #: Whether the row is the list of results of its topic.
    is_entry: bool


def lists_of(plan: FieldPlan, row: Mapping[str, Any]) -> HeldLists | None:
    """Find the lists in a row; None if it is one result."""
    given: Mapping[str, Any] = as_lists(row)
    whole = plan.whole
    if plan.role == "truth":
        given, judged = _judged_lists(plan, given)
        whole = (*(name for name in whole if not _grades_passages(name, plan, given)), *judged)
    lists = frozenset(name for name, value in given.items() if isinstance(value, (list, tuple)))
    beside = [name for name in plan.names(*LISTED_FIELDS) if name in lists and name not in plan.whole]
    single = [name for name in plan.names(*OF_ONE) if name not in lists and given[name] is not None]
    if beside and single:
        what = f"{beside[0]} is a list, but {single[0]} is not"  # it would be taken for that of every item
        raise FieldError(what, "give lists with an item for each, or none")
    texts = lists.intersection(plan.names("text", *(("set", "hop") if beside else ())))
    if plan.role == "truth":
        texts |= _beside_lists(plan, given, whole)
    if single:
        return None  # one place or score cannot be that of several results
    if plan.contexts and lists.isdisjoint(plan.lists):
        whole = tuple(name for name in plan.contexts if _holds_objects(given[name]))
    cells = {*plan.lists, *(() if lists.isdisjoint(plan.lists) else texts)} - {*whole}
    is_entry = not lists.isdisjoint({*plan.whole, *plan.names("doc"), *texts})
    return HeldLists(given, lists, whole, cells, is_entry)


def named_item(row: dict[str, Any]) -> Mapping[str, Any]:
    """A row for an item of a list of what is relevant; a text that is no name is looked up."""
    if "item" not in row:
        return row
    item = row.pop("item")
    return {**row, ("quote" if isinstance(item, str) and is_text(item) else "doc"): item}


def in_list(row: Mapping[str, Any], string: bool) -> FieldRow:
    """A row that says that it comes from a list, and whether it is a string there."""
    return with_fields(row, {LISTED: True, **({STRING: True} if string else {})})


def _holds_objects(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _grades_passages(name: str, plan: FieldPlan, given: Mapping[str, Any]) -> bool:
    """Whether a list, such as ``relevant``, grades a list of passages beside it instead of listing what is relevant."""
    held = given[name]
    if name not in plan.wanted.get("grade", ()) or not isinstance(held, (list, tuple)) or not held:
        return False
    passages = [given[other] for ours in ("quote", "text", "doc") for other in plan.wanted.get(ours, ())]
    alike = any(isinstance(one, (list, tuple)) and len(one) == len(held) for one in passages)
    return alike and are_relevance(held)


def _judged_lists(plan: FieldPlan, given: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """The row with its passages as lists of objects with quotes, and the names of these lists.

    ``contexts: [{text, relevant}, ..]`` is one already; ``passages: {is_selected: [..], passage_text: [..]}`` becomes
    one. A row with offsets of its own keeps such objects as they are.
    """
    if any(given[name] is not None for ours in ("start", *COUNTED) for name in plan.wanted.get(ours, ())):
        return given, []
    found: dict[str, list[Any]] = {}
    for name in plan.quotes:
        items = _as_objects(given[name])
        if items and all(isinstance(one, Mapping) and (_text_key(one) or _grade_key(one)) for one in items):
            found[name] = [_with_quote(one) for one in items]
    return {**given, **found}, list(found)


def _as_objects(value: Any) -> list[Any]:
    """Objects in a list; an object of lists of one length as such a list."""
    if not isinstance(value, Mapping):
        return list(value) if isinstance(value, (list, tuple)) else []
    if not all(isinstance(held, (list, tuple)) for held in value.values()):
        return []
    if len({len(held) for held in value.values()}) > 1:
        shown = ", ".join(f"{len(held)} {name}" for name, held in value.items())
        raise FieldError(f"has lists of different lengths: {shown}", "give one list, with an item for each passage")
    return [dict(zip(value, cells, strict=True)) for cells in zip(*value.values(), strict=True)]


def _text_key(item: Mapping[Any, Any]) -> str:
    return next((str(name) for name in item if "text" in (ours_of(str(name), "run"), ours_of(str(name), "truth"))), "")


def _grade_key(item: Mapping[Any, Any]) -> str:
    return next((str(name) for name in item if ours_of(str(name), "truth") == "grade"), "")


def _with_quote(item: Mapping[Any, Any]) -> dict[str, Any]:
    """An object in a list of passages: its text is a quote."""
    placed = any(ours_of(str(name), "truth") in ("start", "quote") for name in item)
    name = "" if placed else _text_key(item)
    return {"quote" if str(key) == name else str(key): value for key, value in item.items()}


def _beside_lists(plan: FieldPlan, given: Mapping[str, Any], whole: Sequence[str]) -> set[str]:
    """Names of lists of quotes, each quote of which belongs to an item of the lists beside them."""

    def listed(names: Iterable[str]) -> list[str]:
        return [name for name in names if name not in whole and isinstance(given[name], (list, tuple))]

    others, quotes, texts = (listed(one) for one in (plan.lists, *(plan.wanted.get(n, ()) for n in ("quote", "text"))))
    graded = [name for name in others if name in plan.wanted.get("grade", ())]
    if graded and len(graded) == len(others) and not quotes and not texts and len(given[graded[0]]) != 1:
        raise FieldError(
            f"{graded[0]} is a list, but no list of passages is beside it", "give each passage its own row"
        )
    return {name for name in quotes if graded or (others and len(given[name]) == len(given[others[0]]))}


def has_no_texts(row: FieldRow, wanted: Mapping[str, tuple[str, ...]], given: Mapping[str, Any]) -> bool:
    """Whether a row has an empty list in the place of texts that were retrieved, and no result."""
    held = [given[name] for name in wanted.get("text", ())]
    empty = any(isinstance(one, (list, tuple)) and not len(one) for one in held)
    return empty and all(row.get(name) is None for name in ("doc", "text", *OF_ONE))


def one_text_each(row: FieldRow, role: Role) -> Sequence[FieldRow]:
    """Several rows for a list of texts."""
    ours = "quote" if role == "truth" and isinstance(row.get("quote"), (list, tuple)) else "text"
    texts = row.get(ours)
    if not isinstance(texts, (list, tuple)):
        return [row]
    if len(texts) > 1 and (rival := next((n for n in ("start", "rank", "score") if row.get(n) is not None), "")):
        name = row.called.get(ours, ours)
        raise FieldError(f"{name} has {len(texts)} texts but only one {rival}", "give each text a row of its own")
    name = plain_name(row.called.get(ours, ours))
    string = role == "run" and row.get("doc") is None and name not in TEXTS_ONLY
    made = []
    for text in texts:
        one = with_fields(row, {ours: text})
        if string:
            one["doc"] = one.pop(ours)
        made.append(in_list(one, string))
    return made or [row]
