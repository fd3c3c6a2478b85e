"""Exports of Prodigy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from berrypick.formats.annotation.annotation_export import Annotated, AnnotationExport, Mark, task_fields
from berrypick.formats.base import Problems
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.json_lines import records

#: What annotators decide about a task.
_DECIDED = re.compile(r'"answer":\s*"(accept|reject|ignore)"')
#: What only tasks of Prodigy have: a file without either is not one of Prodigy's.
_MARKED = frozenset({"spans", "tokens"})


class Prodigy(AnnotationExport):
    """Spans marked in Prodigy (spans.manual, ner.manual), as ``db-out`` writes them: one task per line.

    A file is Prodigy's if its tasks have a ``text``, an ``answer`` (accept, reject or ignore), and ``spans`` or
    ``tokens``. ``topic``, ``doc`` and ``offset`` are fields of the task or of its ``meta``. Labels mean what they mean
    in label-studio, and a task that was accepted without spans was judged as a whole. Tasks that were rejected or
    ignored are skipped and counted. Offsets are characters; ``_annotator_id`` keeps annotators apart.

    Sample::

        {"text": "Cut.", "topic": "q", "doc": "d", "spans": [{"start": 0, "end": 3, "label": "1"}], "answer": "accept"}
    """

    format_name: ClassVar[str] = "prodigy"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"answer"',)
    before: ClassVar[tuple[str, ...]] = ("span-truth",)
    shape: ClassVar[str] = (
        '{"text": "...", "spans": [{"start": 11, "end": 29, "label": "relevant"}], "answer": "accept"}'
    )

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        # golden files have answers too, and contexts with a text
        if not lines[0].lstrip().startswith("{") or not _DECIDED.search(lines[0]):
            return False
        if not {"text", "answer"} <= {*line_names(lines[0])}:
            return False
        return any(not _MARKED.isdisjoint(line_names(line)) for line in lines)

    @classmethod
    def annotated(cls, path: str, problems: Problems) -> Iterator[Annotated]:
        for number, _, value in records(path, problems):
            answer = value.get("answer", "accept")
            if answer != "accept":
                problems.count(f"tasks with the answer {answer}, skipped")
                continue
            fields = task_fields([value, value.get("meta")], problems, number, "the task")
            if fields is None:
                continue
            spans = value.get("spans") or []
            if not isinstance(spans, list) or not all(isinstance(one, dict) for one in spans):
                problems.report("spans is not a list of objects", number)
                continue
            marks = [
                Mark(one["start"], one["end"], str(one.get("label")), _text(one))
                for one in spans
                if isinstance(one.get("start"), int) and isinstance(one.get("end"), int)
            ]
            if len(marks) < len(spans):
                problems.report("has a span without start and end", number)
            who = value.get("_annotator_id") or value.get("_session_id") or ""
            yield Annotated(*fields, str(who), tuple(marks), whole=not spans, line=number)


def _text(span: dict[str, Any]) -> str | None:
    text = span.get("text")
    return text if isinstance(text, str) else None
