"""Generalised precision over articles: what gP, gR and AgP share (INEX 2006 measures, section 6).

INEX 2006 scored the text of an article by F1; beta 0.25, the default here, is that of INEX 2009 and 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.errors import NeedsError, option
from berrypick.data.laws import with_laws, without
from berrypick.data.observed import once_for_each
from berrypick.data.parameters import above_zero, parameter, zero_or_more
from berrypick.data.score import Curve, Table, number
from berrypick.kernels.intervals import merge
from berrypick.kernels.relevant_text import Measured, numbered_documents
from berrypick.measures._text_views import Article, View, view_of
from berrypick.measures.base import Measure
from berrypick.measures.passages._sized_articles import has_sizes_alone, read_and_relevant, sized_articles
from berrypick.measures.spans.charf import f_score
from berrypick.targets.targets import entry_points_of
from berrypick.topics.topic import JudgedTopic

ScoreName = Literal["F", "t2i", "bep"]


@dataclass(frozen=True)
class _Generalised(Measure):
    """How an article is scored."""

    #: An element that is relevant in part brings text along that is not, which may count for more in its article.
    laws: ClassVar[tuple[str, ...]] = with_laws("split-span", laws=without("relevant-added"))
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    ranks_documents: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("lalmas2007inex", "geva2010inex", "arvola2011inex")
    curve_axes: ClassVar[tuple[str, str]] = ("articles seen", "generalised precision")

    score: ScoreName = parameter(
        "F", "F|t2i|bep", "how an article is scored: F of its text, tolerance to irrelevance, or entry point"
    )
    beta: float | None = zero_or_more(
        None, "weight of recall in F; 0.25 (INEX 2009 and 2010), 1 under protocol inex2006"
    )
    tolerance: float = above_zero(300, "irrelevant characters read before giving up (score='t2i')")
    n: float = above_zero(500, "distance at which an entry point has no value (score='bep')")

    def parameter_values(self) -> dict[str, Any]:
        """Only the parameters that the article score reads, with the values it uses."""
        used = {"F": ("score", "beta"), "t2i": ("score", "tolerance"), "bep": ("score", "n")}[self.score]
        values = {**super().parameter_values(), "beta": self.used_beta}
        return {name: values[name] for name in used}

    def for_rules(self, rules: frozenset[str]) -> Measure:
        return self if self.beta is not None else replace(self, beta=1.0 if "beta-1" in rules else 0.25)

    def scored(self, judged: JudgedTopic) -> Scored:
        return scored(judged, Rule(self.score, self.used_beta, self.tolerance, self.n))

    @property
    def used_beta(self) -> float:
        """The weight of recall in F."""
        return 0.25 if self.beta is None else self.beta

    def curve(self, judged: JudgedTopic) -> Curve | None:
        return [(k, float(value)) for k, value in enumerate(self.scored(judged).precision(), start=1)]


@dataclass(frozen=True, eq=False)
class Scored:
    """Articles in ranked order: their scores, whether they hold anything relevant, and how many there are in all."""

    documents: Sequence[str]
    document: IntArray  # codes of the articles
    score: FloatArray
    relevant: BoolArray
    total: int

    def names(self, most: int) -> list[str]:
        return [self.documents[code] for code in self.document[:most].tolist()]

    def precision(self) -> FloatArray:
        """gP at every rank of the list."""
        return np.cumsum(self.score) / np.arange(1, len(self.score) + 1)

    def precision_at(self, rank: int, repeats: bool = False) -> float:
        """gP[k]: beyond the end of the list nothing more is found, and k still divides; or the last value repeats."""
        divisor = min(rank, len(self.score)) if repeats else rank
        return float(np.cumsum(self.score[:rank])[-1]) / divisor if divisor and len(self.score) else 0.0

    def recall_at(self, rank: int | float | None) -> float:
        chosen = self.relevant if rank is None else self.relevant[: int(rank)]
        return float(chosen.sum()) / self.total


@dataclass(frozen=True)
class Rule:
    """An article score with its parameters."""

    name: ScoreName = "F"
    beta: float = 0.25
    tolerance: float = 300
    n: float = 500


@once_for_each
def scored(judged: JudgedTopic, rule: Rule) -> Scored:
    if rule.name == "F" and has_sizes_alone(judged.truth):
        return _scored_by_sizes(judged, rule.beta)
    view = view_of(judged)
    if rule.name == "F" and view.ranking.start is not None and view.ranking.start.dtype.kind == "i":
        return _scored_at_once(view, rule.beta)
    groups = view.ranking.grouped
    order = np.argsort(groups.first(), kind="stable")  # articles as the list first points into them
    known = view.ranking.codes_of(name for name, measured in view.relevant.items() if measured.total > 0)
    relevant = np.isin(groups.code[order], list(known.values()))
    values = np.zeros(len(order))
    points = entry_points(judged) if rule.name == "bep" else {}
    for i in np.flatnonzero(relevant).tolist():
        article = Article(view.ranking.documents[int(groups.code[order[i]])], groups.rows(int(order[i])))
        values[i] = _article_score(judged, view, article, view.relevant[article.document], points, rule)
    total = sum(1 for measured in view.relevant.values() if measured.total > 0)
    return Scored(view.ranking.documents, groups.code[order], values, relevant, total)


def _scored_by_sizes(judged: JudgedTopic, beta: float) -> Scored:
    """F of all articles from the sizes of their elements."""
    ranking, articles = judged.ranking, sized_articles(judged)
    groups = ranking.grouped
    order = np.argsort(groups.first(), kind="stable")
    names = [ranking.documents[code] for code in groups.code[order].tolist()]
    values = np.zeros(len(order))
    for i, name in enumerate(names):
        if name in articles:
            read, good = read_and_relevant(articles[name], ranking, groups.rows(int(order[i])))
            values[i] = f_score(good / read if read > 0 else 0.0, good / articles[name].total, beta)
    relevant = np.array([name in articles for name in names], dtype=bool)
    return Scored(ranking.documents, groups.code[order], values, relevant, len(articles))


def _scored_at_once(view: View, beta: float) -> Scored:
    """F of all articles; lengths are whole numbers, so that sums do not depend on their order."""
    number, code = numbered_documents(view.ranking.document)
    names = np.flatnonzero(view.text.measured.total > 0)
    known = view.ranking.codes_in_order([view.text.names[i] for i in names.tolist()])
    names, known = names[known >= 0], known[known >= 0]
    rising = np.argsort(known)
    names, known = names[rising], known[rising]
    relevant = _among(code, known)
    total = view.text.measured.total[names[np.searchsorted(known, code[relevant])]]
    rows = np.flatnonzero(relevant[number])
    read = np.bincount(number[rows], weights=view.new[rows], minlength=len(code))[relevant]
    good = np.bincount(number[rows], weights=view.good[rows], minlength=len(code))[relevant]
    values = np.zeros(len(code))
    values[relevant] = f_scores(read, good, total, beta)
    return Scored(view.ranking.documents, code, values, relevant, view.text.documents)


def f_scores(read: FloatArray | IntArray, good: FloatArray | IntArray, total: FloatArray, beta: float) -> FloatArray:
    """F of articles: what is read of each, what of that is relevant, and all that is relevant in it."""
    good = np.minimum(good, total)
    precision = np.divide(good, read, out=np.zeros(len(good)), where=read > 0)
    recall = good / total
    below = beta * beta * precision + recall
    above = (1 + beta * beta) * precision * recall
    return np.asarray(np.divide(above, below, out=np.zeros(len(below)), where=below > 0), dtype=np.float64)


def _among(codes: IntArray, few: IntArray) -> BoolArray:
    """Which codes are among a few, which rise. Most others have other last bits, as one look at a small table says."""
    bits = (1 << (64 * len(few)).bit_length()) - 1
    table = np.zeros(bits + 1, dtype=bool)
    table[few & bits] = True
    found = table[codes & bits]
    likely = np.flatnonzero(found)
    found[likely] = few[np.minimum(np.searchsorted(few, codes[likely]), len(few) - 1)] == codes[likely]
    return found


def _article_score(
    judged: JudgedTopic, view: View, article: Article, measured: Measured, points: dict[str, list[float]], rule: Rule
) -> float:
    rows = article.rows
    if rule.name == "F":
        read, good = float(view.new[rows].sum()), min(float(view.good[rows].sum()), measured.total)
        return f_score(good / read if read > 0 else 0.0, good / measured.total, rule.beta)
    assert view.ranking.start is not None and view.ranking.end is not None
    if rule.name == "bep":
        entry = float(view.ranking.start[rows[0]])
        if entry < 0 or article.document not in points:
            return 0.0  # a passage that could not be located, or an article without an entry point
        distance = min(abs(entry - point) for point in points[article.document])
        return max(0.0, (rule.n - distance) / rule.n)
    rows = rows[view.ranking.start[rows] >= 0]  # what could not be located cannot be read
    start, end = merge(view.ranking.start[rows], view.ranking.end[rows])
    length = judged.single_documents.lengths.get(article.document)
    if length is None:
        raise NeedsError(
            f"needs the length of document {article.document} to read on in it: "
            f"give document lengths with {option('collection')}"
        )
    return tolerant_score(start, end, measured, float(length), rule.tolerance)


def tolerant_score(start: FloatArray, end: FloatArray, measured: Measured, length: float, tolerance: float) -> float:
    """Relevant over all characters read: first what was retrieved, by offset, then the rest of the article, until
    ``tolerance`` irrelevant ones have been read."""
    rest_start = np.concatenate([[0.0], end])
    rest_end = np.concatenate([start, [max(length, float(end[-1]) if len(end) else 0.0)]])
    relevant = irrelevant = 0.0
    for a, b in zip(np.concatenate([start, rest_start]), np.concatenate([end, rest_end]), strict=True):
        for low, high, good in pieces(float(a), float(b), measured):
            if good:
                relevant += high - low
                continue
            irrelevant += min(high - low, tolerance - irrelevant)
            if irrelevant >= tolerance:
                return relevant / (relevant + irrelevant)
    return relevant / (relevant + irrelevant) if relevant + irrelevant > 0 else 0.0


def pieces(start: float, end: float, measured: Measured) -> list[tuple[float, float, bool]]:
    """A stretch of text as alternating irrelevant and relevant pieces."""
    found: list[tuple[float, float, bool]] = []
    position = start
    for a, b in zip(measured.start.tolist(), measured.end.tolist(), strict=True):
        low, high = max(a, position), min(b, end)
        if low < high:
            if position < low:
                found.append((position, low, False))
            found.append((low, high, True))
            position = high
    if position < end:
        found.append((position, end, False))
    return found


def entry_points(judged: JudgedTopic) -> dict[str, list[float]]:
    """Entry points by document. Where the truth has none for any topic, relevant text is entered where it begins; else
    an article without one has none."""
    points = entry_points_of(judged.truth)
    found: dict[str, list[float]] = {}
    if points is None and not judged.has_entry_points:
        relevant = view_of(judged).relevant.items()
        return {document: [float(measured.start[0])] for document, measured in relevant if measured.total > 0}
    if points is not None:
        assert points.start is not None
        for document, offset in zip(points.document, points.start.tolist(), strict=True):
            found.setdefault(document, []).append(offset)
    return found


def article_table(found: Scored, most: int = 30) -> Table:
    precision = found.precision()
    rows = [
        [
            f"{i + 1} ({name})",
            "yes" if found.relevant[i] else "no",
            number(float(found.score[i])),
            number(float(precision[i]), 6),
        ]
        for i, name in enumerate(found.names(most))
    ]
    return Table("Articles in the order of the list", ["rank", "relevant", "score", "gP"], rows, align="<>>>")
