"""All: whether everything relevant is in the first results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.observed import unobserved
from berrypick.data.parameters import parameter
from berrypick.data.run import Ranking
from berrypick.data.score import Explanation, Score, Table
from berrypick.data.truth import TopicTruth
from berrypick.data.words import counted
from berrypick.measures._found_targets import SpanMeasure
from berrypick.measures.base import SHOWN
from berrypick.topics.documents import JudgedDocuments
from berrypick.topics.topic import JudgedTopic
from berrypick.topics.topics import JudgedTopics


@dataclass(frozen=True)
class All(SpanMeasure):
    """1 if everything relevant is in the first results, else 0.

    Formula
    -------
    With R relevant documents::

        All@k           = 1 if all R are among the first k documents, else 0
        All(cap=True)@k = 1 if min(k, R) of them are, else 0

    Where parts of documents are judged it is spanAll (share=, iou=), and cap=True asks for min(k, R) of R targets.
    Without a cut-off, of the whole list.

    Meaning
    -------
    The strictest of three meanings of recall: any (Success, spanHit), share (R, charR), all.

    Use
    ---
    Where an answer needs everything together, such as all files that a change touches. cap=True does not ask for more
    than k results can hold, as in code localisation.

    Bounds
    ------
    0 or 1.

    Undefined
    ---------
    Nothing relevant.

    Example
    -------
    Two relevant documents, at ranks 1 and 3; with one result only one of them is asked for:

    >>> import berrypick as bp
    >>> truth, run = {"q": {"a": 1, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    >>> [bp.score(f"All@{k}", truth, run) for k in (1, 2, 3)], bp.score("All(cap=True)@1", truth, run)
    ([0.0, 0.0, 1.0], 1.0)
    """

    of_documents: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("chen2025locagent", "yang2018hotpotqa")

    cap: bool = parameter(False, "bool", "require at most k of them, since k results cannot contain more")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cap and self.at is None:
            raise UsageError("All(cap=True) needs a cut-off, as in All(cap=True)@5")

    def score_topics(self, judged: JudgedTopics) -> Mapping[str, Score]:
        """Whole documents of all topics at once; parts topic by topic."""
        if judged.truth.units != "documents":
            with unobserved():  # as for other measures, topics are judged before they are scored
                for topic in judged.topics:
                    judged.judge(topic)
            return super().score_topics(judged)
        self._check_documents()
        documents = judged.documents
        relevant = documents.relevant(1)
        values = self._enough(self._found(documents), relevant.astype(np.float64)).tolist()
        pairs = zip(judged.topics, values, relevant.tolist(), strict=True)
        return {topic: Score(value if some else None) for topic, value, some in pairs}

    def _check_documents(self) -> None:
        for name in ("share", "iou"):
            if getattr(self, name) is not None:
                raise UsageError(f"{name}= applies to parts of documents, but whole documents are judged: remove it")

    def _found(self, documents: JudgedDocuments) -> FloatArray:
        within = documents.grade >= 1
        if self.at is not None:
            within &= documents.rank < self.at
        return documents.count(documents.topic[within]).astype(np.float64)

    def _enough(self, found: FloatArray, relevant: FloatArray) -> FloatArray:
        wanted = np.minimum(relevant, self.at) if self.cap and self.at is not None else relevant
        return (found >= wanted).astype(np.float64)

    def compute(self, judged: JudgedTopic) -> Score:
        if _of_documents(judged.truth):
            found, relevant = self._places(judged.truth, judged.ranking)
            return Score(self._of_places(found, relevant) if relevant else None)
        ranks = self.ranks(judged)
        return Score(float(self._enough(np.array(float(np.isfinite(ranks).sum())), np.array(float(len(ranks))))))

    def _places(self, truth: TopicTruth, ranking: Ranking) -> tuple[dict[str, int], list[str]]:
        """Where the documents of a list stand, each once, and the names of the relevant ones."""
        codes = dict.fromkeys(ranking.document.tolist())
        places = {ranking.documents[code]: place for place, code in enumerate(codes, start=1)}
        graded = zip(truth.document, truth.grade.tolist(), strict=True)
        return places, [name for name, grade in graded if grade > 0]

    def _of_places(self, places: dict[str, int], relevant: list[str]) -> float:
        last = np.inf if self.at is None else self.at
        found = sum(places.get(name, np.inf) <= last for name in relevant if name in places)
        return float(self._enough(np.array(float(found)), np.array(float(len(relevant)))))

    def explain_topic(self, judged: JudgedTopics, text: str) -> Explanation:
        if judged.truth.units != "documents":
            return super().explain_topic(judged, text)
        [topic] = judged.topics
        return self._explained(judged.truth.topics[topic], judged.run.ranking(topic))

    def explain(self, judged: JudgedTopic) -> Explanation:
        if _of_documents(judged.truth):
            return self._explained(judged.truth, judged.ranking)
        ranks = self.ranks(judged)
        found = f"{int(np.isfinite(ranks).sum())} of {len(ranks)} targets are found."
        return self._explanation(judged, self.table(judged), found, f"{self} = {self._value_text(judged)}")

    def _explained(self, truth: TopicTruth, ranking: Ranking) -> Explanation:
        """Relevant documents, and where they stand in the list."""
        title = f"{self.canonical()} for topic {truth.topic}"
        places, relevant = self._places(truth, ranking)
        if not relevant:
            return Explanation(title, ["Undefined: nothing is relevant."])
        rows = [[name, str(places.get(name, "never"))] for name in relevant[:SHOWN]]
        table = Table("Relevant documents, and their places in the list", ["document", "place"], rows)
        are = "is" if len(relevant) == 1 else "are"
        said = f"{counted(len(relevant), 'document')} {are} relevant."
        return Explanation(title, [table, said, f"{self} = {self._of_places(places, relevant):g}"])


def _of_documents(truth: TopicTruth) -> bool:
    return truth.start is None and truth.path is None
