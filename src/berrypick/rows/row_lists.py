"""Rows that hold lists: one row for each item."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

#: The key of rows by our names that come from a list, whose order is that of the results.
LISTED = "_listed"
#: The key of rows by our names whose document is a string of a list: a name, or a text, as the truth decides.
STRING = "_string"
#: The key of rows by our names for what their entry says of its topic beside the list: costs.
OF_TOPIC = "_of_topic"


def as_lists(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """A row in which arrays, as cells of data frames hold them, are lists."""
    return {name: value.tolist() if _is_array(value) else value for name, value in row.items()}


def _is_array(value: Any) -> bool:
    return hasattr(type(value), "__array__") and getattr(value, "ndim", 0) == 1


def spread(row: Mapping[str, Any], whole: Collection[str], cells: Collection[str]) -> list[dict[str, Any]] | None:
    """Rows for the items of a row's lists; None if it holds none.

    ``whole`` are names of lists whose items are results: objects with fields of their own, or values under the name
    ``item``. Lists under the names ``cells`` belong together: the first of each are one row, and so on. A ValueError
    says what does not fit.
    """
    lists = [name for name in row if name in whole and _is_list(row[name])]
    held = [name for name in row if name in cells and _is_list(row[name])]
    if len(lists) > 1 or (lists and held):
        raise ValueError(f"has several lists of results: {', '.join([*lists, *held])}")
    if lists:
        rest = {name: value for name, value in row.items() if name != lists[0]}
        return [{**rest, **(item if isinstance(item, Mapping) else {"item": item})} for item in row[lists[0]]]
    if not held:
        return None
    sizes = {name: len(row[name]) for name in held}
    if len({*sizes.values()}) > 1:
        raise ValueError(
            "has lists of different lengths: " + ", ".join(f"{size} {name}" for name, size in sizes.items())
        )
    return [{**row, **{name: row[name][i] for name in held}} for i in range(sizes[held[0]])]


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
