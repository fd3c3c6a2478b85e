"""Overlap: how much of the retrieved text was retrieved before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.laws import with_laws
from berrypick.data.run import Ranking
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.data.truth import Highlighted
from berrypick.data.words import unit_word
from berrypick.kernels.relevant_text import first_seen, once
from berrypick.measures.base import Measure
from berrypick.measures.blocks import SpanBlock
from berrypick.targets.places import first_seen_places, united_area
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic

#: The text of whole rankings, each character counted once, where a measure has counted it already.
known_unions: WeakKeyDictionary[Ranking, float] = WeakKeyDictionary()


@dataclass(frozen=True)
class Overlap(Measure):
    """The share of the retrieved text that repeats earlier results. Smaller is better.

    Formula
    -------
    With U the text of the first k results, each character counted once::

        Overlap@k = 1 - |U| / sum of the results' lengths

    Regions of one rank are one result: text that several of them hold counts once in its length. Without a cut-off, of
    the whole list. If it is not among the measures, evaluate and compare give it in a note for every run that repeats
    text.

    Meaning
    -------
    How much of what readers, or a language model, get is repetition.

    Use
    ---
    Beside any other measure of overlapping chunks, passages or elements.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    Nothing retrieved, and topics missing from the run.

    Example
    -------
    Two chunks of 200 characters that share 50 hold 350 different ones: 1 - 350/400

    >>> import berrypick as bp
    >>> bp.score("Overlap", {"q": {"doc#0-100": 1}}, {"q": {"doc#0-200": 2, "doc#150-350": 1}})
    0.125
    """

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    higher_is_better: ClassVar[bool] = False
    tells_overlap: ClassVar[bool] = True
    depends_on: ClassVar[tuple[str, ...] | None] = ()
    of_areas: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("lalmas2007inex",)
    scored_in_blocks: ClassVar[bool] = True

    def compute(self, judged: JudgedTopic) -> Score:
        return Score(repeated_share(judged.ranking_spans, self.at))

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        shares = zip(spans.topics, spans.repeated_shares(self.at), spans.targets.tolist(), strict=True)
        return {topic: Score(share if targets else None) for topic, share, targets in shares}

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return Score(None)

    def explain(self, judged: JudgedTopic) -> Explanation:
        value = repeated_share(judged.ranking_spans, self.at)
        if value is None:
            return self._explanation(judged, f"Undefined: no {judged.material} is retrieved.")
        chosen = _first(judged.ranking_spans, self.at)
        assert chosen.start is not None and chosen.end is not None
        length, new = _what_results_bring(chosen)
        brings = [
            [f"{int(chosen.rank[row]) + 1} ({chosen.name(row)})", number(float(length[row])), number(float(new[row]))]
            for row in range(min(len(chosen), 30))
        ]
        rows = [
            ["lengths added up", number(float(length.sum()))],
            [f"each {unit_word(judged.context.reader.line_unit)} once", number(float(new.sum()))],
            ["overlap", number(value, 6)],
        ]
        return self._explanation(
            judged,
            Table("What each result adds", ["rank", "length", "new"], brings),
            Table(f"Retrieved {judged.material}", ["quantity", "value"], rows),
        )


def repeated_share(ranking: Ranking, at: float | int | None = None) -> float | None:
    """The share of the text of the first ranks, or of all, that earlier results hold; None where there is no text."""
    chosen = _first(ranking, at)
    assert chosen.start is not None and chosen.end is not None
    length = float(chosen.lengths().sum())
    if chosen.boxes is not None:
        return 1.0 - united_area(chosen) / united_area(chosen, chosen.rank) if length > 0 else None
    if (chosen.rank[1:] == chosen.rank[:-1]).any():
        length = once(_by_rank(chosen), chosen.start, chosen.end)
    if length <= 0:
        return None
    union = known_unions.get(chosen)
    return 1.0 - (once(chosen.document, chosen.start, chosen.end) if union is None else union) / length


def _what_results_bring(chosen: Ranking) -> tuple[FloatArray, FloatArray]:
    """Per pointer: what no other one of its rank holds before, and what no earlier one holds at all."""
    assert chosen.start is not None and chosen.end is not None
    if chosen.boxes is not None:
        nothing = Highlighted((), chosen.start[:0], chosen.end[:0])
        apart = replace(chosen, document=_by_rank(chosen))
        return first_seen_places(apart, nothing)[0], first_seen_places(chosen, nothing)[0]
    length = first_seen(_by_rank(chosen), chosen.start, chosen.end, {})[0]
    return length, first_seen(chosen.document, chosen.start, chosen.end, {})[0]


def _by_rank(ranking: Ranking) -> IntArray:
    """A number for each rank and document, so that text is counted once in a rank, and again in the next."""
    many = int(ranking.document.max(initial=0)) + 1
    return np.unique(ranking.rank * many + ranking.document, return_inverse=True)[1]


def _first(ranking: Ranking, at: float | int | None) -> Ranking:
    return ranking if at is None else ranking.rows(ranking.rank < at)
