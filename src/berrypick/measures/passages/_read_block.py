"""Interpolated precision and articles of all topics at once: values are those of topics judged one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.score import Score
from berrypick.kernels import native
from berrypick.measures.blocks import SpanBlock
from berrypick.measures.passages._articles import f_scores

#: A hundred times as many characters are whole numbers that a float holds.
MOST_TEXT = 1 << 46


def interpolated_block(spans: SpanBlock, hundredths: Sequence[int]) -> FloatArray | None:
    """The largest precision at recall of so many hundredths or more: topics x levels; None where text is too long."""
    new, good = spans.read[:2]
    if max(new.sum(), spans.total.max(initial=0)) >= MOST_TEXT:
        return None
    if (compiled := native()) is not None:
        best = np.empty((len(spans.topics), len(hundredths)))
        compiled.best_precision(spans.bounds, new, good, spans.total, np.asarray(hundredths, dtype=np.float64), best)
        return best
    read, found = (np.append(0, np.cumsum(values, dtype=np.float64).astype(np.int64)) for values in (new, good))
    begin, end, total = spans.bounds[:-1], spans.bounds[1:], spans.total.astype(np.int64)
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
class BlockArticles:
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


def articles_of_block(spans: SpanBlock, beta: float) -> BlockArticles:
    """Articles scored by F, as :func:`_articles.scored` scores those of one topic."""
    row, sizes = np.flatnonzero(spans.read.place >= 0), spans.wanted.text.total
    row = row[sizes[spans.read.place[row]] > 0]
    place, first, article = np.unique(spans.read.place[row], return_index=True, return_inverse=True)
    read, common = (np.bincount(article, weights=values[row], minlength=len(place)) for values in spans.read[:2])
    ranked = np.argsort(first)  # in ranked order, one topic after the other
    score = f_scores(read[ranked], common[ranked], sizes[place[ranked]], beta)
    first = row[first[ranked]]
    bounds = np.searchsorted(first, spans.bounds)
    return BlockArticles(spans.topics, bounds, score, spans.read.number[first] + 1, spans.wanted.held[spans.number])


def by_topic(spans: SpanBlock, values: Sequence[float | None]) -> dict[str, Score]:
    """Scores of topics: undefined where nothing is relevant, 0 where nothing is retrieved."""
    states = zip(spans.topics, spans.targets.tolist(), spans.answered.tolist(), values, strict=True)
    return {
        topic: Score(None if not targets else value if answered else 0.0) for topic, targets, answered, value in states
    }
