"""Three meanings of recall rank ten systems: any, share and all of the relevant text.

    python experiments/recalls.py [--data FOLDER]

The questions of chunking_evaluation, one retriever (SQLite's BM25), chunks of five sizes cut in two ways. Each system
returns as many chunks as make 2,400 characters by their size. A sentence that is longer than the size stays whole, so
that the last column says how many characters are shown to a question on average.

Whether any and all disagree on two systems is one number: the difference of the two by any, minus that by all. It is
printed with 95% intervals over questions and over documents (questions on one document drawn together) for the pair
whose places differ most, and for all pairs it is counted how many intervals exclude 0, at 95% for all pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from _collection import arguments
from _questions import Questions
from data import told

import berrypick as bp
from berrypick.analysis.sweep.chunkers import fixed, sentences
from berrypick.analysis.sweep.retrievers import fts5
from berrypick.data.truth import Truth
from berrypick.evaluation.groups import topic_clusters
from berrypick.statistics.statistics import bootstrap
from berrypick.topics.topic import JudgedTopic

BUDGET = 2400
SIZES = (150, 300, 600, 1200, 2400)
CHUNKERS: tuple[Callable[..., object], ...] = (fixed, sentences)
#: The three meanings, and the measures of spans that have them.
MEANINGS = {"any": "spanHit", "share": "charR", "all": "spanAll"}
#: Draws for intervals at 95% for all pairs at once, whose ends are far out.
MANY = 100_000


class Shown(bp.Measure):
    """How many characters the results have together."""

    def compute(self, topic: JudgedTopic) -> float:
        ranking = topic.ranking
        return 0.0 if ranking.start is None or ranking.end is None else float((ranking.end - ranking.start).sum())


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words)
    truth, texts, queries = Questions.read(given)
    found: dict[str, list[float]] = {}
    by_topic: dict[str, dict[str, np.ndarray]] = {}
    for chunker in CHUNKERS[:1] if given.small else CHUNKERS:
        for size in SIZES[-2:] if given.small else SIZES:
            k = BUDGET // size
            measures = [*(f"{name}@{k}" for name in MEANINGS.values()), Shown()]
            grid = {"size": [size], "depth": [k]}
            results = bp.sweep(texts, truth, chunker, fts5, measures, queries=queries, grid=grid).results
            [means], [values] = results.mean().values(), results.per_topic().values()
            name = f"{chunker.__name__}, {k} of {size}"
            found[name] = list(means.values())
            by_topic[name] = {
                meaning: np.array([values[f"{measure}@{k}"][topic] for topic in truth.topics], dtype=np.float64)
                for meaning, measure in MEANINGS.items()
            }
    show(found, len(truth))
    show_disagreement(found, by_topic, truth)


def show(found: dict[str, list[float]], topics: int) -> None:
    """A table with the value of each system, and its place, by each meaning."""
    print(f"{len(found)} systems, {topics} questions")
    print(f"{'chunks':<24}" + "".join(f"{name:>13}" for name in MEANINGS) + "   characters")
    for name, (*values, characters) in found.items():
        places = [1 + sum(other[i] > value for other in found.values()) for i, value in enumerate(values)]
        shown = (f"{value:>8.3f} ({place:>2})" for value, place in zip(values, places, strict=True))
        print(f"{name:<24}" + "".join(shown) + f"{characters:>13.0f}")


def show_disagreement(found: dict[str, list[float]], by_topic: dict[str, dict[str, np.ndarray]], truth: Truth) -> None:
    """How far any and all disagree on pairs of systems."""
    places = {
        name: [1 + sum(other[i] > values[i] for other in found.values()) for i in (0, 2)]
        for name, values in found.items()
    }
    moved = sorted(places, key=lambda name: places[name][0] - places[name][1])
    risen, fallen = moved[0], moved[-1]  # better by any than by all, and the other way round
    clusters = topic_clusters(truth, "doc").of
    numbers = {name: number for number, name in enumerate(dict.fromkeys(clusters.values()))}
    codes = np.array([numbers[clusters[topic]] for topic in truth.topics])
    one, other = by_topic[risen], by_topic[fallen]
    apart = {meaning: one[meaning] - other[meaning] for meaning in ("any", "all")}
    rows = {**apart, "any minus all": apart["any"] - apart["all"]}
    print(f"\n{risen}, minus {fallen}")
    for name, values in rows.items():
        low, high = bootstrap(values[:, None])
        near, far = bootstrap(values[:, None], clusters=codes)
        shown = f"[{low[0]:+.3f}, {high[0]:+.3f}]   by documents ({len(numbers)}) [{near[0]:+.3f}, {far[0]:+.3f}]"
        print(f"  {name:<14}{values.mean():+.3f} {shown}")
    pairs = list(combinations(by_topic, 2))
    columns = [(by_topic[a]["any"] - by_topic[b]["any"]) - (by_topic[a]["all"] - by_topic[b]["all"]) for a, b in pairs]
    low, high = bootstrap(np.stack(columns, axis=1), confidence=1 - 0.05 / len(pairs), resamples=MANY)
    print(f"any minus all differs from 0 in {int(((low > 0) | (high < 0)).sum())} of {len(pairs)} pairs of systems")


if __name__ == "__main__":
    with told():
        main()
