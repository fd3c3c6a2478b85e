"""charJudged: Of the text retrieved, the share that was judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from berrypick.data.laws import with_laws
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.data.words import unit_word
from berrypick.measures._text_views import unjudged_of, view_of
from berrypick.measures.base import Measure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class charJudged(Measure):
    """Of the text retrieved, the share that was judged.

    Formula
    -------
    With U the text of the first k results and J the judged text, each character counted once::

        charJudged@k = |U and J| / |U|

    Judged are relevant text, spans of grade 0, and documents judged as a whole. Without a cut-off, of the whole list.

    Meaning
    -------
    How much the judgements know of a list. Where it is low, other measures count text as irrelevant that nobody has
    looked at.

    Use
    ---
    Beside other measures of text, for runs that were not pooled. The option unjudged shows how much their values
    depend on it.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant text; nothing is retrieved.

    Example
    -------
    Of 300 characters 120 are relevant and 60 were judged not to be: 180/300

    >>> import berrypick as bp
    >>> bp.score("charJudged", {"q": {"doc#100-220": 1, "doc#220-280": 0}}, {"q": {"doc#0-300": 1}})
    0.6
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("buckley2004incomplete",)
    of_areas: ClassVar[bool] = True
    counts_unjudged: ClassVar[bool] = True  # and does not change: the option may stand beside it
    curve_axes: ClassVar[tuple[str, str]] = ("rank", "share judged")

    def compute(self, judged: JudgedTopic) -> Score:
        retrieved, unjudged = self._counts(judged)
        return Score((retrieved - unjudged) / retrieved if retrieved > 0 else None)

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return Score(None)

    def _counts(self, judged: JudgedTopic) -> tuple[float, float]:
        view = view_of(judged)
        return view.up_to(view.new, self.at), view.up_to(unjudged_of(judged), self.at)

    def curve(self, judged: JudgedTopic) -> Curve | None:
        view = view_of(judged)
        retrieved, unjudged = view.cumulated(view.new), view.cumulated(unjudged_of(judged))
        shares = np.divide(retrieved - unjudged, retrieved, out=np.ones(len(retrieved)), where=retrieved > 0)
        return [(k, float(share)) for k, share in enumerate(shares, start=1)]

    def explain(self, judged: JudgedTopic) -> Explanation:
        retrieved, unjudged = self._counts(judged)
        if not retrieved:
            return self._explanation(judged, f"Undefined: no {judged.material} is retrieved.")
        view, unknown = view_of(judged), unjudged_of(judged)
        brings = [
            [f"{int(view.ranking.rank[row]) + 1} ({view.ranking.name(row)})", number(float(view.new[row])),
             number(float(unknown[row]))]
            for row in range(min(len(view.ranking), 30))
        ]  # fmt: skip
        rows = [
            [f"retrieved, each {unit_word(judged.context.reader.line_unit)} once", number(retrieved)],
            ["of it unjudged", number(unjudged)],
            [str(self), self._value_text(judged)],
        ]
        return self._explanation(
            judged,
            Table("What each result adds", ["rank", "new", "unjudged"], brings, align="<>>"),
            Table("Text of the first results together", ["quantity", "value"], rows),
        )
