"""Spans checked against the texts of their documents, and converted to characters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from berrypick.core.columns import Coded, rows_by_document
from berrypick.core.errors import Message
from berrypick.core.run import Run
from berrypick.core.truth import Offsets, TopicTruth, Truth
from berrypick.documents.offsets import UnitsCache
from berrypick.documents.texts import Texts, read_texts


def checked_truth(
    truth: Truth,
    texts: Texts,
    counting: Offsets = "chars",
    on_mismatch: Literal["error", "note"] = "error",
    least: float | None = None,
) -> Truth:
    """Spans within their documents, in characters, that match the quotes beside them.

    An unknown document or an offset beyond the end is an error; so is a quote elsewhere than at its offsets, unless
    that shall be a note. ``least`` is the least similarity, in per cent, of a quote that need not be the same text.
    """
    if truth.units != "spans":
        return truth
    for topic in truth.topics.values():
        for document in topic.documents():
            if document not in texts:
                raise texts.unknown(document, truth.source or None, _line_of(topic, document))
    topics = {name: called(topic, texts) for name, topic in truth.topics.items()}
    truth, counting = _with_matching_quotes(replace(truth, topics=topics), texts, counting, on_mismatch, least)
    units = UnitsCache(texts, counting)
    checked = {name: _checked_topic(topic, units, truth.source) for name, topic in truth.topics.items()}
    return replace(truth, topics=checked, annotators={})


def checked_by_itself(
    truth: Truth, on_mismatch: Literal["error", "note"] = "error", least: float | None = None
) -> Truth:
    """A truth whose file holds texts and offsets, such as SQuAD, with the quotes compared with these texts."""
    if not truth.texts:
        return truth
    return _with_matching_quotes(truth, read_texts(truth.texts), truth.offsets or "chars", on_mismatch, least)[0]


def called(topic: TopicTruth, texts: Texts) -> TopicTruth:
    """Documents by their one name, so that truth and run speak of the same."""
    quotes = (q if q.document is None else replace(q, document=texts.canonical(q.document)) for q in topic.quotes)
    return replace(
        topic,
        document=tuple(texts.canonical(name) for name in topic.document),
        empty_documents=tuple(texts.canonical(name) for name in topic.empty_documents),
        quotes=tuple(quotes),
        judged_documents=tuple(texts.canonical(name) for name in topic.judged_documents),
    )


def _with_matching_quotes(
    truth: Truth, texts: Texts, counting: Offsets, on_mismatch: Literal["error", "note"], least: float | None
) -> tuple[Truth, Offsets]:
    """Quotes beside offsets compared with the documents and dropped; and what the offsets are seen to count."""
    quotes = [(name, q) for name, topic in truth.topics.items() for q in topic.quotes if q.has_offsets]
    if not quotes:
        return truth, counting
    from berrypick.documents import text_check

    check = text_check.check_texts(text_check.stated_quotes(quotes), texts, counting, least)
    notes = text_check.refuse_or_note(
        check, texts, lambda key: (quotes[key][0], quotes[key][1].line), truth.source, on_mismatch, "quote"
    )
    ends: dict[str, dict[tuple[str, float, float], int]] = {}
    for key, end in check.ends.items():
        name, quote = quotes[key]
        ends.setdefault(name, {})[text_check.span_of(quote)] = end
    topics = {name: _without_checked(topic, ends.get(name, {})) for name, topic in truth.topics.items()}
    where = f"{truth.source or 'the truth'}: "
    said = tuple(Message(where + Message(note).template) for note in notes)
    return replace(truth, topics=topics, notes=(*truth.notes, *said)), check.counting


def _without_checked(topic: TopicTruth, ends: Mapping[tuple[str, float, float], int]) -> TopicTruth:
    """Without the quotes that have offsets, and with some ends corrected."""
    end = topic.end
    if ends and topic.start is not None and end is not None:
        spans = zip(topic.document, topic.start.tolist(), end.tolist(), strict=True)
        corrected = [ends.get((document, float(low), float(high)), high) for document, low, high in spans]
        end = np.array(corrected, dtype=end.dtype)
    return replace(topic, end=end, quotes=tuple(quote for quote in topic.quotes if not quote.has_offsets))


def _line_of(topic: TopicTruth, document: str) -> int | None:
    if topic.line is None or document not in topic.document:
        return None
    return int(topic.line[topic.document.index(document)])


def _checked_topic(topic: TopicTruth, units: UnitsCache, source: str) -> TopicTruth:
    if topic.start is None or topic.end is None:
        return topic
    start, end, coded = topic.start.copy(), topic.end.copy(), Coded.of(topic.document)
    for rows in rows_by_document(coded.codes):
        document = coded.names[coded.codes[rows[0]]]
        start[rows], end[rows] = units.spans(document, start[rows], end[rows], rows, topic.line, source)
    return replace(topic, start=start, end=end)


def checked_run(
    run: Run, texts: Texts, counting: Offsets = "chars", on_mismatch: Literal["error", "note"] = "error"
) -> Run:
    """As for the truth; whole documents and paths are left as they are."""
    if run.start is None or run.end is None or not len(run):
        return run
    _known_documents(run, texts)
    run, counting = _with_matching_texts(run, texts, counting, on_mismatch)
    assert run.start is not None and run.end is not None
    units = UnitsCache(texts, counting)
    start, end = run.start.copy(), run.end.copy()
    for rows in rows_by_document(run.document):
        document, source = run.documents[run.document[rows[0]]], run.source or run.tag
        start[rows], end[rows] = units.spans(document, start[rows], end[rows], rows, run.line, source)
    names = [texts.canonical(name) for name in run.documents]
    known = {name: code for code, name in enumerate(dict.fromkeys(names))}
    codes = np.array([known[name] for name in names], dtype=np.int64)
    return replace(run, start=start, end=end, documents=list(known), document=codes[run.document])


def _known_documents(run: Run, texts: Texts) -> None:
    for code, name in enumerate(run.documents):
        if name not in texts and len(rows := np.flatnonzero(run.document == code)):
            line = int(run.line[rows].min()) if run.line is not None else None
            raise texts.unknown(name, run.source or run.tag or None, line)


def _with_matching_texts(
    run: Run, texts: Texts, counting: Offsets, on_mismatch: Literal["error", "note"]
) -> tuple[Run, Offsets]:
    """Texts beside offsets compared with the documents and dropped; and what the offsets are seen to count."""
    start, end, line = run.start, run.end, run.line
    if not run.quoted or line is None or start is None or end is None:
        return run, counting
    from berrypick.documents import text_check

    spans = zip(run.document.tolist(), start.tolist(), end.tolist(), strict=True)
    stated = text_check.stated_by_document(
        (run.documents[code], text_check.Stated(row, low, high, run.quoted[row]))
        for row, (code, low, high) in enumerate(spans)
        if row in run.quoted
    )
    check = text_check.check_texts(stated, texts, counting)

    def where(row: int) -> tuple[str, int | None]:
        position = int(np.searchsorted(run.bounds, row, side="right")) - 1
        return f"{run.topics[position]}, rank {int(run.rank[row]) + 1}", int(line[row])

    notes = text_check.refuse_or_note(check, texts, where, run.source or run.tag, on_mismatch, "text")
    if check.ends:
        end = end.copy()
        end[list(check.ends)] = list(check.ends.values())
    return replace(run, end=end, quoted={}, notes=(*run.notes, *notes)), check.counting
