"""SetF: precision and recall of all that is retrieved, in one number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.arrays import FloatArray
from berrypick.data.parameters import above_zero
from berrypick.measures.documents._ranked import RankedMeasure, only_judged, relevance_level, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class SetF(RankedMeasure):
    """Precision and recall of all that is retrieved, in one number.

    Formula
    -------
    With P the share of the retrieved documents that is relevant, and R that of the relevant ones that is retrieved::

        SetF = (1 + beta) P R / (R + beta P)

    beta is not squared here. As set_F of trec_eval.

    Meaning
    -------
    How good a set is, between too much and too little.

    Use
    ---
    Boolean retrieval, filters, classifiers.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    Precision 2/3 and recall 1: 2 (2/3) / (1 + 2/3)

    >>> import berrypick as bp
    >>> round(bp.score("SetF", {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}), 12)
    0.8
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "none"
    references: ClassVar[tuple[str, ...]] = ("vanrijsbergen1979information",)
    rel: int = relevance_level()
    beta: float = above_zero(1.0, "the weight of recall")
    judged_only: bool = only_judged()

    def values(self, documents: JudgedDocuments) -> FloatArray:
        found = documents.count(documents.topic[documents.grade >= self.rel])
        precision, recall = share(found, documents.retrieved), share(found, documents.relevant(self.rel))
        return share((self.beta + 1) * precision * recall, recall + self.beta * precision)
