"""Five chunkings times two retrievers on real text: cut, index, retrieve, evaluate, compare; how long each part takes.

    BERRYPICK_DATA=... python benchmarks/chunks.py

Five texts and 472 questions of chunking_evaluation; SQLite FTS5 and bm25s (or TF-IDF by hand where it is missing). No
model, no network. The whole of it is meant to take less than a minute on two cores; the last line tells. The test suite
runs the same functions, without looking at the clock.
"""

from __future__ import annotations

import math
import os
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import berrypick as bp
from berrypick.formats.benchmarks.chunking_evaluation import ChunkingEvaluation

Chunk = tuple[str, int, int]  # document, start, end
Chunker = Callable[[str], Iterator[tuple[int, int]]]
MEASURES = "charR@5 charP@5 IoU@5 Coverage(budget=2000) AiP spanHit@5 spanRR@10 Overlap@5"
DEPTH = 10
_WORD = re.compile(r"\w+")
#: Words that are in every question.
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by did do does for from how in is it of on or that the to was were what when where "
        "which who why will with",
    )
)


# --- chunkers -------------------------------------------------------------------------------------------------------


def windows(size: int, overlap: int = 0) -> Chunker:
    """Stretches of a fixed number of characters."""

    def chunks(text: str) -> Iterator[tuple[int, int]]:
        start = 0
        while start < len(text):
            yield start, min(start + size, len(text))
            if start + size >= len(text):
                return
            start += size - overlap

    return chunks


def sentences(size: int) -> Chunker:
    """Whole sentences (or lines), as many as fit."""

    def chunks(text: str) -> Iterator[tuple[int, int]]:
        start = end = 0
        for match in re.finditer(r".+?(?:[.!?]+[\s\"'\u201d]+|\n+|\Z)", text, re.DOTALL):
            if end > start and match.end() - start > size:
                yield start, end
                start = end
            end = match.end()
        if end > start:
            yield start, end

    return chunks


CHUNKERS: dict[str, Chunker] = {
    "200": windows(200),
    "400": windows(400),
    "400+200": windows(400, 200),
    "800": windows(800),
    "sentences": sentences(400),
}


def cut(texts: Mapping[str, str], chunker: Chunker) -> list[Chunk]:
    return [(document, start, end) for document in texts for start, end in chunker(texts[document])]


# --- retrievers: question to the numbers of chunks and their scores -------------------------------------------------

Retriever = Callable[[list[str], list[str]], list[list[tuple[int, float]]]]


def asked(question: str) -> list[str]:
    """Words worth looking for."""
    found = [word for word in _WORD.findall(question.lower()) if word not in _COMMON]
    return list(dict.fromkeys(found)) or _WORD.findall(question.lower())


def fts5(chunks: list[str], questions: list[str]) -> list[list[tuple[int, float]]]:
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table chunk using fts5(text, tokenize='porter unicode61')")
    base.executemany("insert into chunk(rowid, text) values (?, ?)", enumerate(chunks))
    found = []
    for question in questions:
        wanted = " OR ".join(f'"{word}"' for word in asked(question))
        query = "select rowid, rank from chunk where chunk match ? order by rank limit ?"
        found.append([(row, -score) for row, score in base.execute(query, (wanted, DEPTH))])
    base.close()
    return found


def bm25(chunks: list[str], questions: list[str]) -> list[list[tuple[int, float]]]:
    """bm25s if it is there."""
    try:
        import bm25s
    except ModuleNotFoundError:
        return tfidf(chunks, questions)
    model = bm25s.BM25()
    model.index(bm25s.tokenize(chunks, stopwords="en", show_progress=False), show_progress=False)
    wanted = bm25s.tokenize(questions, stopwords="en", show_progress=False)
    rows, scores = model.retrieve(wanted, k=DEPTH, show_progress=False)
    return [list(zip(a.tolist(), b.tolist(), strict=True)) for a, b in zip(rows, scores, strict=True)]


def tfidf(chunks: list[str], questions: list[str]) -> list[list[tuple[int, float]]]:
    counts = [Counter(_WORD.findall(chunk.lower())) for chunk in chunks]
    places: dict[str, list[tuple[int, float]]] = {}
    for row, words in enumerate(counts):
        norm = math.sqrt(sum((1 + math.log(n)) ** 2 for n in words.values())) or 1.0
        for word, n in words.items():
            places.setdefault(word, []).append((row, (1 + math.log(n)) / norm))
    found = []
    for question in questions:
        scores: Counter[int] = Counter()
        for word in asked(question):
            rarity = math.log(1 + len(chunks) / max(1, len(places.get(word, ()))))
            for row, weight in places.get(word, ()):
                scores[row] += weight * rarity**2  # type: ignore[assignment]
        found.append([(row, float(score)) for row, score in scores.most_common(DEPTH)])
    return found


RETRIEVERS: dict[str, Retriever] = {"fts5": fts5, "bm25": bm25}


# --- runs -----------------------------------------------------------------------------------------------------------


def retrieved(
    texts: Mapping[str, str], questions: Mapping[str, str], chunks: list[Chunk], how: str, tag: str
) -> bp.Run:
    """What one retriever finds among the chunks, as a run."""
    lists = RETRIEVERS[how]([texts[document][start:end] for document, start, end in chunks], list(questions.values()))
    results = {
        topic: [
            ({"doc": chunks[row][0], "start": chunks[row][1], "end": chunks[row][2]}, score) for row, score in found
        ]
        for topic, found in zip(questions, lists, strict=True)
    }
    return bp.run_from_objects(results, tag=tag)


def all_runs(folder: Path) -> tuple[bp.Texts, list[bp.Run], dict[str, list[Chunk]], float]:
    texts = bp.read_texts(folder / "corpora")
    questions = ChunkingEvaluation.questions(str(folder / "questions_df.csv"))
    began = time.perf_counter()
    chunkings = {name: cut(texts, chunker) for name, chunker in CHUNKERS.items()}
    runs = [
        retrieved(texts, questions, chunks, how, f"{name}-{how}")
        for name, chunks in chunkings.items()
        for how in RETRIEVERS
    ]
    return texts, runs, chunkings, time.perf_counter() - began


def main() -> None:
    folder = Path(os.environ["BERRYPICK_DATA"]) / "chunking-evaluation"
    texts, runs, _, retrieving = all_runs(folder)
    began = time.perf_counter()
    results = bp.evaluate(folder / "questions_df.csv", runs, MEASURES, documents=texts, jobs=2)
    evaluating = time.perf_counter() - began
    began = time.perf_counter()
    compared = bp.compare(results, baseline="400-fts5")
    comparing = time.perf_counter() - began
    names = MEASURES.split()
    print(f"{'run':<20}" + "".join(f"{name:>24}" for name in names))
    for run, values in results.mean().items():
        print(f"{run:<20}" + "".join(f"{values[name]:>24.4f}" for name in names))
    better = sum(pair.p_adjusted is not None and pair.p_adjusted < 0.05 for pair in compared.pairs)
    print(f"{len(compared.pairs)} pairs of runs compared, {better} of them differ significantly")
    print(f"chunking and retrieving {retrieving:.1f} s, evaluating {evaluating:.1f} s, comparing {comparing:.1f} s")
    total = retrieving + evaluating + comparing
    print(f"{total:.1f} s in all, {total / 60:.2f} of a minute")


if __name__ == "__main__":
    main()
