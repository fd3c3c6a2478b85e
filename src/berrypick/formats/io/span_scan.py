"""Spans as JSON Lines, retrieved or judged, read into columns by the compiled scanner.

The first line says which names there are. The scanner reads lines of texts and numbers under these names; whatever else
there is, the plain reader reads the whole file instead, and alone decides what is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.truth import TopicTruth
from berrypick.formats.io.files import head
from berrypick.formats.io.json_lines import positions
from berrypick.formats.io.scan import Scanned, scan_with
from berrypick.formats.io.strict_json import strict_json
from berrypick.inputs.fields import QUESTIONS, FieldReader, Role, direct_names, plain_name
from berrypick.kernels import native

#: What the scanner reads, in its order; behind it the tag of the run, and what is not read.
_SLOTS = ("topic", "doc", "start", "end", "score", "rank", "tag")
_OTHER = len(_SLOTS)


def scan_spans(path: str, reader: FieldReader) -> dict[str, Any] | None:
    """The columns of a run as :func:`assemble` takes them; None if the plain reader has to read the file."""
    ours = _names(path, "run")
    if ours is None or not {*ours.values()} <= {*_SLOTS, ""}:
        return None
    found = _scanned(path, {name: _SLOTS.index(known) if known else _OTHER for name, known in ours.items()})
    if found is None:
        return None
    reader.leave_values(name for *_, name in sorted(found.others))
    topic, document = found.coded()
    held = found.columns
    return {
        "tag": found.tag,
        "topic": topic,
        "document": document,
        **{name: positions(held[name]) if name in held else None for name in ("start", "end")},
        "score": held.get("score"),
        "rank": held.get("rank"),
        "line": found.line,
    }


def scan_judged(path: str) -> dict[str, TopicTruth] | None:
    """Judged spans by topic, of a file that has nothing else; None if the plain reader has to read it."""
    ours = _names(path, "truth")
    if ours is None or {*ours.values()} not in (_JUDGED, _JUDGED | {"grade"}):
        return None
    if any(known == "topic" and plain_name(name) in QUESTIONS for name, known in ours.items()):
        return None  # whose texts may stand for topics
    found = _scanned(path, {name: _SLOTS.index(_GRADE.get(known, known)) for name, known in ours.items()})
    if found is None:
        return None
    grade = found.columns.get("score")
    grade = np.ones(len(found.line)) if grade is None else grade
    empty = (found.start == found.end) & (grade != 0)
    odd = (grade == 0) & np.signbit(grade)  # -0 is 0 in a line, -0.0 is not
    if empty.any() or odd.any() or _has_copies(found):
        return None
    return _by_topic(found, grade)


#: Names of judged spans; a grade stands where a run has its score.
_JUDGED = frozenset({"topic", "doc", "start", "end"})
_GRADE = {"grade": "score"}


def _has_copies(found: Scanned) -> bool:
    """Whether a span is judged twice for a topic."""
    columns = (found.end, found.start, found.document, found.topic)
    order = np.lexsort(columns)
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for column in columns:
        ordered = column[order]
        same &= ordered[1:] == ordered[:-1]
    return bool(same.any())


def _by_topic(found: Scanned, grade: FloatArray) -> dict[str, TopicTruth]:
    order = np.argsort(found.topic, kind="stable")
    ends = np.searchsorted(found.topic[order], np.arange(len(found.topic_names) + 1)).tolist()
    start, end = positions(found.start[order]), positions(found.end[order])
    whole = start.dtype.kind == end.dtype.kind == "i"
    names, line, grade = found.document_names, found.line[order].astype(np.int64), grade[order]
    documents = [names[code] for code in found.document[order].tolist()]
    topics = {}
    for topic, (a, b) in zip(found.topic_names, pairwise(ends), strict=True):
        columns = (start[a:b], end[a:b]) if whole else (positions(start[a:b]), positions(end[a:b]))
        topics[topic] = TopicTruth(topic, tuple(documents[a:b]), grade[a:b], *columns, line[a:b])
    return topics


def _scanned(path: str, slots: dict[str, int]) -> Scanned | None:
    """The columns of a file that has any lines."""
    compiled = native()
    found = None if compiled is None else scan_with(compiled.span_lines(list(slots), list(slots.values())), path)
    return found if found is not None and len(found.line) else None


def _names(path: str, role: Role) -> Mapping[str, str] | None:
    """What each name of the first line is here; None where a name, or what stands there, has to be looked at, or no
    compiled scanner is there."""
    if native() is None:
        return None
    try:
        first = strict_json(head(path, 1)[0])
    except (ValueError, RecursionError, IndexError):
        return None
    return direct_names(tuple(first), role) if isinstance(first, dict) and len(first) <= 64 else None
