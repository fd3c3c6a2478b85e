"""AspectAP: aspect average precision of TREC Genomics."""

from __future__ import annotations

from dataclasses import dataclass

from berrypick.data.errors import NeedsError
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures.passages._passages import _Genomics, met
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class AspectAP(_Genomics):
    """Average precision over the aspects of an answer: results that only repeat known aspects take no rank.

    Formula
    -------
    A result has the aspects of the gold passages it meets. With only known aspects it takes no rank; with n new ones::

        AspectAP = sum of n x (relevant ranks so far / ranks so far) / distinct aspects of the topic

    Meaning
    -------
    How early every aspect of an answer appears, without punishing repetition.

    Use
    ---
    TREC Genomics 2006 and 2007; diversity of passages.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No gold passages with aspects.

    Example
    -------
    Three aspects: a result with two of them at rank 1, nothing at rank 2, the third at rank 3: (2 x 1/1 + 1 x 2/3)/3

    >>> import berrypick as bp
    >>> import numpy as np
    >>> from berrypick.data.truth import TopicTruth
    >>> start, aspects = np.array([0, 100, 200]), (("genes",), ("organs",), ("drugs",))
    >>> topic = TopicTruth("q", ("doc",) * 3, np.ones(3), start, start + 50, aspects=aspects)
    >>> run = {"q": {"doc#0-150": 3, "other#0-50": 2, "doc#200-250": 1}}
    >>> round(bp.score("AspectAP", bp.Truth("spans", {"q": topic}), run), 4)
    0.8889
    """

    def _steps(self, judged: JudgedTopic) -> tuple[list[tuple[int, tuple[str, ...], float]], int]:
        aspects = judged.truth.aspects
        if aspects is None:
            raise NeedsError("needs judged passages with aspects, as in TREC Genomics")
        known: set[str] = set()
        steps = []
        ranks = good = 0
        for row, gold in enumerate(met(judged)):
            here = dict.fromkeys(aspect for i in gold.tolist() for aspect in aspects[i])
            new = tuple(aspect for aspect in here if aspect not in known)
            if here and not new:
                continue
            ranks += 1
            if new:
                good += 1
                known.update(new)
                steps.append((row, new, len(new) * good / ranks))
        return steps, len({aspect for row in aspects for aspect in row})

    def compute(self, judged: JudgedTopic) -> Score:
        steps, total = self._steps(judged)
        return Score(sum(value for _, _, value in steps) / total if total else None)

    def explain(self, judged: JudgedTopic) -> Explanation:
        steps, total = self._steps(judged)
        rows = [
            [f"{row + 1} ({judged.ranking_spans.name(row)})", ", ".join(new), number(value, 6)]
            for row, new, value in steps[:40]
        ]
        table = Table("Results with new aspects", ["rank", "new aspects", "adds"], rows, align="<<>")
        return self._explanation(judged, table, f"Divided by {total} aspects: AspectAP = {self._value_text(judged)}")
