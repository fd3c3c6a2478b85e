"""A JSON list of results, or of questions with what was retrieved for each, as a run."""

from __future__ import annotations

from typing import Any, ClassVar

from berrypick.data.run import Run
from berrypick.files.json_files import load, objects
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.spans.span_run import SpanRun
from berrypick.formats.spans.span_truth import line_names
from berrypick.formats.traces.client_results import ClientResults
from berrypick.formats.traces.traces_format import Samples, Traces, shown
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.fields import names_topic
from berrypick.rows.json_lines import Rows, span_fields
from berrypick.rows.run_rows import as_read, run_of_rows


class ResultList(Format):
    """A run as one JSON list: the objects are those of lines of span-run, with the same names of fields.

    An object is a result, or a topic or question with a list of results, such as ``results``, ``retrieved`` or
    ``chunks``: objects, texts, or names of documents. A list of results is in ranked order, whatever its scores;
    objects that are results go by rank, else by score. A list may be empty; a topic that the file does not mention is
    absent. Two lists for one topic or question are an error.

    Sample::

        [{"topic": "1", "results": [{"doc": "guide.md", "start": 100, "end": 300, "score": 0.9}]},
         {"topic": "2", "results": [{"doc": "faq.md", "start": 0, "end": 200, "score": 0.8}]}]
    """

    format_name: ClassVar[str] = "result-list"
    role: ClassVar[Role] = "run"
    like_golden: ClassVar[bool] = True  # lists of questions with texts, too
    begins: ClassVar[tuple[str, ...]] = ("[",)
    shape: ClassVar[str] = '[{"question": "When?", "results": [{"text": "...", "source": "guide.md", "score": 0.9}]}]'
    json_names: ClassVar[tuple[str, ...]] = ("topic", "question", "doc", "text", "results", "retrieved", "score")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines).lstrip("\ufeff \t\n")
        if not text.startswith("[") or Traces.sniff(lines) or Samples.sniff(lines) or ClientResults.sniff(lines):
            return False
        first = text[1:].lstrip()
        names = line_names(first)
        return bool(names) and (SpanRun.sniff([first]) or (names_topic(names) and "hits" in names))

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        reader = FieldParser("run")
        run = run_of_rows(span_fields(_rows(path, problems), reader, problems), problems, path)
        return as_read(run, reader).changed(format=cls.format_name)

    @classmethod
    def describe(cls, value: Run) -> list[str]:
        return SpanRun.describe(value)


def _rows(path: str, problems: Problems) -> Rows:
    value, source = load(path, problems)
    if value is None:
        return
    for one in objects(value, "the file", source, problems):
        yield source.line_of_object(one), shown(one), one
