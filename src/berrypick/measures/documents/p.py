"""P: precision at a cut-off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.arrays import FloatArray
from berrypick.measures.documents._ranked import RelevanceMeasure
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class P(RelevanceMeasure):
    """Precision: the share of the first k documents that is relevant.

    Formula
    -------
    ::

        P@k = relevant documents among the first k / k

    k also divides where fewer are retrieved. Precision is accepted as its name. As P of trec_eval.

    Meaning
    -------
    How much of the first page is worth opening.

    Use
    ---
    Lists of which only the top is seen.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    Two of the first three documents are relevant:

    >>> import berrypick as bp
    >>> bp.score("P@3", {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}})
    0.6666666666666666
    """

    of_spans: ClassVar[str] = "charP"
    aliases: ClassVar[tuple[str, ...]] = ("Precision",)
    cutoff_required: ClassVar[bool] = True

    def values(self, documents: JudgedDocuments) -> FloatArray:
        at, found = self.needed_cutoff(), self.top(documents)
        return documents.count(found.topic[found.grade >= self.rel]) / at
