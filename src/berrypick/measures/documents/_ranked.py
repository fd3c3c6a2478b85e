"""Measures of whole documents: what they share.

They are computed for all topics of a run at once. Where results are parts of documents, a document counts at its best
rank, and is as relevant as the best part of it that is judged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.columns import Coded
from berrypick.data.laws import with_laws, without
from berrypick.data.parameters import parameter
from berrypick.data.run import Ranking, Run
from berrypick.data.run_parts import Ordering
from berrypick.data.score import Explanation, Score, Scores, Table, number
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.measures.base import Measure, as_score
from berrypick.topics.documents import JudgedDocuments, judged_documents
from berrypick.topics.repeats import ranking_of
from berrypick.topics.topics import JudgedTopics

if TYPE_CHECKING:
    from berrypick.topics.topic import JudgedTopic

M = TypeVar("M", bound="RankedMeasure")


def relevance_level() -> Any:
    return parameter(
        1, "int", "the smallest grade that is relevant", check=lambda v: 1 <= v < 2**31, must="a grade from 1 on"
    )


def only_judged() -> Any:
    return parameter(False, "bool", "skip unjudged documents, as if they had not been retrieved")


@dataclass(frozen=True)
class RankedMeasure(Measure):
    """A measure of whole documents in ranked order."""

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    computed_by: ClassVar[str] = "berrypick"
    of_documents: ClassVar[bool] = True
    of_spans: ClassVar[str] = "charR"
    depends_on: ClassVar[tuple[str, ...] | None] = ()
    references: ClassVar[tuple[str, ...]] = ("buckley2005retrieval",)

    @classmethod
    def from_parameters(cls: type[M], values: dict[str, Any], text: str, **fields: Any) -> M:
        """``P(cutoff=5)`` is P@5, as in ir_measures."""
        if "cutoff" in values and cls.cutoff == "rank":
            values = dict(values)
            cutoff = values.pop("cutoff")
            fields["at"] = cutoff if fields.get("at") is None else fields["at"]
        return super().from_parameters(values, text, **fields)

    def kept_laws(self) -> tuple[str, ...]:
        """Without the documents that were not judged, those behind the cut-off move up."""
        kept = super().kept_laws()
        return without("junk-after-cut", laws=kept) if getattr(self, "judged_only", False) else kept

    def score_topics(self, judged: JudgedTopics) -> Scores:
        """All topics at once."""
        relevant = judged.documents.relevant(1) > 0
        values = self.compute_all(judged.documents)
        defined = [value if of else None for value, of in zip(values.tolist(), relevant.tolist(), strict=True)]
        if not np.isfinite(values[relevant]).all():
            for value in defined:
                as_score(value)  # which refuses it
        return Scores(dict(zip(judged.topics, defined, strict=True)))

    def compute_all(self, documents: JudgedDocuments) -> FloatArray:
        """The value of every topic."""
        found = documents.judged_only if getattr(self, "judged_only", False) else documents
        return np.asarray(self.values(found), dtype=np.float64)

    def values(self, documents: JudgedDocuments) -> FloatArray:
        raise NotImplementedError

    def compute(self, judged: JudgedTopic) -> Score:
        return Score(self._value(judged.truth, judged.ranking))

    def _value(self, truth: TopicTruth, ranking: Ranking) -> float | None:
        return float(self.compute_all(_one_topic(truth, ranking))[0]) if truth.has_relevant else None

    def top(self, documents: JudgedDocuments) -> JudgedDocuments:
        """The rows up to the cut-off."""
        return documents if self.at is None else documents.rows(documents.rank < self.at)

    def explain_topic(self, judged: JudgedTopics, text: str) -> Explanation:
        [topic] = judged.topics
        return self._explained(judged.truth.topics[topic], ranking_of(judged.run, topic, judged.context))

    def explain(self, judged: JudgedTopic) -> Explanation:
        return self._explained(judged.truth, judged.ranking)

    def _explained(self, truth: TopicTruth, ranking: Ranking) -> Explanation:
        """Documents at their best rank, with their grades."""
        title, value = f"{self} for topic {truth.topic}", self._value(truth, ranking)
        if value is None:
            return Explanation(title, ["Undefined: nothing is relevant."])
        found = f"{self} = {number(value, 6)}"
        return Explanation(title, [*document_table(truth, ranking), found])


@dataclass(frozen=True)
class RelevanceMeasure(RankedMeasure):
    """A measure that asks which documents are relevant, of all of them or of those that were judged."""

    rel: int = relevance_level()
    judged_only: bool = only_judged()


def document_table(truth: TopicTruth, ranking: Ranking, most: int = 30) -> list[Table | str]:
    """The first documents of a list with their grades, and how many are relevant in all."""
    kept = ranking.of_documents and ranking.repeated is not None  # repeated documents take a position
    judged = Truth("documents", {truth.topic: truth}).document_grades
    grades = dict(zip(judged.names, judged.grade.tolist(), strict=True))
    seen: dict[str, int] = {}
    for row, code in enumerate(ranking.document.tolist()):
        seen.setdefault(ranking.documents[code], int(ranking.rank[row]) + 1)
    rows = [
        [str(rank if kept else i), document, str(rank), str(grades.get(document, "not judged"))]
        for i, (document, rank) in enumerate(list(seen.items())[:most], start=1)
    ]
    head = ["position", "document", "rank in the run", "grade"]
    relevant = sum(1 for grade in grades.values() if grade > 0)
    return [
        Table("Documents at their best rank", head, rows, align="><>>"),
        f"{counted(relevant, 'document')} {'is' if relevant == 1 else 'are'} relevant.",
    ]


def run_of(topic: str, ranking: Ranking) -> Run:
    """A ranking as a run of documents: each once, but whole documents also where they are repeated and keep ranks."""
    kept = ranking.of_documents and ranking.repeated is not None
    if not kept:
        ranking = ranking.rows(np.sort(ranking.grouped.first())).compacted()
    return Run(
        "",
        (topic,) if len(ranking) else (),
        np.array([0, len(ranking)] if len(ranking) else [0], dtype=np.int64),
        Coded(ranking.documents, ranking.document.astype(np.int32)),
        ranking.rank.astype(np.int32),
        ordering=Ordering(duplicates="keep" if kept else "error"),
    )


@lru_cache(maxsize=4)
def _one_topic(truth: TopicTruth, ranking: Ranking) -> JudgedDocuments:
    run = run_of(truth.topic, ranking)
    return judged_documents(Truth("documents", {truth.topic: truth}), run, [truth.topic], run.ordering.duplicates)


def share(part: IntArray | FloatArray, of: IntArray | FloatArray) -> FloatArray:
    """part / of, 0 where there is nothing to divide by."""
    return np.divide(part, of, out=np.zeros(len(part)), where=np.asarray(of) > 0)


def discounts(ranks: IntArray) -> FloatArray:
    """log2(rank + 2), the C library's, for ranks from 0."""
    return _logarithms(1 << int(ranks.max(initial=0) + 1).bit_length())[ranks]


@lru_cache(maxsize=2)
def _logarithms(count: int) -> FloatArray:
    return np.fromiter(map(math.log2, range(2, count + 2)), dtype=np.float64, count=count)
