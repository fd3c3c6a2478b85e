"""What the text measures share: retrieved text against relevant text, in ranked order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.judged import Curve, Judged, Score
from berrypick.core.run import Ranking
from berrypick.kernels.text import Measured, first_seen
from berrypick.measures._base import Measure


@dataclass(frozen=True, eq=False)
class View:
    """Per pointer: its length, what of it is new, what of that is relevant; and all relevant text."""

    ranking: Ranking
    length: FloatArray
    new: FloatArray
    good: FloatArray
    relevant: dict[str, Measured]
    total: float

    @property
    def ranks(self) -> int:
        return self.ranking.ranks

    def cumulated(self, values: FloatArray) -> FloatArray:
        """Sums up to each rank."""
        return np.cumsum(np.bincount(self.ranking.rank, weights=values, minlength=self.ranks)).astype(np.float64)

    def up_to(self, values: FloatArray, rank: int | float | None) -> float:
        """The sum over the first ranks, or over all."""
        chosen = values if rank is None else values[self.ranking.rank < rank]
        return float(chosen.sum())

    def found(self, rank: int | float | None) -> float:
        """Relevant text in the first ranks; added up in seconds it may otherwise end an ulp above all there is."""
        return min(self.up_to(self.good, rank), self.total)


@lru_cache(maxsize=4)
def view_of(judged: Judged) -> View:
    ranking, text = judged.located, judged.text
    assert ranking.start is not None and ranking.end is not None
    by_document: dict[str, list[int]] = {}
    for i, document in enumerate(text.document):
        by_document.setdefault(document, []).append(i)
    relevant = {name: Measured(text.start[rows], text.end[rows]) for name, rows in by_document.items()}
    met = {name: rows for name, rows in ranking.rows_by_document.items() if name in relevant}
    coded: dict[int, Measured] = {int(ranking.document[rows[0]]): relevant[name] for name, rows in met.items()}
    new, good = first_seen(ranking.document, ranking.start, ranking.end, coded)
    length = (ranking.end - ranking.start).astype(np.float64)
    if judged.protocol == "inex2010":
        new = _as_charged_in_2010(judged, ranking, relevant, length, new)
    return View(ranking, length, new, good, relevant, sum(measured.total for measured in relevant.values()))


def _as_charged_in_2010(
    judged: Judged, ranking: Ranking, relevant: dict[str, Measured], length: FloatArray, new: FloatArray
) -> FloatArray:
    """The official program charges articles without relevant text in full each time, and in the thorough task nothing
    for passages of other articles that could not be located."""
    names = [ranking.documents[code] for code in ranking.document.tolist()]
    hopeless = np.array([name not in relevant or relevant[name].total <= 0 for name in names], dtype=bool)
    charged = np.where(hopeless, length, new)
    if judged.task == "thorough" and ranking.start is not None:
        charged[(ranking.start < 0) & ~hopeless] = 0.0
    return charged


@dataclass(frozen=True)
class _Characters(Measure):
    """Measures of the first k results as one text."""

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    references: ClassVar[tuple[str, ...]] = ("pehcevski2006hixeval",)

    def value(self, retrieved: float, relevant: float, total: float) -> float:
        """From the lengths of what was retrieved, of what of it is relevant, and of all that is relevant."""
        raise NotImplementedError

    def of(self, judged: Judged) -> Score:
        view = view_of(judged)
        if view.total <= 0:
            return Score(None)
        return Score(self.value(view.up_to(view.new, self.at), view.found(self.at), view.total))

    def curve(self, judged: Judged) -> Curve | None:
        view = view_of(judged)
        if view.total <= 0:
            return None
        retrieved, relevant = view.cumulated(view.new), np.minimum(view.cumulated(view.good), view.total)
        return [
            (k, self.value(float(a), float(b), view.total))
            for k, (a, b) in enumerate(zip(retrieved, relevant, strict=True), start=1)
        ]

    def explain(self, judged: Judged) -> Explanation:
        view = view_of(judged)
        if view.total <= 0:
            return Explanation(f"{self} for topic {judged.topic}", ["Undefined: no text is relevant."])
        retrieved, relevant = view.up_to(view.new, self.at), view.found(self.at)
        rows = [
            ["retrieved, each character once", number(retrieved)],
            ["of it relevant", number(relevant)],
            ["relevant in all", number(view.total)],
            [
                str(self) + (f"@{self.at}" if self.at is not None else ""),
                number(self.value(retrieved, relevant, view.total), 6),
            ],
        ]
        return Explanation(
            f"{self} for topic {judged.topic}",
            [text_table(view), Table("Text of the first results together", ["quantity", "value"], rows)],
        )


def text_table(view: View, most: int = 30) -> Table:
    """Which result brought which text, and what of it had been seen."""
    found, read = view.cumulated(view.good), view.cumulated(view.new)
    rows = []
    for row in range(min(len(view.ranking), most)):
        k = int(view.ranking.rank[row])
        rows.append(
            [
                f"{k + 1} ({view.ranking.name(row)})",
                number(float(view.length[row])),
                number(float(view.new[row])),
                number(float(view.good[row])),
                number(float(found[k] / read[k]) if read[k] else 0.0),
                number(float(found[k] / view.total) if view.total else 0.0),
                _why(view, row),
            ]
        )
    head = ["rank", "length", "new", "relevant", "precision", "recall", "because"]
    return Table("What each result brings", head, rows, align="<>>>>><")


def _why(view: View, row: int) -> str:
    repeated = view.ranking.repeated
    if repeated is not None and repeated[row]:
        return "it stands earlier in the list: its text is not new"
    if view.new[row] == 0 and view.length[row] > 0:
        return "all of its text was retrieved before"
    if view.new[row] < view.length[row]:
        return "part of its text was retrieved before"
    return "" if view.good[row] else "nothing relevant in it"


@dataclass(frozen=True)
class Article:
    """The results of one document: which rows, in ranked order."""

    document: str
    rows: IntArray


def articles(ranking: Ranking) -> list[Article]:
    """Documents in the order in which the list first points into them."""
    found = [Article(document, rows) for document, rows in ranking.rows_by_document.items()]
    return sorted(found, key=lambda article: int(article.rows[0]))
