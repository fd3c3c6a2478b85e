"""Both versions of all documents: where spans are that left their document.

A document that is gone may have another name: one new document has its text, or most of its lines and no other does. A
span whose text its document no longer has is looked for in all other new documents. Copies that were there before are
not it: a document is a candidate only if it has more copies than it had. One candidate and one span make a move; among
several, the text around decides if it is clearly ahead, or nothing does.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from berrypick.documents.locator import occurrences
from berrypick.documents.texts import Texts
from berrypick.judgements.relocation.two_versions import CERTAIN, LONG, Around, Pair, Status, around

#: The share of its lines, by length, that a document has in another that it was renamed to; the next best has half.
RENAMED = 0.5
#: Similarity in percent from which changed text is a place that competes with unchanged text elsewhere, and from which
#: text in another document is the same, edited.
CLEARLY = 80.0
#: Copies of a text elsewhere that are compared, and documents that a line tells from others.
MOST_ELSEWHERE, MOST_HOLDERS = 200, 5
#: The lines of a span that are looked for one by one where the whole is nowhere.
LEAST_LINES = 3


class NewPlace(NamedTuple):
    """A place in the new version, in characters."""

    document: str
    start: int
    end: int


class Placed(NamedTuple):
    """What became of a span."""

    status: Status
    places: tuple[NewPlace, ...] = ()
    similarity: float = 0.0


class _Copy(NamedTuple):
    """A text without white space in a document without white space."""

    document: str
    at: int


class Documents:
    """Both versions of all documents; pairs are aligned when they are needed. ``lines``: spans are whole lines."""

    def __init__(self, old: Texts, new: Texts, lines: bool = False) -> None:
        self.old, self.new, self.lines = old, new, lines
        self._pairs: dict[tuple[str, str], Pair] = {}

    def pair(self, old: str, new: str) -> Pair:
        """Return an old document and a new one, to be compared."""
        if (old, new) not in self._pairs:
            self._pairs[old, new] = Pair(self.old[old], self.new[new], self.lines)
        return self._pairs[old, new]

    def successor(self, name: str) -> str | None:
        """Return the new name of a document."""
        return self.new.canonical(name) if self._stays(name) else self.renamed.get(name)

    def unchanged(self, name: str) -> str | None:
        """Return the new name of a document whose text is the same."""
        now = self.successor(name) if name in self.old else None
        return now if now is not None and self.old[name] == self.new[now] else None

    def place(self, name: str, start: int, end: int) -> Placed:
        """Find a span of an old document."""
        here = self.successor(name)
        found = Placed("gone")
        if here is not None:
            status, places, similarity = self.pair(name, here).place(start, end)
            if status == "same" and here != name:
                status = "moved"
            found = Placed(status, tuple(NewPlace(here, *place) for place in places), similarity)
            if status in CERTAIN or similarity == 100.0:
                return found
        moved = self._elsewhere(name, start, end, here)
        if moved is None or (moved.status == "edited" and found.places):
            return found
        if found.status in ("edited", "split") and found.similarity >= CLEARLY:
            return Placed("ambiguous", (*found.places, *moved.places)[:10], moved.similarity)
        return moved

    # --- names ------------------------------------------------------------------------------------------------------

    def _stays(self, name: str) -> bool:
        """Whether a new document has this name, or this name without an ending; the end of a path is not enough.

        A document also leaves its name where another one takes that over, or where it takes over another one's, as
        where the chapters of a book get other numbers.
        """
        if name not in self.new or self.new.by_path(name) is not None:
            return False
        changed = self.old[name] != self.new[name]
        return not changed or not (name in self._taken_over or self.old[name] in self._taken_over.values())

    @cached_property
    def _left(self) -> frozenset[str]:
        """The texts of old documents that are no longer under their names."""
        texts = ((name, self.old[name]) for name in self.old)
        return frozenset(text for name, text in texts if text.strip() and self.new.get(name) != text)

    @cached_property
    def _taken_over(self) -> Mapping[str, str]:
        """Names under which there is now the whole text of another old document that left its own, with that text."""
        both = ((name, self.new[name]) for name in self.old if name in self.new)
        return {name: now for name, now in both if now != self.old[name] and now in self._left}

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """The new names of documents whose names are gone."""
        known = set(self.old)
        lost = [name for name in self.old if not self._stays(name)]
        fresh = [name for name in self.new if name not in known or name in self._taken_over]
        found = self._same_content(lost, fresh) if lost and fresh else {}
        taken = set(found.values())
        rest = [name for name in lost if name not in found], [name for name in fresh if name not in taken]
        return found | self._most_lines(*rest)

    def _same_content(self, lost: list[str], fresh: list[str]) -> dict[str, str]:
        """Documents with the text of one new document; of several of them, those with the same file name."""
        holders: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for side, texts, names in ((0, self.old, lost), (1, self.new, fresh)):
            for name in names:
                if texts[name].strip():
                    holders[texts[name]][side].append(name)
        found = {}
        for before, after in holders.values():
            if len(before) == len(after) == 1:
                found[before[0]] = after[0]
                continue
            lasts = [Counter(name.rpartition("/")[2] for name in names) for names in (before, after)]
            for name in before:
                last = name.rpartition("/")[2]
                if lasts[0][last] == lasts[1][last] == 1:
                    found[name] = next(one for one in after if one.rpartition("/")[2] == last)
        return found

    def _most_lines(self, lost: list[str], fresh: list[str]) -> dict[str, str]:
        """Documents most of whose lines one new document has, which has them of no other."""
        holders: defaultdict[str, list[str]] = defaultdict(list)
        for name in fresh:
            for line in _lines(self.new[name]):
                holders[line].append(name)
        best: dict[str, tuple[str, float]] = {}
        for name in lost:
            lines, shared = _lines(self.old[name]), Counter[str]()
            for line in lines:
                if len(holders.get(line, ())) <= MOST_HOLDERS:
                    for other in holders.get(line, ()):
                        shared[other] += len(line)
            first, second = (*shared.most_common(2), ("", 0), ("", 0))[:2]
            if lines and first[1] >= RENAMED * sum(map(len, lines)) and 2 * second[1] <= first[1]:
                best[name] = first
        heirs = Counter(first[0] for first in best.values())
        return {name: first[0] for name, first in best.items() if heirs[first[0]] == 1}

    # --- texts ------------------------------------------------------------------------------------------------------

    def _elsewhere(self, name: str, start: int, end: int, here: str | None) -> Placed | None:
        """Find a span in another document than its own; None where no other gained its text."""
        wanted = _squeeze(self.old[name][start:end])
        before, after = self._old_plain.copies(wanted), self._new_plain.copies(wanted)
        if before is None or after is None:
            return None  # text that stands everywhere
        were, are = Counter(copy.document for copy in before), Counter(copy.document for copy in after)
        gained = {one for one in are if are[one] > were[one] and one != here}
        own = _Copy(name, len(_squeeze(self.old[name][:start])))
        found = [copy for copy in after if copy.document in gained and self._fits(own, copy, start, end)]
        if not found:
            return self._edited_elsewhere(name, start, end, here)
        moving = {one for one in were if were[one] > are[one]} | gained
        claims = [copy for copy in before if copy.document in moving and copy != own]
        alone = len(before) == len(after) == 1
        best = self._best(own, found, claims, len(wanted), alone)
        if best is None:
            if len(wanted) < LONG:
                return None
            return Placed("ambiguous", tuple(self._back(own, copy, start, end) for copy in found[:10]), 100.0)
        return Placed("moved", (self._back(own, best, start, end),), 100.0)

    def _best(self, own: _Copy, found: list[_Copy], claims: list[_Copy], size: int, alone: bool) -> _Copy | None:
        """The copy that has more of the text around the span than any other, and than around any other span."""
        ahead = [self._around(own, copy, size) for copy in found]
        i = max(range(len(found)), key=lambda i: ahead[i].total)
        if alone:
            return found[i] if size + ahead[i].total >= LONG else None
        rivals = [*ahead[:i], *ahead[i + 1 :], *(self._around(claim, found[i], size) for claim in claims)]
        return found[i] if ahead[i].total >= LONG and all(ahead[i].beats(rival) for rival in rivals) else None

    def _edited_elsewhere(self, name: str, start: int, end: int, here: str | None) -> Placed | None:
        """Find the one document that gained most of the lines of a span, and the span in it."""
        lines = _lines(self.old[name][start:end])
        if len(lines) < LEAST_LINES:
            return None
        gained = Counter[str]()
        for line in lines:
            before, after = self._old_lines.get(line, Counter()), self._new_lines.get(line, Counter())
            more = [one for one in after if after[one] > before[one] and one != here]
            if len(more) <= MOST_HOLDERS:
                for one in more:
                    gained[one] += len(line)
        first, second = (*gained.most_common(2), ("", 0), ("", 0))[:2]
        if first[1] < RENAMED * sum(map(len, lines)) or 2 * second[1] > first[1]:
            return None
        span = Pair(self.old[name][start:end], self.new[first[0]], self.lines)  # its old neighbours are not there
        status, places, similarity = span.edited(0, end - start)
        if status != "edited" or similarity < CLEARLY:
            return None
        return Placed("edited", tuple(NewPlace(first[0], *place) for place in places), similarity)

    def _fits(self, own: _Copy, copy: _Copy, start: int, end: int) -> bool:
        return self.pair(own.document, copy.document).is_whole(copy.at, start, end)

    def _back(self, own: _Copy, copy: _Copy, start: int, end: int) -> NewPlace:
        size = len(_squeeze(self.old[own.document][start:end]))
        return NewPlace(
            copy.document, *self.pair(own.document, copy.document).back(copy.at, copy.at + size, start, end)
        )

    def _around(self, old: _Copy, new: _Copy, size: int) -> Around:
        return around(self._old_plain[old.document], old.at, self._new_plain[new.document], new.at, size)

    @cached_property
    def _old_plain(self) -> _Plain:
        return _Plain(self.old)

    @cached_property
    def _new_plain(self) -> _Plain:
        return _Plain(self.new)

    @cached_property
    def _old_lines(self) -> Mapping[str, Counter[str]]:
        return _line_holders(self.old)

    @cached_property
    def _new_lines(self) -> Mapping[str, Counter[str]]:
        return _line_holders(self.new)


class _Plain:
    """Texts without white space, one after the other: a text is sought in all of them at once."""

    def __init__(self, texts: Texts) -> None:
        self._names = list(texts)
        self._texts = {name: _squeeze(texts[name]) for name in self._names}
        self._all = "\n".join(self._texts.values())
        self._starts, at = [], 0
        for text in self._texts.values():
            self._starts.append(at)
            at += len(text) + 1

    def __getitem__(self, name: str) -> str:
        return self._texts[name]

    def copies(self, wanted: str) -> list[_Copy] | None:
        """Return where a text is; None where it is nearly everywhere."""
        found = list(islice(occurrences(self._all, wanted), MOST_ELSEWHERE + 1))
        if len(found) > MOST_ELSEWHERE:
            return None
        numbers = [bisect_right(self._starts, at) - 1 for at in found]
        return [_Copy(self._names[i], at - self._starts[i]) for i, at in zip(numbers, found, strict=True)]


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _lines(text: str) -> list[str]:
    """The lines of a text without white space; blank ones are none."""
    return [line for line in map(_squeeze, text.split("\n")) if line]


def _line_holders(texts: Texts) -> Mapping[str, Counter[str]]:
    """Which documents have a line, and how often."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name in texts:
        for line in _lines(texts[name]):
            found[line][name] += 1
    return found
