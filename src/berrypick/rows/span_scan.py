"""Spans as JSON Lines or CSV, retrieved or judged, read into columns by the compiled scanner.

The first lines say which names there are. The scanner reads lines of texts and numbers under these names; whatever else
there is, the plain reader reads the whole file instead, and alone decides what is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray, Narrow, Positions
from berrypick.data.columns import Coded, CodedNames, Packed, unpacked
from berrypick.data.truth import TopicTruth
from berrypick.files.files import head
from berrypick.files.scan import Scanned, as_column, scan_with
from berrypick.files.strict_json import strict_json
from berrypick.kernels import native
from berrypick.rows.column_plan import ColumnPlan, are_names, checked_numbers, column_plan, placed, run_columns
from berrypick.rows.counted_places import DETAIL_NUMBERS
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_values import own_fields, says_where
from berrypick.rows.fields import INSIDE, Role, ours_of
from berrypick.rows.json_lines import positions

#: What the scanner reads, in its order; a grade stands where a run has its score.
_NUMBERS = ("start", "end", "score", "rank", *DETAIL_NUMBERS)
_SLOTS = ("topic", "doc", *_NUMBERS, "tag", "text")
#: Behind it what is not read, the same where it may be an object, what other fields replace, and an object with
#: fields of the row.
_OTHER, _ANY, _DROPPED, _INSIDE = range(len(_SLOTS), len(_SLOTS) + 4)
#: Lines that are looked at for their names.
_LOOKED_AT = 20
#: So many names of JSON Lines are scanned.
_MOST = 64


@dataclass(frozen=True)
class ScannedNames:
    """The names that a file has, and what the scanner makes of each."""

    plan: ColumnPlan
    names: list[str]
    slots: list[int]
    #: So many names are those of the row, the others those of the object in it.
    outer: int


def scan_spans(path: str, parser: FieldParser) -> dict[str, Any] | None:
    """The columns of a run of JSON Lines as :func:`run_of_columns` takes them; None if the plain reader has to read the
    file."""
    known = _names(path, "run")
    return None if known is None else _columns(known, _scanned_lines(path, known), parser)


def scan_table(path: str, header: Sequence[str], mark: str, parser: FieldParser) -> dict[str, Any] | None:
    """The same of a table in a text file."""
    known = _header_names(header, "run")
    return None if known is None else _columns(known, _scanned_table(path, known, mark), parser)


def _columns(known: ScannedNames, found: Scanned | None, parser: FieldParser) -> dict[str, Any] | None:
    if found is None or any(map(says_where, found.inner_names)):
        return None
    topic, document = found.coded()
    if "doc" not in known.plan.called:
        document = Coded([""], np.zeros(len(found.line), dtype=np.int64))
    columns = run_columns(known.plan, topic, document, _numbers_of(found), found.columns.get("text"))
    if columns is None:
        return None
    parser.leave_values(name for *_, name in sorted(found.others))
    return {**columns, "tag": found.tag, "line": found.line}


def _numbers_of(found: Scanned) -> dict[str, FloatArray | Packed]:
    """The columns of numbers that the file has."""
    columns = zip(_NUMBERS, found.columns["numbers"], strict=True)
    return {name: as_column(column) for name, column in columns if column is not None}


def scan_judged(path: str) -> dict[str, TopicTruth] | None:
    """Judged spans by topic, of JSON Lines that have nothing else; None if the plain reader has to read them."""
    known = _names(path, "truth")
    return None if known is None or not _are_spans(known.plan) else _judged(known, _scanned_lines(path, known))


def scan_judged_table(path: str, header: Sequence[str], mark: str) -> dict[str, TopicTruth] | None:
    """The same of a table in a text file."""
    known = _header_names(header, "truth")
    return None if known is None or not _are_spans(known.plan) else _judged(known, _scanned_table(path, known, mark))


def _are_spans(plan: ColumnPlan) -> bool:
    """Whether judgements are spans, and their topics are no questions, whose texts may stand for topics."""
    return "start" in plan.called and not plan.asked


def _judged(known: ScannedNames, found: Scanned | None) -> dict[str, TopicTruth] | None:
    if found is None:
        return None
    numbers = _numbers_of(found)
    grade = unpacked(numbers.get("score", np.ones(len(found.line))))
    if ((grade == 0) & np.signbit(grade)).any():  # -0 is 0 in a line, -0.0 is not
        return None
    topic, document = Coded(found.topic_names, found.topic), Coded(found.document_names, found.document)
    return _placed_topics(known.plan, topic, document, grade, found.line[:], numbers)


def typed_judgements(plan: ColumnPlan, columns: Mapping[str, Any], line: IntArray) -> dict[str, TopicTruth] | None:
    """The same of columns by our names whose values have not been checked."""
    if not _are_spans(plan) or "doc" not in columns:
        return None
    topic, document = columns["topic"], columns["doc"]
    numbers = checked_numbers({name: held for name, held in columns.items() if isinstance(held, np.ndarray)})
    if numbers is None or not are_names(topic) or not are_names(document):
        return None
    grade = numbers.get("grade", np.ones(len(line)))
    return _placed_topics(plan, topic, document, np.where(grade == 0, 0.0, grade), line, numbers)


def _placed_topics(
    plan: ColumnPlan, topic: Coded, document: Coded, grade: FloatArray, line: Narrow, numbers: Mapping[str, Any]
) -> dict[str, TopicTruth] | None:
    if (place := placed(plan, numbers["start"], numbers["end"], None)) is None:
        return None
    span = [unpacked(column).astype(np.float64) for column in place if column is not None]
    topics = judged_topics(topic, document, grade, line, *span)
    if topics is None or not plan.unit:
        return topics
    return {name: replace(one, unit=plan.unit) for name, one in topics.items()}


def judged_topics(
    topic: Coded, document: Coded, grade: FloatArray, line: Narrow, *span: FloatArray
) -> dict[str, TopicTruth] | None:
    """Judged documents by topic, or spans by start and end, which begin at 0 or later and do not end before; None where
    one is empty and no span that was judged not relevant, or is judged twice."""
    empty = bool(span) and bool(((span[0] == span[1]) & (grade != 0)).any())
    if empty or _has_copies((*span[::-1], document.codes, topic.codes)):
        return None
    order = np.argsort(topic.codes, kind="stable")
    ends = np.searchsorted(topic.codes[order], np.arange(len(topic.names) + 1)).tolist()
    places = [positions(column[order]) for column in span]
    whole = all(column.dtype.kind == "i" for column in places)
    line, grade, codes = line[order].astype(np.int64), grade[order], document.codes[order]
    known = list(document.names)
    documents = [known[code] for code in codes.tolist()]
    topics = {}
    for name, (a, b) in zip(topic.names, pairwise(ends), strict=True):
        names = CodedNames.of(documents[a:b], codes[a:b], known)
        first, last = (column[a:b] if whole else positions(column[a:b]) for column in places) if span else (None, None)
        topics[name] = TopicTruth(name, names, grade[a:b], first, last, line[a:b])  # positions of each by itself
    return topics


def _has_copies(columns: Sequence[Positions]) -> bool:
    """Whether two rows are the same."""
    order = np.lexsort(columns)
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for column in columns:
        ordered = column[order]
        same &= ordered[1:] == ordered[:-1]
    return bool(same.any())


def _scanned_lines(path: str, known: ScannedNames) -> Scanned | None:
    compiled = native()
    if compiled is None:
        return None
    made = compiled.span_lines(known.names, known.slots, known.outer)
    return _with_rows(scan_with(made, path))


def _scanned_table(path: str, known: ScannedNames, mark: str) -> Scanned | None:
    compiled = native()
    return (
        None if compiled is None else _with_rows(scan_with(compiled.table_lines(known.names, known.slots, mark), path))
    )


def _with_rows(found: Scanned | None) -> Scanned | None:
    """The columns of a file that has any rows."""
    return found if found is not None and len(found.line) else None


def _header_names(header: Sequence[str], role: Role) -> ScannedNames | None:
    """What the columns of a table are; None if rows have to be read one by one."""
    if len({*header}) < len(header) or (plan := column_plan(tuple(header), role)) is None:
        return None
    return ScannedNames(plan, [*header], _slots(plan, header), len(header))


def _slots(plan: ColumnPlan, names: Iterable[str]) -> list[int]:
    """What stands under each name."""
    ours = {theirs: "score" if name == "grade" else name for name, theirs in plan.called.items()}
    return [_SLOTS.index(ours[n]) if n in ours else _ANY if n in plan.objects else _OTHER for n in names]


def _names(path: str, role: Role) -> ScannedNames | None:
    """What the names of the first lines are; None where a name, or what stands there, has to be looked at, or no
    compiled scanner is there."""
    if native() is None:
        return None
    first = _first_objects(path)
    own = dict.fromkeys(name for one in first for name in one)
    outer = [name for name in own if name in INSIDE and any(isinstance(one.get(name), dict) for one in first)]
    if not own or len(outer) > 1 or "node" in own:
        return None
    inner = dict.fromkeys(name for held in outer for one in first for name in one.get(held) or ())
    for held in outer:
        del own[held]
    known = own_fields(tuple(own))
    dropped = {name: ours for name in inner if (ours := ours_of(name, "run")) in known}
    if not own.keys().isdisjoint([*(inner.keys() - dropped), *INSIDE]) or len(own) + len(inner) >= _MOST:
        return None
    plan = column_plan((*(name for name in inner if name not in dropped), *own), role)
    if plan is None or not {*dropped.values()} <= plan.called.keys() - {"tag"}:
        return None
    slots = [*_slots(plan, own), *(_INSIDE for _ in outer)]
    slots += [_DROPPED if name in dropped else slot for name, slot in zip(inner, _slots(plan, inner), strict=True)]
    return ScannedNames(plan, [*own, *outer, *inner], slots, len(own) + len(outer))


def _first_objects(path: str) -> list[dict[str, Any]]:
    """The objects in the first lines of a file; none if its first line is no object."""
    found: list[dict[str, Any]] = []
    for line in head(path, _LOOKED_AT):
        try:
            value = strict_json(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            found.append(value)
        elif not found:
            return []
    return found
