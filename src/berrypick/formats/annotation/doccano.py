"""Exports of doccano."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from berrypick.data.truth import Offsets
from berrypick.formats.annotation.annotation_export import Annotated, AnnotationExport, Mark, task_fields
from berrypick.formats.base import Problems
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.json_lines import records

#: Fields that hold spans, in the dialects of several versions.
SPANS = ("label", "labels", "entities", "annotations")


class Doccano(AnnotationExport):
    """Spans marked in doccano (sequence labelling), exported as JSON Lines.

    Spans are triples, ``"label": [[11, 29, "relevant"]]`` (also ``labels`` or ``entities``), or objects, ``"entities":
    [{"start_offset": 11, "end_offset": 29, "label": "relevant"}]``, as projects with relations have them. ``topic``,
    ``doc`` and ``offset`` are fields of the line, or of ``meta`` or ``metadata`` in it. Labels mean what they mean in
    label-studio. A line without spans may not have been looked at: it is skipped and counted.

    Offsets are UTF-16 units or characters, depending on the version: where they differ, the one is taken under which
    spans stay within the text and do not begin or end inside of a word. ``user``, ``username`` or ``annotator`` keeps
    annotators apart.

    Sample::

        {"text": "Cut the old canes.", "label": [[0, 18, "relevant"]], "topic": "q1", "doc": "guide.md", "offset": 40}
    """

    format_name: ClassVar[str] = "doccano"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"label"', '"labels"', '"entities"', '"annotations"')
    before: ClassVar[tuple[str, ...]] = ("span-truth",)
    countings: ClassVar[tuple[Offsets, ...]] = ("utf16", "chars")
    shape: ClassVar[str] = '{"text": "...", "label": [[11, 29, "relevant"]], "topic": "q1", "doc": "guide.md"}'

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        first = "".join(lines[0].split())
        held = any(re.search(rf'"{name}":\[(?!-?\d|true|false)', first) for name in SPANS)  # numbers are grades
        named = {"text", "data"} & {*line_names(lines[0])} and ('"text":"' in first or '"data":"' in first)
        return first.startswith("{") and held and bool(named)

    @classmethod
    def annotated(cls, path: str, problems: Problems) -> Iterator[Annotated]:
        for number, text, value in records(path, problems):
            if "text" not in value and isinstance(value.get("data"), str):
                value["text"] = value["data"]
            spans = [one for name in SPANS if isinstance(value.get(name), list) for one in value[name]]
            fields = task_fields([value, value.get("meta"), value.get("metadata")], problems, number, "the line")
            if fields is None:
                continue
            if not spans:
                problems.count("lines without spans, possibly not judged, skipped")
            by_user: dict[str, list[Mark]] = {}
            line_user = value.get("annotator", value.get("username", value.get("user")))
            for one in spans:
                found = _mark(one)
                if found is None:
                    problems.report("has a span that is neither [start, end, label] nor an object", number, text)
                    continue
                user = one.get("user") if isinstance(one, dict) else None
                who = line_user if user is None else user
                by_user.setdefault("" if who is None else str(who), []).append(found)
            for user, marks in by_user.items():
                yield Annotated(*fields, user, tuple(marks), line=number)


def _mark(one: Any) -> Mark | None:
    if isinstance(one, dict):
        start, end, label = one.get("start_offset"), one.get("end_offset"), one.get("label")
    elif isinstance(one, list) and len(one) == 3:
        start, end, label = one
    else:
        return None
    if not isinstance(start, int) or not isinstance(end, int) or not isinstance(label, (str, int)):
        return None
    return Mark(start, end, str(label))
