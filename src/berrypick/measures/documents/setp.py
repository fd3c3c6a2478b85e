"""SetP: the share of all retrieved documents that is relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.parameters import parameter
from berrypick.measures.documents._ranked import RankedMeasure, only_judged, relevance_level, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class SetP(RankedMeasure):
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
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "none"
    references: ClassVar[tuple[str, ...]] = ("vanrijsbergen1979information",)
    rel: int = relevance_level()
    relative: bool = parameter(False, "bool", "relative to the best that a set of this size can have")
    judged_only: bool = only_judged()

    def values(self, documents: JudgedDocuments) -> FloatArray:
        retrieved = documents.retrieved
        if self.relative:
            retrieved = np.minimum(retrieved, documents.relevant(self.rel))
        return share(documents.count(documents.topic[documents.grade >= self.rel]), retrieved)
