"""gP and gR: generalised precision and recall over articles."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data import papers as cite
from berrypick.data.laws import with_laws
from berrypick.data.score import Curve, Explanation, Score
from berrypick.measures._text_views import without_text
from berrypick.measures.base import Measure
from berrypick.measures.blocks import SpanBlock
from berrypick.measures.passages._articles import Rule, _Generalised, article_table, scored
from berrypick.measures.passages._read_block import articles_of_block, by_topic
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class gP(_Generalised):
    """The mean score of the first k articles, each scored by how well its relevant text was retrieved.

    Formula
    -------
    Results are grouped by article, in the order of their first result; article i has a score S[i] in [0, 1]::

        gP@k = sum_{i<=k} S[i] / k
        S    = F_beta = (1 + b^2) P R/(b^2 P + R) of the article's text             score='F'
        S    = relevant / read, until so many irrelevant characters are read        score='t2i'
        S    = (n - distance of the first result to the entry point)/n, at least 0  score='bep'

    With score='t2i' the reader reads what was retrieved, by offset, then the rest of the article. An article without
    relevant text scores 0. Where elements were assessed without passages, F comes from their size and rsize. Beyond the
    end of the list nothing is found, and k still divides.

    Meaning
    -------
    Precision over documents, each weighted by how well its relevant text was retrieved.

    Use
    ---
    The relevant in context task of INEX (score='F'), and best in context (score='bep'). INEX 2006 used F1
    (section 6.2, equation 11; beta=1, or protocol inex2006); beta 0.25, which prefers precision, is that of INEX
    2009 and 2010 and the default.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text; 0 under protocol inex2010.

    Example
    -------
    The first article scores .5 (all 30 characters are relevant, and a third of the relevant ones: 2 x 1 x 1/3 / (1 +
    1/3)), the second 0 and the third 1: (.5 + 0 + 1)/3

    >>> import berrypick as bp
    >>> truth = {"q": {"a#0-90": 1, "b#0-90": 1}}
    >>> run = {"q": {"a#0-30": 3, "x#0-30": 2, "b#0-90": 1}}
    >>> bp.score("gP(beta=1)@3", truth, run)
    0.5
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "6.2",
            "9",
            "equation",
            "precision of an article: retrieved text that is highlighted",
            'berrypick evaluate TRUTH RUN -m "gP(beta=1)@1"',
        ),
        cite.inex(
            "6.2",
            "10",
            "equation",
            "recall of an article: highlighted text that is retrieved",
            'berrypick evaluate TRUTH RUN -m "gP(beta=1)@1"',
        ),
        cite.inex("6.2", "11", "equation", "F-score of an article", 'berrypick evaluate TRUTH RUN -m "gP(beta=1)@1"'),
        cite.inex(
            "6.2",
            "12",
            "equation",
            "generalised precision at a rank of articles",
            'berrypick evaluate TRUTH RUN -m "gP(beta=1)@3"',
        ),
        cite.inex(
            "6.3",
            "",
            "definition",
            "generalised precision at early ranks",
            'berrypick evaluate TRUTH RUN -m "gP(beta=1)@5 gP(beta=1)@10"',
        ),
    )

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    cutoff_required: ClassVar[bool] = True
    scored_in_blocks: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        found = self.scored(judged)
        at = int(self.needed_cutoff())
        repeats = "last-rank-repeats" in judged.rules
        return Score(found.precision_at(at, repeats)) if found.total else self.empty_topic_score(judged)

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        if self.score != "F":
            return None
        at = int(self.needed_cutoff())
        values: list[float | None] = []
        for _, scores, ranks, total in articles_of_block(spans, self.used_beta).each():
            summed = 0.0  # one after the other, as they are where a topic is judged alone
            for score in scores[: bisect_right(ranks, at)]:
                summed += score
            values.append(summed / at if total else None)
        return by_topic(spans, values)

    def empty_topic_score(self, judged: JudgedTopic) -> Score:
        return without_text(judged)

    def explain(self, judged: JudgedTopic) -> Explanation:
        value = f"gP@{self.at} = {self._value_text(judged)}"
        return self._explanation(judged, article_table(self.scored(judged)), value)


@dataclass(frozen=True)
class gR(Measure):
    """The share of the relevant articles among the first k articles of the list.

    Formula
    -------
    ::

        gR@k = relevant articles among the first k / relevant articles

    Results are grouped by article, in the order of their first result. Without a cut-off, of the whole list.

    Meaning
    -------
    Recall over documents: whether the right documents were found at all, wherever in them the results point.

    Use
    ---
    Beside gP and AgP.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    Two of three relevant articles are among the first three: 2/3

    >>> import berrypick as bp
    >>> truth = {"q": {"a#0-90": 1, "b#0-90": 1, "c#0-90": 1}}
    >>> round(bp.score("gR@3", truth, {"q": {"a#0-30": 3, "x#0-30": 2, "b#0-90": 1}}), 4)
    0.6667
    """

    ranks_documents: ClassVar[bool] = True
    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("lalmas2007inex",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "6.2", "13", "equation", "generalised recall at a rank of articles", "berrypick evaluate TRUTH RUN -m gR@3"
        ),
    )
    curve_axes: ClassVar[tuple[str, str]] = ("articles seen", "share of the relevant articles")
    scored_in_blocks: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        found = scored(judged, Rule())
        return Score(found.recall_at(self.at) if found.total else None)

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        found = articles_of_block(spans, Rule().beta).each()
        last = math.inf if self.at is None else int(self.at)
        counts = ((sum(rank <= last for rank in ranks), total) for _, _, ranks, total in found)
        return by_topic(spans, [count / total if total else None for count, total in counts])

    def curve(self, judged: JudgedTopic) -> Curve | None:
        found = scored(judged, Rule())
        return [(k, found.recall_at(k)) for k in range(1, len(found.score) + 1)] if found.total else None

    def explain(self, judged: JudgedTopic) -> Explanation:
        found = scored(judged, Rule())
        value = f"{found.total} articles are relevant; gR = {self._value_text(judged)}"
        return self._explanation(judged, article_table(found), value)
