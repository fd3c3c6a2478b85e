"""Questions with answers in paragraphs: SQuAD."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from berrypick.core.truth import Truth
from berrypick.formats.base import Problems
from berrypick.formats.io.json_files import JsonSource, load, objects, starts_object
from berrypick.formats.io.json_lines import Rows
from berrypick.formats.io.records import TruthRecords
from berrypick.formats.span_truth import SpanTruth


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
    positions = "chars"
    aliases: ClassVar[tuple[str, ...]] = ("squad-1.1", "squad-2.0")
    shape: ClassVar[str] = '{"data": [{"title": "Berries", "paragraphs": [{"context": "...", "qas": [...]}]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("data", "title", "paragraphs", "context", "qas", "answers", "answer_start")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return starts_object(lines, "data", "paragraphs")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        value, source = load(path, problems)
        texts: dict[str, str] = {}
        truth = SpanTruth.from_records(_rows(value, source, problems, texts), problems, path)
        lengths = {document: float(len(text)) for document, text in texts.items()}
        return replace(truth, format=cls.format_name, lengths=lengths, texts=texts)

    @classmethod
    def documents(cls, path: str) -> dict[str, str]:
        problems, found = Problems(path), dict[str, str]()
        value, source = load(path, problems)
        for document, paragraph in _paragraphs(value, source, problems):
            text = paragraph["context"]
            if found.setdefault(document, text) != text:
                problems.report(f"document {document} has two texts", source.line)
        return found


def _paragraphs(value: Any, source: JsonSource, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every paragraph with the name of its document."""
    if value is None:
        return
    for article in objects(value.get("data") if isinstance(value, dict) else None, "data", source, problems):
        title = article.get("title")
        for number, paragraph in enumerate(objects(article.get("paragraphs"), "paragraphs", source, problems)):
            document = paragraph.get("document_id", article.get("document_id"))
            if document is None and isinstance(title, str):
                document = f"{title}/{number}"
            if not isinstance(document, (str, int)) or isinstance(document, bool):
                problems.report("a paragraph has neither a document_id nor a title", source.line)
            elif not isinstance(paragraph.get("context"), str):
                problems.report(f"the paragraph {document} has no context", source.line)
            else:
                yield str(document), paragraph


def _rows(value: Any, source: JsonSource, problems: Problems, texts: dict[str, str]) -> Rows:
    for document, paragraph in _paragraphs(value, source, problems):
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
