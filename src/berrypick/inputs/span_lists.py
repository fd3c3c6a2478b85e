"""Lists of spans and numbers of documents by topic in their plainest form, which is read column by column.

What has another form is read result by result; both give the same table.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from math import isfinite
from typing import Any

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.columns import NameColumn, Stretches
from berrypick.data.run import Run
from berrypick.inputs.column_tables import ColumnTable, no_results_notes, plain_names
from berrypick.kernels import native
from berrypick.rows.json_lines import are_span_names
from berrypick.rows.made_names import is_made
from berrypick.rows.row_lists import LISTED

_NAMES = frozenset({"doc", "start", "end"})
_PLAIN = (_NAMES, _NAMES | {"score"}, _NAMES | {"text"}, _NAMES | {"score", "text"})
_JUDGED = (_NAMES, _NAMES | {"grade"})
_NUMBERS = frozenset({int, float})
_DICTIONARIES = frozenset({dict, defaultdict, OrderedDict})


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
    """The table of ranked lists of dictionaries or tuples that have doc, start and end, perhaps a score or a text, and
    nothing else; None if any is another one."""
    found = _plain_rows(given, _PLAIN, "score")
    if found is None:
        return None
    topic, columns = found
    place = [place for held in given.values() for place in range(1, len(held) + 1)]
    table = ColumnTable.of_columns({"topic": topic, LISTED: place, **columns}, "results")
    return replace(table, topics=tuple(plain_names("topic", list(given), [])), lists=True, nested=True)


def plain_judgements(given: Mapping[Any, Any]) -> ColumnTable | None:
    """The table of lists of dictionaries or tuples that have doc, start and end, perhaps a grade, and nothing else;
    None if any is another one."""
    found = _plain_rows(given, _JUDGED, "grade")
    if found is None:
        return None
    topic, columns = found
    table = ColumnTable.of_columns({"topic": topic, **columns}, "judgements")
    return replace(table, topics=tuple(plain_names("topic", list(given), [])))


def plain_numbers(given: Mapping[Any, Any], number: str) -> ColumnTable | None:
    """The table of dictionaries of documents to numbers by topic; None if any name or number is another one, or all
    names are those of spans."""
    if not {*map(type, given.values())} <= _DICTIONARIES:
        return None
    names = list(chain.from_iterable(given.values()))
    values: list[Any] = list(chain.from_iterable(map(dict.values, given.values())))
    if {*map(type, names)} != {str} or not {*map(type, values)} <= _NUMBERS or are_span_names(names):
        return None
    try:
        found = list(map(float, values))
    except OverflowError:
        return None
    if not all(map(isfinite, found)) or not all(map(str.isprintable, names)):
        return None
    topic = list(chain.from_iterable(repeat(name, len(held)) for name, held in given.items()))
    where = "results" if number == "score" else "judgements"
    table = ColumnTable.of_columns({"topic": topic, "doc": names, number: found}, where)
    return replace(table, topics=tuple(plain_names("topic", list(given), [])), nested=number == "score")


def scores_run(given: Any, tag: str) -> Run | None:
    """The run of dictionaries of documents to scores by topic, in one pass over all names and numbers; None if any of
    them is to be looked at by others. :func:`plain_numbers` and what reads its table give the same run."""
    compiled = native()
    if compiled is None or type(given) is not dict or {*map(type, given)} != {str}:
        return None
    if not all(map(str.isprintable, given)) or "" in given:
        return None
    if (found := compiled.number_columns([*given.values()])) is None:
        return None
    names, score, bounds = found
    held = np.flatnonzero(np.diff(bounds))
    topics = [*given]
    topic = Stretches([topics[i] for i in held.tolist()], np.arange(len(held)), bounds[held], len(score))
    line = np.arange(1, len(score) + 1)
    run = assemble(
        tag=tag, topic=topic, document=NameColumn(names), score=score, line=line, order="trec", own_columns=True
    )
    run = run.changed(disordered=0)  # a dictionary of scores has no other order
    absent = len(topics) - len(held)
    run = run.with_empty(topics).changed(notes=no_results_notes(absent)) if absent else run
    return run.changed(missing="absent")


def _plain_rows(
    given: Mapping[Any, Any], shapes: Sequence[frozenset[str]], number: str
) -> tuple[list[Any], dict[str, list[Any]]] | None:
    """The topic of each row, and what rows of one of some shapes have under each name; None if any is another one."""
    if {*map(type, given.values())} != {list}:
        return None
    every = list(chain.from_iterable(given.values()))
    if (columns := _columns(every, shapes, number)) is None:
        return None
    kinds = {name: {*map(type, values)} for name, values in columns.items()}
    if (
        kinds.pop("doc") != {str}
        or kinds.pop("text", {str}) != {str}
        or not all(kind <= _NUMBERS for kind in kinds.values())
    ):
        return None
    if any(map(is_made, {*columns["doc"]})):
        return None
    if not all(map(str.strip, columns.get("text", ()))):
        return None
    return [name for name, held in given.items() for _ in held], columns


def _columns(every: list[Any], shapes: Sequence[frozenset[str]], number: str) -> dict[str, list[Any]] | None:
    """What dictionaries of the same names, or tuples of one length, have under each name."""
    kinds = {*map(type, every)}
    if kinds not in ({dict}, {tuple}):
        return None
    sizes = {*map(len, every)}
    if kinds == {tuple}:
        if sizes not in ({3}, {4}):
            return None
        return dict(zip(("doc", "start", "end", number), map(list, zip(*every, strict=True)), strict=False))
    names = tuple(every[0])
    if {*names} not in shapes or sizes != {len(names)}:
        return None
    try:
        return {name: [one[name] for one in every] for name in names}
    except KeyError:
        return None
