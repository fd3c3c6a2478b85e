"""What the TREC Genomics measures share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.laws import without
from berrypick.data.observed import once_for_each
from berrypick.measures.base import Measure
from berrypick.topics.ranked_gains import rows_by_document
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class _Genomics(Measure):
    """Gold passages in file order against passages in ranked order."""

    #: The results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = without("tie-order")
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("hersh2007genomics",)


@once_for_each
def met(judged: JudgedTopic) -> list[IntArray]:
    """For each result the gold passages it shares a character with, in file order."""
    ranking, text = judged.ranking_spans, judged.relevant_spans
    assert ranking.start is not None and ranking.end is not None
    found = [np.zeros(0, dtype=np.int64)] * len(ranking)
    gold = rows_by_document(text.document)
    for document, rows in ranking.rows_by_document.items():
        if document not in gold:
            continue
        indices = np.array(gold[document], dtype=np.int64)
        start, end = text.start[indices], text.end[indices]
        common = (start[None, :] < ranking.end[rows, None]) & (end[None, :] > ranking.start[rows, None])
        for row, meets in zip(rows.tolist(), common, strict=True):
            found[row] = indices[meets]
    return found


def order_counts(judged: JudgedTopic) -> bool:
    """Whether some result meets several gold passages, or passages overlap, so that one could."""
    text = judged.relevant_spans
    if any(len(gold) > 1 for gold in met(judged)):
        return True
    start, end = text.start, text.end
    gold = (np.array(rows) for rows in rows_by_document(text.document).values())
    return any(bool((np.sort(start[rows])[1:] < end[rows][np.argsort(start[rows])][:-1]).any()) for rows in gold)
