"""PassageAP: passage average precision of TREC Genomics 2006."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.laws import without
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures.passages._passages import _Genomics, met, order_counts
from berrypick.topics.topic import JudgedTopic

FILE_ORDER = (
    "gold passages overlap, or a result meets several: it takes the first in the order of the truth's lines, "
    "as the official program does"
)


@dataclass(frozen=True)
class PassageAP(_Genomics):
    """Character precision at each result that meets a gold passage, averaged over results and missed passages.

    Formula
    -------
    Each result takes the first gold passage, in the order of the file, that it shares a character with::

        PassageAP = sum over such results of (relevant characters so far / retrieved characters so far)
                    / (such results + gold passages never met)

    Meaning
    -------
    Average precision over passages with precision in characters. Cutting a good passage into pieces raises it, which is
    why the campaign replaced it by Passage2AP.

    Use
    ---
    To compare with TREC Genomics 2006 and 2007.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No gold passages.

    Example
    -------
    One result of 100 characters, 80 of them in the only gold passage: 80/100

    >>> import berrypick as bp
    >>> bp.score("PassageAP", {"q": {"doc#20-120": 1}}, {"q": {"doc#0-100": 1}})
    0.8
    """

    #: Overlapping passages of the truth, and results of one rank, are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = without("truth-order", "tie-order")

    def _steps(self, judged: JudgedTopic) -> tuple[list[tuple[int, int, float]], int]:
        """(row, gold passage, precision so far) for each result that meets one; and gold passages never met."""
        ranking, text = judged.ranking_spans, judged.relevant_spans
        assert ranking.start is not None and ranking.end is not None
        retrieved = np.cumsum(ranking.lengths())
        good = 0
        steps = []
        for row, gold in enumerate(met(judged)):
            if len(gold) and retrieved[row] > 0:
                first = int(gold[0])
                low, high = max(text.start[first], ranking.start[row]), min(text.end[first], ranking.end[row])
                good += int(high - low)
                steps.append((row, first, good / float(retrieved[row])))
        return steps, len(text.document) - len({first for _, first, _ in steps})

    def compute(self, judged: JudgedTopic) -> Score:
        steps, missed = self._steps(judged)
        count = len(steps) + missed
        notes = (FILE_ORDER,) if order_counts(judged) else ()
        return Score(float(np.sum([value for _, _, value in steps])) / count if count else None, notes)

    def explain(self, judged: JudgedTopic) -> Explanation:
        steps, missed = self._steps(judged)
        rows = [[f"{row + 1} ({judged.ranking_spans.name(row)})", number(value, 6)] for row, _, value in steps[:40]]
        table = Table("Results that meet a gold passage", ["rank", "precision so far"], rows)
        divided = f"Divided by {len(steps)} such results and {missed} gold passages never met"
        return self._explanation(judged, table, f"{divided}: PassageAP = {self._value_text(judged)}")
