"""Judged: the share of the first documents that was judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.measures.documents._ranked import RankedMeasure, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class Judged(RankedMeasure):
    """The share of the first k documents that was judged.

    Formula
    -------
    ::

        Judged@k = judged documents among the first k / min(k, documents retrieved)

    Without a cut-off, of the whole list.

    Meaning
    -------
    How much the judgements know of a list. Where it is low, other measures call documents irrelevant that nobody has
    looked at.

    Use
    ---
    Beside any other measure, for runs that were not pooled.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    Two of three retrieved documents were judged:

    >>> import berrypick as bp
    >>> bp.score("Judged@10", {"q": {"a": 1, "b": 0}}, {"q": {"a": 3, "b": 2, "c": 1}})
    0.6666666666666666
    """

    instead_on_spans: ClassVar[str] = "counts judged documents"

    def values(self, documents: JudgedDocuments) -> FloatArray:
        retrieved = documents.retrieved if self.at is None else np.minimum(documents.retrieved, self.at)
        return share(documents.count(self.top(documents).topic), retrieved)
