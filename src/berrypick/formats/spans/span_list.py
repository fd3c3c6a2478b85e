"""A JSON list of judgements as a truth."""

from __future__ import annotations

from typing import Any, ClassVar

from berrypick.data.truth import Truth
from berrypick.files.json_files import load, objects
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.spans.span_truth import SpanTruth, line_names
from berrypick.rows.chosen_fields import ChosenFields
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.fields import QUESTIONS, TABLE, ours_of, plain_name
from berrypick.rows.json_lines import Rows, span_fields
from berrypick.rows.truth_rows import truth_of_rows


class SpanListTruth(Format):
    """Judgements as one JSON list: the objects are those of lines of span-truth, with the same names of fields.

    Each object names its topic by an id, and a document or a quote. A list of questions with quotes is a golden file,
    which ``berrypick adopt`` reads.

    Sample::

        [{"topic": "1", "doc": "guide.md", "start": 120, "end": 260, "grade": 1},
         {"topic": "1", "doc": "faq.md", "start": 0, "end": 80, "grade": 0}]
    """

    format_name: ClassVar[str] = "span-list-truth"
    role: ClassVar[Role] = "truth"
    begins: ClassVar[tuple[str, ...]] = ("[",)
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = '[{"topic": "1", "doc": "guide.md", "start": 120, "end": 260, "grade": 1}]'
    takes_fields: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = SpanTruth.holds

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines).lstrip("\ufeff \t\n")
        first = text[1:].lstrip()
        if not text.startswith("[") or not first.startswith("{"):
            return False
        names = line_names(first[: first.find("}") + 1] or first)
        named = any(plain_name(name) in TABLE["truth"]["topic"].usual for name in names)
        ours = {ours_of(name, "truth") for name in names}
        asked = any(plain_name(name) in QUESTIONS for name in names)
        return named and ("doc" in ours or ("quote" in ours and not asked)) and SpanTruth.sniff([first])

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        reader = FieldParser("truth", chosen=ChosenFields.of(options.get("fields")))
        truth = truth_of_rows(span_fields(_rows(path, problems), reader, problems), problems, path)
        reader.refuse_unknown(path)
        return truth.changed(format=cls.format_name)

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        return SpanTruth.describe(value)


def _rows(path: str, problems: Problems) -> Rows:
    value, source = load(path, problems)
    if value is None:
        return
    for one in objects(value, "the file", source, problems):
        yield source.line_of_object(one), str(one)[:200], one
