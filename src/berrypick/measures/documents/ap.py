"""AP: average precision over the ranks of relevant documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.arrays import FloatArray
from berrypick.measures.documents._ranked import RelevanceMeasure, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class AP(RelevanceMeasure):
    """Average precision: the mean of the precision at the rank of every relevant document.

    Formula
    -------
    ::

        AP@k = sum of P@r over the ranks r up to k of relevant documents / number of relevant documents

    Without a cut-off, of the whole list. MAP is accepted as its name. As map and map_cut of trec_eval.

    Meaning
    -------
    How early relevant documents come, all of them taken together.

    Use
    ---
    Lists that are read for many relevant documents; the measure most used at TREC.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    Two relevant documents, at ranks 1 and 3: (1/1 + 2/3) / 2

    >>> import berrypick as bp
    >>> bp.score("AP", {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}})
    0.8333333333333333
    """

    of_spans: ClassVar[str] = "spanAP"
    aliases: ClassVar[tuple[str, ...]] = ("MAP",)

    def values(self, documents: JudgedDocuments) -> FloatArray:
        found = documents.rows(documents.grade >= self.rel)
        precision = documents.number(found.topic) / (found.rank + 1)
        if self.at is not None:
            precision[found.rank >= self.at] = 0.0
        return share(documents.sums(found.topic, precision), documents.relevant(self.rel))
