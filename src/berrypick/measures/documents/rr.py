"""RR: reciprocal rank of the first relevant document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.measures.documents._ranked import RelevanceMeasure
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class RR(RelevanceMeasure):
    """Reciprocal rank of the first relevant document.

    Formula
    -------
    ::

        RR@k = 1 / rank of the first relevant document, 0 if it is not among the first k

    Without a cut-off, of the whole list. MRR is accepted as its name. As recip_rank of trec_eval.

    Meaning
    -------
    How soon the first good document comes.

    Use
    ---
    Questions that one document answers.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    The first relevant document has rank 2:

    >>> import berrypick as bp
    >>> bp.score("RR", {"q": {"b": 1}}, {"q": {"a": 3, "b": 2}})
    0.5
    """

    of_spans: ClassVar[str] = "spanRR"
    aliases: ClassVar[tuple[str, ...]] = ("MRR",)
    references: ClassVar[tuple[str, ...]] = ("kantor2000confusion",)

    def values(self, documents: JudgedDocuments) -> FloatArray:
        found = self.top(documents)
        found = found.rows(found.grade >= self.rel)
        first = documents.number(found.topic) == 1
        values = np.zeros(documents.topics)
        values[found.topic[first]] = 1 / (found.rank[first] + 1)
        return values
