"""A JSON list of results, or of questions with what was retrieved for each, as a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from berrypick.addons.traces.traces_format import Samples, Traces, line_of, shown
from berrypick.core.run import Run
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.io.json_files import load, objects
from berrypick.formats.io.json_lines import Rows, span_fields
from berrypick.formats.span_run import SpanRun
from berrypick.formats.span_truth import line_names
from berrypick.inputs.fields import FieldReader


class ResultList(Format):
    """A run as one JSON list: the objects are those of lines of span-run, with the same names of fields.

    An object is a result, or a topic or question with a list of results, such as ``results``, ``retrieved`` or
    ``chunks``: objects, texts, or names of documents.

    Sample::

        [{"topic": "1", "results": [{"doc": "guide.md", "start": 100, "end": 300, "score": 0.9}]},
         {"topic": "2", "results": [{"doc": "faq.md", "start": 0, "end": 200, "score": 0.8}]}]
    """

    format_name: ClassVar[str] = "result-list"
    role: ClassVar[Role] = "run"
    shape: ClassVar[str] = '[{"question": "When?", "results": [{"text": "...", "source": "guide.md", "score": 0.9}]}]'
    json_names: ClassVar[tuple[str, ...]] = ("topic", "question", "doc", "text", "results", "retrieved", "score")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines).lstrip("\ufeff \t\n")
        if not text.startswith("[") or Traces.sniff(lines) or Samples.sniff(lines):
            return False
        first = text[1:].lstrip()
        return bool(line_names(first)) and SpanRun.sniff([first])

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        reader = FieldReader("run")
        run = SpanRun.from_records(span_fields(_rows(path, problems), reader, problems), problems, path)
        return replace(run, format=cls.format_name, unread=tuple(reader.unread))

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return SpanRun.describe(value)


def _rows(path: str, problems: Problems) -> Rows:
    value, source = load(path, problems)
    if value is None:
        return
    for one in objects(value, "the file", source, problems):
        yield line_of(one, source), shown(one), one
