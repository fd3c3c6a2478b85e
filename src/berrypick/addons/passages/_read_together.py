"""Interpolated precision and articles of all topics at once: values are those of topics judged one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from berrypick.addons.passages._articles import f_scores
from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.score import Score
from berrypick.kernels.relevant_text import numbered_documents
from berrypick.measures.together import SpansTogether

#: A hundred times as many characters are whole numbers that a float holds.
MOST_TEXT = 1 << 46


def interpolated_together(spans: SpansTogether, hundredths: Sequence[int]) -> FloatArray | None:
    """The largest precision at recall of so many hundredths or more: topics x levels; None where text is too long."""
    new, good = spans.seen
    read, found = (np.append(0, np.cumsum(values, dtype=np.float64).astype(np.int64)) for values in (new, good))
    begin, end, total = spans.bounds[:-1], spans.bounds[1:], spans.total.astype(np.int64)
    if len(new) and max(int(read[-1]), int(found[-1]), int(total.max())) >= MOST_TEXT:
        return None
    before, topic = found[begin], spans.topic
    found_so_far, read_so_far = found[1:] - before[topic], read[1:] - read[begin][topic]
    precision = np.zeros(len(new) + 1)
    np.divide(found_so_far, read_so_far, out=precision[:-1], where=read_so_far > 0)
    wanted = -(-np.outer(total, np.asarray(hundredths)) // 100)  # the least whole number that is as much
    first = np.searchsorted(found[1:], wanted + before[:, None])
    first = np.clip(first, begin[:, None], end[:, None])  # what is never found is found behind the end
    best = np.zeros((len(begin), len(hundredths) + 1))
    edges = np.column_stack([first, end])
    kept = edges[:, :-1] < edges[:, 1:]  # parts of a list between two levels
    if kept.any():
        parts = np.column_stack([edges[:, :-1][kept], edges[:, 1:][kept]]).reshape(-1)
        best[:, :-1][kept] = np.maximum.reduceat(precision, parts)[::2]
    return np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1][:, :-1]


@dataclass(frozen=True, eq=False)
class ArticlesTogether:
    """The relevant articles that are retrieved: those of topic i are bounds[i]:bounds[i+1], in ranked order."""

    topics: Sequence[str]
    bounds: IntArray
    score: FloatArray
    rank: IntArray  # from 1, among the articles of the topic
    total: IntArray  # of each topic: how many articles hold anything relevant

    def each(self) -> Iterator[tuple[str, list[float], list[int], int]]:
        """Each topic with the scores and ranks of its relevant articles, and how many there are in all."""
        score, rank = self.score.tolist(), self.rank.tolist()
        for topic, (a, b), total in zip(self.topics, pairwise(self.bounds.tolist()), self.total.tolist(), strict=True):
            yield topic, score[a:b], rank[a:b], total


def articles_together(spans: SpansTogether, beta: float) -> ArticlesTogether:
    """Articles scored by F, as :func:`_articles.scored` scores those of one topic."""
    new, good = spans.seen
    number, key = numbered_documents(spans.key)  # in ranked order, one topic after the other
    known, place = spans.known
    sizes = spans.wanted.text.total
    known, place = known[sizes[place] > 0], place[sizes[place] > 0]
    at = np.minimum(np.searchsorted(known, key), max(len(known) - 1, 0))
    relevant = known[at] == key if len(known) else np.zeros(len(key), dtype=bool)
    chosen = np.flatnonzero(relevant)
    rows = np.flatnonzero(relevant[number])
    read, common = (
        np.bincount(number[rows], weights=values[rows], minlength=len(key))[chosen] for values in (new, good)
    )
    score = f_scores(read, common, sizes[place[at[chosen]]], beta)
    topic = key // max(spans.vocabulary, 1)
    first = np.searchsorted(topic, np.arange(len(spans.topics) + 1))
    rank = chosen - first[topic[chosen]] + 1
    many = max(len(spans.wanted.names), 1)
    held = np.bincount((spans.wanted.places[0] // many)[sizes > 0], minlength=len(spans.wanted.bounds) - 1)
    bounds = np.searchsorted(chosen, first)
    return ArticlesTogether(spans.topics, bounds, score, rank, held[spans.number])


def by_topic(spans: SpansTogether, values: Sequence[float | None]) -> dict[str, Score]:
    """Scores of topics: undefined where nothing is relevant, 0 where nothing is retrieved."""
    states = zip(spans.topics, spans.targets.tolist(), spans.answered.tolist(), values, strict=True)
    return {
        topic: Score(None if not targets else value if answered else 0.0) for topic, targets, answered, value in states
    }
