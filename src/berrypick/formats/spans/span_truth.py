"""Relevant spans as JSON Lines."""

from __future__ import annotations

import re
from typing import Any, ClassVar, TextIO

from berrypick.data.origin import Origin
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.formats.base import Format, Problems, Role
from berrypick.rows.chosen_fields import ChosenFields
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.fields import OF_ANSWERS, has_list, is_span_header, names_topic, ours_of, plain_name
from berrypick.rows.json_lines import Rows, records, span_fields, write_lines
from berrypick.rows.layouts import LAYOUTS, short_name
from berrypick.rows.relevance_fields import are_relevance, is_beir
from berrypick.rows.span_scan import scan_judged
from berrypick.rows.truth_rows import rows_of_truth, truth_of_rows
from berrypick.rows.values import judged_counts, set_counts

#: Fields that only runs have.
OF_RUNS = ("score", "rank", "results")
#: Fields that hold the labels of an annotation tool.
_LABELS = frozenset({"label", "labels", "entities", "annotations", "spans"})
#: Strings, with the colon behind names, and brackets. A string that a cut leaves open is one token: trying each of its
#: quotes again would take quadratic time.
_TOKENS = re.compile(r'"((?:[^"\\]|\\(?:.|\Z))*)(?:"(\s*:)?|\Z)|[{}\[\]]', re.DOTALL)
#: Azure's spans are places again, and no labels.
_OF_LAYOUTS = ('"boundingRegions"', '"bounding_regions"')
#: Characters of a line whose names are looked at, to see what it is.
_LOOKED_AT = 1 << 16
_OF_TASKS = re.compile(
    r'"(regions|entities|annotations|spans)":\s*\[|"labels?":\s*\[\s*[\[{\]]|"answer":\s*"(accept|reject|ignore)"'
)
#: Labels that are words, which are those of a text that is beside them; numbers grade a list of passages.
_OF_WORDS, _OF_TEXTS = re.compile(r'"labels?":\s*\[\s*"'), re.compile(r'"(text|data)":\s*"')
#: Where an answer is a list, of its sentences.
_OF_SENTENCES = re.compile(r'"answer":\s*\[')
#: Hits as a plain list, and names beside or inside hits in the responses of stores.
_HITS = re.compile(r'"hits"\s*:\s*\[')
_OF_STORES = re.compile(r'"(?:_id|_source|_rankingScore|processingTimeMs|took|found)"\s*:')


class SpanTruth(Format):
    """Relevant spans, one JSON object per line: ``topic``, ``doc``, ``start``, ``end`` and optionally ``grade`` (1).

    The grade may have another name and be a word: ``"is_relevant": false``, ``"label": "irrelevant"``. Null or a value
    that does not stand for a grade is an error.

    Offsets count from 0 and are half-open: ``end`` is the first position after the span. They are characters in text,
    seconds in video. A line with grade 0 and no offsets says that a document was judged and holds nothing relevant. A
    file without any offsets judges whole documents. Exact copies are merged, overlapping spans are kept. Other fields
    are fields of the topic, such as ``"domain": "law"``, if all lines of a topic agree on them: results can be grouped
    by them.

    ``start_line`` and ``end_line`` (from 1, both included), or ``line``, say where by lines, and ``start_time`` and
    ``end_time`` by seconds: lengths then count these. Truth and run count the same.

    ``quote`` may stand in place of the offsets: the relevant text, word for word. It is looked up in the documents
    given as documents: in ``doc``, or in all of them if the line names none. ``start`` beside it settles which one
    of several places is meant. Offsets beside a ``quote``, or beside its other name ``text``, are checked against the
    documents where these are given.

    ``offsets`` says what the offsets count: ``"chars"``, ``"bytes"`` (of UTF-8) or ``"utf16"``, with ``+bom``
    (``"chars+bom"``) where they count the byte order mark of a text file too; it stands in every line that has some, or
    in none. It overrides the option offsets, which then holds for the runs alone. ``berrypick locate`` writes
    ``"chars"``.

    ``{"topic": "9", "answer": null}`` says that a topic has no answer (``"is_impossible": true``, as in SQuAD, says the
    same). ``{"topic": "1", "doc": "guide.md", "judged": true}`` says that a document was judged as a whole: what no
    other line marks as relevant in it is not. A span of grade 0 is text that was judged and is not relevant.
    ``{"topic": "8", "judged": false}`` says that nothing was judged for a topic: its values are undefined.

    ``set`` names a sufficient answer that the line is part of: all lines of one topic with one set are enough together,
    and sets are alternatives. ``hop`` says that one line of each hop is needed. Either may be a list of several names.
    A topic has sets in all its relevant lines, or hops in all of them, or neither: then all lines together are needed.

    ``annotator`` says who made a judgement, as the page of ``berrypick annotate`` writes it. Lines of several people
    may stand in one file: they are kept apart, and merged by the option annotators.

    ``{"doc": "guide.md", "checksum": "..."}`` is a checksum of the text that offsets were made on, as ``berrypick
    relocate`` writes it; a note says where the documents given are not those.

    Fields may have other names, such as ``char_start`` or ``qid``: one table holds for all inputs. A field that says
    where and is not read, such as ``page``, is an error. Where lines name no topic but a ``question``, the topic is the
    place of that question in the file (1, 2 ..).

    Sample::

        {"topic": "1", "doc": "guide.md", "start": 120, "end": 260}
        {"topic": "1", "doc": "faq.md", "start": 0, "end": 80, "grade": 0.5}
    """

    format_name: ClassVar[str] = "span-truth"
    role: ClassVar[Role] = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    before: ClassVar[tuple[str, ...]] = ("inex-fol-truth", "mediaeval-qrels", "span-table-truth")
    usual: ClassVar[bool] = True
    shape: ClassVar[str] = '{"topic": "1", "doc": "guide.md", "start": 120, "end": 260}'
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json")
    json_names: ClassVar[tuple[str, ...]] = ("topic", "doc", "start", "end", "grade", "quote")
    holds_empty_topics: ClassVar[bool] = True
    holds: ClassVar[frozenset[str]] = frozenset(
        {"quotes without offsets", "documents judged as a whole", "places on pages", "lines", "seconds", "sets"}
    )

    takes_fields: ClassVar[bool] = True

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        names = line_names(lines[0])
        other = any(name in OF_RUNS or ours_of(name, "run") in ("score", "distance") for name in names)
        return (
            is_span_line(names, lines[0])
            and not _holds_results(names)
            and (not other or is_beir(map(plain_name, names)))
        )

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        chosen = ChosenFields.of(options.get("fields"))
        if not chosen and (topics := scan_judged(path)) is not None:
            return Truth("spans", topics, Origin(path, cls.format_name))
        reader = FieldParser("truth", chosen=chosen)
        truth = truth_of_rows(span_records(path, problems, reader), problems, path)
        reader.refuse_unknown(path)
        return truth

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Truth):
            return "it is not a truth"
        return "elements are judged, by their paths" if value.units == "elements" else ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        write_lines(rows_of_truth(value), out)

    @classmethod
    def describe(cls, value: Truth) -> list[str]:
        waiting = sum(not quote.has_offsets for topic in value.topics.values() for quote in topic.quotes)
        documents = {name for topic in value.topics.values() for name in topic.documents()}
        return [
            *judged_counts(value, f"judged {value.units.removesuffix('s')}"),
            counted(len(documents), "document"),
            *([f"{counted(len(value.unanswerable), 'topic')} without an answer"] if value.unanswerable else []),
            *([f"{counted(waiting, 'quote')} to be located in documents"] if waiting else []),
            *([f"offsets count {value.offsets}"] if value.offsets not in (None, "chars") else []),
            *([counted(len(value.annotators), "annotator")] if value.annotators else []),
            *set_counts(value),
        ]


def line_names(line: str) -> list[str]:
    """The names of the object that a line of JSON is; the line may be cut."""
    names, depth = [], 0
    for token in _TOKENS.finditer(line[:_LOOKED_AT]):
        if token[0] in ("{", "["):
            depth += 1
        elif token[0] in ("}", "]"):
            depth -= 1
        elif depth == 1 and token[2]:
            names.append(token[1])
    return names


def is_span_line(names: list[str], line: str) -> bool:
    """Whether a line of JSON is one of spans, or of a question with a list of them."""
    lists = has_list(name for name in names if name != "hits") or _holds_hits(line[:_LOOKED_AT])
    known = "topic" in names or is_span_header(names) or (names_topic(names) and lists)
    return line.lstrip().startswith("{") and known and not is_task(line) and not _is_cited_answer(names, line)


def _holds_results(names: list[str]) -> bool:
    """Whether a line has a list that only runs have, and nothing of a judgement."""
    return any(plain_name(name) in OF_ANSWERS for name in names) and not is_span_header(names)


def _holds_hits(line: str) -> bool:
    """Whether a line holds hits as a plain list; the response of a store has other names beside or inside them."""
    return _HITS.search(line) is not None and _OF_STORES.search(line) is None


def _is_cited_answer(names: list[str], line: str) -> bool:
    """Whether a line is an answer in sentences with citations, whose topic may be a text."""
    return _OF_SENTENCES.search(line) is not None and ("references" in names or '"citations"' in line[:_LOOKED_AT])


def is_task(line: str) -> bool:
    """Whether a line looks like a task of an annotation tool."""
    labelled = _OF_TASKS.search(line) or (_OF_WORDS.search(line) and _OF_TEXTS.search(line))
    return labelled is not None and not any(name in line for name in _OF_LAYOUTS)


def span_records(path: str, problems: Problems, reader: FieldParser) -> Rows:
    """The lines of a file by our names. A line of an annotation tool, whose labels would not be read, is an error."""
    return span_fields(_judged_lines(path, problems), reader, problems)


def _judged_lines(path: str, problems: Problems) -> Rows:
    for number, text, value in records(path, problems):
        labelled = "start" not in value and any(_are_labels(value[name]) for name in value.keys() & _LABELS)
        if labelled and isinstance(value.get("text"), str) and LAYOUTS.isdisjoint(map(short_name, value)):
            what = "is a task of an annotation tool, whose labels would be ignored"
            problems.report(what, number, text, remedy="name the format of the file, such as doccano")
        else:
            yield number, text, value


def _are_labels(held: Any) -> bool:
    """Whether a field holds labels; a list of numbers grades passages."""
    if not isinstance(held, list) or not held:
        return False
    return any(isinstance(one, str) for one in held) or not are_relevance(held)
