"""SetR: the share of the relevant documents that is retrieved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.arrays import FloatArray
from berrypick.measures.documents._ranked import RankedMeasure, relevance_level, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class SetR(RankedMeasure):
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

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "none"
    references: ClassVar[tuple[str, ...]] = ("vanrijsbergen1979information",)
    rel: int = relevance_level()

    def values(self, documents: JudgedDocuments) -> FloatArray:
        return share(documents.count(documents.topic[documents.grade >= self.rel]), documents.relevant(self.rel))
