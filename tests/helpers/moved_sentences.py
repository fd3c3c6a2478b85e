"""Texts with one sentence moved elsewhere, and where spans of them are then."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import berrypick as bp
from berrypick.judgements.relocate import CERTAIN

_SENTENCE = re.compile(r"\S[^.!?\n]*(?:[.!?]+|$)", re.MULTILINE)


class Moved(NamedTuple):
    old: str
    new: str
    spans: list[tuple[int, int]]
    now: list[tuple[int, int]]


def moved_sentences(text: str, rng: random.Random, moves: int, spans: int) -> Iterator[Moved]:
    """Versions of a text with one sentence moved; spans are of 1 to 20 words, a third of them from that sentence."""
    sentences = [match.span() for match in _SENTENCE.finditer(text) if len(match[0]) > 3]
    words = [match.span() for match in re.finditer(r"\S+", text)]
    for _ in range(moves):
        low, high = rng.choice(sentences)
        target = rng.choice([start for start, _ in sentences if start != low])
        at = target if target < low else target - (high - low)
        rest = text[:low] + text[high:]
        new = f"{rest[:at]}{text[low:high]} {rest[at:]}"
        inside = [i for i, word in enumerate(words) if low <= word[0] < high]
        if not inside or "".join(new.split()) == "".join(text.split()):
            continue
        found = []
        for _ in range(spans):
            first = rng.choice(inside) if rng.random() < 1 / 3 else rng.randrange(len(words))
            last = min(first + rng.choice([1, 1, 2, 3, 5, 10, 20]), len(words)) - 1
            start, end = words[first][0], words[last][1]
            if rng.random() < 0.3:
                end = max(start + 1, start + len(text[start:end].rstrip(".,;:!?")))
            place = _now(start, end, (low, high), at)
            if place is not None:
                found.append(((start, end), place))
        yield Moved(text, new, [span for span, _ in found], [place for _, place in found])


def _now(start: int, end: int, moved: tuple[int, int], at: int) -> tuple[int, int] | None:
    """Where a span is; None where it is no longer in one piece."""
    low, high = moved
    if low <= start and end <= high:
        return start - low + at, end - low + at
    if start < high and end > low:
        return None
    start, end = (place if place <= low else place - (high - low) for place in (start, end))
    if end > at > start:
        return None
    more = high - low + 1 if start >= at else 0
    return start + more, end + more


def relocated(made: Moved) -> Counter[str]:
    """How many spans have each status, and how many are in the wrong place without a flag, or in the right one."""
    judged = [{"topic": str(i), "doc": "d", "start": a, "end": b} for i, (a, b) in enumerate(made.spans)]
    cases = {(case.start, case.end): case for case in bp.relocate(judged, {"d": made.old}, {"d": made.new}).cases}
    counts: Counter[str] = Counter()
    for span, place in zip(made.spans, made.now, strict=True):
        assert made.old[slice(*span)] == made.new[slice(*place)]
        found = cases[span]
        right = found.places == (place,)
        counts.update([found.status, *(["right" if right else "wrong"] if found.status in CERTAIN else [])])
    return counts
