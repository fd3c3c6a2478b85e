"""A real XML collection with simulated topics: what the experiments of this folder share.

No assessed XML collection can be had freely, so topics are simulated on real documents: a topic is a word that a few
documents use, its relevant text the blocks of text (paragraphs, titles, items) that use it. Element assessments follow
from the highlighted blocks as at INEX. Runs are made by a real ranker (BM25) over elements at several granularities.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from berrypick.core.collection import Collection
from berrypick.core.run import Run, assemble
from berrypick.core.truth import Highlighted, TopicTruth, Truth
from berrypick.corpus.folder import find_documents, read_folder
from berrypick.corpus.resolve import assess
from berrypick.corpus.xml_documents import read_text

BLOCKS = {"p", "para", "title", "item", "listitem", "td", "entry", "desc", "screen", "term", "simpara"}
GRANULARITIES = {
    "document": None,
    "section": {"section", "sect1", "sect2", "sect3", "page", "chapter", "steps", "list", "note", "procedure"},
    "block": BLOCKS,
    "everything": set(),
}


def arguments(what: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("collection", help="folder of XML documents, e.g. help pages in DocBook or Mallard")
    parser.add_argument("--topics", type=int, default=29)
    parser.add_argument("--seed", type=int, default=2006)
    parser.add_argument("--out", type=Path, help="folder for the plots and the table; none are written without it")
    return parser.parse_args()


class ReaderContext:
    """Documents, their text, and simulated topics."""

    def __init__(self, folder: str, topics: int, seed: int) -> None:
        self.collection: Collection = read_folder(folder)
        self.texts = {name: read_text(path) for name, path in find_documents(folder).items()}
        words = self._words(topics, seed)
        self.truth = assess(Truth("spans", dict(self._topic(word) for word in words)), self.collection)

    def _words(self, topics: int, seed: int) -> list[str]:
        """Words of moderate frequency: used in the blocks of 4 to 25 documents."""
        count: Counter[str] = Counter()
        for name, text in self.texts.items():
            blocks = " ".join(text[start:end] for start, end in self._blocks(name))
            count.update(set(re.findall(r"\b[a-z]{5,}\b", blocks.lower())))
        usable = sorted(word for word, n in count.items() if 4 <= n <= 25)
        if len(usable) < topics:
            sys.exit(f"only {len(usable)} words are usable as topics; name a larger collection")
        return sorted(np.random.default_rng(seed).choice(usable, topics, replace=False).tolist())

    def _blocks(self, name: str) -> Iterator[tuple[int, int]]:
        structure = self.collection.structures[name]
        for element, tag in enumerate(structure.name):
            if tag in BLOCKS:
                yield int(structure.start[element]), int(structure.end[element])

    def _topic(self, word: str) -> tuple[str, TopicTruth]:
        spans: list[tuple[str, int, int]] = []
        for name, text in self.texts.items():
            if word not in text.lower():
                continue
            found = [span for span in self._blocks(name) if re.search(rf"\b{word}\b", text[slice(*span)].lower())]
            spans += [(name, *span) for span in found]
        names = tuple(name for name, _, _ in spans)
        start, end = (np.array([span[i] for span in spans], dtype=np.int64) for i in (1, 2))
        topic = TopicTruth(word, names, np.ones(len(spans)), start, end, highlighted=Highlighted(names, start, end))
        return word, topic

    def runs(self) -> Iterator[Run]:
        """BM25 with many settings over elements of several granularities: systems that differ as real ones do."""
        for granularity, tags in GRANULARITIES.items():
            units = list(self._units(tags))
            index = _Index([self.texts[name][start:end] for name, _, start, end in units])
            for k1 in (0.4, 1.2, 3.0):
                for b in (0.0, 0.4, 0.75, 1.0):
                    rows = [
                        (word, *units[i][:2], score)
                        for word in self.truth.topics
                        for i, score in index.rank(word, k1, b)
                    ]
                    yield assemble(
                        tag=f"{granularity} k1={k1} b={b}",
                        topic=[row[0] for row in rows],
                        document=[row[1] for row in rows],
                        path=[row[2] for row in rows],
                        score=np.array([row[3] for row in rows], dtype=np.float64),
                        order="score",
                    )

    def _units(self, tags: set[str] | None) -> Iterator[tuple[str, str, int, int]]:
        for name in self.texts:
            structure = self.collection.structures[name]
            for element, tag in enumerate(structure.name):
                wanted = structure.parent[element] < 0 if tags is None else not tags or tag in tags
                if wanted and structure.end[element] > structure.start[element]:
                    yield name, structure.paths[element], int(structure.start[element]), int(structure.end[element])


class _Index:
    """BM25 over short texts; a query is one word and the words that go with it most often."""

    def __init__(self, texts: list[str]) -> None:
        self.words = [Counter(re.findall(r"[a-z]+", text.lower())) for text in texts]
        self.length = np.array([sum(words.values()) for words in self.words], dtype=np.float64)
        self.where: dict[str, list[int]] = {}
        for i, words in enumerate(self.words):
            for word in words:
                self.where.setdefault(word, []).append(i)

    def rank(self, word: str, k1: float, b: float, most: int = 1500) -> list[tuple[int, float]]:
        found = self.where.get(word, [])
        company = Counter(other for i in found for other in self.words[i] if len(other) > 4 and other != word)
        scores: dict[int, float] = {}
        for term, weight in [(word, 1.0), *((other, 0.2) for other, _ in company.most_common(4))]:
            units = self.where.get(term, [])
            idf = math.log(1 + (len(self.words) - len(units) + 0.5) / (len(units) + 0.5))
            for i in units:
                tf = self.words[i][term]
                norm = k1 * (1 - b + b * self.length[i] / self.length.mean())
                scores[i] = scores.get(i, 0.0) + weight * idf * tf * (k1 + 1) / (tf + norm)
        return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
