"""One small retrieval drawn at random, with what is relevant for it, and its numbers by counting characters.

Nothing here knows berrypick: the numbers are worked out on sets of characters.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: Between words, so that texts contain what separates fields, lines and rows.
GAPS = (" ", " ", " ", "\n", ", ", "; ", ' "', "\t")
#: As the run and the truth write them, each with white space where the other has none. The last has no answer.
QUESTIONS = {
    "q1": ("Which oak is old?", " Which oak  is old?"),
    "q2": ("\tWhich elm, or ash; grows? ", "Which elm, or ash; grows?"),
    "q3": ("Which fir falls?", "Which fir falls?"),
    "q4": ("Which yew sings?", "Which yew sings?"),
}
UNANSWERABLE = "q4"


@dataclass(frozen=True)
class Chunk:
    """A part of a document with the score that some earlier stage gave it."""

    doc: str
    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True)
class Retrieval:
    """Documents, relevant spans and ranked lists by topic."""

    documents: Mapping[str, str]
    relevant: Mapping[str, Sequence[tuple[str, int, int]]]
    lists: Mapping[str, Sequence[Chunk]]

    def question(self, topic: str) -> str:
        """As the run writes it."""
        return QUESTIONS[topic][0]

    def asked(self, topic: str) -> str:
        """As the truth writes it."""
        return QUESTIONS[topic][1]

    def by_score(self) -> dict[str, list[Chunk]]:
        return {topic: sorted(found, key=lambda one: -one.score) for topic, found in self.lists.items()}

    def of_documents(self) -> dict[str, dict[str, float]]:
        """The documents of each list with the first of their scores, in ranked order."""
        found: dict[str, dict[str, float]] = {}
        for topic, chunks in self.lists.items():
            found[topic] = {}
            for one in chunks:
                found[topic].setdefault(one.doc, one.score)
        return found

    def relevant_documents(self) -> dict[str, list[str]]:
        return {topic: sorted({doc for doc, _, _ in spans}) for topic, spans in self.relevant.items()}


def drawn(seed: int) -> Retrieval:
    """A retrieval whose order by score gives other numbers than its lists."""
    rng = random.Random(seed)
    while True:
        one = _attempt(rng)
        listed, scored = numbers(one), numbers(one, one.by_score())
        fallen = all([*found] != one.by_score()[topic] for topic, found in one.lists.items() if found)
        if fallen and all(0 < listed[name] != scored[name] for name in ("charR@2", "charP@2", "spanRR")):
            documents = document_numbers(one), document_numbers(one, scored=True)
            if all(documents[0][name] != documents[1][name] for name in ("RR", "AP")):
                return one


def _attempt(rng: random.Random) -> Retrieval:
    documents, words = {}, {}
    for name in ("oak.md", "elm.md", "ash.md", "fir.md"):
        text, places = "", []
        for number in range(40):
            word = f"{name[:3]}é{number:02}"
            text += rng.choice(GAPS) if text else ""
            places.append((len(text), len(text) + len(word)))
            text += word
        documents[name], words[name] = text, places

    def place(name: str, first: int, count: int) -> tuple[str, int, int]:
        return name, words[name][first][0], words[name][min(first + count, 40) - 1][1]

    lists, relevant = {}, {}
    for topic, size in (("q1", 4), ("q2", 3), ("q3", 0)):
        parts = [(name, first) for name in documents for first in (0, 10, 20, 30)]
        found = [place(name, first + rng.randint(0, 3), rng.randint(4, 12)) for name, first in rng.sample(parts, size)]
        scores = [score / 1000 for score in rng.sample(range(1, 1000), size)]
        texts = [documents[name][start:end] for name, start, end in found]
        lists[topic] = [Chunk(*one, *more) for one, *more in zip(found, texts, scores, strict=True)]
        judged = rng.sample(parts, 2)
        relevant[topic] = [place(name, first + rng.randint(0, 4), rng.randint(3, 6)) for name, first in judged]
    return Retrieval(documents, {**relevant, UNANSWERABLE: []}, {**lists, UNANSWERABLE: []})


def _characters(spans) -> set[tuple[str, int]]:
    return {(doc, at) for doc, start, end in spans for at in range(start, end)}


def numbers(one: Retrieval, lists=None, abstained: float | None = 1.0) -> dict[str, float]:
    """charR@2, charP@2, spanRR and Abstained, by counting characters; the lists may be in another order."""
    values: dict[str, list[float]] = {"charR@2": [], "charP@2": [], "spanRR": []}
    for topic, found in (lists or one.lists).items():
        spans = [(chunk.doc, chunk.start, chunk.end) for chunk in found]
        wanted, seen = _characters(one.relevant[topic]), _characters(spans[:2])
        if not wanted:
            continue
        values["charR@2"].append(len(wanted & seen) / len(wanted))
        values["charP@2"].append(len(wanted & seen) / len(seen) if seen else 0.0)
        enough = (
            rank
            for rank in range(1, len(spans) + 1)
            if any(2 * len(_characters(spans[:rank]) & _characters([span])) >= span[2] - span[1]
                   for span in one.relevant[topic])
        )  # fmt: skip
        values["spanRR"].append(1 / next(enough, float("inf")))
    means = {name: sum(some) / len(some) for name, some in values.items()}
    return means if abstained is None else {**means, "Abstained": abstained}


def document_numbers(one: Retrieval, scored: bool = False) -> dict[str, float]:
    """RR and AP of the documents in ranked order, or by their scores, over the topics with an answer."""
    values: dict[str, list[float]] = {"RR": [], "AP": []}
    for topic, scores in one.of_documents().items():
        names = sorted(scores, key=lambda name: -scores[name]) if scored else [*scores]
        wanted = one.relevant_documents()[topic]
        if not wanted:
            continue
        ranks = [rank for rank, name in enumerate(names, start=1) if name in wanted]
        values["RR"].append(1 / ranks[0] if ranks else 0.0)
        values["AP"].append(sum(hit / rank for hit, rank in enumerate(ranks, start=1)) / len(wanted))
    return {name: sum(some) / len(some) for name, some in values.items()}
