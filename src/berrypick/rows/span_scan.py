"""Spans as JSON Lines, retrieved or judged, read into columns by the compiled scanner.

The first line says which names there are. The scanner reads lines of texts and numbers under these names; whatever else
there is, the plain reader reads the whole file instead, and alone decides what is an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, Narrow, Positions
from berrypick.data.columns import Coded, CodedNames, Packed, unpacked
from berrypick.data.truth import TopicTruth
from berrypick.data.words import plain_title
from berrypick.files.files import head
from berrypick.files.scan import Scanned, scan_with
from berrypick.files.strict_json import strict_json
from berrypick.kernels import native
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_plan import direct_names
from berrypick.rows.fields import Role, is_question
from berrypick.rows.json_lines import positions

#: What the scanner reads, in its order; behind it what is not read.
_SLOTS = ("topic", "doc", "start", "end", "score", "rank", "tag", "text")
_OTHER = len(_SLOTS)


def scan_spans(path: str, reader: FieldParser) -> dict[str, Any] | None:
    """The columns of a run as :func:`assemble` takes them, and the texts of its lines, if any; None if the plain reader
    has to read the file."""
    ours = _names(path, "run")
    if ours is None or not {*ours.values()} <= {*_SLOTS, ""}:
        return None
    found = _scanned(path, {name: _SLOTS.index(known) if known else _OTHER for name, known in ours.items()})
    if found is None:
        return None
    topic, document = found.coded()
    asked = any(known == "topic" and is_question(name) for name, known in ours.items())
    if asked and any(name != plain_title(name) for name in found.topic_names):
        return None  # questions are compared up to white space
    held = found.columns
    if "doc" not in ours.values():
        if not all(map(str.strip, held["text"])):
            return None  # nothing says which document it is
        document = Coded([""], np.zeros(len(found.line), dtype=np.int64))
    reader.leave_values(name for *_, name in sorted(found.others))
    return {
        "tag": found.tag,
        "topic": topic,
        "document": document,
        **{name: _positions(held[name]) if name in held else None for name in ("start", "end")},
        "score": held.get("score"),
        "rank": held.get("rank"),
        "line": found.line,
        "text": held.get("text"),
    }


def _positions(column: FloatArray | Packed) -> Positions | Packed:
    return Packed(column.whole) if isinstance(column, Packed) and column.divisor == 1 else positions(unpacked(column))


def scan_judged(path: str) -> dict[str, TopicTruth] | None:
    """Judged spans by topic, of a file that has nothing else; None if the plain reader has to read it."""
    ours = _names(path, "truth")
    if ours is None or {*ours.values()} not in (_JUDGED, _JUDGED | {"grade"}):
        return None
    if any(known == "topic" and is_question(name) for name, known in ours.items()):
        return None  # whose texts may stand for topics
    found = _scanned(path, {name: _SLOTS.index(_GRADE.get(known, known)) for name, known in ours.items()})
    if found is None:
        return None
    grade = unpacked(found.columns.get("score", np.ones(len(found.line))))
    if ((grade == 0) & np.signbit(grade)).any():  # -0 is 0 in a line, -0.0 is not
        return None
    topic, document = Coded(found.topic_names, found.topic), Coded(found.document_names, found.document)
    return judged_topics(topic, document, grade, found.line[:], unpacked(found.start), unpacked(found.end))


#: Names of judged spans; a grade stands where a run has its score.
_JUDGED = frozenset({"topic", "doc", "start", "end"})
_GRADE = {"grade": "score"}
#: Names of a line with the text of its span.
_QUOTED = _JUDGED | {"text"}
#: Names of lines of which only the text says where it is.
_UNNAMED = frozenset({"topic", "text", "score", "rank", "tag"})


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
    if not isinstance(first, dict) or len(first) > 64:
        return None
    # a text beside its offsets is kept to be checked, one without a document says which it is
    if role == "run" and (_QUOTED <= {*first} <= {*_SLOTS} or {"topic", "text"} <= {*first} <= _UNNAMED):
        return {name: name for name in first}
    ours = direct_names(tuple(first), role)
    return None if ours is None or "text" in ours.values() else ours
