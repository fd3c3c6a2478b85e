"""Questions with answers in paragraphs: SQuAD."""

from __future__ import annotations

from typing import Any, ClassVar

from berrypick.data.truth import Truth
from berrypick.documents.squad_texts import is_squad, squad_paragraphs
from berrypick.files.json_files import JsonSource, load, objects
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows
from berrypick.rows.truth_rows import truth_of_rows


class Squad(TruthRecords):
    """SQuAD, versions 1.1 and 2.0: one JSON object with ``data``, its ``paragraphs``, their ``context`` and ``qas``.

    The topic is the question's ``id``. Each answer is a relevant span of its paragraph: ``answer_start`` and the length
    of ``text``, in characters; several answers to a question are several spans, exact copies one. A question with
    ``is_impossible`` is a topic without an answer, and its plausible answers are skipped. The document is the
    paragraph's ``document_id``, else the title and the number of the paragraph from 0: ``Berries/0``.

    Answers are checked against the contexts: one that does not stand at its ``answer_start`` is an error, as quotes
    elsewhere than at their offsets are. The contexts are documents: give the same file as documents, or write them with
    ``berrypick convert --documents``.

    Sample::

        {"version": "v2.0", "data": [
          {"title": "Berries", "paragraphs": [
            {"context": "The raspberry is a berry in name only.", "qas": [
              {"id": "q1", "question": "What is a berry in name only?", "is_impossible": false,
               "answers": [{"text": "raspberry", "answer_start": 4}, {"text": "The raspberry", "answer_start": 0}]},
              {"id": "q2", "question": "When do brambles fruit?", "is_impossible": true, "answers": []}]}]}]}
    """

    format_name: ClassVar[str] = "squad"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"paragraphs"',)
    positions = "chars"
    aliases: ClassVar[tuple[str, ...]] = ("squad-1.1", "squad-2.0")
    shape: ClassVar[str] = '{"data": [{"title": "Berries", "paragraphs": [{"context": "...", "qas": [...]}]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("data", "title", "paragraphs", "context", "qas", "answers", "answer_start")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return is_squad(lines)

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        value, source = load(path, problems)
        texts: dict[str, str] = {}
        truth = truth_of_rows(_rows(value, source, problems, texts), problems, path)
        lengths = {document: float(len(text)) for document, text in texts.items()}
        return truth.changed(format=cls.format_name, lengths=lengths, texts=texts)


def _rows(value: Any, source: JsonSource, problems: Problems, texts: dict[str, str]) -> Rows:
    for document, paragraph in squad_paragraphs(value, source, problems):
        if texts.setdefault(document, paragraph["context"]) != paragraph["context"]:
            problems.report(f"document {document} has two texts", source.line)
        for question in objects(paragraph.get("qas"), "qas", source, problems):
            topic = question.get("id")
            line = source.line_of(topic, "id")
            source.skip()
            names = {"topic": topic, "doc": document, "question": question.get("question")}
            yield from _answers(question, names, line, source, problems)


def _answers(
    question: dict[str, Any], names: dict[str, Any], line: int, source: JsonSource, problems: Problems
) -> Rows:
    shown = str(question.get("question", ""))
    if question.get("is_impossible") is True:
        if question.get("plausible_answers"):
            problems.count("plausible answers of questions without an answer, skipped")
        yield line, shown, {**names, "is_impossible": True}
        return
    answers = list(objects(question.get("answers", []), "answers", source, problems))
    if not answers:
        problems.count("questions without answers, skipped")
    for answer in answers:
        text, start = answer.get("text"), answer.get("answer_start")
        if not isinstance(text, str) or not isinstance(start, int):
            problems.report(f"an answer to {names['topic']} has no text or no answer_start", line, shown)
        else:
            yield line, shown, {**names, "start": start, "end": start + len(text), "quote": text, "offsets": "chars"}
