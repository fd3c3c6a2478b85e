"""Spans checked against the texts of their documents, and converted to characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from berrypick.data.arrays import BoolArray
from berrypick.data.columns import Coded, rows_by_document, unpacked
from berrypick.data.errors import Message
from berrypick.data.run import Run
from berrypick.data.truth import Offsets, Quote, TopicTruth, Truth
from berrypick.documents.offsets import UnitsCache
from berrypick.documents.quotes import OnMismatch, located_truth
from berrypick.documents.texts import Texts, read_texts


def checked_truth(
    truth: Truth,
    texts: Texts,
    counting: Offsets = "chars",
    on_mismatch: OnMismatch = "error",
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


def checked_by_itself(truth: Truth, on_mismatch: OnMismatch = "error", least: float | None = None) -> Truth:
    """A truth whose file holds texts and offsets, such as SQuAD, with the quotes compared with these texts."""
    if not truth.texts:
        return truth
    texts = read_texts(truth.texts)
    checked, counting = _with_matching_quotes(truth, texts, truth.offsets or "chars", on_mismatch, least)
    return located_truth(checked, texts, "normalised", counting) if on_mismatch == "locate" else checked


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
    truth: Truth, texts: Texts, counting: Offsets, on_mismatch: OnMismatch, least: float | None
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
    lost: dict[str, dict[int, Quote]] = {}
    for row in check.mismatches if on_mismatch == "locate" else ():
        name, quote = quotes[row.stated.key]
        starts = quote.start if texts[row.document].startswith(quote.text, row.first) else None  # only the end is wrong
        lost.setdefault(name, {})[id(quote)] = replace(quote, start=starts, end=None)
    topics = {
        name: _without_checked(_without_spans(topic, lost.get(name, {})), ends.get(name, {}))
        for name, topic in truth.topics.items()
    }
    where = f"{truth.source or 'the truth'}: "
    said = tuple(Message(where + Message(note).template) for note in notes)
    return truth.changed(topics=topics, notes=(*truth.notes, *said)), check.counting


def _without_spans(topic: TopicTruth, lost: Mapping[int, Quote]) -> TopicTruth:
    """Without the spans of some quotes, which wait for the place of their text instead; by the ids of the quotes."""
    if not lost or topic.start is None or topic.end is None:
        return topic
    from berrypick.documents.text_check import span_of

    right = {span_of(quote) for quote in topic.quotes if quote.has_offsets and id(quote) not in lost}
    wrong = {span_of(quote) for quote in topic.quotes if id(quote) in lost} - right
    spans = zip(topic.document, topic.start.tolist(), topic.end.tolist(), strict=True)
    kept = np.array([(name, float(low), float(high)) not in wrong for name, low, high in spans], dtype=bool)
    rows = np.flatnonzero(kept).tolist()
    return replace(
        topic,
        document=tuple(topic.document[row] for row in rows),
        grade=topic.grade[kept],
        start=topic.start[kept],
        end=topic.end[kept],
        line=None if topic.line is None else topic.line[kept],
        sets=None if topic.sets is None else tuple(topic.sets[row] for row in rows),
        hops=None if topic.hops is None else tuple(topic.hops[row] for row in rows),
        quotes=tuple(lost.get(id(quote), quote) for quote in topic.quotes),
    )


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


def checked_run(run: Run, texts: Texts, counting: Offsets = "chars") -> Run:
    """As for the truth; whole documents and paths are left as they are."""
    return checked_and_waiting(run, texts, counting, "error", ())[0]


def checked_and_waiting(
    run: Run, texts: Texts, counting: Offsets, on_mismatch: OnMismatch, waiting: Sequence[int]
) -> tuple[Run, list[int]]:
    """The same where some rows have no offsets: those ``waiting``.

    Returns the run in characters and the rows whose text decides where they are: those that wait, and, where texts that
    are not at their offsets shall be located, these.
    """
    moved = list(waiting)
    if run.start is None or run.end is None or not run.size():
        return run, moved
    placed = np.ones(run.size(), dtype=bool)
    placed[moved] = False
    known_documents(run, texts, placed)
    run, counting, mismatched = _with_matching_texts(run, texts, counting, on_mismatch, placed)
    assert run.start is not None and run.end is not None
    units = UnitsCache(texts, counting)
    start, end = np.array(unpacked(run.start)), np.array(unpacked(run.end))
    if mismatched:
        moved = sorted({*moved, *mismatched})
        placed[moved] = False
        start[[*mismatched]] = [*mismatched.values()]
    for rows in rows_by_document(run.document):
        document, source = run.documents[run.document[rows[0]]], run.source or run.tag
        if moved:
            rows = rows[placed[rows]]
        if len(rows):
            start[rows], end[rows] = units.spans(document, start[rows], end[rows], rows, unpacked(run.line), source)
    names = [texts.canonical(name) for name in run.documents]
    known = {name: code for code, name in enumerate(dict.fromkeys(names))}
    codes = np.array([known[name] for name in names], dtype=np.int64)
    return replace(run, start=start, end=end, names=Coded(list(known), codes[run.document])), moved


def known_documents(run: Run, texts: Texts, among: BoolArray | None = None) -> None:
    """Refuse a result in a document that has no text; ``among`` chooses the rows that are looked at."""
    for code, name in enumerate(run.documents):
        if name in texts:
            continue
        rows = np.flatnonzero((run.document == code) if among is None else (run.document == code) & among)
        if len(rows):
            line = int(run.line[rows].min()) if run.line is not None else None
            raise texts.unknown(name, run.source or run.tag or None, line)


def _with_matching_texts(
    run: Run, texts: Texts, counting: Offsets, on_mismatch: OnMismatch, placed: BoolArray
) -> tuple[Run, Offsets, dict[int, int]]:
    """Texts beside offsets compared with the documents and dropped; what the offsets are seen to count; and the rows
    whose texts, which are not there, shall be located, with the start that they name, in characters."""
    start, end, line = unpacked(run.start), unpacked(run.end), unpacked(run.line)
    if not run.texts.quoted or line is None or start is None or end is None:
        return run, counting, {}
    from berrypick.documents import text_check

    spans = zip(run.document.tolist(), start.tolist(), end.tolist(), strict=True)
    stated = text_check.stated_by_document(
        (run.documents[code], text_check.Stated(row, low, high, run.texts.quoted[row]))
        for row, (code, low, high) in enumerate(spans)
        if row in run.texts.quoted and placed[row]
    )
    check = text_check.check_texts(stated, texts, counting)

    def where(row: int) -> tuple[str, int | None]:
        position = int(np.searchsorted(run.bounds, row, side="right")) - 1
        return f"{run.topics[position]}, rank {int(run.rank[row]) + 1}", int(line[row])

    notes = text_check.refuse_or_note(check, texts, where, run.source or run.tag, on_mismatch, "text")
    if check.ends:
        end = end.copy()
        end[list(check.ends)] = list(check.ends.values())
    moved = {row.stated.key: row.first for row in check.mismatches} if on_mismatch == "locate" else {}
    kept = {row: run.texts.quoted[row] for row in (*moved, *np.flatnonzero(~placed).tolist())}
    return run.changed(end=end, quoted=kept, notes=(*run.notes, *notes)), check.counting, moved
