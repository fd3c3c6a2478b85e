"""Lists of spans by topic in their plainest form, which is read column by column.

What has another form is read result by result; both give the same table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from berrypick.formats.io.made_names import is_made
from berrypick.inputs.column_tables import ColumnTable, plain_names

_NAMES = frozenset({"doc", "start", "end"})
_PLAIN = (_NAMES, _NAMES | {"score"})
_NUMBERS = frozenset({int, float})


def begins_with_span(value: Any) -> bool:
    """Whether a value is a list whose first result is doc, start and end, perhaps with a score, and nothing else: it is
    no answer of a store then, and no list of rows that name their topics."""
    if type(value) is not list or not value:
        return False
    first = value[0]
    if type(first) is tuple:
        return len(first) in (3, 4) and type(first[0]) is str
    return type(first) is dict and {*first} in _PLAIN


def plain_spans(given: Mapping[Any, Any]) -> ColumnTable | None:
    """The table of ranked lists of dictionaries or tuples that have doc, start and end, perhaps a score, and nothing
    else; None if any is another one."""
    if {*map(type, given.values())} != {list}:
        return None
    every = list(chain.from_iterable(given.values()))
    if (columns := _columns(every)) is None:
        return None
    kinds = {name: {*map(type, values)} for name, values in columns.items()}
    if kinds.pop("doc") != {str} or not all(kind <= _NUMBERS for kind in kinds.values()):
        return None
    if any(map(is_made, {*columns["doc"]})):
        return None
    topic = [name for name, held in given.items() for _ in held]
    rank = [place for held in given.values() for place in range(1, len(held) + 1)]
    topics = tuple(plain_names("topic", list(given), []))
    table = ColumnTable.of_columns({"topic": topic, "rank": rank, **columns}, "results")
    return replace(table, topics=topics, lists=True)


def _columns(every: list[Any]) -> dict[str, list[Any]] | None:
    """What dictionaries of the same names, or tuples of one length, have under each name."""
    kinds = {*map(type, every)}
    if kinds not in ({dict}, {tuple}):
        return None
    sizes = {*map(len, every)}
    if kinds == {tuple}:
        if sizes not in ({3}, {4}):
            return None
        return dict(zip(("doc", "start", "end", "score"), map(list, zip(*every, strict=True)), strict=False))
    names = tuple(every[0])
    if {*names} not in _PLAIN or sizes != {len(names)}:
        return None
    try:
        return {name: [one[name] for one in every] for name in names}
    except KeyError:
        return None
