"""Quotes to spans: find quoted text in the documents.

Nothing is guessed. A quote that is missing, or occurs in several places, is reported with its candidates; a given
offset settles which place is meant, and one that does not match its quote is an error that says how far off it is.

exact        the quote, character by character
normalised   runs of white space count as one space, and so do kinds of quotation marks, of apostrophes and of dashes
             as one of each
fuzzy        what normalised does not find is sought by similarity, with a stated threshold
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.columns import Coded
from berrypick.data.errors import InputError, Message, option, shorten
from berrypick.data.run import Run
from berrypick.data.truth import Offsets, Quote, TopicTruth, Truth
from berrypick.documents.many_quotes import MANY, find_many
from berrypick.documents.offsets import Units
from berrypick.documents.quotes import QUOTES, THRESHOLD, Quotes
from berrypick.documents.similar import SimilarText
from berrypick.documents.text_check import KINDS_TABLE, SPACE
from berrypick.documents.texts import Texts
from berrypick.documents.word_borders import whole_words

#: Of long quotes so many characters are looked for first.
HEAD = 64
#: Fewer characters to look at, in all, are looked at quote by quote.
LITTLE = 100_000_000
#: At most so many candidates are shown.
MOST = 5
#: Characters shown on both sides of a candidate.
AROUND = 25


@dataclass(frozen=True)
class Place:
    """A place of a quote, and how similar the text there is (100: the same)."""

    document: str
    start: int
    end: int
    similarity: float = 100.0


@dataclass(frozen=True)
class Unresolved:
    """A quote without exactly one place: why, and the places that come into question."""

    topic: str
    quote: Quote
    why: str
    candidates: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", Message(self.why))

    def error(self, texts: Texts, source: str) -> InputError:
        shown = [f"  {_context(place, texts)}" for place in self.candidates[:MOST]]
        if len(self.candidates) > MOST:
            shown.append(f"  and {len(self.candidates) - MOST} more")
        return InputError(
            f"topic {self.topic}: {Message(self.why).template}",
            path=source or None,
            line=self.quote.line,
            text=self.quote.text,
            remedy=[*(["candidates:"] if shown else []), *shown],
        )


def _context(place: Place, texts: Texts) -> str:
    text = texts[place.document]
    before, after = text[max(0, place.start - AROUND) : place.start], text[place.end : place.end + AROUND]
    inside = text[place.start : place.end]
    if len(inside) > 60:
        inside = f"{inside[:28]} ... {inside[-28:]}"
    alike = "" if place.similarity >= 100 else f" ({place.similarity:.1f}% alike)"
    return f"{place.document} {place.start}-{place.end}{alike}: {shorten(f'{before}[{inside}]{after}').rstrip()}"


# --- finding --------------------------------------------------------------------------------------------------------


class Searchable:
    """A text, and its normalised form with the place where each of its characters comes from."""

    def __init__(self, text: str) -> None:
        self.text = text

    def exact(self, quote: str) -> list[tuple[int, int]]:
        return [(at, at + len(quote)) for at in occurrences(self.text, quote)]

    def normalised(self, wanted: str) -> list[tuple[int, int]]:
        """Places of a quote in its normal form."""
        return [self.back(at, at + len(wanted)) for at in occurrences(self.plain, wanted)]

    @cached_property
    def plain(self) -> str:
        return normal_form(self.text)

    @cached_property
    def _dropped(self) -> tuple[IntArray, IntArray]:
        """Behind which characters of the normalised form others of the text were dropped, and how many up to there."""
        runs = [(run.start(), run.end() - run.start() - 1) for run in SPACE.finditer(self.text) if len(run[0]) > 1]
        start, extra = np.array(runs, dtype=np.int64).reshape(-1, 2).T
        return start - (np.cumsum(extra) - extra), np.concatenate([[0], np.cumsum(extra)])

    def back(self, start: int, end: int) -> tuple[int, int]:
        """A span of the normalised form in the text: from its first character to behind its last."""
        behind, dropped = self._dropped
        first, last = np.searchsorted(behind, [start, end - 1], side="left").tolist()
        return start + int(dropped[first]), end + int(dropped[last])


def occurrences(text: str, wanted: str) -> Iterator[int]:
    """Where a text has another one, overlapping ones too."""
    if not wanted or (len(wanted) > HEAD and wanted[:HEAD] not in text):  # find prepares for long texts at length
        return
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def normal_form(text: str) -> str:
    """White space, quotation marks and dashes of one kind only."""
    return SPACE.sub(" ", text.translate(KINDS_TABLE))


# --- resolving ------------------------------------------------------------------------------------------------------


class Locator:
    """Finds quotes in documents, under one rule."""

    def __init__(
        self, texts: Texts, how: Quotes = "exact", threshold: float = THRESHOLD, counting: Offsets = "chars"
    ) -> None:
        self.texts, self.how, self.threshold, self.counting = texts, how, threshold, counting
        self._searchable: dict[str, Searchable] = {}
        self._similar: dict[str | None, SimilarText] = {}
        self._looser_locators: dict[Quotes, Locator] = {}
        self._expected: dict[str | None, dict[str, None]] = {}
        self._known_places: dict[tuple[Quotes, str | None], dict[str, list[Place]]] = {}

    def expect(self, quotes: Iterable[tuple[str, str | None]]) -> Locator:
        """Texts that will be sought, each with its document if that is known: many are found in one pass."""
        for text, document in quotes:
            if document is None or document in self.texts:
                where = None if document is None else self.texts.canonical(document)
                self._expected.setdefault(where, {})[text] = None
        return self

    @cached_property
    def _documents(self) -> list[str]:
        return list(self.texts)

    def places(self, quote: str, document: str | None = None) -> list[Place]:
        """Every place, under the first rule that finds any: the exact one first, then what is allowed."""
        documents = self._documents if document is None else [document]
        for rule in QUOTES[: QUOTES.index(self.how) + 1]:
            if rule == "normalised":
                quote = normal_form(quote).strip()
            if rule == "fuzzy":
                return _best(self._similar_places(quote, document, documents))
            known = self._found_at_once(rule, document, documents)
            found = (
                known[quote]
                if quote in known
                else [place for name in documents for place in self._by(rule, quote, name)]
            )
            if found:
                return found
        return []

    def _found_at_once(self, rule: Quotes, document: str | None, documents: Sequence[str]) -> dict[str, list[Place]]:
        """Places of expected quotes that are many enough, by the form in which the rule seeks them."""
        if (rule, document) not in self._known_places:
            wanted = [*self._expected.get(document, ())]
            if rule == "normalised":
                exact = self._known_places.get(("exact", document), {})
                wanted = [normal_form(quote).strip() for quote in wanted if not exact.get(quote)]
            self._known_places[rule, document] = self._sought_at_once(rule, wanted, documents)
        return self._known_places[rule, document]

    def _sought_at_once(self, rule: Quotes, wanted: list[str], documents: Sequence[str]) -> dict[str, list[Place]]:
        if len(wanted) < MANY or len(wanted) * sum(len(self._searched(name).text) for name in documents) < LITTLE:
            return {}
        searched = [self._searched(name) for name in documents]
        texts = [one.text if rule == "exact" else one.plain for one in searched]
        found = {}
        for quote, begins in find_many(wanted, texts).items():
            spans = [(number, at, at + len(quote)) for number, at in begins]
            if rule == "normalised":
                spans = [(number, *searched[number].back(at, end)) for number, at, end in spans]
            found[quote] = [Place(documents[number], at, end) for number, at, end in spans]
        return found

    def _searched(self, document: str) -> Searchable:
        if document not in self._searchable:
            self._searchable[document] = Searchable(self.texts[document])
        return self._searchable[document]

    def _by(self, rule: Quotes, quote: str, document: str) -> list[Place]:
        text = self._searched(document)
        spans = text.exact(quote) if rule == "exact" else text.normalised(quote)
        return [Place(document, start, end) for start, end in spans]

    def _similar_places(self, quote: str, document: str | None, documents: Sequence[str]) -> list[Place]:
        if document not in self._similar:
            self._similar[document] = SimilarText([self._searched(name).plain for name in documents])
        found: dict[tuple[str, int, int], Place] = {}
        for one in self._similar[document].find(quote, self.threshold):
            name = documents[one.document]
            searched = self._searched(name)
            start, end = searched.back(*whole_words(searched.plain, quote, one.start, one.end, self.threshold))
            found.setdefault((name, start, end), Place(name, start, end, one.similarity))
        return [*found.values()]

    def resolve(self, topic: str, quote: Quote, source: str = "") -> Place | Unresolved:
        """The one place of a quote, or why there is none."""
        if quote.document is not None:
            self.texts.text(quote.document, source or None, quote.line)
        document = None if quote.document is None else self.texts.canonical(quote.document)
        found = self.places(quote.text, document)
        where = document or "any document"
        if not found:
            looser = self._looser(quote.text, document)
            return Unresolved(topic, quote, f"the quote is not in {where}{looser[0]}", looser[1])
        if quote.start is not None:
            return self._settled(topic, quote, found)
        found = _between(found, quote, self.texts) if len(found) > 1 else found
        if len(found) > 1:
            where = f"{document}; give start" if document is not None else "the documents; give doc and start"
            why = f"the quote occurs in {len(found)} places of {where} to choose one"
            return Unresolved(topic, quote, why, tuple(found))
        return found[0]

    def _settled(self, topic: str, quote: Quote, found: list[Place]) -> Place | Unresolved:
        """The place that the given offset names; an offset that names none is off by so much."""
        start = self._characters(quote, found[0].document)
        there = [place for place in found if place.start == start]
        if len(there) == 1:
            end = None if quote.end is None else self._characters(quote, there[0].document, last=True)
            if end is None or end == there[0].end:
                return there[0]
            off = f"{abs(there[0].end - end)} characters {'later' if there[0].end > end else 'earlier'}"
            why = f"the span {start}-{end} does not match its quote, which ends at {there[0].end}, {off}"
            return Unresolved(topic, quote, why, tuple(there))
        if there:
            why = "several documents have the quote at this offset; give doc"
            return Unresolved(topic, quote, why, tuple(there))
        found = sorted(found, key=lambda place: abs(place.start - start))
        away = f"{abs(found[0].start - start)} characters away at {found[0].start}"
        why = f"the offset {start} does not match its quote, which is {away}"
        return Unresolved(topic, quote, why, tuple(found))

    def _characters(self, quote: Quote, document: str, last: bool = False) -> int:
        offset = quote.end if last else quote.start
        assert offset is not None
        units = Units(self.texts[document], self.counting, self.texts.has_mark(document))
        if offset > units.total:  # beyond the end; the distance is still reported
            return int(offset)
        return int(units.characters(np.array([offset]))[0][0])

    def _looser(self, quote: str, document: str | None) -> tuple[str, tuple[Place, ...]]:
        """What a looser rule would find, as candidates."""
        for rule in QUOTES[QUOTES.index(self.how) + 1 :]:
            if rule not in self._looser_locators:
                looser = self._looser_locators[rule] = Locator(self.texts, rule, self.threshold)
                looser._searchable, looser._expected = self._searchable, self._expected
                looser._known_places = self._known_places
            found = self._looser_locators[rule].places(quote, document)
            if found:
                return f"; {option('quotes', rule)} finds it", tuple(found)
        return "", ()


def _between(found: list[Place], quote: Quote, texts: Texts) -> list[Place]:
    """The places that stand between the quote's prefix and suffix, up to white space; all of them if none does."""
    before, after = (normal_form(part).strip() for part in (quote.prefix, quote.suffix))
    room = len(quote.prefix) + len(quote.suffix) + AROUND

    def fits(place: Place) -> bool:
        text = texts[place.document]
        left = normal_form(text[max(0, place.start - room) : place.start]).strip()
        return left.endswith(before) and normal_form(text[place.end : place.end + room]).strip().startswith(after)

    return [place for place in found if fits(place)] or found


def _best(found: list[Place]) -> list[Place]:
    """Places as similar as the best one."""
    most = max((place.similarity for place in found), default=0.0)
    return [place for place in found if place.similarity >= most - 1e-9]


# --- a whole truth --------------------------------------------------------------------------------------------------


class UnresolvedQuotes(InputError):
    """Every quote of a file that has no place, or more than one."""

    def __init__(self, errors: list[InputError], of: int, source: str, *remedies: str) -> None:
        self.errors = errors
        most = 20
        lines = [error.lines for error in errors[:most]]
        shown = [text for first, *rest in lines for text in (first, *(f"  {one}" for one in rest))]
        more = [f"and {len(errors) - most} more"] if len(errors) > most else []
        super().__init__(
            f"{len(errors)} of {of} quotes cannot be resolved", path=source or None, remedy=[*shown, *more, *remedies]
        )


def located_truth(
    truth: Truth, texts: Texts, how: Quotes = "exact", counting: Offsets = "chars", threshold: float = THRESHOLD
) -> Truth:
    """Make spans of the quotes of a truth; all unresolved ones are reported together."""
    quotes = sum(len(topic.quotes) for topic in truth.topics.values())
    if not quotes:
        return truth
    locator = Locator(texts, how, threshold, counting)
    locator.expect((quote.text, quote.document) for topic in truth.topics.values() for quote in topic.quotes)
    problems: list[InputError] = []
    topics = {}
    for name, topic in truth.topics.items():
        topics[name] = topic
        if not topic.quotes:
            continue
        places: list[tuple[Quote, Place]] = []
        for quote in topic.quotes:
            found = locator.resolve(name, quote, truth.source)
            if isinstance(found, Unresolved):
                problems.append(found.error(texts, truth.source))
            else:
                places.append((quote, found))
        topics[name] = with_places(topic, places)
    if problems:
        raise UnresolvedQuotes(problems, quotes, truth.source)
    return replace(truth, topics=topics, annotators={})


def with_places(topic: TopicTruth, places: list[tuple[Quote, Place]]) -> TopicTruth:
    """Spans from quotes among the others, in the order of the file; exact copies once."""
    start, end = topic.start, topic.end
    assert start is not None and end is not None
    line = topic.line if topic.line is not None else np.arange(len(topic.document))
    rows = [
        (int(line[row]), topic.document[row], start[row].item(), end[row].item(), float(topic.grade[row]),
         topic.sets[row] if topic.sets else (), topic.hops[row] if topic.hops else ())
        for row in range(len(topic.document))
    ]  # fmt: skip
    rows += [
        (quote.line or 0, place.document, place.start, place.end, quote.grade, quote.sets, quote.hops)
        for quote, place in places
    ]
    once: dict[tuple[str, float, float], tuple[int, float]] = {}
    sets, hops = dict[tuple[str, float, float], dict[str, None]](), dict[tuple[str, float, float], dict[str, None]]()
    for number, document, low, high, grade, in_sets, in_hops in sorted(rows, key=lambda row: row[0]):
        known = once.setdefault((document, low, high), (number, grade))
        sets.setdefault((document, low, high), {}).update(dict.fromkeys(in_sets))
        hops.setdefault((document, low, high), {}).update(dict.fromkeys(in_hops))
        if known[1] != grade:
            raise InputError(
                f"topic {topic.topic}: the span {low}-{high} of {document} has grade {grade:g} in line {number} "
                f"and {known[1]:g} in line {known[0]}",
                remedy="keep one of the two lines",
            )
    return replace(
        topic,
        document=tuple(document for document, _, _ in once),
        grade=np.array([grade for _, grade in once.values()], dtype=np.float64),
        start=np.array([low for _, low, _ in once], dtype=np.int64),
        end=np.array([high for _, _, high in once], dtype=np.int64),
        line=np.array([number for number, _ in once.values()], dtype=np.int64),
        quotes=(),
        sets=tuple(map(tuple, sets.values())) if any(sets.values()) else None,
        hops=tuple(map(tuple, hops.values())) if any(hops.values()) else None,
    )


def located_run(run: Run, texts: Texts, how: Quotes = "exact") -> Run:
    """Make spans of results that are known by their texts; all unresolved texts are reported together."""
    if run.start is not None or not run.texts.quoted or run.line is None:
        return run
    locator, source = Locator(texts, how), run.source or run.tag
    named = (run.documents[int(run.document[row])] or None for row in run.texts.quoted)
    locator.expect(zip(run.texts.quoted.values(), named, strict=True))
    problems: list[InputError] = []
    places: list[Place] = []
    for topic, low, high in zip(run.topics, run.bounds.tolist(), run.bounds[1:].tolist(), strict=False):
        for row in range(low, high):
            line, document = int(run.line[row]), run.documents[int(run.document[row])]
            if row not in run.texts.quoted:
                problems.append(
                    InputError("has neither offsets nor text; other lines have text", path=source, line=line)
                )
                continue
            found = locator.resolve(topic, Quote(run.texts.quoted[row], document or None, line=line), source)
            if isinstance(found, Unresolved):
                problems.append(found.error(texts, source))
            else:
                places.append(found)
    if problems:
        raise UnresolvedQuotes(problems, run.size(), source)
    names = {name: code for code, name in enumerate(dict.fromkeys(place.document for place in places))}
    return run.changed(
        names=Coded(list(names), np.array([names[place.document] for place in places], dtype=np.int64)),
        start=np.array([place.start for place in places], dtype=np.int64),
        end=np.array([place.end for place in places], dtype=np.int64),
        quoted={},
    )
