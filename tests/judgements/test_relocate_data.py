"""Spans of real texts with 3% of the words edited: 99% in the right place, none in a wrong one without a flag."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from moved_sentences import moved_sentences, relocated

import berrypick as bp
from berrypick.judgements.relocate import CERTAIN


@pytest.mark.parametrize("kind", ["words", "lines", "sections"])
def test_three_percent_of_words_edited(data: Path, kind: str) -> None:
    rng = random.Random(0)
    total = right = wrong = 0
    for path in sorted((data / "chunking-evaluation" / "corpora").iterdir()):
        text = path.read_text(encoding="utf-8", errors="replace")[:100_000]
        words = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
        size = -(-len(words) // 20)
        parts = [range(low, min(low + size, len(words))) for low in range(0, len(words), size)]
        if kind == "sections":
            parts.insert(3, parts.pop(12))
        new, at = "", {}
        for i in (i for part in parts for i in part):
            word = text[slice(*words[i])]
            if rng.random() < 0.03:
                word = rng.choice(["another", word[::-1], f"{word}ish"])
            at[i] = (len(new), len(new) + len(word))
            space = text[words[i][1] : words[i + 1][0]] if i + 1 < len(words) else "\n"
            new += word + (rng.choice(" \n") if kind == "lines" else space)
        marks = []
        while len(marks) < 100:
            first = rng.randrange(len(words) - 40)
            last = first + rng.randrange(4, 40)
            if first // size == (last - 1) // size:  # sections that move apart would split it
                marks.append((first, last))
        truth = {f"q{n}": {f"d#{words[a][0]}-{words[b - 1][1]}": 1} for n, (a, b) in enumerate(marks)}
        cases = bp.relocate(truth, {"d": text}, {"d": new}).cases
        for (a, b), found in zip(marks, cases, strict=True):
            expected = (at[a][0], at[b - 1][1])
            total += 1
            right += found.places == (expected,)
            wrong += found.status in CERTAIN and found.places != (expected,)
    assert wrong == 0
    assert right >= 0.99 * total, (right, total)


def test_one_sentence_moved(data: Path) -> None:
    """4 of 3,570 spans were in a wrong place, called the same or moved."""
    counts: Counter[str] = Counter()
    for path in sorted((data / "chunking-evaluation" / "corpora").iterdir()):
        whole, rng = path.read_text(encoding="utf-8"), random.Random(3)
        for _ in range(60):
            at = rng.randrange(len(whole) - 2000)
            for made in moved_sentences(whole[at : at + 2000], rng, 1, 40):
                counts += relocated(made)
    total = sum(counts.values()) - counts["right"] - counts["wrong"]
    assert total > 9_000 and counts["wrong"] == 0
    assert counts["right"] >= 0.98 * total, counts
