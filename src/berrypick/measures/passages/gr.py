"""gR: generalised recall over articles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data import papers as cite
from berrypick.data.laws import with_laws
from berrypick.data.score import Curve, Explanation, Score
from berrypick.measures.base import Measure
from berrypick.measures.passages._articles import Rule, article_table, scored
from berrypick.measures.passages._read_together import articles_together, by_topic
from berrypick.measures.together import SpansTogether
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic


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
    scored_together: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        found = scored(judged, Rule())
        return Score(found.recall_at(self.at) if found.total else None)

    def score_together(self, spans: SpansTogether, context: JudgingContext) -> dict[str, Score] | None:
        found = articles_together(spans, Rule().beta).each()
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
