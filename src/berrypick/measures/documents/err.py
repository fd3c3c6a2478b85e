"""ERR: expected reciprocal rank of the document that satisfies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.parameters import parameter
from berrypick.measures.documents._ranked import RankedMeasure
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class ERR(RankedMeasure):
    """Expected reciprocal rank: the mean of 1/rank over where readers are satisfied and stop.

    Formula
    -------
    With s(r) = (2^grade - 1) / 2^highest the probability that the document at rank r satisfies::

        ERR@k = sum over ranks r up to k of (1/r) s(r) product over ranks q before r of (1 - s(q))

    highest is the highest grade of the scale. Without a cut-off, of the whole list. As err of gdeval, which rounds to
    five digits.

    Meaning
    -------
    How soon a reader who goes down the list is content; a document after a good one counts little.

    Use
    ---
    Graded judgements, where one good document is enough.

    Bounds
    ------
    0 to 1; below 1 even at its best.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    A document of grade 4 at rank 2, after one that is not relevant: (15/16) / 2

    >>> import berrypick as bp
    >>> bp.score("ERR@10", {"q": {"b": 4}}, {"q": {"a": 3, "b": 2}})
    0.46875
    """

    of_spans: ClassVar[str] = "spanRR"
    references: ClassVar[tuple[str, ...]] = ("chapelle2009expected",)
    highest: int = parameter(
        4, "int", "the highest grade of the scale", check=lambda v: 1 <= v <= 60, must="from 1 to 60"
    )

    def values(self, documents: JudgedDocuments) -> FloatArray:
        best = int(documents.judged.grade.max(initial=0))
        if best > self.highest:
            raise UsageError(f"grades go up to {best}, and the scale to {self.highest}: say ERR(highest={best})")
        found = self.top(documents)
        found = found.rows(found.grade > 0)
        satisfied = (np.exp2(found.grade) - 1) / 2.0**self.highest
        number = documents.number(found.topic)
        values, left = np.zeros(documents.topics), np.ones(documents.topics)
        for n in range(1, int(number.max(initial=0)) + 1):  # the n-th document that may satisfy, of all topics at once
            rows = number == n
            topic, share = found.topic[rows], satisfied[rows]
            values[topic] += share * left[topic] / (found.rank[rows] + 1)
            left[topic] *= 1 - share
        return values
