"""AgP: average generalised precision over articles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

import numpy as np

from berrypick.data import papers as cite
from berrypick.data.score import Curve, Explanation, Score
from berrypick.measures._text_views import text_table, view_of
from berrypick.measures.blocks import SpanBlock
from berrypick.measures.passages._articles import _Generalised, article_table
from berrypick.measures.passages._read_block import articles_of_block, by_topic
from berrypick.measures.passages._sized_articles import has_sizes_alone
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class AgP(_Generalised):
    """Average precision over articles, each weighted by how well its relevant text was retrieved.

    Formula
    -------
    With gP as in measure gP::

        AgP = sum of gP@k over the ranks k that hold an article with relevant text / number of such articles in all

    Where elements were assessed without passages, F comes from their size and rsize. MAgP is accepted as its name.

    Meaning
    -------
    Average precision for readers who open documents and want to be shown the right places in them.

    Use
    ---
    The relevant in context task of INEX; score='t2i' for readers who read on from there and give up after so much
    irrelevant text; score='bep' for the best in context task. INEX 2006 scored text by F1 (section 6.2,
    equation 11; beta=1, or protocol inex2006); beta 0.25, which prefers precision, is that of INEX 2009 and 2010 and
    the default.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    Two relevant articles, at rank 1 with score .5 (all 30 characters are relevant, and a third of the relevant ones)
    and at rank 3 with score 1: (.5/1 + (.5 + 0 + 1)/3)/2

    >>> import berrypick as bp
    >>> truth = {"q": {"a#0-90": 1, "b#0-90": 1}}
    >>> run = {"q": {"a#0-30": 3, "x#0-30": 2, "b#0-90": 1}}
    >>> bp.score("AgP(beta=1)", truth, run)
    0.5
    """

    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.inex(
            "6.2",
            "",
            "definition",
            "average generalised precision, and its mean over topics",
            "berrypick evaluate TRUTH RUN -m MAgP",
        ),
    )

    aliases: ClassVar[tuple[str, ...]] = ("MAgP",)
    scored_in_blocks: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        found = self.scored(judged)
        if not found.total:
            return Score(None)
        return Score(math.fsum(found.precision()[found.relevant]) / found.total)

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        if self.score != "F":
            return None
        values: list[float | None] = []
        for _, scores, ranks, total in articles_of_block(spans, self.used_beta).each():
            precision = (summed / rank for summed, rank in zip(accumulate(scores), ranks, strict=True))
            values.append(math.fsum(precision) / total if total else None)
        return by_topic(spans, values)

    def missing_topic_curve(self) -> Curve | None:
        return []

    def explain(self, judged: JudgedTopic) -> Explanation:
        found = self.scored(judged)
        ranks = ", ".join(str(k + 1) for k in np.flatnonzero(found.relevant)[:20].tolist()) or "none"
        divided = f"gP at the ranks of relevant articles ({ranks}), added up and divided by {found.total}"
        value = f"{divided}: AgP = {self._value_text(judged)}"
        text = [] if has_sizes_alone(judged.truth) else [text_table(view_of(judged))]
        return self._explanation(judged, *text, article_table(found), value)
