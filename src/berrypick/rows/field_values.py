"""What the values of a row say about its fields: which name counts, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from berrypick.data.errors import option
from berrypick.data.strings import LONGEST_NAME
from berrypick.rows.counted_places import COUNTED
from berrypick.rows.field_plan import plan_of
from berrypick.rows.field_rows import FieldError, FieldRow
from berrypick.rows.fields import COMMON, INSIDE, ONE_ONLY, PAGES, PLACES, counts, ours_of, plain_name

_REMEDY = {
    "milliseconds": "give start_time and end_time, in seconds",
    "bytes": f"call them start and end, and give {option('offsets', 'bytes')}",
}
#: Haystack has the page beside its own offset, which counts from the start of the whole document.
WITH_PAGES = "split_idx_start"


def _of_node(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with the fields of the node that it holds: LlamaIndex saves a result as a node beside its score."""
    node = given.get("node")
    if not isinstance(node, Mapping) or not {"text", "start_char_idx"} <= node.keys():
        return given
    metadata, related = node.get("metadata"), node.get("relationships")
    held = {name: node[name] for name in ("text", "start_char_idx", "end_char_idx", "metadata") if name in node}
    names = metadata if isinstance(metadata, Mapping) else {}
    if not any(ours_of(str(name), "run") == "doc" for name in names) and isinstance(related, Mapping):
        source = related.get("1")  # the document that the node is a part of
        held["ref_doc_id"] = source.get("node_id") if isinstance(source, Mapping) else None
    return {**held, **{name: value for name, value in given.items() if name not in ("node", "class_name")}}


def flat(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with the fields of its metadata; its own come first."""
    given = _of_node(given)
    inside = [name for name in given if name in INSIDE and isinstance(given[name], Mapping)]
    if not inside:
        return given
    own = {name: value for name, value in given.items() if name not in inside}
    taken = own_fields(tuple(name for name in own if own[name] is not None))
    more = {str(name): value for outer in inside for name, value in given[outer].items()}
    return {**{name: value for name, value in more.items() if ours_of(name, "run") not in taken}, **own}


@lru_cache(maxsize=1024)
def own_fields(names: tuple[str, ...]) -> frozenset[str]:
    """Our names of fields that a row has itself, and its metadata does not replace; places are compared later."""
    return frozenset(ours for name in names if (ours := ours_of(name, "run"))) - {*ONE_ONLY}


def has_text_or_offsets(given: Mapping[str, Any]) -> bool:
    """Whether a row of a run says where it is by its text or by offsets, lines or seconds."""
    wanted = plan_of(tuple(given), "run").wanted
    for ours in ("start", *COUNTED):
        if any(given[name] is not None and not is_other(ours, name, given[name]) for name in wanted.get(ours, ())):
            return True
    texts = [
        name for name in wanted.get("text", ()) if is_text_value(given[name]) or _is_number_text(name, given[name])
    ]
    return any(plain_name(name) != "document" or is_other("doc", name, given[name]) for name in texts)


def _is_number_text(name: str, value: Any) -> bool:
    """Whether a field holds a text of digits alone, under a name that is never that of an id."""
    return plain_name(name) in ("text", "content", "page_content") and isinstance(value, str) and bool(value.strip())


def refuse_places(given: Mapping[str, Any]) -> None:
    """Refuse fields that say where, but not in characters, or in a form that is not read."""
    plain = {plain_name(name) for name in given}
    for name, value in given.items():
        unit = counts(name)
        if unit == "pages" and not plain.isdisjoint((WITH_PAGES, *PAGES["page"].usual)):
            continue  # a label beside the number
        if unit and value is not None:
            _refuse_place(name, unit)
        if plain_name(name) in PLACES and isinstance(value, (list, tuple, Mapping)) and len(value):
            raise FieldError(f"{name} is a position, but lists and objects are not supported", "give start and end")
        is_place = name.startswith("_") or ours_of(name, "run") in PAGES
        if isinstance(value, (list, tuple, Mapping)) and not is_place and (inner := place_inside(value)):
            raise FieldError(
                f"{name} has {inner}, a position that berrypick cannot read", "give start and end in the row itself"
            )


def _refuse_place(name: str, unit: str) -> None:
    remedy = _REMEDY.get(unit, "give start and end, which count characters")
    raise FieldError(f"{name} is a position in {unit}, which is not supported", f"{remedy}; or remove {name}")


def place_inside(value: Any) -> str:
    """The name inside an object, or a list of them, that says where."""
    held = value if isinstance(value, Mapping) else value[0] if value and isinstance(value[0], Mapping) else {}
    names = [str(name) for name, inner in held.items() if inner is not None]
    return next(filter(says_where, names), "")


def says_where(name: str) -> bool:
    """Whether a field of this name says where."""
    return bool(counts(name)) or ours_of(name, "run") in ONE_ONLY


def is_other(ours: str, name: str, value: Any) -> bool:
    """Whether a value under a name of several meanings is something else."""
    plain = plain_name(name)
    if plain in COMMON:
        return isinstance(value, str) and not re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", value)
    if ours == "doc" and plain == "document":
        return not isinstance(value, (str, int)) or len(str(value)) > LONGEST_NAME or "\n" in str(value)
    return ours == "doc" and plain in ("path", "file", "source", "title") and isinstance(value, (Mapping, list))


def is_text_value(value: Any) -> bool:
    if isinstance(value, str):
        words = value.strip()
        return bool(words) and not words.isdigit()
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, str) for one in value)


def from_distance(row: FieldRow) -> None:
    """A distance is a score with its sign changed: the smaller, the better."""
    distance = row.pop("distance", None)
    if distance is not None and row.get("score") is None:
        number = isinstance(distance, (int, float)) and not isinstance(distance, bool)
        row["score"] = -distance if number else distance


def with_end(row: FieldRow) -> FieldRow:
    """The end of a span follows from its text, else from its length; a length without a start says nothing."""
    length = row.pop("length", None)
    start, text = row.get("start"), row.get("text")
    if start is None or row.get("end") is not None or row.get("quote") is not None:
        return row
    if not isinstance(start, (int, float)) or isinstance(start, bool):
        return row  # the checks of the fields say what is wrong with it
    if isinstance(text, str) and text:
        row["end"] = start + len(text)
    elif length is not None:
        row["end"] = start + checked_length(length)
    return row


def checked_length(length: Any) -> Any:
    """A length, which is a number."""
    if isinstance(length, (bool, str)) or not hasattr(length, "__float__"):
        raise FieldError(f"length must be a number, not {length!r:.40}", "give end, or the length in characters")
    return length
