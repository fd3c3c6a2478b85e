"""A truth located quote by quote: what is found, what is moved to its quote, what stays unresolved, each as a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from berrypick.data.errors import InputError, Message, UsageError, as_flags
from berrypick.data.truth import Offsets, Quote, TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.documents.checked import called, checked_truth
from berrypick.documents.locator import Locator, Place, Unresolved, UnresolvedQuotes, occurrences, with_places
from berrypick.documents.offsets import UnitsCache
from berrypick.documents.quotes import Quotes
from berrypick.documents.text_check import Mismatch, check_texts, distance, span_of, stated_quotes
from berrypick.documents.texts import Texts
from berrypick.files.files import atomic_writer
from berrypick.rows.json_lines import write_lines

#: What became of a span or quote; those after the first three are not in the result.
STATUSES = ("matches", "found", "repaired", "mismatch", "missing", "ambiguous", "beyond the end", "unknown document")
_GOOD = STATUSES[:3]
#: Candidates that a report has at most.
MOST = 20


@dataclass(frozen=True)
class LocatedSpan:
    """One span or quote of a truth: what the file has, what was found, and what came of it."""

    topic: str
    quote: Quote
    status: str
    place: Place | None = None
    why: str = ""
    candidates: tuple[Place, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        given = {"start": self.quote.start, "end": self.quote.end}
        record: dict[str, Any] = {
            "topic": self.topic,
            "line": self.quote.line,
            "doc": self.place.document if self.place is not None else self.quote.document,
            "status": self.status,
            "quote": self.quote.text or None,
            "given": {name: value for name, value in given.items() if value is not None} or None,
        }
        if self.place is not None:
            record |= {"start": self.place.start, "end": self.place.end}
        if self.why:
            record["why"] = as_flags(Message(self.why))
        if self.candidates:
            record["candidates"] = [_as_dict(place) for place in self.candidates[:MOST]]
        return {name: value for name, value in record.items() if value is not None}

    def error(self, texts: Texts, source: str) -> InputError:
        return Unresolved(self.topic, self.quote, self.why, self.candidates).error(texts, source)


def _as_dict(place: Place) -> dict[str, Any]:
    alike = {} if place.similarity >= 100 else {"similarity": round(place.similarity, 2)}
    return {"doc": place.document, "start": place.start, "end": place.end, **alike}


@dataclass
class TruthLocator:
    """Locates a truth; ``cases`` has what became of every span and quote."""

    texts: Texts
    how: Quotes
    threshold: float
    repair: int
    counting: Offsets
    source: str

    def __post_init__(self) -> None:
        self.cases: list[LocatedSpan] = []
        self.notes: list[str] = []
        self.units = UnitsCache(self.texts, self.counting)
        self.locator = Locator(self.texts, self.how, self.threshold, self.counting)

    def located(self, truth: Truth) -> Truth:
        """The truth with what has a place, offsets in characters."""
        topics = {name: self._known(called(topic, self.texts)) for name, topic in truth.topics.items()}
        checked = self._checked(topics)
        spans = {name: self._within(replace(topic, quotes=())) for name, topic in checked.items()}
        converted = checked_truth(replace(truth, topics=spans), self.texts, self.counting).topics
        sought = (quote for topic in checked.values() for quote in topic.quotes if not quote.has_offsets)
        self.locator.expect((quote.text, quote.document) for quote in sought)
        found = {name: self._with_quotes(converted[name], checked[name].quotes) for name in topics}
        return replace(truth, topics=found, offsets="chars", annotators={})

    def _known(self, topic: TopicTruth) -> TopicTruth:
        """Without what is in documents that are not there."""
        unknown = {name for name in (*topic.documents(), *self._named(topic)) if name not in self.texts}
        if not unknown:
            return topic
        gone = [q for q in topic.quotes if q.document in unknown]
        spans = {(q.document, q.start, q.end) for q in gone if q.has_offsets}
        gone += [q for q in _spans(topic) if q.document in unknown and (q.document, q.start, q.end) not in spans]
        for quote in gone:
            error = self.texts.unknown(str(quote.document))
            self.cases.append(LocatedSpan(topic.topic, quote, "unknown document", why=error.what))
        kept = np.array([name not in unknown for name in topic.document], dtype=bool)
        quotes = tuple(q for q in topic.quotes if q.document not in unknown)
        empty = tuple(name for name in topic.empty_documents if name in self.texts)
        return replace(_rows(topic, kept), quotes=quotes, empty_documents=empty)

    @staticmethod
    def _named(topic: TopicTruth) -> Iterator[str]:
        return (q.document for q in topic.quotes if q.document is not None)

    def _checked(self, topics: dict[str, TopicTruth]) -> dict[str, TopicTruth]:
        """Quotes beside offsets compared with the documents; offsets moved where that is allowed and clear."""
        quotes = [(name, q) for name, topic in topics.items() for q in topic.quotes if q.has_offsets]
        least = self.threshold if self.how == "fuzzy" else None
        check = check_texts(stated_quotes(quotes), self.texts, self.counting, least)
        if check.counting != self.counting:
            self.counting, self.units = check.counting, UnitsCache(self.texts, check.counting)
            self.locator.counting = check.counting
        self.notes = check.notes("quote")
        wrong = {row.stated.key: row for row in check.mismatches}
        moved: dict[str, dict[tuple[str, float, float], tuple[float, float] | None]] = {name: {} for name in topics}
        for key, (name, quote) in enumerate(quotes):
            span = span_of(quote)
            if key in wrong:
                moved[name][span] = self._moved(name, quote, wrong[key])
                continue
            if key in check.loose and (exact := self._beside(quote, *check.loose[key])) is not None:
                line = self.units.of(span[0])
                moved[name][span] = line.offset(exact.start), line.offset(exact.end)
                self.cases.append(LocatedSpan(name, quote, "repaired", exact, _shift(exact, *check.loose[key])))
                continue
            end = check.ends.get(key, quote.end)
            if end != quote.end:
                moved[name][span] = (span[1], float(end or 0))
            self.cases.append(LocatedSpan(name, quote, "matches", self._place(span[0], span[1], float(end or 0))))
        return {name: _with_spans(topic, moved[name]) for name, topic in topics.items()}

    def _place(self, document: str, start: float, end: float) -> Place:
        low, high = self.units.of(document).characters(np.array([start, end]))[0].tolist()
        return Place(document, low, high)

    def _beside(self, quote: Quote, first: int, last: int) -> Place | None:
        """The only place of a quote, character by character, near a span that differs from it in white space."""
        text, size = self.texts[str(quote.document)], len(quote.text)
        low = max(0, first - self.repair)
        near = [low + at for at in occurrences(text[low : first + self.repair + size], quote.text)]
        if not self.repair or len(near) != 1 or abs(near[0] + size - last) > self.repair:
            return None
        return Place(str(quote.document), near[0], near[0] + size)

    def _moved(self, topic: str, quote: Quote, row: Mismatch) -> tuple[float, float] | None:
        """The offsets of the only place of a quote near enough; None if there is none, which is a case."""
        found = sorted(self.locator.places(quote.text, row.document), key=lambda place: abs(place.start - row.first))
        near = [place for place in found if abs(place.start - row.first) <= self.repair]
        if self.repair and len(near) == 1:
            self.cases.append(LocatedSpan(topic, quote, "repaired", near[0], distance(near[0].start - row.first)))
            line = self.units.of(row.document)
            return line.offset(near[0].start), line.offset(near[0].end)
        span = f"the span {row.stated.start:.12g}-{row.stated.end:.12g} of {row.document} does not match its quote"
        why = f"{span}, which is not in the document"
        if found:
            away = found[0].start - row.first
            ends = f"ends at {found[0].end}, {distance(found[0].end - row.last)}"
            why = f"{span}, which {f'is {distance(away)}' if away else ends}"
        if len(near) > 1:
            why = f"{span}, which occurs in {len(near)} places within {counted(self.repair, 'character')}"
        self.cases.append(LocatedSpan(topic, quote, "mismatch", why=why, candidates=tuple(found)))
        return None

    def _within(self, topic: TopicTruth) -> TopicTruth:
        """Without spans that go beyond the end of their documents."""
        if topic.end is None:
            return topic
        totals = np.array([self.units.of(name).total for name in topic.document], dtype=np.float64)
        beyond = topic.end > totals
        if not beyond.any():
            return topic
        for quote in np.array(list(_spans(topic)), dtype=object)[beyond]:
            why = (
                f"the span {quote.start:.12g}-{quote.end:.12g} of {quote.document} goes beyond the end of the document"
            )
            self.cases.append(LocatedSpan(topic.topic, quote, "beyond the end", why=why))
        return _rows(topic, ~beyond)

    def _with_quotes(self, topic: TopicTruth, quotes: Sequence[Quote]) -> TopicTruth:
        """With the places of quotes that have no offsets."""
        places: list[tuple[Quote, Place]] = []
        for quote in quotes:
            if quote.has_offsets:
                continue
            found = self.locator.resolve(topic.topic, quote, self.source)
            status = "found"
            if isinstance(found, Unresolved) and (near := self._near(quote, found)) is not None:
                found, status = near, "repaired"
            if isinstance(found, Unresolved):
                status = "ambiguous" if len(found.candidates) > 1 else "missing"
                status = "missing" if "not in" in found.why else "mismatch" if quote.start is not None else status
                self.cases.append(LocatedSpan(topic.topic, quote, status, why=found.why, candidates=found.candidates))
            else:
                self.cases.append(LocatedSpan(topic.topic, quote, status, found))
                places.append((quote, found))
        return with_places(topic, places) if places else topic

    def _near(self, quote: Quote, found: Unresolved) -> Place | None:
        """The only place near the given start."""
        if not self.repair or quote.start is None or quote.document is None:
            return None
        first = self._place(quote.document, quote.start, quote.start).start
        near = [place for place in found.candidates if abs(place.start - first) <= self.repair]
        return near[0] if len(near) == 1 else None


def _shift(place: Place, first: int, last: int) -> str:
    """How far a span was from where it is now, at its start or else at its end."""
    return distance(place.start - first or place.end - last)


def _spans(topic: TopicTruth) -> Iterator[Quote]:
    """The spans of a topic as quotes without text."""
    if topic.start is None or topic.end is None:
        return
    line = topic.line if topic.line is not None else [None] * len(topic)
    for row, document in enumerate(topic.document):
        number = line[row]
        start, end, grade = float(topic.start[row]), float(topic.end[row]), float(topic.grade[row])
        yield Quote("", document, start, end, grade, None if number is None else int(number))


def _rows(topic: TopicTruth, kept: Any) -> TopicTruth:
    rows = np.flatnonzero(kept)
    return replace(
        topic,
        document=tuple(topic.document[row] for row in rows.tolist()),
        grade=topic.grade[rows],
        start=None if topic.start is None else topic.start[rows],
        end=None if topic.end is None else topic.end[rows],
        line=None if topic.line is None else topic.line[rows],
        sets=None if topic.sets is None else tuple(topic.sets[row] for row in rows.tolist()),
        hops=None if topic.hops is None else tuple(topic.hops[row] for row in rows.tolist()),
    )


def _with_spans(topic: TopicTruth, moved: dict[tuple[str, float, float], tuple[float, float] | None]) -> TopicTruth:
    """With other offsets for some spans; None takes one away."""
    if not moved or topic.start is None or topic.end is None:
        return topic
    start, end = topic.start.copy(), topic.end.copy()
    kept = np.ones(len(topic), dtype=bool)
    for row, (document, low, high) in enumerate(zip(topic.document, start.tolist(), end.tolist(), strict=True)):
        new = moved.get((document, float(low), float(high)), (low, high))
        kept[row] = new is not None
        if new is not None:
            start[row], end[row] = new
    return _rows(replace(topic, start=start, end=end), kept)


def locate_truth(truth: Truth, locator: TruthLocator, partial: bool, report: str | None) -> Truth:
    """The located truth with notes. The report is written in any case; an error is raised unless parts will do."""
    found = locator.located(truth)
    cases = sorted(locator.cases, key=lambda case: case.quote.line or 0)
    if report is not None:
        with atomic_writer(report) as out:
            write_lines((case.as_dict() for case in cases), out)
    bad = [case for case in cases if case.status not in _GOOD]
    if bad and not partial:
        raise UnresolvedQuotes([case.error(locator.texts, truth.source) for case in bad], len(cases), truth.source)
    for case in bad:
        if truth.topics[case.topic].names_sets and case.quote.grade > 0:
            what = f"topic {case.topic} names sets or hops, which would look complete without the skipped parts"
            raise UsageError(f"{what} ({case.error(locator.texts, truth.source).what}): correct it, or the truth")
    topics = {
        name: topic
        for name, topic in found.topics.items()
        if len(topic)
        or topic.empty_documents
        or topic.no_answer
        or (not len(truth.topics[name]) and not truth.topics[name].quotes)
    }
    return found.changed(
        topics=topics,
        notes=(*found.notes, *locator.notes, *_notes(locator.cases, len(found.topics) - len(topics))),
    )


def _notes(cases: Sequence[LocatedSpan], emptied: int) -> list[str]:
    counts = Counter(case.status for case in cases)
    said = [f"{counted(counts['repaired'], 'span')} moved to the quote"] if counts["repaired"] else []
    bad = {status: counts[status] for status in STATUSES[3:] if counts[status]}
    if bad:
        parts = ", ".join(f"{count} {status}" for status, count in bad.items())
        said.append(f"{sum(bad.values())} of {len(cases)} spans and quotes skipped: {parts}")
    if emptied:
        said.append(f"{counted(emptied, 'topic')} skipped: no span was found")
    return said
