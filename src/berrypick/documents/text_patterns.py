"""Why texts are not at their offsets: what the offsets seem to have been counted in, or how they are shifted."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

import numpy as np

from berrypick.data.errors import option
from berrypick.data.truth import Offsets
from berrypick.data.words import counted
from berrypick.documents.locator import occurrences
from berrypick.documents.offsets import UNIT_NAMES, Units
from berrypick.documents.text_check import SLIP, Diagnosis, Mismatch, bare, bare_with_origin
from berrypick.documents.texts import Texts

#: Rows that are looked at for a pattern, and the share of them that it has to explain.
SAMPLE, SHARE = 200, 0.9
#: Places of one text that are looked at.
PLACES = 50
#: Rows that are searched in other documents.
ELSEWHERE = 3


def diagnose(mismatches: Sequence[Mismatch], counting: Offsets, texts: Texts) -> Diagnosis:
    """Return the first explanation that covers nearly all rows; the simplest come first."""
    step = max(1, len(mismatches) // SAMPLE)
    sample = mismatches[::step][:SAMPLE]
    near = {row.stated.key: place for row in sample if (place := _nearest(row, texts)) is not None}
    for explain in (_counted_otherwise, _shifted):
        found = explain(sample, counting, texts, near)
        if found is not None:
            return Diagnosis(*found, near, len(sample))
    return Diagnosis(*_other_document(sample, texts, near), near, len(sample))


# --- counted in another form of the text --------------------------------------------------------------------------


_CRLF = (
    "read the documents without newline translation (in Python newline='') when they are cut into chunks, or give the "
    "documents with the same line ends as the offsets count"
)
#: How a text may have been changed before offsets were counted in it: what that looks like, and what to do.
_FORMS: tuple[tuple[Callable[[str], str], str, str], ...] = (
    (lambda text: text, "", ""),
    (lambda text: text.replace("\r\n", "\n"),
     "a growing shift: they were counted with each CRLF of the documents as one character, as universal newlines do",
     _CRLF),
    (lambda text: re.sub(r"(?<!\r)\n", "\r\n", text),
     "a growing shift: they were counted with CRLF line ends, and the documents have LF", _CRLF),
    (lambda text: "\ufeff" + text,
     "a constant shift of 1: they count a byte order mark (BOM) that the documents do not have",
     "remove it before offsets are counted (in Python encoding='utf-8-sig'), or subtract 1"),
    (lambda text: text.removeprefix("\ufeff"),
     "a constant shift of 1: they do not count the byte order mark (BOM) U+FEFF at the start of the documents' texts",
     "give the documents without it, or add 1"),
    (lambda text: " ".join(text.split()),
     "a growing shift: they were counted with runs of white space as one space",
     "give the texts in which the offsets were counted as documents"),
    (lambda text: unicodedata.normalize("NFC", text),
     "a growing shift: they were counted in text of composed characters (Unicode NFC), which the documents are not",
     "give the texts in which the offsets were counted as documents"),
    (lambda text: unicodedata.normalize("NFD", text),
     "a growing shift: they were counted in text of decomposed characters (Unicode NFD), which the documents are not",
     "give the texts in which the offsets were counted as documents"),
)  # fmt: skip


def _counted_otherwise(
    sample: Sequence[Mismatch], counting: Offsets, texts: Texts, near: Mapping[int, tuple[int, int]]
) -> tuple[str, str] | None:
    marked = any(texts.has_mark(row.document) for row in sample)
    for form, pattern, remedy in _FORMS:
        for other in _countings(counting, marked and not pattern):
            if other == counting and not pattern:
                continue
            if _explains(form, other, sample, texts):
                return _said(pattern, remedy, counting, other)
    return None


def _countings(counting: Offsets, marked: bool) -> list[Offsets]:
    """The given one first, then the others; with and without a byte order mark where files have one."""
    own = counting.removesuffix("+bom")
    units = [own, *(unit for unit in UNIT_NAMES if unit != own)]
    both = [f"{unit}{mark}" for mark in ("", "+bom") for unit in units]
    return [name for name in both if marked or not name.endswith("+bom")]  # type: ignore[misc]


def _explains(form: Callable[[str], str], counting: Offsets, sample: Sequence[Mismatch], texts: Texts) -> bool:
    """Whether the texts are at their offsets, counted so, in another form of their documents."""
    allowed = int((1 - SHARE) * len(sample))
    for document, rows in _by_document(sample):
        text = form(texts[document])
        units = Units(text, counting, texts.has_mark(document))
        first, last = (units.characters(np.array([row.stated[at] for row in rows]))[0] for at in (1, 2))
        for row, low, high in zip(rows, first.tolist(), last.tolist(), strict=True):
            there = text[low:high]
            if there != row.stated.text and bare(there) != bare(row.stated.text):
                allowed -= 1
                if allowed < 0:
                    return False
    return True


def _by_document(sample: Iterable[Mismatch]) -> Iterator[tuple[str, list[Mismatch]]]:
    rows: dict[str, list[Mismatch]] = {}
    for row in sample:
        rows.setdefault(row.document, []).append(row)
    yield from rows.items()


def _said(pattern: str, remedy: str, counting: Offsets, other: Offsets) -> tuple[str, str]:
    unit, mark = other.removesuffix("+bom"), other.endswith("+bom")
    parts = [pattern] if pattern else []
    if unit != counting.removesuffix("+bom"):
        parts.append(f"they count {UNIT_NAMES[unit]}, not {UNIT_NAMES[counting.removesuffix('+bom')]}")
    if mark != counting.endswith("+bom") and not pattern:
        do = "" if mark else "do not "
        parts.append(f"they {do}count the byte order mark (BOM) at the start of text files, a constant shift")
    remedies = [f"use {option('offsets', other)}"] if other != counting else []
    return "; ".join(parts), "; ".join([*remedies, *([remedy] if remedy else [])])


# --- shifted ------------------------------------------------------------------------------------------------------


def _places(row: Mismatch, texts: Texts) -> list[tuple[int, int]]:
    """Where the text of a row stands in its document; where it is nowhere, without regard to white space."""
    text, wanted = texts[row.document], row.stated.text
    found = [(at, at + len(wanted)) for at in islice(occurrences(text, wanted), PLACES)]
    if found:
        return found
    plain, origin = texts.kept("bare", row.document, bare_with_origin)
    wanted = bare(wanted)
    return [(origin[at], origin[at + len(wanted) - 1] + 1) for at in islice(occurrences(plain, wanted), PLACES)]


def _nearest(row: Mismatch, texts: Texts) -> tuple[int, int] | None:
    return min(_places(row, texts), key=lambda place: abs(place[0] - row.first), default=None)


def _shifted(
    sample: Sequence[Mismatch], counting: Offsets, texts: Texts, near: Mapping[int, tuple[int, int]]
) -> tuple[str, str] | None:
    if len(near) < len(sample) / 2:
        return None
    least = SHARE * len(near)
    shifts = Counter(at - row.first for row in sample for at, _ in _places(row, texts))
    shift, often = min(shifts.items(), key=lambda item: (-item[1], abs(item[0])))
    if shift and often >= least and (len(near) > 1 or abs(shift) > SLIP):
        way, mend = ("low", "add") if shift > 0 else ("high", "subtract")
        size = counted(abs(shift), "character")
        which = "all are" if often >= len(sample) else "nearly all are"
        return f"{which} {size} too {way}, a constant shift", f"{mend} {abs(shift)} where offsets are made"
    off = [(row.document, row.first, near[row.stated.key][0] - row.first) for row in sample if row.stated.key in near]
    largest = max(abs(away) for _, _, away in off)
    if _grows(off):
        least_away = min(abs(away) for _, _, away in off)
        return (
            f"a growing shift, from {least_away} to {counted(largest, 'character')} along the documents",
            "characters were added or removed before offsets were counted (line ends, mark-up, white space): give the "
            "texts in which they were counted as documents",
        )
    if largest <= SLIP:
        slips = f"they are off by at most {counted(largest, 'character')}, without a pattern"
        return slips, f"berrypick.locate or the command locate with {option('repair', largest)} moves them to the text"
    return None


def _grows(off: Sequence[tuple[str, int, int]]) -> bool:
    """Whether texts are the farther away the later they are in their document, always to the same side."""
    if len(off) < 2 or len({away > 0 for _, _, away in off if away}) != 1:
        return False
    ordered = sorted(off)
    pairs = [(a, b) for a, b in pairwise(ordered) if a[0] == b[0] and a[1] != b[1]]
    rising = sum(abs(b[2]) >= abs(a[2]) for a, b in pairs)
    return bool(pairs) and rising >= SHARE * len(pairs) and any(abs(b[2]) > abs(a[2]) for a, b in pairs)


# --- elsewhere ----------------------------------------------------------------------------------------------------


def _other_document(sample: Sequence[Mismatch], texts: Texts, near: Mapping[int, tuple[int, int]]) -> tuple[str, str]:
    absent = [row for row in sample if row.stated.key not in near]
    for row in absent[:ELSEWHERE]:
        for name in texts:
            if row.stated.text in texts[name]:
                there = "are not" if len(absent) > 1 else "is not"
                return (
                    f"another document: {counted(len(absent), 'text')} {there} in the document named; one named "
                    f"{row.document} is in {name}",
                    "correct the names of the documents",
                )
    if len(absent) == len(sample):
        return (
            "they are not in their documents: it is another document or version",
            "give the texts in which the offsets were counted as documents",
        )
    rest = f", {len(absent)} of them not in their documents" if absent else ""
    return f"no common pattern{rest}", "check the rows named above"
