"""W3C Web Annotations, as Hypothesis and others have them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from berrypick.data.annotators import merge_annotators
from berrypick.data.origin import Origin
from berrypick.data.truth import Quote, TopicTruth, Truth
from berrypick.files.files import head
from berrypick.files.json_files import load
from berrypick.files.line_words import finite
from berrypick.formats.annotation.annotation_export import GRADES, MOST, AnnotationExport, as_list
from berrypick.formats.annotation.page_marks import AnnotatedPage, PageMark, page_of_selectors, truth_of_pages
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import records
from berrypick.rows.values import Judgement, spans_topic

#: How the topic is tagged.
TOPIC = "topic:"


class WebAnnotation(AnnotationExport):
    """W3C Web Annotations of text: a list, a collection or page, one per line, or the answer of the API of Hypothesis.

    A tag (a body with purpose ``tagging``, or ``tags`` of Hypothesis) ``topic:q1`` names the topic, another one
    (or a body with purpose ``assessing`` or ``classifying``) is the label, which means what it means in label-studio.
    Annotations without a topic or a label are skipped and counted. ``source`` (or ``uri``) of the target is the
    document.

    A TextQuoteSelector is looked up in the documents, where its prefix and suffix choose between several places. The
    positions of a TextPositionSelector count characters, as the standard says; those of Hypothesis count the text of a
    web page, so that its quotes alone are used. ``creator`` (or ``user``) keeps annotators apart.

    A FragmentSelector ``page=15`` is a page of the document, and ``xywh=percent:10,20,50,5`` (another selector of the
    target, or one that refines the first) a box on it, in shares of the page.

    Sample::

        [{"@context": "http://www.w3.org/ns/anno.jsonld", "type": "Annotation", "body": [
           {"type": "TextualBody", "purpose": "tagging", "value": "topic:q1"},
           {"type": "TextualBody", "purpose": "assessing", "value": "relevant"}],
          "target": {"source": "guide.md", "selector": [
           {"type": "TextPositionSelector", "start": 51, "end": 69},
           {"type": "TextQuoteSelector", "exact": "Cut the old canes.", "prefix": "See below. "}]}}]
    """

    format_name: ClassVar[str] = "w3c"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("[", "{")
    marks: ClassVar[tuple[str, ...]] = ('"selector"',)
    aliases: ClassVar[tuple[str, ...]] = ("hypothesis", "web-annotation")
    shape: ClassVar[str] = '[{"type": "Annotation", "body": [...], "target": {"source": ..., "selector": [...]}}]'

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "".join(lines)
        return text.lstrip()[:1] in ("[", "{") and '"target"' in text and '"selector"' in text

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        found: dict[str, dict[str, _AnnotatedTopic]] = {}
        pages: list[AnnotatedPage] = []
        for line, value in _annotations(path, problems):
            _read_one(value, line, found, pages, problems)
        if pages:
            if any(one.spans or one.quotes for topics in found.values() for one in topics.values()):
                problems.report("some annotations are boxes on pages and some are texts", remedy="keep them apart")
            return truth_of_pages(pages, problems, path, cls.format_name)
        annotators = {who: {name: one.truth(name) for name, one in topics.items()} for who, topics in found.items()}
        several = {who: topics for who, topics in annotators.items() if len(annotators) > 1}
        origin = Origin(path, cls.format_name)
        return Truth("spans", merge_annotators(annotators), origin, offsets="chars", annotators=several)


@dataclass
class _AnnotatedTopic:
    spans: dict[tuple[str, int, int], Judgement] = field(default_factory=dict)
    quotes: list[Quote] = field(default_factory=list)

    def truth(self, topic: str) -> TopicTruth:
        return spans_topic(topic, self.spans, quotes=tuple(self.quotes))


def _annotations(path: str, problems: Problems) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Every annotation of a file of JSON or JSON Lines."""
    first = head(path)
    try:
        lines = len(first) > 1 and isinstance(json.loads(first[0]), dict)
    except (ValueError, RecursionError):  # said where the file is read
        lines = False
    if lines:
        for number, _, value in records(path, problems):
            yield number, value
        return
    whole, _ = load(path, problems)
    if isinstance(whole, dict):
        page: dict[str, Any] = whole["first"] if isinstance(whole.get("first"), dict) else whole
        whole = page.get("items", page.get("rows", [whole]))
    for one in as_list(whole):
        if isinstance(one, dict):
            yield None, one
        else:
            problems.count("entries that are not annotations, skipped")


def _read_one(
    value: dict[str, Any], line: int | None, found: dict[str, Any], pages: list[AnnotatedPage], problems: Problems
) -> None:
    topic, grade = _topic_and_grade(value)
    if topic is None or grade is None:
        problems.count(f"annotations without {'a topic' if topic is None else 'a label'}, skipped")
        return
    who = value.get("creator", value.get("user", ""))
    who = str(who.get("name") or who.get("id") or "") if isinstance(who, dict) else str(who)
    kept: _AnnotatedTopic = found.setdefault(who, {}).setdefault(topic, _AnnotatedTopic())
    for target in _list(value.get("target")):
        if not isinstance(target, dict):
            problems.report("an annotation has no target with a selector", line)
            continue
        source = target.get("source", value.get("uri"))
        document = source.get("id") if isinstance(source, dict) else source
        if not isinstance(document, str) or not document:
            problems.report("the target of an annotation has no source, which names its document", line)
            continue
        given = target.get("selector")
        selectors = {str(one.get("type")): one for one in _list(given) if isinstance(one, dict)}
        place = page_of_selectors(_list(given))
        if isinstance(place, str):
            problems.report(f"an annotation of {document}: {place}", line)
            continue
        if place is not None:
            fields = {"topic": topic, "doc": document, "page": place[0]}
            pages.append(AnnotatedPage(fields, who, (PageMark(place[1], f"{grade:g}"),), line=line))
            continue
        if "uri" in value:  # of Hypothesis: positions count the text of a web page
            selectors.pop("TextPositionSelector", None)
        _add(kept, document, grade, selectors, line, problems)


def _list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


def _add(
    kept: _AnnotatedTopic, document: str, grade: float, selectors: dict[Any, Any], line: int | None, problems: Problems
) -> None:
    quote, place = selectors.get("TextQuoteSelector", {}), selectors.get("TextPositionSelector", {})
    exact, start, end = quote.get("exact"), place.get("start"), place.get("end")
    span = (start, end) if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= MOST else None
    if span is None and (start is not None or end is not None):
        problems.count("positions that are not a span, ignored")
    quoted = isinstance(exact, str) and bool(exact.strip())
    if span is None and not quoted:
        problems.report(f"an annotation of {document} has neither a quote nor a position", line)
    if quoted:
        start, end = span or (None, None)
        before, after = str(quote.get("prefix") or ""), str(quote.get("suffix") or "")
        kept.quotes.append(Quote(exact, document, start, end, grade, line, before, after))
    if span is not None:
        kept.spans.setdefault((document, *span), (grade, line or 0))


def _topic_and_grade(value: dict[str, Any]) -> tuple[str | None, float | None]:
    bodies = value.get("body", [])
    texts = [str(tag) for tag in as_list(value.get("tags"))]
    for body in _list(bodies):
        said = body.get("value") if isinstance(body, dict) else body
        if isinstance(said, str):
            texts.append(said)
    topic = next((text[len(TOPIC) :].strip() for text in texts if text.startswith(TOPIC)), None)
    grades = [GRADES.get(text.strip().lower(), finite(text.strip())) for text in texts if not text.startswith(TOPIC)]
    return topic or None, next((grade for grade in grades if grade is not None), None)
