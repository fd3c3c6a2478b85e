"""Spans follow their documents into a new version.

A span is looked for by its own text, by the text around it, and by an alignment of the words of both versions. It is
placed without a remark only where its text stands unchanged (up to white space) in one place that the text around it,
or its number among equal copies, singles out. Everything else is flagged: edited, split, ambiguous, gone.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from os import PathLike
from typing import Any, Literal

import numpy as np

from berrypick.core.annotators import merged
from berrypick.core.arrays import IntArray
from berrypick.core.errors import UsageError
from berrypick.core.truth import Quote, TopicTruth, Truth
from berrypick.corpus.checked import checked_truth
from berrypick.corpus.convert import as_truth
from berrypick.corpus.locate import Searchable, located_truth, normal_form, occurrences
from berrypick.corpus.similar import SimilarText
from berrypick.corpus.texts import Texts, read_texts
from berrypick.formats._annotations import inside_word

Status = Literal["same", "moved", "edited", "split", "ambiguous", "gone"]
#: What was placed without a remark.
CERTAIN: tuple[Status, ...] = ("same", "moved")
#: What was placed at all.
PLACED: tuple[Status, ...] = ("same", "moved", "edited", "split")
#: Characters around a span that are compared, and by how many the best place must be ahead of the next one.
AROUND, AHEAD = 300, 16
#: Least similarity of an edited span, in percent.
LEAST = 60.0
#: Copies of a span among which one is chosen; of more of them, as in a table of equal cells, none is.
MOST_COPIES = 2000
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Case:
    """One span: where it was, where it is now, and how it got there."""

    topic: str
    document: str
    start: int
    end: int
    status: Status
    places: tuple[tuple[int, int], ...]  # in the new version: one, the parts of a split span, or the candidates
    similarity: float  # of the new text to the old one, in percent
    text: str
    now: str = ""
    line: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"topic": self.topic, "doc": self.document, "start": self.start, "end": self.end,
                "status": self.status, "places": [list(place) for place in self.places],
                "similarity": round(self.similarity, 1), "text": self.text, "now": self.now,
                **({} if self.line is None else {"line": self.line})}  # fmt: skip


@dataclass(frozen=True)
class Relocation:
    """The truth in the new version, and what became of every span."""

    truth: Truth
    cases: tuple[Case, ...] = field(repr=False)

    @property
    def counts(self) -> dict[Status, int]:
        found = Counter(case.status for case in self.cases)
        return {status: found[status] for status in (*PLACED, "ambiguous", "gone") if found[status]}

    def __str__(self) -> str:
        return ", ".join(f"{count} {status}" for status, count in self.counts.items()) or "no spans"


def relocate(
    truth: Any,
    old: Texts | Mapping[str, str] | str | PathLike[str],
    new: Texts | Mapping[str, str] | str | PathLike[str],
) -> Relocation:
    """Carry the spans of a truth, made on the ``old`` documents, into the ``new`` ones.

    >>> import berrypick as bp
    >>> truth = {"q": {"guide#0-17": 1}}
    >>> moved = bp.relocate(truth, {"guide": "Cut the old canes."}, {"guide": "In autumn: Cut the old canes."})
    >>> moved.cases[0].status, moved.cases[0].places
    ('moved', ((11, 28),))
    """
    before, after = read_texts(old), read_texts(new)
    judged: Truth = as_truth(truth)
    if judged.units != "spans":
        raise UsageError(f"{judged.source or 'the truth'} judges {judged.units}; only spans of text are relocated")
    if judged.annotators:
        return _by_annotator(judged, before, after)
    counting = judged.offsets or "chars"
    judged = located_truth(checked_truth(judged, before, counting), before, "exact", counting)
    documents = _Documents(before, after)
    cases: list[Case] = []
    topics = {}
    for name, topic in judged.topics.items():
        found = [_case(topic, row, documents) for row in range(len(topic))]
        cases += found
        topics[name] = _moved_topic(topic, found, documents)
    used = {name for topic in topics.values() for name in topic.documents()}
    made = {name: checksum(after[name]) for name in sorted(used) if name in after}
    return Relocation(replace(judged, topics=topics, offsets="chars", checksums=made, lengths={}), tuple(cases))


def _by_annotator(judged: Truth, old: Texts, new: Texts) -> Relocation:
    """The judgements of each annotator by themselves, so that they stay apart."""
    parts = {
        who: relocate(replace(judged, topics=topics, annotators={}), old, new)
        for who, topics in judged.annotators.items()
    }
    annotators = {who: part.truth.topics for who, part in parts.items()}
    checksums = {name: made for part in parts.values() for name, made in part.truth.checksums.items()}
    truth = replace(
        judged, topics=merged(annotators), annotators=annotators, offsets="chars", checksums=checksums, lengths={}
    )
    return Relocation(truth, tuple(case for part in parts.values() for case in part.cases))


def checksum(text: str) -> str:
    """A short name for the content of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _moved_topic(topic: TopicTruth, found: list[Case], documents: _Documents) -> TopicTruth:
    """The placed spans; documents judged as a whole stay so only where their text is the same."""
    rows = [(row, place) for row, case in enumerate(found) if case.status in PLACED for place in case.places]
    texts = documents.new
    same = [name for name in (*topic.judged_documents, *topic.empty_documents) if documents.unchanged(name)]
    quotes = [
        Quote(texts[topic.document[row]][a:b], topic.document[row], a, b, float(topic.grade[row]))
        for row, (a, b) in rows
    ]
    return TopicTruth(
        topic.topic,
        tuple(topic.document[row] for row, _ in rows),
        np.array([topic.grade[row] for row, _ in rows], dtype=np.float64),
        np.array([start for _, (start, _) in rows], dtype=np.int64),
        np.array([end for _, (_, end) in rows], dtype=np.int64),
        quotes=tuple(quotes),
        judged_documents=tuple(dict.fromkeys(same)),
        no_answer=topic.no_answer,
    )


def _case(topic: TopicTruth, row: int, documents: _Documents) -> Case:
    assert topic.start is not None and topic.end is not None
    name, start, end = topic.document[row], int(topic.start[row]), int(topic.end[row])
    line = None if topic.line is None else int(topic.line[row])
    text = documents.old[name][start:end]
    if name not in documents.new:
        return Case(topic.topic, name, start, end, "gone", (), 0.0, text, line=line)
    status, places, similarity = documents.pair(name).place(start, end)
    now = documents.new[name]
    shown = " ... ".join(now[a:b] for a, b in places) if status in PLACED else ""
    return Case(topic.topic, name, start, end, status, places, similarity, text, shown, line)


class _Documents:
    """Both versions of all documents; pairs are aligned when they are needed."""

    def __init__(self, old: Texts, new: Texts) -> None:
        self.old, self.new = old, new
        self._pairs: dict[str, _Pair] = {}

    def pair(self, name: str) -> _Pair:
        if name not in self._pairs:
            self._pairs[name] = _Pair(self.old[name], self.new[name])
        return self._pairs[name]

    def unchanged(self, name: str) -> bool:
        return name in self.old and name in self.new and self.old[name] == self.new[name]


Places = tuple[tuple[int, int], ...]


class _Pair:
    """Two versions of one document."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new
        self.plain_old, self.from_old = _squeezed(old)
        self.plain_new, self.from_new = _squeezed(new)

    def place(self, start: int, end: int) -> tuple[Status, Places, float]:
        """Where a span is now; see :class:`Case`."""
        if self.old == self.new:
            return "same", ((start, end),), 100.0
        low, high = (int(np.searchsorted(self.from_old, at)) for at in (start, end))
        wanted = self.plain_old[low:high]
        copies = list(islice(occurrences(self.plain_new, wanted), MOST_COPIES + 1))
        if len(copies) > MOST_COPIES:
            return "ambiguous", tuple(self._back(at, at + high - low, start, end) for at in copies[:10]), 100.0
        found = [at for at in copies if self._whole(at, start, end)]
        if found:
            chosen = self._chosen(low, high, found, (start, end))
            if chosen is None:
                changed = self._edited(start, end)  # perhaps it was changed, and copies of it were not
                places = tuple(self._back(at, at + high - low, start, end) for at in found[:10])
                return (
                    changed if changed[0] == "edited" and changed[1][0] not in places else ("ambiguous", places, 100.0)
                )
            place = self._back(chosen, chosen + high - low, start, end)
            alike = self.new[place[0] : place[1]] == self.old[start:end]
            status: Status = "same" if alike and place == (start, end) else "moved"
            return status, (place,), 100.0
        return self._edited(start, end)

    def _whole(self, at: int, start: int, end: int) -> bool:
        """Whether the words of a span stand at a place of the squeezed text as they were, and not inside of others."""
        quote = self.old[start:end]
        low, high = self._back(at, at + len("".join(quote.split())), start, end)
        edges = ((self.old, start, self.new, low), (self.old, end, self.new, high))
        inside = any(inside_word(new, b) and not inside_word(old, a) for old, a, new, b in edges)
        return not inside and normal_form(self.new[low:high]).strip() == normal_form(quote).strip()

    def _back(self, low: int, high: int, start: int, end: int) -> tuple[int, int]:
        """A span of the squeezed new text in the text; white space at the ends of the old span stays inside."""
        if high <= low:
            return int(self.from_new[low]), int(self.from_new[low])
        first, last = int(self.from_new[low]), int(self.from_new[high - 1]) + 1
        lead = len(self.old[start:end]) - len(self.old[start:end].lstrip())
        trail = len(self.old[start:end]) - len(self.old[start:end].rstrip())
        while lead and first and self.new[first - 1].isspace():
            first, lead = first - 1, lead - 1
        while trail and last < len(self.new) and self.new[last].isspace():
            last, trail = last + 1, trail - 1
        return first, last

    def _chosen(self, low: int, high: int, found: list[int], span: tuple[int, int]) -> int | None:
        """The one place among equal copies: by the text around it, else by its number among them."""
        before, after = self.plain_old[max(0, low - AROUND) : low], self.plain_old[high : high + AROUND]
        copies = list(occurrences(self.plain_old, self.plain_old[low:high]))
        scores = [self._alike(at, at + high - low, before, after) for at in found]
        best = max(scores)
        if len(found) == len(copies) == 1:
            sure = high - low >= 2 * AHEAD or best >= AHEAD
            return found[0] if sure or self._aligned(span, self._back(found[0], found[0] + high - low, *span)) else None
        if len(copies) > 1:  # any of which may be the one that is left: the alignment decides
            aligned = [at for at in found if self._aligned(span, self._back(at, at + high - low, *span), whole=True)]
            numbered = len(found) == len(copies) and found[copies.index(low)] in aligned
            good = len(aligned) == 1 and (scores[found.index(aligned[0])] >= AHEAD or numbered)
            return aligned[0] if good else None
        near = [at for at, score in zip(found, scores, strict=True) if score > best - AHEAD]
        return near[0] if len(near) == 1 and best >= AHEAD else None

    def _aligned(self, span: tuple[int, int], place: tuple[int, int], whole: bool = False) -> bool:
        """Whether the alignment has the words of a span at a place too; ``whole``: every one of them."""
        groups = self._groups(*span)
        low, high = np.searchsorted(self.words.old_start, span).tolist()
        found = bool((self.words.match[low:high] >= 0).all()) or not whole
        return found and len(groups) == 1 and place[0] <= groups[0][0] and groups[0][1] <= place[1]

    def _alike(self, low: int, high: int, before: str, after: str) -> int:
        """How many characters before and after a place are those around the old one."""
        left, right = self.plain_new[max(0, low - AROUND) : low], self.plain_new[high : high + AROUND]
        return _common(before[::-1], left[::-1]) + _common(after, right)

    def _edited(self, start: int, end: int) -> tuple[Status, Places, float]:
        """By the words of the span that the alignment finds again; else by similarity anywhere in the document."""
        groups = self._groups(start, end)
        if len(groups) > 1:
            text = " ".join(self.new[a:b] for a, b in groups)
            similarity = _ratio(self.old[start:end], text)
            if similarity >= LEAST:
                return "split", tuple(groups), similarity
        if groups:
            whole = (groups[0][0], groups[-1][1])
            similarity = _ratio(self.old[start:end], self.new[whole[0] : whole[1]])
            if similarity >= LEAST:
                return "edited", (whole,), similarity
        return self._anywhere(start, end)

    def _groups(self, start: int, end: int) -> list[tuple[int, int]]:
        """Stretches of the new text that hold the span's words, with the words that replaced others in between."""
        words = self.words
        low, high = np.searchsorted(words.old_start, [start, end]).tolist()
        kept = [(i, j) for i, j in enumerate(words.match[low:high].tolist(), start=low) if j >= 0]
        if not kept:
            return []
        room = max(8, high - low)  # words put in between, beyond which the span has come apart
        groups: list[list[tuple[int, int]]] = [[kept[0]]]
        for i, j in kept[1:]:
            last = groups[-1][-1]
            if j < last[1] or (j - last[1]) - (i - last[0]) > room:
                groups.append([])
            groups[-1].append((i, j))
        spans = [[words.new_start[group[0][1]], words.new_end[group[-1][1]]] for group in groups]
        # words at the ends that were replaced belong to the span as well
        spans[0][0] = min(spans[0][0], self._border(kept[0], low, -1))
        spans[-1][1] = max(spans[-1][1], self._border(kept[-1], high - 1, 1))
        return [(int(a), int(b)) for a, b in spans]

    def _border(self, kept: tuple[int, int], last: int, step: int) -> int:
        """The end of the words that stand for those between the last one found again and the end of the span: as many
        as there were, up to the next word that has a place of its own."""
        words, (i, j) = self.words, kept
        taken = words.taken
        while i != last and 0 <= j + step < len(words.new_start) and not taken[j + step]:
            i, j = i + step, j + step
        return int(words.new_start[j] if step < 0 else words.new_end[j])

    def _anywhere(self, start: int, end: int) -> tuple[Status, Places, float]:
        """The most similar text of the whole document."""
        found = self.similar.find(normal_form(self.old[start:end]).strip(), 80.0)
        if not found:
            return "gone", (), 0.0
        best = max(one.similarity for one in found)
        near = [one for one in found if one.similarity > best - 5]
        places = tuple(self._whole_words(self.searchable.back(one.start, one.end), start, end) for one in near)
        return ("edited" if len(near) == 1 else "ambiguous"), places[:10], best

    def _whole_words(self, place: tuple[int, int], start: int, end: int) -> tuple[int, int]:
        """A place of similar text, up to the ends of its words where the old span began and ended with words."""
        low, high = place
        if not inside_word(self.old, start):
            while inside_word(self.new, low):
                low -= 1
        if not inside_word(self.old, end):
            while inside_word(self.new, high):
                high += 1
        return low, high

    @cached_property
    def searchable(self) -> Searchable:
        return Searchable(self.new)

    @cached_property
    def similar(self) -> SimilarText:
        return SimilarText([self.searchable.plain])

    @cached_property
    def words(self) -> _Words:
        return _Words.aligned(self.old, self.new)


@dataclass(frozen=True, eq=False)
class _Words:
    """The words of both versions, and which of the new ones each old one is (-1: none)."""

    old_start: IntArray
    new_start: IntArray
    new_end: IntArray
    match: IntArray

    @cached_property
    def taken(self) -> Any:
        found = np.zeros(len(self.new_start), dtype=bool)
        found[self.match[self.match >= 0]] = True
        return found

    @classmethod
    def aligned(cls, old: str, new: str) -> _Words:
        """By the least number of words put in, left out or replaced."""
        from rapidfuzz.distance import Levenshtein

        before, after = list(_WORD.finditer(old)), list(_WORD.finditer(new))
        match = np.full(len(before), -1, dtype=np.int64)
        for code in Levenshtein.opcodes([m[0] for m in before], [m[0] for m in after]):
            if code.tag == "equal":
                match[code.src_start : code.src_end] = np.arange(code.dest_start, code.dest_end)
        return cls(
            np.array([m.start() for m in before], dtype=np.int64),
            np.array([m.start() for m in after], dtype=np.int64),
            np.array([m.end() for m in after], dtype=np.int64),
            match,
        )


def _squeezed(text: str) -> tuple[str, IntArray]:
    """A text without white space, and where each of its characters stood: lines may be broken elsewhere now."""
    kept = [i for i, c in enumerate(text) if not c.isspace()]
    return "".join(text[i] for i in kept), np.array(kept, dtype=np.int64)


def _common(one: str, other: str) -> int:
    """The length of the common beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _ratio(one: str, other: str) -> float:
    from rapidfuzz import fuzz

    return float(fuzz.ratio(normal_form(one).strip(), normal_form(other).strip()))
