"""Where a pipeline loses the answers of chunking_evaluation: chunks of two sizes, BM25, a reranker, a context.

    python experiments/diagnosis.py [--data FOLDER]

The first stage returns 50 chunks by BM25. The reranker orders them by the BM25 score of their best sentence and keeps
10. The context is the first 5 of these. A result holds a reference if it covers 80% of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from _collection import arguments
from _questions import Questions

import berrypick as bp
from berrypick.analysis.sweep.chunkers import fixed, sentences
from berrypick.analysis.sweep.retrievers import Chunk, bm25
from berrypick.tables import tables

SIZES = (200, 800)
DEPTH, KEPT, CONTEXT, SHARE = 50, 10, 5, 0.8
MEASURE = f"charR@{CONTEXT}"


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words)
    truth, texts, queries = Questions.read(given)
    for size in SIZES[:1] if given.small else SIZES:
        chunks = [
            Chunk(name, start, end, text[start:end]) for name, text in texts.items() for start, end in fixed(text, size)
        ]
        first = {topic: [place for place, _ in found] for topic, found in bm25(chunks, queries, DEPTH).items()}
        reranked = reranked_by_sentences(chunks, queries, first)
        stages = {"bm25": first, "reranker": reranked, "context": cut(reranked, CONTEXT)}
        runs = {
            name: {topic: [row(chunks[place]) for place in places] for topic, places in stage.items()}
            for name, stage in stages.items()
        }
        listed = [row(one) for one in chunks]
        found = bp.diagnose(
            truth, runs, k=CONTEXT, share=SHARE, stages=True, chunks=listed, documents=texts, measures=MEASURE
        )
        print(f"chunks of {size} characters")
        for table in found.tables()[:4]:
            print(tables.plain(table))


def reranked_by_sentences(
    chunks: Sequence[Chunk], queries: Mapping[str, str], first: Mapping[str, Sequence[int]]
) -> dict[str, list[int]]:
    """The first stage's chunks by the score of their best sentence, ties as they were; the best of them."""
    pieces = [
        (place, Chunk(one.document, one.start + start, one.start + end, one.text[start:end]))
        for place, one in enumerate(chunks)
        for start, end in sentences(one.text)
    ]
    best: dict[str, dict[int, float]] = {topic: {} for topic in queries}
    for topic, found in bm25([piece for _, piece in pieces], queries, len(pieces)).items():
        for number, score in found:
            place = pieces[number][0]
            best[topic][place] = max(best[topic].get(place, 0.0), score)
    return cut(
        {topic: sorted(found, key=lambda place: -best[topic].get(place, 0.0)) for topic, found in first.items()}, KEPT
    )


def cut(lists: Mapping[str, Sequence[int]], many: int) -> dict[str, list[int]]:
    return {topic: list(found[:many]) for topic, found in lists.items()}


def row(chunk: Chunk) -> dict[str, object]:
    return {"doc": chunk.document, "start": chunk.start, "end": chunk.end}


if __name__ == "__main__":
    main()
