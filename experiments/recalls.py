"""Three meanings of recall rank ten systems: any, share and all of the relevant text.

    python experiments/recalls.py [--data FOLDER]

The questions of chunking_evaluation, one retriever (SQLite's BM25), chunks of five sizes cut in two ways. Each system
returns as many chunks as make 2,400 characters by their size. A sentence that is longer than the size stays whole, so
that the last column says how many characters are shown to a question on average.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence

import data
from _collection import arguments
from data import told

import berrypick as bp
from berrypick.analysis.sweep.chunkers import fixed, sentences
from berrypick.analysis.sweep.retrievers import fts5
from berrypick.topics.topic import JudgedTopic

BUDGET = 2400
SIZES = (150, 300, 600, 1200, 2400)
CHUNKERS: tuple[Callable[..., object], ...] = (fixed, sentences)
#: The three meanings, and the measures of spans that have them.
MEANINGS = {"any": "spanHit", "share": "charR", "all": "spanAll"}


class Shown(bp.Measure):
    """How many characters the results have together."""

    def compute(self, topic: JudgedTopic) -> float:
        ranking = topic.ranking
        return 0.0 if ranking.start is None or ranking.end is None else float((ranking.end - ranking.start).sum())


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words)
    files = data.needed("chunking-evaluation", given.data, given.unchecked)
    truth = bp.read_truth(files["questions_df.csv"])
    with files["questions_df.csv"].open(newline="", encoding="utf-8") as file:
        questions = [row["question"] for row in csv.DictReader(file)]
    texts = {path.stem: path.read_bytes().decode() for name, path in files.items() if name.startswith("corpora/")}
    queries = dict(zip(truth.topics, questions, strict=True))
    found: dict[str, list[float]] = {}
    for chunker in CHUNKERS[:1] if given.small else CHUNKERS:
        for size in SIZES[-2:] if given.small else SIZES:
            k = BUDGET // size
            measures = [*(f"{name}@{k}" for name in MEANINGS.values()), Shown()]
            grid = {"size": [size], "depth": [k]}
            results = bp.sweep(texts, truth, chunker, fts5, measures, queries=queries, grid=grid).results
            [means] = results.mean().values()
            found[f"{chunker.__name__}, {k} of {size}"] = list(means.values())
    show(found, len(truth))


def show(found: dict[str, list[float]], topics: int) -> None:
    """A table with the value of each system, and its place, by each meaning."""
    print(f"{len(found)} systems, {topics} questions")
    print(f"{'chunks':<24}" + "".join(f"{name:>13}" for name in MEANINGS) + "   characters")
    for name, (*values, characters) in found.items():
        places = [1 + sum(other[i] > value for other in found.values()) for i, value in enumerate(values)]
        shown = (f"{value:>8.3f} ({place:>2})" for value, place in zip(values, places, strict=True))
        print(f"{name:<24}" + "".join(shown) + f"{characters:>13.0f}")


if __name__ == "__main__":
    with told():
        main()
