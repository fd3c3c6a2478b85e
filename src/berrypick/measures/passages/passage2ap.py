"""Passage2AP: character average precision of TREC Genomics 2007."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from berrypick.data.laws import without
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.data.words import unit_word
from berrypick.kernels.relevant_text import unseen_parts
from berrypick.measures._text_views import view_of
from berrypick.measures.passages._articles import pieces
from berrypick.measures.passages._passages import _Genomics
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class Passage2AP(_Genomics):
    """Average precision as if every character were a document.

    Formula
    -------
    Results are read in order, character by character; with n characters counted so far, h of them relevant::

        Passage2AP = sum over relevant characters, at their first reading, of h/n / all relevant characters

    Relevant characters read again are skipped in both counts, irrelevant ones are charged each time.

    Meaning
    -------
    How early relevant text comes, and how little else has to be read before it.

    Use
    ---
    TREC Genomics 2007 (PASSAGE2); any passages where reading order matters.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    Ten irrelevant, then ten relevant characters, all there are: the mean of 1/11, 2/12 .. 10/20

    >>> import berrypick as bp
    >>> round(bp.score("Passage2AP", {"q": {"doc#10-20": 1}}, {"q": {"doc#0-20": 1}}), 4)
    0.3312
    """

    #: The results of one rank are read in the order of the file.
    #: It counts whole characters: a span that is split within one, as positions in seconds can be, is two longer ones.
    laws: ClassVar[tuple[str, ...]] = without("tie-order")

    def _steps(self, judged: JudgedTopic) -> list[tuple[int, float, float, float]]:
        """(row, new relevant characters, charged irrelevant ones, what they add) for each result."""
        view = view_of(judged)
        ranking = view.ranking
        assert ranking.start is not None and ranking.end is not None
        ranking.lengths()  # they have to be known
        seen: dict[str, tuple[list[float], list[float]]] = {}
        hits = counted = 0
        found = []
        for row in range(len(ranking)):
            document = ranking.documents[int(ranking.document[row])]
            start, end = int(ranking.start[row]), int(ranking.end[row])
            measured = view.relevant.get(document)
            if measured is None:
                counted += end - start
                found.append((row, 0.0, float(end - start), 0.0))
                continue
            before_hits, before = hits, counted
            added = 0.0
            for low, high, good in pieces(start, end, measured):
                if not good:
                    counted += int(high - low)
                    continue
                for a, b in unseen_parts(low, high, *seen.setdefault(document, ([], []))):
                    added += _precisions(hits, counted, int(b - a))
                    hits, counted = hits + int(b - a), counted + int(b - a)
            new = hits - before_hits
            found.append((row, float(new), float(counted - before - new), added))
        return found

    def compute(self, judged: JudgedTopic) -> Score:
        total = view_of(judged).total
        return Score(math.fsum(added for _, _, _, added in self._steps(judged)) / total if total > 0 else None)

    def explain(self, judged: JudgedTopic) -> Explanation:
        rows = [
            [f"{row + 1} ({judged.ranking_spans.name(row)})", number(new), number(waste), number(added, 2)]
            for row, new, waste, added in self._steps(judged)[:40]
        ]
        table = Table("What each result adds", ["rank", "new relevant", "irrelevant", "adds"], rows)
        divided = f"Divided by {number(view_of(judged).total)} relevant {unit_word(judged.context.reader.line_unit)}s"
        return self._explanation(judged, table, f"{divided}: Passage2AP = {self._value_text(judged)}")


def _precisions(hits: int, counted: int, more: int) -> float:
    """The sum of (hits + i) / (counted + i) for i = 1 .. more: the precisions at as many relevant characters."""
    if more <= _SUMMED:
        steps = np.arange(1, more + 1)
        return float(((hits + steps) / (counted + steps)).sum())
    # a difference of harmonic numbers: no collection has so much text, but some files claim it
    from scipy.special import digamma

    return float(more - (counted - hits) * (digamma(counted + more + 1) - digamma(counted + 1)))


#: Characters whose precisions are summed one by one.
_SUMMED = 1 << 24
