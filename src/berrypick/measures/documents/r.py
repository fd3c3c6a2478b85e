"""R: recall at a cut-off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.arrays import FloatArray
from berrypick.measures.documents._ranked import RelevanceMeasure, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class R(RelevanceMeasure):
    """Recall: the share of the relevant documents that is among the first k.

    Formula
    -------
    ::

        R@k = relevant documents among the first k / number of relevant documents

    Recall is accepted as its name. As recall of trec_eval.

    Meaning
    -------
    How much of what there is has been found.

    Use
    ---
    First stages of retrieval, whose lists are ranked again.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    One of two relevant documents is among the first two:

    >>> import berrypick as bp
    >>> bp.score("R@2", {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}})
    0.5
    """

    aliases: ClassVar[tuple[str, ...]] = ("Recall",)
    cutoff_required: ClassVar[bool] = True

    def values(self, documents: JudgedDocuments) -> FloatArray:
        found = self.top(documents)
        return share(documents.count(found.topic[found.grade >= self.rel]), documents.relevant(self.rel))
