"""One document in two versions: where a span of the old one is in the new one.

A span is looked for by its own text, by the text around it, and by an alignment of the words of both versions. It is
placed without a remark only where its text stands unchanged (up to white space) in one place that the rest of its
sentence, the text around it, or its number among equal copies singles out, and that no other copy has a better claim
to. Everything else is flagged: edited, split, ambiguous, gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, Literal, NamedTuple

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.errors import library
from berrypick.documents.locator import Searchable, normal_form, occurrences
from berrypick.documents.offsets import inside_word
from berrypick.documents.similar import SimilarText
from berrypick.kernels.common_subsequence import similarity

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
Places = tuple[tuple[int, int], ...]


class Around(NamedTuple):
    """How many characters on both sides of two places are the same."""

    left: int
    right: int

    @property
    def total(self) -> int:
        return self.left + self.right

    def beats(self, other: Around, by: int = AHEAD) -> bool:
        """Whether more of them are, and not many fewer on either side."""
        left, right = self.left - other.left, self.right - other.right
        return left + right >= by and min(left, right) > -by

    def is_behind(self, other: Around) -> bool:
        """Whether the other has more of them, or as many that are others, or some more on a side."""
        left, right = other.left - self.left, other.right - self.right
        return (left + right >= 0 and max(left, right) > 0) or max(left, right) >= CLOSE


class Pair:
    """Two versions of one document; ``lines``: spans are whole lines, and stay so."""

    def __init__(self, old: str, new: str, lines: bool = False) -> None:
        self.old, self.new, self.lines = old, new, lines
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
            return "ambiguous", tuple(self.back(at, at + high - low, start, end) for at in copies[:10]), 100.0
        found = [at for at in copies if self.is_whole(at, start, end)]
        if not found:
            return self.edited(start, end)
        chosen = self._chosen(low, high, found, (start, end))
        if chosen is None:
            return self._unsure(found, high - low, start, end)
        place = self.back(chosen, chosen + high - low, start, end)
        alike = self.new[place[0] : place[1]] == self.old[start:end]
        status: Status = "same" if alike and place == (start, end) else "moved"
        return status, (place,), 100.0

    def _unsure(self, found: list[int], size: int, start: int, end: int) -> tuple[Status, Places, float]:
        """A span that none of the copies found is sure to be: perhaps it was changed, and they were not."""
        places = tuple(self.back(at, at + size, start, end) for at in found[:10])
        changed = self.edited(start, end)
        if changed[0] == "edited" and changed[1][0] not in places:
            return changed
        return ("edited" if len(found) == 1 else "ambiguous"), places, 100.0

    def is_whole(self, at: int, start: int, end: int, old: bool = False) -> bool:
        """Whether the words of a span stand at a place of the squeezed text as they were, and not inside of others."""
        text, quote = self.old if old else self.new, self.old[start:end]
        low, high = self.back(at, at + len("".join(quote.split())), start, end, old)
        if self.lines and not _are_lines(text, low, high):
            return False
        edges = ((start, low), (end, high))
        inside = any(inside_word(text, b) and not inside_word(self.old, a) for a, b in edges)
        return not inside and normal_form(text[low:high]).strip() == normal_form(quote).strip()

    def back(self, low: int, high: int, start: int, end: int, old: bool = False) -> tuple[int, int]:
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
        copies = [at for at in copies if at == low or self.is_whole(at, *span, old=True)]
        around = [self._around(low, at, size) for at in found]
        if len(found) == len(copies) == 1:
            words = " " in self.old[span[0] : span[1]].strip() and not self.lines  # `return None` stands anywhere
            sure = size >= LONG or words or around[0].total >= AHEAD
            return found[0] if sure or self._aligned(span, self.back(found[0], found[0] + size, *span)) else None
        before, after = self._sentence(*span)
        kept = self._between(before, after, found, size)
        alone = len(kept) == 1 and self._between(before, after, copies, size, old=True) == [low]
        if alone and len(before) + len(after) >= CLOSE:
            # what is beyond the sentence does not count: that has other neighbours now
            mine, *claims = (
                Around(found.left if before else 0, found.right if after else 0)
                for found in (self._around(low, kept[0], size), *self._claims(kept[0], low, copies, size))
            )
            if all(mine.beats(claim, CLOSE) for claim in claims):
                return kept[0]
        chosen = self._by_surroundings(low, copies, found, around, span, size)
        return chosen if chosen in kept or not kept else None

    def _by_surroundings(
        self, low: int, copies: list[int], found: list[int], around: list[Around], span: tuple[int, int], size: int
    ) -> int | None:
        """The place that has more of the text around the span than all others; else the one that is aligned."""
        best = max(range(len(found)), key=lambda i: around[i].total)
        others = chain(around[:best], around[best + 1 :], self._claims(found[best], low, copies, size))
        if all(around[best].beats(other) for other in others):
            return found[best]
        return self._numbered(low, copies, found, around, span, size)

    def _claims(self, place: int, low: int, copies: list[int], size: int) -> Iterator[Around]:
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
        self, low: int, copies: list[int], found: list[int], around: list[Around], span: tuple[int, int], size: int
    ) -> int | None:
        """The only place that the alignment has, if no other one has more of the text around the span, and no other
        copy had more of the text around the place."""
        places = [self.back(at, at + size, *span) for at in found]
        aligned = [i for i, place in enumerate(places) if self._aligned(span, place, whole=True)]
        if len(aligned) != 1:
            return None
        i = aligned[0]
        if around[i].total < AHEAD and not (len(found) == len(copies) and copies[i] == low):
            return None
        others = chain(around[:i], around[i + 1 :], self._claims(found[i], low, copies, size))
        return None if any(around[i].is_behind(other) for other in others) else found[i]

    def _around(self, old: int, new: int, size: int) -> Around:
        """How many characters before and after a place of the new text are those around one of the old text."""
        return around(self.plain_old, old, self.plain_new, new, size)

    def _aligned(self, span: tuple[int, int], place: tuple[int, int], whole: bool = False) -> bool:
        """Whether the alignment has the words of a span at a place too; ``whole``: every one of them."""
        groups = self._groups(*span)
        low, high = np.searchsorted(self.words.old_start, span).tolist()
        found = bool((self.words.match[low:high] >= 0).all()) or not whole
        return found and len(groups) == 1 and place[0] <= groups[0][0] and groups[0][1] <= place[1]

    def edited(self, start: int, end: int) -> tuple[Status, Places, float]:
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


def around(old: str, old_at: int, new: str, new_at: int, size: int) -> Around:
    """How many characters before and after a place of one squeezed text are those around a place of another."""
    before, left = old[max(0, old_at - AROUND) : old_at], new[max(0, new_at - AROUND) : new_at]
    after, right = old[old_at + size : old_at + size + AROUND], new[new_at + size : new_at + size + AROUND]
    return Around(_alike(before[::-1], left[::-1]), _alike(after, right))


def _are_lines(text: str, start: int, end: int) -> bool:
    """Whether nothing but white space stands beside a place on its first and its last line."""
    before, after = text[text.rfind("\n", 0, start) + 1 : start], text[end : (text + "\n").find("\n", end)]
    return not before.strip() and not after.strip()


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
