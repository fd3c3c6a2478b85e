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
_NUMBERS = frozenset({int, float})


def plain_spans(given: Mapping[Any, Any]) -> ColumnTable | None:
    """The table of ranked lists of dictionaries that have doc, start and end, perhaps a score, and nothing else; None
    if any is another one."""
    if {*map(type, given.values())} != {list}:
        return None
    every = list(chain.from_iterable(given.values()))
    if {*map(type, every)} != {dict}:
        return None
    names = tuple(every[0])
    if {*names} not in (_NAMES, _NAMES | {"score"}) or {*map(len, every)} != {len(names)}:
        return None
    try:
        columns = {name: [one[name] for one in every] for name in names}
    except KeyError:
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
