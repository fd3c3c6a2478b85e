"""Rprec: precision at the number of relevant documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.arrays import FloatArray
from berrypick.measures.documents._ranked import RelevanceMeasure, share
from berrypick.topics.documents import JudgedDocuments


@dataclass(frozen=True)
class Rprec(RelevanceMeasure):
    """Precision at rank R, where R is the number of relevant documents.

    Formula
    -------
    ::

        Rprec = relevant documents among the first R / R

    RPrec is accepted as its name. As Rprec of trec_eval.

    Meaning
    -------
    Precision where it equals recall: at the length of an ideal list.

    Use
    ---
    Topics whose numbers of relevant documents differ much.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant document.

    Example
    -------
    Two relevant documents, one of them among the first two:

    >>> import berrypick as bp
    >>> bp.score("Rprec", {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}})
    0.5
    """

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "none"
    aliases: ClassVar[tuple[str, ...]] = ("RPrec",)

    def values(self, documents: JudgedDocuments) -> FloatArray:
        relevant = documents.relevant(self.rel)
        found = documents.rows(documents.grade >= self.rel)
        return share(documents.count(found.topic[found.rank < relevant[found.topic]]), relevant)
