"""SetP, SetR and SetF: precision, recall and both of all that is retrieved, whatever its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.parameters import above_zero, parameter
from berrypick.measures.documents._ranked import RankedMeasure, only_judged, relevance_level, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class _SetMeasure(RankedMeasure):
    """Measures of a set of documents, without ranks."""

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "none"
    references: ClassVar[tuple[str, ...]] = ("vanrijsbergen1979information",)
    rel: int = relevance_level()


@dataclass(frozen=True)
class SetP(_SetMeasure):
    """The share of all retrieved documents that is relevant.

    Formula
    -------
    ::

        SetP = relevant documents retrieved / documents retrieved

    relative=True divides by min(documents retrieved, number of relevant documents) instead. As set_P and
    set_relative_P of trec_eval.

    Meaning
    -------
    The precision of a set, whatever its order.

    Use
    ---
    Boolean retrieval, filters, classifiers.

    Bounds
    ------
    0 to 1; 0 if nothing was retrieved.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    Two of three retrieved documents are relevant:

    >>> import berrypick as bp
    >>> bp.score("SetP", {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}})
    0.6666666666666666
    """

    of_spans: ClassVar[str] = "charP"
    relative: bool = parameter(False, "bool", "relative to the best that a set of this size can have")
    judged_only: bool = only_judged()

    def values(self, documents: JudgedDocuments) -> FloatArray:
        retrieved = documents.retrieved
        if self.relative:
            retrieved = np.minimum(retrieved, documents.relevant(self.rel))
        return share(documents.count(documents.topic[documents.grade >= self.rel]), retrieved)


@dataclass(frozen=True)
class SetR(_SetMeasure):
    """The share of the relevant documents that is retrieved.

    Formula
    -------
    ::

        SetR = relevant documents retrieved / number of relevant documents

    As set_recall of trec_eval.

    Meaning
    -------
    The recall of a set, whatever its order.

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
    One of two relevant documents is retrieved:

    >>> import berrypick as bp
    >>> bp.score("SetR", {"q": {"a": 1, "b": 1}}, {"q": {"a": 3, "c": 1}})
    0.5
    """

    def values(self, documents: JudgedDocuments) -> FloatArray:
        return share(documents.count(documents.topic[documents.grade >= self.rel]), documents.relevant(self.rel))


@dataclass(frozen=True)
class SetF(_SetMeasure):
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

    beta: float = above_zero(1.0, "the weight of recall")
    judged_only: bool = only_judged()

    def values(self, documents: JudgedDocuments) -> FloatArray:
        found = documents.count(documents.topic[documents.grade >= self.rel])
        precision, recall = share(found, documents.retrieved), share(found, documents.relevant(self.rel))
        return share((self.beta + 1) * precision * recall, recall + self.beta * precision)
