"""48 systems: twelve rankers over units of four sizes, with overlapping results or without."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from _collection import BLOCKS, World, words

from berrypick.data.arrays import FloatArray
from berrypick.data.assemble import assemble
from berrypick.data.run import Run
from berrypick.documents.xml.structure import Structure

STOP_WORDS = frozenset(
    re.findall(
        r"\w+", "a an and are can do does for from how in is it my not of off on or the to what why with you your"
    )
)
MOST = 1500

Unit = tuple[str, str, int, int]  # document, path, start, end
Score = Callable[["Index", str], tuple[FloatArray, FloatArray]]


def units(world: World, size: str) -> list[Unit]:
    """Elements of one size: documents, sections (what holds blocks of text), blocks, or everything with text."""
    found = []
    for document in world.texts:
        structure = world.collection.structures[document]
        for element in range(len(structure)):
            if structure.end[element] > structure.start[element] and _has_size(world, structure, element, size):
                span = int(structure.start[element]), int(structure.end[element])
                found.append((document, structure.paths[element], *span))
    return found


def _has_size(world: World, structure: Structure, element: int, size: str) -> bool:
    if size == "everything":
        return True
    if size == "document":
        return bool(structure.parent[element] < 0)
    block = structure.name[element] in BLOCKS
    return block if size == "block" else not block and world.holds_block(structure, element)


class Index:
    """How often each word is in each unit."""

    def __init__(self, texts: Sequence[str]) -> None:
        found: dict[str, list[tuple[int, int]]] = {}
        self.length = np.zeros(len(texts))
        for unit, text in enumerate(texts):
            counts = Counter(words(text))
            self.length[unit] = sum(counts.values())
            for word, times in counts.items():
                found.setdefault(word, []).append((unit, times))
        self.postings = {word: np.array(rows, dtype=np.float64).T for word, rows in found.items()}
        self.total = float(self.length.sum())

    def __len__(self) -> int:
        return len(self.length)


def bm25(k1: float, b: float) -> Score:
    def score(index: Index, word: str) -> tuple[FloatArray, FloatArray]:
        unit, tf = index.postings[word]
        idf = np.log(1 + (len(index) - len(unit) + 0.5) / (len(unit) + 0.5))
        norm = k1 * (1 - b + b * index.length[unit.astype(int)] / index.length.mean())
        return unit, idf * tf * (k1 + 1) / (tf + norm)

    return score


def dirichlet(mu: float) -> Score:
    """Smoothed likelihood, relative to a unit of average length without the word, so that only finds add to a sum."""

    def score(index: Index, word: str) -> tuple[FloatArray, FloatArray]:
        unit, tf = index.postings[word]
        share = tf.sum() / index.total
        length = index.length[unit.astype(int)]
        return unit, np.maximum(0.0, np.log1p(tf / (mu * share)) + np.log(mu / (length + mu)))

    return score


def mixture(weight: float) -> Score:
    def score(index: Index, word: str) -> tuple[FloatArray, FloatArray]:
        unit, tf = index.postings[word]
        share = tf.sum() / index.total
        return unit, np.log1p((1 - weight) / weight * tf / index.length[unit.astype(int)] / share)

    return score


def cosine(index: Index, word: str) -> tuple[FloatArray, FloatArray]:
    unit, tf = index.postings[word]
    return unit, tf * np.log(len(index) / len(unit)) / np.sqrt(index.length[unit.astype(int)])


RANKERS: dict[str, Score] = {
    **{f"bm25({k1:g},{b:g})": bm25(k1, b)
       for k1, b in ((1.2, 0.75), (1.2, 0.3), (1.2, 0.0), (2.0, 0.75), (0.6, 0.5), (3.0, 1.0))},
    **{f"dirichlet({mu})": dirichlet(mu) for mu in (50, 300, 2000)},
    **{f"mixture({weight})": mixture(weight) for weight in (0.1, 0.7)},
    "cosine": cosine,
}  # fmt: skip
SIZES = ("document", "section", "block", "everything")


def runs(world: World, *, overlap: bool, rankers: int = len(RANKERS)) -> Iterator[Run]:
    """Every ranker over every size of unit. Without overlap (a focused task) the better-ranked of two results, one
    inside the other, is kept."""
    for size in SIZES:
        own = units(world, size)
        index = Index([world.texts[document][start:end] for document, _, start, end in own])
        for name, ranker in list(RANKERS.items())[:rankers]:
            rows = [
                (topic, own[unit], score)
                for topic, query in world.queries.items()
                for unit, score in ranked(index, ranker, query, own, world.excluded.get(topic), overlap)
            ]
            yield assemble(
                tag=f"{size}-{name}",
                topic=[topic for topic, _, _ in rows],
                document=[unit[0] for _, unit, _ in rows],
                path=[unit[1] for _, unit, _ in rows],
                score=np.array([score for _, _, score in rows], dtype=np.float64),
                order="score",
            )


def ranked(
    index: Index, ranker: Score, query: str, own: Sequence[Unit], excluded: str | None, overlap: bool
) -> list[tuple[int, float]]:
    """(unit, score) by falling score, ties in document order."""
    scores = np.zeros(len(index))
    for word in dict.fromkeys(words(query)):
        if word in index.postings and word not in STOP_WORDS:
            unit, part = ranker(index, word)
            scores[unit.astype(int)] += part
    order = np.argsort(-scores, kind="stable")
    found: list[tuple[int, float]] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for unit in order[scores[order] > 0].tolist():
        document, _, start, end = own[unit]
        if document == excluded:
            continue
        if not overlap:
            if any(start < last and first < end for first, last in taken.get(document, ())):
                continue
            taken.setdefault(document, []).append((start, end))
        found.append((unit, float(scores[unit])))
        if len(found) == MOST:
            break
    return found
