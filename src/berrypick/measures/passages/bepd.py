"""BEPD: distance to the best entry point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.laws import with_laws, without
from berrypick.data.parameters import above_zero
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures._text_views import articles
from berrypick.measures.base import Measure
from berrypick.measures.passages._articles import entry_points
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class BEPD(Measure):
    """How close the first result of each article is to its best entry point.

    Formula
    -------
    With d the distance between the first result's start and the entry point, L the mean length of articles::

        s    = A L/(A L + d)
        BEPD = sum of s over the articles of the list / number of entry points

    Only the first result of an article counts; of several entry points of one article the nearest. A relevant article
    without an entry point adds none, as for EPRUM with user model bep. Where the truth has no entry points at all,
    relevant text is entered where it begins.

    Meaning
    -------
    Recall of entry points, where a near miss counts in part. A = 0.1 rewards only closeness, A = 10 hardly looks at it.

    Use
    ---
    The best in context task of INEX 2006 (A = 0.1 officially; 0.01, 1, 10 and 100 were reported too). EPRUM with user
    model bep is its precision-recall counterpart.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No entry points.

    Example
    -------
    One of two entry points is missed by 500 characters, the other altogether; A L = 500: (500/(500 + 500))/2

    >>> import berrypick as bp
    >>> bp.score("BEPD(A=0.1,L=5000)", {"q": {"a#1000-1200": 1, "b#0-10": 1}}, {"q": {"a#500-800": 1}})
    0.25
    """

    #: The results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = with_laws("split-span", laws=without("tie-order"))
    depends_on: ClassVar[tuple[str, ...] | None] = ("lengths", "text")
    references: ClassVar[tuple[str, ...]] = ("lalmas2007inex",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "7.2",
            "",
            "definition",
            "closeness to entry points, summed over the list",
            "berrypick evaluate TRUTH RUN -m BEPD",
        ),
        cite.inex(
            "7.3",
            "",
            "definition",
            "values of A that were reported, .1 the official one",
            'berrypick evaluate TRUTH RUN -m "BEPD(A=0.01) BEPD(A=0.1) BEPD(A=1) BEPD(A=10) BEPD(A=100)"',
        ),
    )

    A: float = above_zero(0.1, "tolerance to distance")
    L: float | None = above_zero(None, "mean length of articles; from the collection, else of the judged ones")

    def dependencies(self) -> frozenset[str]:
        return super().dependencies() - (set() if self.L is None else {"lengths"})

    def _shares(self, judged: JudgedTopic) -> list[tuple[str, float, float]]:
        """(article, distance, s) for the articles that have an entry point."""
        points, ranking = entry_points(judged), judged.ranking_spans
        assert ranking.start is not None
        scale = self.A * (self.L if self.L is not None else judged.collection.mean_length)
        found = []
        for article in articles(ranking):
            entry = float(ranking.start[article.rows[0]])
            if article.document in points and entry >= 0:  # below 0: a passage that could not be located
                distance = min(abs(entry - point) for point in points[article.document])
                found.append((article.document, distance, scale / (scale + distance)))
        return found

    def compute(self, judged: JudgedTopic) -> Score:
        points = sum(len(offsets) for offsets in entry_points(judged).values())
        if not points:
            return Score(None)
        return Score(math.fsum(share for _, _, share in self._shares(judged)) / points)

    def explain(self, judged: JudgedTopic) -> Explanation:
        rows = [[name, number(distance), number(share, 6)] for name, distance, share in self._shares(judged)[:30]]
        points = sum(len(offsets) for offsets in entry_points(judged).values())
        table = Table("Articles with an entry point", ["article", "distance", "s"], rows)
        value = f"Added up and divided by {points} entry points: BEPD = {self._value_text(judged)}"
        return self._explanation(judged, table, value)
