"""Success: whether any of the first documents is relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.arrays import FloatArray
from berrypick.measures.documents._ranked import RelevanceMeasure
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class Success(RelevanceMeasure):
    """Whether any of the first k documents is relevant.

    Formula
    -------
    ::

        Success@k = 1 if a relevant document is among the first k, else 0

    As success of trec_eval.

    Meaning
    -------
    How many users find something on the first page.

    Use
    ---
    Questions that one document answers. Some call it recall@k.

    Bounds
    ------
    0 or 1; means lie in between.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    The first relevant document has rank 2:

    >>> import berrypick as bp
    >>> bp.score("Success@1", {"q": {"b": 1}}, {"q": {"a": 3, "b": 2}})
    0.0
    """

    of_spans: ClassVar[str] = "spanHit"
    cutoff_required: ClassVar[bool] = True

    def values(self, documents: JudgedDocuments) -> FloatArray:
        found = self.top(documents)
        return (documents.count(found.topic[found.grade >= self.rel]) > 0).astype(float)
