"""Verbatim copies of judged passages: which characters of the documents are the same text as a judged place.

The longest passage goes first, of equally long ones the first in the truth. Character i of a copy is character i of the
judged place. A judged place inside a copy moves with it; one that a copy only cuts into stays where it is, whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.columns import Coded, unpacked
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import TopicTruth
from berrypick.documents.locator import Searchable, normal_form
from berrypick.documents.text_check import SPACE
from berrypick.documents.texts import Texts
from berrypick.rows.counted_places import COSTS


class Span(NamedTuple):
    """Characters of a document."""

    document: str
    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        return self.document == other.document and self.start < other.end and other.start < self.end

    def holds(self, other: Span) -> bool:
        return self.document == other.document and self.start <= other.start and other.end <= self.end


@dataclass(frozen=True)
class CopyRules:
    """What counts as a copy: the fewest characters, and whether white space and kinds of marks may differ."""

    least: int
    normalised: bool

    def form(self, text: str) -> str:
        """The form in which a passage is compared."""
        return normal_form(text).strip() if self.normalised else text

    def occurrences(self, texts: Texts, document: str, wanted: str) -> list[tuple[int, int]]:
        """Places of a passage in a document."""
        text = texts.kept("searchable", document, Searchable)
        return text.normalised(wanted) if self.normalised else text.exact(wanted)

    def steps(self, text: str) -> IntArray:
        """Where each character of the compared form begins, and where the last one ends."""
        if not self.normalised:
            return np.arange(len(text) + 1)
        kept = np.ones(len(text) + 1, dtype=bool)
        for run in SPACE.finditer(text):
            kept[run.start() + 1 : run.end()] = False
        return np.flatnonzero(kept)


class _Claim(NamedTuple):
    """Characters of one document that have a place: their own, or those of a judged passage."""

    start: int
    end: int
    document: str = ""  # of the judged passage; '' if the characters stay
    first: IntArray = np.zeros(0, dtype=np.int64)  # where each character begins there
    last: IntArray = np.zeros(0, dtype=np.int64)  # and where it ends

    def part(self, start: int, end: int) -> _Claim:
        """Some of its characters."""
        a, b = max(start - self.start, 0), max(end - self.start, 0)
        return _Claim(start, end, self.document, self.first[a:b], self.last[a:b])


@dataclass
class TopicCopies:
    """The judged passages of a topic, and what is the same text in some documents."""

    #: Where the relevant rows of the truth are, by row.
    places: dict[int, Span]
    #: Rows that have copies.
    copied: set[int] = field(default_factory=set)
    _claims: dict[str, list[_Claim]] = field(default_factory=dict)

    @classmethod
    def of(cls, topic: TopicTruth, texts: Texts, documents: Iterable[str], rules: CopyRules) -> TopicCopies:
        """Find the copies of the relevant passages of a topic in some documents and in the judged ones."""
        assert topic.start is not None and topic.end is not None
        rows = [row for row in np.flatnonzero(topic.grade > 0).tolist() if topic.document[row] in texts]
        columns = topic.document, topic.start.tolist(), topic.end.tolist()
        names = {row: texts.canonical(topic.document[row]) for row in rows}
        found = cls({row: Span(names[row], int(columns[1][row]), int(columns[2][row])) for row in rows})
        forms = {row: rules.form(texts[one.document][one.start : one.end]) for row, one in found.places.items()}
        wanted = dict.fromkeys([*names.values(), *(texts.canonical(one) for one in documents if one in texts)])
        waiting = sorted(rows, key=lambda row: -len(forms[row]))
        while waiting:
            row = waiting.pop(0)
            place = found.places[row]
            found._claim(place.document, _Claim(place.start, place.end))
            if len(forms[row]) >= rules.least:
                for document in wanted:
                    found._copies(row, forms[row], document, texts, rules, waiting)
        return found

    def _copies(self, row: int, form: str, document: str, texts: Texts, rules: CopyRules, waiting: list[int]) -> None:
        """Claim the copies of a passage in one document; they overlap neither the passage nor each other."""
        behind, place = 0, self.places[row]
        for start, end in rules.occurrences(texts, document, form):
            copy = Span(document, start, end)
            if start < behind or copy.overlaps(place):
                continue
            behind = end
            self.copied.add(row)
            claim = _claimed(copy, place, texts, rules)
            self._move(copy, claim, waiting)
            self._claim(document, claim)

    def _move(self, copy: Span, claim: _Claim, waiting: list[int]) -> None:
        """Move judged places with the copy that they are in; keep those whole that reach beyond what is copied."""
        inside = [row for row in waiting if self.places[row].overlaps(copy)]
        while (cut := next((row for row in inside if not self._free(self.places[row], copy)), None)) is not None:
            self._claim(copy.document, _Claim(self.places[cut].start, self.places[cut].end))
            inside.remove(cut)
        for row in inside:
            a, b = self.places[row].start - copy.start, self.places[row].end - copy.start
            self.places[row] = Span(claim.document, int(claim.first[a]), int(claim.last[b - 1]))

    def _free(self, place: Span, copy: Span) -> bool:
        claims = self._claims.get(place.document, ())
        return copy.holds(place) and not any(one.start < place.end and place.start < one.end for one in claims)

    def _claim(self, document: str, wanted: _Claim) -> None:
        """Claim those characters that no earlier claim has."""
        claims = self._claims.setdefault(document, [])  # in order, and apart from each other
        first = last = bisect_right(claims, wanted.start, key=lambda one: one.end)
        at, gaps = wanted.start, list[_Claim]()
        while last < len(claims) and claims[last].start < wanted.end:
            gaps.append(wanted.part(at, claims[last].start))
            at, last = claims[last].end, last + 1
        gaps.append(wanted.part(at, wanted.end))
        new = [one for one in gaps if one.start < one.end]
        claims[first:last] = sorted([*claims[first:last], *new], key=lambda one: one.start)

    def renamed(self, span: Span) -> list[Span]:
        """The parts of a span: copied characters at the judged place, the others at their own."""
        parts = list[Span]()
        for part in self._parts(span):
            if parts and parts[-1].document == part.document and parts[-1].end == part.start:
                part = Span(part.document, parts.pop().start, part.end)
            parts.append(part)
        return parts

    def has_copies(self, document: str) -> bool:
        """Whether characters of a document are copies."""
        return any(one.document for one in self._claims.get(document, ()))

    def _parts(self, span: Span) -> Iterator[Span]:
        claims, at = self._claims.get(span.document, []), span.start
        begin = bisect_right(claims, span.start, key=lambda one: one.end)
        for one in claims[begin:]:
            if one.start >= span.end:
                break
            if not one.document:
                continue
            a, b = max(one.start, at), min(one.end, span.end)
            if at < a:
                yield Span(span.document, at, a)
            # characters that stand for one, such as white space, have one place there
            yield Span(one.document, int(one.first[a - one.start]), int(one.last[b - 1 - one.start]))
            at = b
        if at < span.end or span.start == span.end:
            yield Span(span.document, at, span.end)


def _claimed(copy: Span, place: Span, texts: Texts, rules: CopyRules) -> _Claim:
    """The characters of a copy, with where each begins and ends in the passage."""
    here = rules.steps(texts[copy.document][copy.start : copy.end])
    text = texts[place.document][place.start : place.end]
    there = rules.steps(text)
    if rules.normalised:  # white space around the passage is not compared
        there = there[int(normal_form(text).startswith(" ")) :][: len(here)]
    number = np.searchsorted(here, np.arange(copy.end - copy.start), side="right") - 1
    return _Claim(copy.start, copy.end, place.document, place.start + there[number], place.start + there[number + 1])


# --- truths and runs --------------------------------------------------------------------------------------------------


def whole_as_spans(run: Run, texts: Texts) -> tuple[Run, list[str]]:
    """Whole documents as spans from 0 to their length, and the documents whose text is not known: they have none."""
    missing = [name for name in run.documents if name not in texts]
    lengths = np.array([0 if name not in texts else len(texts[name]) for name in run.documents], dtype=np.int64)
    end = lengths[run.document]
    return replace(run, start=np.zeros(len(end), dtype=np.int64), end=end), missing


def ranking_renamed(
    ranking: Ranking, judged: TopicTruth, texts: Texts, rules: CopyRules, within: Iterable[str]
) -> Ranking:
    """Give copied characters of a list their judged place for one topic; parts stay one list item.

    ``within`` are the documents that can hold copies.
    """
    if judged.start is None or ranking.start is None or ranking.end is None:
        return ranking
    names = [*ranking.documents]
    copies = TopicCopies.of(judged, texts, within, rules)
    if not copies.copied:
        return ranking
    codes = {name: code for code, name in enumerate(names)}
    rows, parts = list[int](), list[tuple[int, int, int]]()
    for name, some in ranking.rows_by_document.items():
        own = texts.canonical(name) if name in texts else name
        for row in some.tolist() if copies.has_copies(own) else ():
            span = Span(own, int(ranking.start[row]), int(ranking.end[row]))
            if (found := copies.renamed(span)) != [span]:
                for one in found:
                    if one.document not in codes:
                        codes[one.document] = len(names)
                        names.append(one.document)
                    rows.append(row)
                    parts.append((codes[one.document], one.start, one.end))
    if not rows:
        return ranking
    kept = np.setdiff1d(np.arange(len(ranking)), rows)
    document, start, end = (np.array(column) for column in zip(*parts, strict=True))
    order = np.argsort(np.concatenate([kept, rows]), kind="stable")
    return replace(
        ranking.rows(np.concatenate([kept, rows])[order]),
        documents=names,
        document=np.concatenate([ranking.document[kept], document])[order],
        start=np.concatenate([ranking.start[kept], start])[order],
        end=np.concatenate([ranking.end[kept], end])[order],
        vocabulary=None,
    )


def with_twins_merged(topic: TopicTruth, texts: Texts, rules: CopyRules) -> TopicTruth:
    """Move judged copies of a passage to the first one; what is then judged twice is one unit with all its sets."""
    copies = TopicCopies.of(topic, texts, (), rules)
    assert topic.start is not None and topic.end is not None
    names, start, end, grade = [*topic.document], topic.start.copy(), topic.end.copy(), topic.grade.copy()
    sets, hops, aspects = (None if column is None else [*column] for column in (topic.sets, topic.hops, topic.aspects))
    kept, first = list[int](), dict[Span, int]()
    for row in range(len(topic)):
        place = copies.places.get(row)
        if place is not None:
            if place != (texts.canonical(names[row]), start[row], end[row]):
                names[row], start[row], end[row] = place
            if (twin := first.setdefault(place, row)) != row:
                grade[twin] = max(grade[twin], grade[row])
                for column in (sets, hops, aspects):
                    if column is not None:
                        column[twin] = tuple(dict.fromkeys((*column[twin], *column[row])))
                continue
        kept.append(row)
    if names == [*topic.document] and len(kept) == len(topic) and (start == topic.start).all():
        return topic
    chosen = [None if column is None else tuple(column[row] for row in kept) for column in (sets, hops, aspects)]
    return replace(
        topic, document=tuple(names[row] for row in kept), grade=grade[kept], start=start[kept], end=end[kept],
        line=None if topic.line is None else topic.line[kept], sets=chosen[0], hops=chosen[1], aspects=chosen[2],
    )  # fmt: skip


def with_copies_renamed(run: Run, topics: Mapping[str, TopicTruth], texts: Texts, rules: CopyRules) -> tuple[Run, int]:
    """Give copied characters of results their judged place, and count these results; parts stay one list item."""
    assert run.start is not None and run.end is not None
    names, codes = [*run.documents], dict[str, int]()
    first, last = unpacked(run.start), unpacked(run.end)
    document, start, end = run.document.tolist(), first.tolist(), last.tolist()
    parts: list[list[tuple[int, float, float]]] = [[one] for one in zip(document, start, end, strict=True)]
    changed = 0
    for topic, begin, behind in zip(run.topics, run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        judged = topics.get(topic)
        if judged is None or judged.start is None or begin == behind:
            continue
        copies = TopicCopies.of(judged, texts, {names[code] for code in document[begin:behind]}, rules)
        for row in range(begin, behind) if copies.copied else ():
            span = Span(texts.canonical(names[document[row]]), int(start[row]), int(end[row]))
            if (found := copies.renamed(span)) == [span]:
                continue
            codes = codes or {name: code for code, name in enumerate(names)}
            for name in (one.document for one in found):
                if name not in codes:
                    codes[name] = len(names)
                    names.append(name)
            parts[row] = [(codes[one.document], one.start, one.end) for one in found]
            changed += 1
    if not changed:
        return run, 0
    split = run.split(np.array([len(one) for one in parts]))
    columns = [np.array(column) for column in zip(*(part for row in parts for part in row), strict=True)]
    length = columns[2] - columns[1]
    total = np.repeat([sum(b - a for _, a, b in row) for row in parts], [len(row) for row in parts])
    share = np.where([len(row) > 1 for row in parts for _ in row], length / np.maximum(total, 1), 1.0)
    return replace(
        split,
        names=Coded(names, columns[0].astype(run.document.dtype)),
        start=columns[1].astype(first.dtype),
        end=columns[2].astype(last.dtype),
        details={name: one * share if name in COSTS else one for name, one in split.details.items()},
    ), changed


def copies_retrieved(run: Run, topics: Mapping[str, TopicTruth], texts: Texts, rules: CopyRules) -> tuple[int, int]:
    """Count judged passages that results contain elsewhere, word for word, and these results."""
    assert run.start is not None and run.end is not None
    passages = results = 0
    for topic, ranking in run.rankings():
        judged = topics.get(topic)
        if judged is None or judged.start is None or judged.end is None or not len(ranking):
            continue
        forms = set[str]()
        for row in np.flatnonzero(judged.grade > 0).tolist():
            if judged.end[row] - judged.start[row] >= rules.least and judged.document[row] in texts:
                forms.add(rules.form(texts[judged.document[row]][int(judged.start[row]) : int(judged.end[row])]))
        forms = {form for form in forms if len(form) >= rules.least}
        spans = []
        for row in range(len(ranking)) if forms else ():
            name = ranking.documents[int(ranking.document[row])]
            span = Span(texts.canonical(name), int(ranking.start[row]), int(ranking.end[row]))  # type: ignore[index]
            if span.end - span.start >= rules.least and name in texts:
                text = rules.form(texts[span.document][span.start : span.end])
                spans += [span] if any(form in text for form in forms) else []
        copies = TopicCopies.of(judged, texts, {one.document for one in spans}, rules) if spans else None
        if copies is not None and (found := sum(copies.renamed(span) != [span] for span in spans)):
            passages, results = passages + len(copies.copied), results + found
    return passages, results
