"""nDCG: discounted cumulated gain over that of an ideal list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.parameters import parameter
from berrypick.measures.documents._ranked import RankedMeasure, discounts, only_judged, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class nDCG(RankedMeasure):
    """Discounted cumulated gain of the first k documents over that of an ideal list.

    Formula
    -------
    ::

        DCG@k  = sum over ranks r up to k of gain(r) / log2(r + 1)
        nDCG@k = DCG@k / DCG@k of the judged documents, best grade first

    with the grade as the gain, or 2^grade - 1 with dcg='exp-log2'; grades below 0 gain nothing. Without a cut-off, of
    the whole lists. NDCG is accepted as its name. As ndcg and ndcg_cut of trec_eval, and ndcg of gdeval (which rounds
    to five digits).

    Meaning
    -------
    How much of what the best list gives this list gives, with patience that fades.

    Use
    ---
    Graded judgements.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    The documents of grade 1 and 2 in the wrong order:

    >>> import berrypick as bp
    >>> round(bp.score("nDCG@10", {"q": {"a": 1, "b": 2}}, {"q": {"a": 3, "b": 2}}), 4)
    0.8597
    """

    of_spans: ClassVar[str] = "spanNDCG"
    aliases: ClassVar[tuple[str, ...]] = ("NDCG",)
    references: ClassVar[tuple[str, ...]] = (
        "jarvelin2002cumulated",
        "burges2005learning",
    )
    elsewhere: ClassVar[tuple[str, ...]] = ("gains",)
    dcg: str = parameter("log2", "log2|exp-log2", "log2: the grade is the gain; exp-log2: 2^grade - 1 is")
    judged_only: bool = only_judged()

    def values(self, documents: JudgedDocuments) -> FloatArray:
        return share(self._sums(documents, documents.topic, documents.rank, documents.grade), self._ideal(documents))

    def _ideal(self, documents: JudgedDocuments) -> FloatArray:
        return documents.judged.once(self, lambda: self._sums(documents, *documents.judged.best_first))

    def _sums(self, documents: JudgedDocuments, topic: IntArray, rank: IntArray, grade: IntArray) -> FloatArray:
        kept = grade > 0 if self.at is None else (grade > 0) & (rank < self.at)
        gain = grade[kept].astype(np.float64)
        if self.dcg == "exp-log2":
            gain = np.exp2(gain) - 1
        return documents.sums(topic[kept], gain / discounts(rank[kept]))
