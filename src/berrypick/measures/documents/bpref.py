"""Bpref: relevant documents before judged ones that are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.measures.documents._ranked import RankedMeasure, relevance_level, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class Bpref(RankedMeasure):
    """Binary preference: how rarely documents judged not relevant come before relevant ones.

    Formula
    -------
    With R relevant documents and N judged not relevant, over the relevant documents r that are retrieved::

        Bpref = (1/R) sum over r of (1 - min(judged not relevant before r, R) / min(N, R))

    Documents that were not judged are passed over. BPref is accepted as its name. As bpref of trec_eval.

    Meaning
    -------
    The order of what is known to be good and bad, whatever else is in the list.

    Use
    ---
    Judgements that are far from complete.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    Two relevant documents, one of them after the only one judged not relevant: (1 + 0) / 2

    >>> import berrypick as bp
    >>> bp.score("Bpref", {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}})
    0.5
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "none"
    aliases: ClassVar[tuple[str, ...]] = ("BPref",)
    references: ClassVar[tuple[str, ...]] = ("buckley2004incomplete",)
    instead_on_spans: ClassVar[str] = "compares judged documents"
    rel: int = relevance_level()

    def values(self, documents: JudgedDocuments) -> FloatArray:
        relevant = documents.relevant(self.rel)
        found = documents.judged_only  # grades below 0 stand for documents that were not judged
        good = found.grade >= self.rel
        judged = documents.judged.grade
        others = documents.count(documents.judged.topic[(judged >= 0) & (judged < self.rel)])
        topic = found.topic[good]
        others_before = found.rank[good] - (documents.number(topic) - 1)  # all ranks before, less the good ones
        worst = np.minimum(others, relevant)[topic]
        preferred = 1.0 - share(np.minimum(others_before, relevant[topic]), worst)
        return share(documents.sums(topic, preferred), relevant)
