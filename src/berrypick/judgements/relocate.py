"""Spans follow their documents into a new version.

A span is looked for by its own text, by the text around it, and by an alignment of the words of both versions. It is
placed without a remark only where its text stands unchanged (up to white space) in one place that the rest of its
sentence, the text around it, or its number among equal copies singles out, and that no other copy has a better claim
to. Everything else is flagged: edited, split, ambiguous, gone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np

from berrypick import formats
from berrypick.data.arrays import IntArray
from berrypick.data.errors import UsageError, library
from berrypick.data.score import Table
from berrypick.data.truth import Quote, TopicTruth, Truth
from berrypick.documents.checked import checked_truth
from berrypick.documents.locator import Searchable, located_truth, normal_form, occurrences
from berrypick.documents.offsets import inside_word
from berrypick.documents.similar import SimilarText
from berrypick.documents.texts import Texts, checksum, read_texts
from berrypick.given.convert import TruthLike, as_truth
from berrypick.kernels.common_subsequence import similarity
from berrypick.tables.tabular import Tabular

Status = Literal["same", "moved", "edited", "split", "ambiguous", "gone"]
#: What was placed without a remark.
CERTAIN: tuple[Status, ...] = ("same", "moved")
#: What was placed at all.
PLACED: tuple[Status, ...] = ("same", "moved", "edited", "split")
#: Characters around a span that are compared, and by how many the best place must be ahead of the next one. Where the
#: alignment chooses, no other place may be ahead by some.
AROUND, AHEAD, CLOSE = 300, 8, 4
#: A text of so many characters that stands once in both versions is the same, whatever is around it.
LONG = 32
#: Least similarity of an edited span, in percent.
LEAST = 60.0
#: Copies of a span among which one is chosen; of more of them, as in a table of equal cells, none is.
MOST_COPIES = 2000
_WORD = re.compile(r"\w+|[^\w\s]")
#: Where a sentence or a line ends: the character that ends it, and white space.
_BORDER = re.compile(r"[.!?…。！？।](?=\s)|\n")


@dataclass(frozen=True)
class RelocatedSpan:
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
class Relocation(Tabular):
    """The truth in the new version of its documents, and what became of every span.

    Attributes
    ----------
    truth
        The judgements in the new version.
    cases
        For each span where it was, where it is now, and how it got there.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.relocate({"q": {"guide#0-3": 1}}, {"guide": "Cut the canes."}, {"guide": "Now: Cut the canes."})
    >>> isinstance(found, bp.Relocation), found.counts
    (True, {'moved': 1})
    """

    truth: Truth
    cases: tuple[RelocatedSpan, ...] = field(repr=False)

    @property
    def counts(self) -> dict[Status, int]:
        """How many spans there are of each status."""
        found = Counter(case.status for case in self.cases)
        return {status: found[status] for status in (*PLACED, "ambiguous", "gone") if found[status]}

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:  # type: ignore[override]
        """Write the truth in the new version, as ``berrypick relocate -o FILE`` does; :meth:`table` has the cases."""
        formats.write(self.truth, path, format or "span-truth")

    def records(self) -> list[dict[str, Any]]:
        """Return what became of every span, as in the report of the command line."""
        return [case.as_dict() for case in self.cases]

    def rows(self) -> list[dict[str, Any]]:
        return [{**case.as_dict(), "places": _shown_places(case), "line": case.line} for case in self.cases]

    def tables(self, places: int = 4) -> list[Table]:
        header = ["topic", "doc", "start", "end", "status", "places", "similarity"]
        rows = [[f"{row[name]}" for name in header] for row in self.rows()]
        return [Table(str(self), header, rows, "<<>><<>")]

    def __str__(self) -> str:
        return ", ".join(f"{count} {status}" for status, count in self.counts.items()) or "no spans"


def _shown_places(case: RelocatedSpan) -> str:
    return " ".join(f"{start}-{end}" for start, end in case.places)


def relocate(
    truth: TruthLike,
    old: Texts | Mapping[str, str] | str | PathLike[str],
    new: Texts | Mapping[str, str] | str | PathLike[str],
) -> Relocation:
    """Carry the spans of a truth into a new version of the documents.

    Parameters
    ----------
    truth : TruthLike
        Judgements of spans.
    old : Texts, mapping, str or path
        The documents that the truth was made on.
    new : Texts, mapping, str or path
        Their new version.

    Returns
    -------
    Relocation
        The truth in the new version, and what became of every span.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q": {"guide#0-17": 1}}
    >>> moved = bp.relocate(truth, {"guide": "Cut the old canes."}, {"guide": "In autumn: Cut the old canes."})
    >>> moved.cases[0].status, moved.cases[0].places
    ('moved', ((11, 28),))
    """
    before, after = read_texts(old), read_texts(new)
    judged: Truth = as_truth(truth)
    if judged.of_pages or judged.unit:
        what = "places on pages" if judged.of_pages else f"stretches of {judged.unit}"
        raise UsageError(f"{judged.source or 'the truth'} judges {what}; relocate finds spans of text")
    if judged.units != "spans":
        raise UsageError(f"{judged.source or 'the truth'} judges {judged.units}; only spans of text are relocated")
    if judged.annotators:
        return _by_annotator(judged, before, after)
    counting = judged.offsets or "chars"
    judged = located_truth(checked_truth(judged, before, counting), before, "exact", counting)
    documents = _Documents(before, after)
    cases: list[RelocatedSpan] = []
    topics = {}
    for name, topic in judged.topics.items():
        found = [_case(topic, row, documents) for row in range(len(topic))]
        cases += found
        topics[name] = _moved_topic(topic, found, documents)
    used = {name for topic in topics.values() for name in topic.documents()}
    made = {name: checksum(after[name]) for name in sorted(used) if name in after}
    placed = replace(judged, topics=topics, offsets="chars", checksums=made, lengths={}, texts={})
    return Relocation(placed, tuple(cases))


def _by_annotator(judged: Truth, old: Texts, new: Texts) -> Relocation:
    """The judgements of each annotator by themselves, so that they stay apart."""
    from berrypick.data.annotators import merge_annotators

    parts = {
        who: relocate(replace(judged, topics=topics, annotators={}), old, new)
        for who, topics in judged.annotators.items()
    }
    annotators = {who: part.truth.topics for who, part in parts.items()}
    checksums = {name: made for part in parts.values() for name, made in part.truth.checksums.items()}
    made_on = {"offsets": "chars", "checksums": checksums, "lengths": {}, "texts": {}}
    merged = merge_annotators(annotators)
    truth = replace(judged, topics=merged, annotators=annotators, **made_on)  # type: ignore[arg-type]
    return Relocation(truth, tuple(case for part in parts.values() for case in part.cases))


def _moved_topic(topic: TopicTruth, found: list[RelocatedSpan], documents: _Documents) -> TopicTruth:
    """The placed spans; documents judged as a whole stay so only where their text is the same."""
    rows = [(row, place) for row, case in enumerate(found) if case.status in PLACED for place in case.places]
    lost = next((row for row, case in enumerate(found) if case.status not in PLACED and topic.grade[row] > 0), None)
    if topic.names_sets and lost is not None:
        what = f"topic {topic.topic} names sets or hops, which would be complete without {topic.name(lost)}"
        raise UsageError(f"{what} ({found[lost].status}): judge the topic anew, or leave it out")
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
        sets=None if topic.sets is None else tuple(topic.sets[row] for row, _ in rows),
        hops=None if topic.hops is None else tuple(topic.hops[row] for row, _ in rows),
    )


def _case(topic: TopicTruth, row: int, documents: _Documents) -> RelocatedSpan:
    assert topic.start is not None and topic.end is not None
    name, start, end = topic.document[row], int(topic.start[row]), int(topic.end[row])
    line = None if topic.line is None else int(topic.line[row])
    text = documents.old[name][start:end]
    if name not in documents.new:
        return RelocatedSpan(topic.topic, name, start, end, "gone", (), 0.0, text, line=line)
    status, places, similarity = documents.pair(name).place(start, end)
    now = documents.new[name]
    shown = " ... ".join(now[a:b] for a, b in places) if status in PLACED else ""
    return RelocatedSpan(topic.topic, name, start, end, status, places, similarity, text, shown, line)


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


class _Around(NamedTuple):
    """How many characters on both sides of two places are the same."""

    left: int
    right: int

    @property
    def total(self) -> int:
        return self.left + self.right

    def beats(self, other: _Around, by: int = AHEAD) -> bool:
        """Whether more of them are, and not many fewer on either side."""
        left, right = self.left - other.left, self.right - other.right
        return left + right >= by and min(left, right) > -by

    def is_behind(self, other: _Around) -> bool:
        """Whether the other has more of them, or as many that are others, or some more on a side."""
        left, right = other.left - self.left, other.right - self.right
        return (left + right >= 0 and max(left, right) > 0) or max(left, right) >= CLOSE


class _Pair:
    """Two versions of one document."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new
        self.plain_old, self.from_old = _squeezed(old)
        self.plain_new, self.from_new = _squeezed(new)

    def place(self, start: int, end: int) -> tuple[Status, Places, float]:
        """Where a span is now; see :class:`RelocatedSpan`."""
        if self.old == self.new:
            return "same", ((start, end),), 100.0
        low, high = (int(np.searchsorted(self.from_old, at)) for at in (start, end))
        wanted = self.plain_old[low:high]
        copies = list(islice(occurrences(self.plain_new, wanted), MOST_COPIES + 1))
        if len(copies) > MOST_COPIES:
            return "ambiguous", tuple(self._back(at, at + high - low, start, end) for at in copies[:10]), 100.0
        found = [at for at in copies if self._whole(at, start, end)]
        if not found:
            return self._edited(start, end)
        chosen = self._chosen(low, high, found, (start, end))
        if chosen is None:
            return self._unsure(found, high - low, start, end)
        place = self._back(chosen, chosen + high - low, start, end)
        alike = self.new[place[0] : place[1]] == self.old[start:end]
        status: Status = "same" if alike and place == (start, end) else "moved"
        return status, (place,), 100.0

    def _unsure(self, found: list[int], size: int, start: int, end: int) -> tuple[Status, Places, float]:
        """A span that none of the copies found is sure to be: perhaps it was changed, and they were not."""
        places = tuple(self._back(at, at + size, start, end) for at in found[:10])
        changed = self._edited(start, end)
        if changed[0] == "edited" and changed[1][0] not in places:
            return changed
        return ("edited" if len(found) == 1 else "ambiguous"), places, 100.0

    def _whole(self, at: int, start: int, end: int, old: bool = False) -> bool:
        """Whether the words of a span stand at a place of the squeezed text as they were, and not inside of others."""
        text, quote = self.old if old else self.new, self.old[start:end]
        low, high = self._back(at, at + len("".join(quote.split())), start, end, old)
        edges = ((start, low), (end, high))
        inside = any(inside_word(text, b) and not inside_word(self.old, a) for a, b in edges)
        return not inside and normal_form(text[low:high]).strip() == normal_form(quote).strip()

    def _back(self, low: int, high: int, start: int, end: int, old: bool = False) -> tuple[int, int]:
        """A span of a squeezed text in the text; white space at the ends of the old span stays inside."""
        text, origin = (self.old, self.from_old) if old else (self.new, self.from_new)
        if high <= low:
            return int(origin[low]), int(origin[low])
        first, last = int(origin[low]), int(origin[high - 1]) + 1
        lead = len(self.old[start:end]) - len(self.old[start:end].lstrip())
        trail = len(self.old[start:end]) - len(self.old[start:end].rstrip())
        while lead and first and text[first - 1].isspace():
            first, lead = first - 1, lead - 1
        while trail and last < len(text) and text[last].isspace():
            last, trail = last + 1, trail - 1
        return first, last

    def _chosen(self, low: int, high: int, found: list[int], span: tuple[int, int]) -> int | None:
        """The one place among equal copies: by the text around it, else by its number among them."""
        size, wanted = high - low, self.plain_old[low:high]
        copies = list(islice(occurrences(self.plain_old, wanted), MOST_COPIES + 1))
        if len(copies) > MOST_COPIES:
            return None
        copies = [at for at in copies if at == low or self._whole(at, *span, old=True)]
        around = [self._around(low, at, size) for at in found]
        if len(found) == len(copies) == 1:
            sure = size >= LONG or " " in self.old[span[0] : span[1]].strip() or around[0].total >= AHEAD
            return found[0] if sure or self._aligned(span, self._back(found[0], found[0] + size, *span)) else None
        before, after = self._sentence(*span)
        kept = self._between(before, after, found, size)
        alone = len(kept) == 1 and self._between(before, after, copies, size, old=True) == [low]
        if alone and len(before) + len(after) >= CLOSE:
            # what is beyond the sentence does not count: that has other neighbours now
            mine, *claims = (
                _Around(found.left if before else 0, found.right if after else 0)
                for found in (self._around(low, kept[0], size), *self._claims(kept[0], low, copies, size))
            )
            if all(mine.beats(claim, CLOSE) for claim in claims):
                return kept[0]
        chosen = self._by_surroundings(low, copies, found, around, span, size)
        return chosen if chosen in kept or not kept else None

    def _by_surroundings(
        self, low: int, copies: list[int], found: list[int], around: list[_Around], span: tuple[int, int], size: int
    ) -> int | None:
        """The place that has more of the text around the span than all others; else the one that is aligned."""
        best = max(range(len(found)), key=lambda i: around[i].total)
        others = chain(around[:best], around[best + 1 :], self._claims(found[best], low, copies, size))
        if all(around[best].beats(other) for other in others):
            return found[best]
        return self._numbered(low, copies, found, around, span, size)

    def _claims(self, place: int, low: int, copies: list[int], size: int) -> Iterator[_Around]:
        """What other copies of a span had in common with what is around a place now."""
        return (self._around(at, place, size) for at in copies if at != low)

    def _between(self, before: str, after: str, places: list[int], size: int, old: bool = False) -> list[int]:
        """The places that stand between two texts, squeezed; all of them are none where both are empty."""
        text = self.plain_old if old else self.plain_new
        found = (at for at in places if (before or after) and text.startswith(after, at + size))
        return [at for at in found if at >= len(before) and text.startswith(before, at - len(before))]

    def _sentence(self, start: int, end: int) -> tuple[str, str]:
        """The rest of the sentence or line that a span is a part of, before and after it, squeezed."""
        before, after = self.old[max(0, start - AROUND) : start], self.old[end - 1 : end + AROUND]
        first = max((border.end() for border in _BORDER.finditer(before)), default=0)
        last = next((border.start() + 1 for border in _BORDER.finditer(after)), len(after))
        return "".join(before[first:].split()), "".join(after[1:last].split())

    def _numbered(
        self, low: int, copies: list[int], found: list[int], around: list[_Around], span: tuple[int, int], size: int
    ) -> int | None:
        """The only place that the alignment has, if no other one has more of the text around the span, and no other
        copy had more of the text around the place."""
        places = [self._back(at, at + size, *span) for at in found]
        aligned = [i for i, place in enumerate(places) if self._aligned(span, place, whole=True)]
        if len(aligned) != 1:
            return None
        i = aligned[0]
        if around[i].total < AHEAD and not (len(found) == len(copies) and copies[i] == low):
            return None
        others = chain(around[:i], around[i + 1 :], self._claims(found[i], low, copies, size))
        return None if any(around[i].is_behind(other) for other in others) else found[i]

    def _around(self, old: int, new: int, size: int) -> _Around:
        """How many characters before and after a place of the new text are those around one of the old text."""
        before, left = self.plain_old[max(0, old - AROUND) : old], self.plain_new[max(0, new - AROUND) : new]
        after = self.plain_old[old + size : old + size + AROUND]
        right = self.plain_new[new + size : new + size + AROUND]
        return _Around(_alike(before[::-1], left[::-1]), _alike(after, right))

    def _aligned(self, span: tuple[int, int], place: tuple[int, int], whole: bool = False) -> bool:
        """Whether the alignment has the words of a span at a place too; ``whole``: every one of them."""
        groups = self._groups(*span)
        low, high = np.searchsorted(self.words.old_start, span).tolist()
        found = bool((self.words.match[low:high] >= 0).all()) or not whole
        return found and len(groups) == 1 and place[0] <= groups[0][0] and groups[0][1] <= place[1]

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
        needed = "spans of documents with changed text need RapidFuzz"
        distance = library("rapidfuzz.distance", needed, "chunks")
        before, after = list(_WORD.finditer(old)), list(_WORD.finditer(new))
        match = np.full(len(before), -1, dtype=np.int64)
        for code in distance.Levenshtein.opcodes([m[0] for m in before], [m[0] for m in after]):
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
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _alike(one: str, other: str) -> int:
    """The same; a text that ends there in both versions is as good as some characters more."""
    count = _common(one, other)
    return count + AHEAD if 0 < count == len(one) == len(other) < AROUND else count


def _ratio(one: str, other: str) -> float:
    return similarity(normal_form(one).strip(), normal_form(other).strip())
