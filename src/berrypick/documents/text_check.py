"""Text against offsets: rows of truths and runs that have both must agree with the documents.

White space, kinds of quotation marks and dashes, a prefix such as a title before the text of the span, and an ellipsis
at its end are accepted and counted. A span that catches white space beside its text and loses some of the text is
shifted, not accepted. What is left is an error that names the pattern it sees, because offsets that were
counted in another text give plausible numbers.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import numpy as np

from berrypick.data.errors import InputError, Message, option, shorten
from berrypick.data.truth import Offsets, Quote
from berrypick.data.words import counted
from berrypick.documents.offsets import UnitsCache, count_units
from berrypick.documents.quotes import OnMismatch
from berrypick.documents.texts import Texts
from berrypick.documents.unplaced import SHARE
from berrypick.kernels.common_subsequence import similarity

#: A part of a text is taken for the text of its span from this many characters on, or from half of the text on.
ENOUGH = 20
#: Offsets that are farther off are not called slips that can be repaired.
MOST_REPAIR = 100
#: Offsets that are off by no more than this are slips, not a shift.
SLIP = 10
#: Rows shown in an error.
SHOWN = 3


_KINDS = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e\u301f\uff02", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u02bc\u0060\u00b4\uff07", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
}
KINDS_TABLE = str.maketrans(_KINDS)
SPACE = re.compile(r"[\s\u200b\ufeff]+")


def bare(text: str) -> str:
    """Without white space, with one kind of quotation marks, apostrophes and dashes."""
    return SPACE.sub("", text.translate(KINDS_TABLE))


def bare_with_origin(text: str) -> tuple[str, list[int]]:
    """The same, and where each of its characters stands in the text."""
    origin = [i for i, character in enumerate(text) if not SPACE.match(character)]
    return "".join(text[i] for i in origin).translate(KINDS_TABLE), origin


class Stated(NamedTuple):
    """A span in the units of its file, and the text that the row gives for it."""

    key: int
    start: float
    end: float
    text: str


class Mismatch(NamedTuple):
    """A row whose text is not at its offsets; ``first`` and ``last`` are these in characters."""

    document: str
    stated: Stated
    first: int
    last: int


@dataclass(frozen=True)
class Diagnosis:
    """The pattern, what to do, and the nearest place of texts by the keys of their rows."""

    pattern: str
    remedy: str
    places: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    looked_at: int = 0  # rows of which the place was sought


@dataclass
class TextCheck:
    """What was found: rows that do not match, ends to correct, and how many rows differ in what is accepted."""

    counting: Offsets
    total: int = 0
    mismatches: list[Mismatch] = field(default_factory=list)
    ends: dict[int, int] = field(default_factory=dict)  # by key, in the units of the file
    loose: dict[int, tuple[int, int]] = field(default_factory=dict)  # by key: spans accepted for white space, in chars
    accepted: Counter[str] = field(default_factory=Counter)
    farthest: int = 0  # how far the ends of these spans are from their texts, at most
    marked: int = 0  # documents whose byte order mark the offsets are seen to count

    def notes(self, word: str) -> list[str]:
        """The counts, for people."""
        said = [f"{counted(count, word)} {_ACCEPTED[kind][count > 1]}" for kind, count in self.accepted.items()]
        if self.accepted["ends"] and word == "quote":  # of a truth, which can be mended
            repair = option("repair", max(1, self.farthest))
            said.append(f"offsets that take in or leave out white space are moved by the command locate with {repair}")
        if self.marked:
            files = counted(self.marked, "file")
            said.append(
                f"offsets count the byte order mark at the start of {files}, as the {word}s beside them show; files "
                f"without texts are read as {option('offsets')} says (now without; chars+bom counts it)"
            )
        return said


#: What is accepted, in the singular and in the plural.
_ACCEPTED = {
    "ends": ("differs from its span in white space at the ends", "differ from their spans in white space at the ends"),
    "space": ("differs from its document in white space, quotation marks or dashes",
              "differ from their documents in white space, quotation marks or dashes"),
    "prefix": ("has a prefix, such as a title, that is not in its span; the prefix does not count",
               "have a prefix, such as a title, that is not in their spans; the prefix is not counted"),
    "cut": ("ends with an ellipsis and is compared up to it", "end with an ellipsis and are compared up to it"),
    "similar": ("is similar to the text at its offsets, as far as allowed",
                "are similar to the text at their offsets, as far as allowed"),
}  # fmt: skip


def check_texts(
    stated: Mapping[str, Sequence[Stated]], texts: Texts, counting: Offsets, least: float | None = None
) -> TextCheck:
    """Every text against its document. Where a byte order mark explains all that does not match, offsets count it.

    ``least`` is the least similarity (in per cent) that is accepted; None if it has to be the same text.
    """
    found = _check(stated, texts, counting, least)
    if not found.mismatches or counting.endswith("+bom"):
        return found
    marked = [document for document in stated if texts.has_mark(document)]
    if not marked:
        return found
    other = _check(stated, texts, cast(Offsets, f"{counting}+bom"), least)
    if other.mismatches:
        return found
    other.marked = len(marked)
    return other


def _check(stated: Mapping[str, Sequence[Stated]], texts: Texts, counting: Offsets, least: float | None) -> TextCheck:
    check, units = TextCheck(counting), UnitsCache(texts, counting)
    for document, rows in stated.items():
        text, line = texts[document], units.of(document)
        first, last = (line.characters(np.array([row[at] for row in rows]))[0].tolist() for at in (1, 2))
        check.total += len(rows)
        differing = []
        for row, low, high in zip(rows, first, last, strict=True):
            if text[low:high] != row.text:
                differing.append((row, low, high, _difference(text, low, high, row, counting, least)))
        titles = {found.prefix for *_, found in differing if found.kind == "prefix" and not found.adjacent}
        for row, low, high, found in differing:
            if not found.kind or (found.adjacent and found.prefix not in titles):
                check.mismatches.append(Mismatch(document, row, low, high))
                continue
            check.accepted[found.kind] += 1
            if found.kind in ("space", "ends"):
                check.loose[row.key] = low, high
                check.farthest = (
                    max(check.farthest, *_off(text[low:high], row.text)) if found.kind == "ends" else (check.farthest)
                )
            if found.end is not None:
                check.ends[row.key] = line.offset(found.end)
    return check


def _off(there: str, given: str) -> tuple[int, int]:
    """By how much the white space at the start and at the end of two texts differs in length."""
    leads, tails = ([len(one) - len(cut(one)) for one in (there, given)] for cut in (str.lstrip, str.rstrip))
    return abs(leads[0] - leads[1]), abs(tails[0] - tails[1])


class _Difference(NamedTuple):
    """How a text differs from its span: in a kind that is accepted, '' for none."""

    kind: str = ""
    end: int | None = None  # the end of the span, where that has to change
    prefix: str = ""
    adjacent: bool = False  # the prefix stands right before the span: a title there, or else offsets that are too high


def _difference(text: str, first: int, last: int, row: Stated, counting: Offsets, least: float | None) -> _Difference:
    wanted, there = bare(row.text), bare(text[first:last])
    if wanted == there:
        at_ends = row.text.strip() == text[first:last].strip()
        return _Difference("ends" if wanted and at_ends else "space" if wanted else "")
    if row.end - row.start == count_units(row.text, counting):
        # the end is the start and the length of the text, with its prefix and its white space
        at, end = _fitting_end(text, first, row.text, wanted)
        if end is not None and (at or not _is_beside(text, first, row.text)):
            return _after_prefix(text, first, wanted[:at], end)
    elif there and wanted.endswith(there) and _is_enough(there, wanted):
        return _after_prefix(text, first, wanted.removesuffix(there), None)
    for ellipsis in ("…", "..."):
        stem = wanted.removesuffix(ellipsis)
        if stem != wanted and there.startswith(stem) and len(stem) >= ENOUGH:
            return _Difference("cut")
    if least is not None and similarity(wanted, there) >= least:
        return _Difference("similar")
    return _Difference()


def _is_beside(text: str, first: int, given: str) -> bool:
    """Whether a text stands near an offset, with its own white space: the offset is off by some of that."""
    around = len(given) - len(given.strip()) + SLIP
    return text.find(given, max(0, first - around), first + len(given) + around) >= 0


def _after_prefix(text: str, first: int, prefix: str, end: int | None) -> _Difference:
    if not prefix:
        return _Difference("space", end)
    before = bare(text[max(0, first - 2 * len(prefix) - 200) : first])
    return _Difference("prefix", end, prefix, before.endswith(prefix))


def _fitting_end(text: str, first: int, given: str, wanted: str) -> tuple[int, int | None]:
    """How long the prefix is if what is given is the text at an offset after a prefix or none, and where that ends."""
    plain, origin = bare_with_origin(text[first : first + 2 * len(given) + 200])
    head = plain[: min(ENOUGH, math.ceil(len(wanted) / 2))]
    at = wanted.find(head) if head else -1
    while at >= 0:
        rest = wanted[at:]
        # white space before the text, and none in what is given: the offset is too low
        starts = at or not origin[0] or given[:1].isspace()
        if starts and plain.startswith(rest) and _is_enough(rest, wanted):
            return at, first + origin[len(rest) - 1] + 1
        at = wanted.find(head, at + 1)
    return 0, None


def _is_enough(part: str, whole: str) -> bool:
    return len(part) >= ENOUGH or 2 * len(part) >= len(whole)


# --- what is said -----------------------------------------------------------------------------------------------------


def refuse_or_note(
    check: TextCheck,
    texts: Texts,
    where: Callable[[int], tuple[str, int | None]],
    source: str,
    on_mismatch: OnMismatch,
    word: str,
) -> list[str]:
    """The notes of a check; an error if some row does not match, unless that shall be a note too.

    ``where`` gives topic and line of a key; ``word`` is what texts are called, 'quote' in a truth.
    """
    notes = [Message(note) for note in check.notes(word)]
    if not check.mismatches:
        return list(notes)
    seen = _diagnosis(check, texts)
    many = f"{len(check.mismatches)} of {check.total}"
    if on_mismatch == "note":
        note = f"{many} {word}s are not at their offsets ({seen.pattern}); the offsets are used as they are"
        return [*notes, Message(note)]
    if on_mismatch == "locate":
        note = (
            f"{many} {word}s are not at their offsets ({seen.pattern}); {option('text_mismatch', 'locate')} moves them"
        )
        return [*notes, Message(f"{note} to where the {word} is")]
    row = check.mismatches[0]
    topic, line = where(row.stated.key)
    repair = _repair(check, seen) if word == "quote" else ""
    more = [f"{_line(other, where, source)}{_what(other, seen.places, word)}" for other in check.mismatches[1:SHOWN]]
    raise InputError(
        f"topic {topic}: {_what(row, seen.places, word)}",
        path=source or None,
        line=line,
        text=row.stated.text,
        remedy=[
            f"the document has at these offsets: {shorten(texts[row.document][row.first : row.last]) or 'nothing'}",
            *more,
            f"{many} {word}s are not at their offsets: {seen.pattern}",
            *_locate(seen, word),
            f"{seen.remedy}{repair}; or use the offsets as they are: {option('text_mismatch', 'note')}",
        ],
    )


def _locate(seen: Diagnosis, word: str) -> list[str]:
    """The offer to trust the texts, where most of those looked at, or of a truth all, are in their documents."""
    least = seen.looked_at if word == "quote" else (1 - SHARE) * seen.looked_at
    if not seen.places or len(seen.places) < least:
        return []
    why = "offsets may count from the start of a section, a page or a sentence window"
    return [f"{option('text_mismatch', 'locate')} finds each {word} in its document instead: {why}"]


def _diagnosis(check: TextCheck, texts: Texts) -> Diagnosis:
    """Say why texts are not at their offsets."""
    from berrypick.documents.text_patterns import diagnose  # for errors and notes only

    return diagnose(check.mismatches, check.counting, texts)


def _repair(check: TextCheck, seen: Diagnosis) -> str:
    """How the quotes of a truth would be moved to where they stand, if all those looked at stand somewhere near."""
    starts = {row.stated.key: row.first for row in check.mismatches}
    farthest = max((abs(place[0] - starts[key]) for key, place in seen.places.items()), default=0)
    if not 0 < farthest <= MOST_REPAIR or len(seen.places) < seen.looked_at or "locate" in seen.remedy:
        return ""
    return f"; or the command locate with {option('repair', farthest)} moves them to their quotes"


def _line(row: Mismatch, where: Callable[[int], tuple[str, int | None]], source: str) -> str:
    topic, line = where(row.stated.key)
    path = f"{source}:{line}: " if source and line is not None else ""
    return f"{path}topic {topic}: "


def _what(row: Mismatch, places: Mapping[int, tuple[int, int]], word: str) -> str:
    stated = row.stated
    span = f"the span {stated.start:.12g}-{stated.end:.12g} of {row.document} does not match its {word}"
    if stated.key not in places:
        return span
    first, last = places[stated.key]
    away = first - row.first
    if away:
        return f"{span}, which is {distance(away)}, at characters {first}-{last}"
    return f"{span}, which ends at {last}, {distance(last - row.last)}"


def distance(away: int) -> str:
    """How far a text is from where it should be."""
    return f"{counted(abs(away), 'character')} {'later' if away > 0 else 'earlier'}"


def stated_quotes(quotes: Sequence[tuple[str, Quote]]) -> dict[str, list[Stated]]:
    """Quotes of topics that have offsets, by their documents; the key is the place among them."""
    spans = ((key, quote, *span_of(quote)) for key, (_, quote) in enumerate(quotes))
    return stated_by_document(
        (document, Stated(key, start, end, quote.text)) for key, quote, document, start, end in spans
    )


def span_of(quote: Quote) -> tuple[str, float, float]:
    """Document, start and end of a quote with offsets."""
    return str(quote.document), float(quote.start or 0), float(quote.end or 0)


def stated_by_document(rows: Iterator[tuple[str, Stated]]) -> dict[str, list[Stated]]:
    """Rows by their documents; offsets that are no whole numbers are left to other checks."""
    found: dict[str, list[Stated]] = {}
    for document, row in rows:
        if float(row.start).is_integer() and float(row.end).is_integer():
            found.setdefault(document, []).append(row)
    return found
