"""Relevant text of articles where only sizes of elements were assessed: size and rsize, but no passages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from berrypick.data import paths
from berrypick.data.arrays import IntArray
from berrypick.data.errors import NeedsError, option
from berrypick.data.observed import once_for_each
from berrypick.data.run import Ranking
from berrypick.data.truth import TopicTruth
from berrypick.topics.topic import JudgedTopic


def has_sizes_alone(topic: TopicTruth) -> bool:
    """Whether relevant text is known by how much of each element it is, not by where it lies."""
    known = topic.rsize is not None and not np.isnan(topic.rsize[topic.grade > 0]).any()
    return topic.path is not None and known and not topic.passages and topic.relevant_text() is None


@dataclass(frozen=True)
class SizedArticle:
    """The relevant characters in each assessed element of an article."""

    relevant: dict[str, float]

    @property
    def total(self) -> float:
        """All relevant text: that of the elements that lie in no other."""
        return sum(self.relevant[path] for path in outermost(self.relevant))

    def within(self, element: str) -> float:
        """Relevant text in an element; what holds any was assessed, from 2005 on."""
        if element in self.relevant:
            return self.relevant[element]
        return sum(self.relevant[path] for path in outermost(self.relevant) if paths.contains(element, path))


@once_for_each
def sized_articles(judged: JudgedTopic) -> dict[str, SizedArticle]:
    """The articles of a topic with relevant text."""
    topic = judged.truth
    assert topic.path is not None and topic.rsize is not None
    found: dict[str, SizedArticle] = {}
    for row in np.flatnonzero((topic.grade > 0) & (topic.rsize > 0)).tolist():
        article = found.setdefault(topic.document[row], SizedArticle({}))
        article.relevant[topic.path[row]] = float(topic.rsize[row])
    return found


def read_and_relevant(article: SizedArticle, ranking: Ranking, rows: IntArray) -> tuple[float, float]:
    """Characters that the results of an article hold, and relevant ones among them, text in several counted once."""
    first: dict[str, int] = {}
    for row in rows.tolist():
        path, last = ranking.path_of(row) if ranking.path is not None else ("", "")
        if not path or last:
            raise NeedsError("reads highlighted text; this truth has sizes of elements, and the run retrieves passages")
        first.setdefault(path, row)
    kept = outermost(first)
    return sum(_length(ranking, first[path]) for path in kept), sum(article.within(path) for path in kept)


def _length(ranking: Ranking, row: int) -> float:
    if ranking.start is not None and ranking.end is not None:
        return float(ranking.end[row] - ranking.start[row])
    if ranking.size is None or np.isnan(ranking.size[row]):
        raise NeedsError(
            f"needs the length of {ranking.name(row)}, which the truth does not have: "
            f"give the documents with {option('collection')}"
        )
    return float(ranking.size[row])


def outermost(elements: Iterable[str]) -> list[str]:
    """The elements that lie in none of the others."""
    known = set(elements)
    return [path for path in known if known.isdisjoint(paths.ancestors(path))]
