"""APtol: average precision with tolerance to irrelevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.laws import without
from berrypick.data.parameters import above_zero
from berrypick.data.score import Explanation, Score, Table
from berrypick.measures.base import Measure
from berrypick.measures.video._segments import average_precision, relevant, results
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class APtol(Measure):
    """Average precision when a result counts if something relevant and unseen comes soon after its start.

    Formula
    -------
    Relevant segments that touch are joined. A result [start, end) is relevant if a relevant segment that no earlier
    result has led to meets [start, start + tolerance) and nothing seen before meets [start, end); then [start, max(end
    of the segments met, start + tolerance)) is seen::

        APtol = average precision over the joined relevant segments

    Under protocol mediaeval2014 a segment may count again, as in the official program: there, results that lead to one
    segment from its end towards its start all count, and values can be above 1, which a note says.

    Meaning
    -------
    Average precision for viewers who start a video at the given point and give it a few seconds.

    Use
    ---
    MediaEval search and hyperlinking (tolerance=15 seconds).

    Bounds
    ------
    0 to 1; under protocol mediaeval2014 from 0 on, without an upper bound.

    Undefined
    ---------
    No relevant segments.

    Example
    -------
    The first result starts 10 seconds before one of two relevant segments, and a viewer waits 15: (1/1)/2

    >>> import berrypick as bp
    >>> bp.score("APtol", {"q": {"video#70-80": 1, "other#0-10": 1}}, {"q": {"video#60-80": 1}})
    0.5
    """

    #: The results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = without("tie-order")
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    why_above_one: ClassVar[str] = "results that lead to the same segment count again, as in the official program"
    references: ClassVar[tuple[str, ...]] = ("aly2013adapting", "vries2004tolerance")

    tolerance: float = above_zero(15, "seconds that a viewer waits")

    def _flags(self, judged: JudgedTopic) -> tuple[list[bool], int]:
        wanted = relevant(judged, merged=True)
        again = "segments-again" in judged.rules
        seen: dict[str, list[tuple[float, float]]] = {}
        counted: set[tuple[str, int]] = set()  # segments by video and end
        flags = []
        for video, start, end in results(judged, watched=False):
            met = {(video, b) for a, b in wanted.get(video, ()) if a < start + self.tolerance and b > start}
            fresh = bool(met) and (again or not met <= counted)
            new = fresh and not any(a < end and b > start for a, b in seen.get(video, ()))
            if new:
                counted |= met
                seen.setdefault(video, []).append((start, max(*(b for _, b in met), start + self.tolerance)))
            flags.append(new)
        return flags, sum(len(segments) for segments in wanted.values())

    def compute(self, judged: JudgedTopic) -> Score:
        flags, total = self._flags(judged)
        return Score(average_precision(flags, total) if total else None)

    def explain(self, judged: JudgedTopic) -> Explanation:
        flags, total = self._flags(judged)
        ranking = judged.ranking_spans
        rows = [[f"{row + 1} ({ranking.name(row)})", "yes" if flag else "no"] for row, flag in enumerate(flags[:40])]
        table = Table("Results that lead to something new within the tolerance", ["rank", "relevant"], rows)
        value = f"{total} relevant segments after joining; APtol = {self._value_text(judged)}"
        return self._explanation(judged, table, value)
