"""Answers with citations, as runs of the documents that they cite: TREC RAG and RAGTIME."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.formats._records import RunRecords
from berrypick.formats.base import Problems
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.json_lines import Fields, Rows, records

#: What is said of citations that cite nothing.
_OUTSIDE = "citations of unknown references, skipped"
_UNCITED = "references that no sentence cites, skipped"
_LIST = re.compile(r'"(answer|responses)":\s*\[')
#: Names of the topic, beside the answer or in its metadata: of TREC RAG 2024, of later years, of report pilots.
_TOPICS = ("topic_id", "narrative_id", "request_id")


class TrecRagAnswers(RunRecords):
    """Answers of TREC RAG, one JSON object a topic: ``topic_id``, ``references``, ``answer`` with ``citations``.

    The run retrieves the documents that sentences cite, each once, in the order of their first citation. A citation is
    the place of a document in ``references``, from 0, or its name. References that no sentence cites, and citations
    that name no reference, are counted and left out. ``SetP`` and ``SetR`` against judged documents are precision and
    recall of what is cited. ``run_id`` names the run. Where ``metadata`` holds these names, they are read there.

    Sample::

        {"topic_id": "1", "references": ["a", "b"], "answer": [{"text": "Ripe ones.", "citations": [1, 0]}]}
        {"topic_id": "2", "references": ["c"], "answer": [{"text": "In spring.", "citations": [0]}]}
    """

    format_name: ClassVar[str] = "trec-rag-answers"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"references"',)
    shape: ClassVar[str] = '{"topic_id": "1", "references": ["a"], "answer": [{"text": "Yes.", "citations": [0]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("topic_id", "run_id", "references", "answer", "citations")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines[0], {"references", "answer"})

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for fields, topic, run in _answers(path, problems):
            references = fields.value.get("references")
            if not isinstance(references, list) or not all(isinstance(one, str) and one for one in references):
                fields.fail("references must be a list of names of documents")
                continue
            cited = _Cited(fields, references)
            for citation in _citations(fields, "answer"):
                cited.add(citation)
            if fields.good:
                left = len(set(references) - set(cited.names))
                problems.count(_UNCITED, left) if left else None
                yield from _rows(fields, topic, run, cited.names)


class RagtimeReports(RunRecords):
    """Reports of RAGTIME, one JSON object a topic: ``metadata`` with ``topic_id``, ``responses`` with ``citations``.

    The run retrieves the documents that sentences cite, each once, in the order of their first citation; a citation is
    the name of a document, and where citations are an object its names are. ``metadata.run_id`` names the run. DRAGUN's
    reports have the same shape.

    Sample::

        {"metadata": {"topic_id": "1", "run_id": "mine"}, "responses": [{"text": "Ripe.", "citations": ["b", "a"]}]}
        {"metadata": {"topic_id": "2", "run_id": "mine"}, "responses": [{"text": "In May.", "citations": ["c"]}]}
    """

    format_name: ClassVar[str] = "ragtime-reports"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"responses"',)
    shape: ClassVar[str] = '{"metadata": {"topic_id": "1"}, "responses": [{"text": "Yes.", "citations": ["a"]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("metadata", "topic_id", "responses", "citations")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines[0], {"metadata", "responses"}) and any(f'"{name}"' in lines[0] for name in _TOPICS)

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for fields, topic, run in _answers(path, problems):
            cited = _Cited(fields)
            for citation in _citations(fields, "responses"):
                cited.add(citation)
            if fields.good:
                yield from _rows(fields, topic, run, cited.names)


class _Cited:
    """The documents that an answer cites, each once."""

    def __init__(self, fields: Fields, references: list[str] | None = None) -> None:
        self._fields, self._references = fields, references
        self.names: dict[str, None] = {}

    def add(self, citation: Any) -> None:
        """Add a citation, by its place among the references or by its name."""
        held = self._references
        if isinstance(citation, str) and citation:
            if held is not None and citation not in held:
                self._fields.problems.count(_OUTSIDE)
            else:
                self.names[citation] = None
        elif held is not None and isinstance(citation, int) and not isinstance(citation, bool):
            if 0 <= citation < len(held):
                self.names[held[citation]] = None
            else:
                self._fields.problems.count(_OUTSIDE)
        else:
            what = "a place among the references, or a name" if held is not None else "the name of a document"
            self._fields.fail(f"a citation is {what}, not {citation!r:.40}")


def _looks(line: str, names: set[str]) -> bool:
    return line.lstrip().startswith("{") and names <= set(line_names(line)) and bool(_LIST.search(line))


def _answers(path: str, problems: Problems) -> Iterator[tuple[Fields, str, str]]:
    """Every line with its topic, which has one line, and the name of its run."""
    seen: dict[str, int] = {}
    first: str | None = None
    for number, text, value in records(path, problems):
        about = value.get("metadata")
        known = {**(about if isinstance(about, Mapping) else {}), **value}
        name = next((one for one in _TOPICS if known.get(one) is not None), _TOPICS[0])
        topic = Fields(number, text, {name: known.get(name)}, problems)
        found, run = topic.name(name), known.get("run_id")
        run = run if isinstance(run, str) else ""
        if topic.good and found in seen:
            topic.fail(f"topic {found} is also in line {seen[found]}", "give every topic one answer")
        if topic.good and first is not None and run != first:
            topic.fail(f"run {run or 'without a name'} after run {first or 'without a name'}",
                       "give every run a file of its own")  # fmt: skip
        if topic.good:
            seen[found], first = number, run
            yield Fields(number, text, value, problems), found, run


def _citations(fields: Fields, name: str) -> Iterator[Any]:
    """The citations of every sentence, in their order."""
    sentences = fields.value.get(name)
    if not isinstance(sentences, list) or not all(isinstance(one, Mapping) for one in sentences):
        fields.fail(f"{name} must be a list of sentences: objects with text and citations")
        return
    for sentence in sentences:
        citations = sentence.get("citations")
        if citations is None:
            continue
        if not isinstance(citations, (list, Mapping)):
            fields.fail("citations must be a list")
            return
        yield from citations


def _rows(fields: Fields, topic: str, run: str, cited: Mapping[str, None]) -> Rows:
    tag = {"tag": run} if run else {}
    if not cited:
        yield fields.number, fields.text, {"topic": topic, "results": [], **tag}
    for name in cited:
        yield fields.number, fields.text, {"topic": topic, "doc": name, **tag}
