"""AiSP: average interpolated segment precision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.laws import without
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.measures.base import Measure
from berrypick.measures.video._segments import relevant, results
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class AiSP(Measure):
    """Relevant seconds watched over all seconds watched, interpolated and averaged over recall points.

    Formula
    -------
    A viewer watches each result from its start through the relevant segments it meets, to their end; a result costs
    what was watched, at least its length. With R relevant seconds after joining segments that touch::

        SP(p)  = p / seconds spent when p relevant ones have been watched
        iSP(p) = max of SP at p and later points
        AiSP   = (1 + sum of iSP over the points after 0) / number of points,  0 if none is reached

    Points are 0, d, 2d .. below R with d = R/100 rounded (the last one moved on by R mod 100), or every second where
    R <= 100. What was watched is not relevant any more.

    Meaning
    -------
    How much of the viewing time is worth it, from the first relevant second to the last.

    Use
    ---
    MediaEval search and hyperlinking, where it is called MAiSP.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No relevant segments.

    Example
    -------
    100 relevant seconds after 20 others, all watched: 1 at point 0, and 100/120 at each of the 100 points after it, so
    (1 + 100 x 100/120)/101

    >>> import berrypick as bp
    >>> round(bp.score("AiSP", {"q": {"video#20-120": 1}}, {"q": {"video#0-120": 1}}), 4)
    0.835
    """

    #: The results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = without("tie-order")
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("eskevich2012new",)
    aliases: ClassVar[tuple[str, ...]] = ("MAiSP",)
    curve_axes: ClassVar[tuple[str, str]] = ("recall", "interpolated precision")

    def compute(self, judged: JudgedTopic) -> Score:
        points, found = interpolated(judged)
        if not points:
            return Score(None)
        if not any(found):
            return Score(0.0)
        return Score((1.0 + math.fsum(found[1:])) / len(points))

    def curve(self, judged: JudgedTopic) -> Curve | None:
        """By share of the relevant seconds."""
        points, found = interpolated(judged)
        last = max(points, default=1) or 1
        return [(p / last, value) for p, value in zip(points, found, strict=True)]

    def resampled_curve(self, judged: JudgedTopic) -> Curve | None:
        points, found = interpolated(judged)
        last = max(points, default=1) or 1
        levels = [i / 100 for i in range(1, 101)]
        return [
            (x, max((v for p, v in zip(points, found, strict=True) if p >= x * last - 1e-9), default=0.0))
            for x in levels
        ]

    def explain(self, judged: JudgedTopic) -> Explanation:
        points, found = interpolated(judged)
        rows = [[str(p), number(v, 6)] for p, v in list(zip(points, found, strict=True))[::10]]
        table = Table("Every tenth recall point", ["relevant seconds", "iSP"], rows, align=">>")
        return self._explanation(judged, table, f"AiSP = {self._value_text(judged)}")


def recall_points(total: int) -> list[int]:
    """Relevant seconds at which precision is read; the rule of the campaign's program."""
    if total <= 100:
        return [*range(total), total]
    step = total // 100 + (total % 100 > 50)
    points = list(range(0, total, step))
    points[-1] += total % 100
    return points


def interpolated(judged: JudgedTopic) -> tuple[list[int], list[float]]:
    """Recall points and iSP at each."""
    pieces = {video: [list(segment) for segment in found] for video, found in relevant(judged, merged=True).items()}
    total = sum(end - start for segments in pieces.values() for start, end in segments)
    if not total:
        return [], []
    points = recall_points(total)
    precision = [0.0] * len(points)
    reached = 1  # nothing is needed for the first point
    spent = got = 0
    for video, start, end in results(judged):
        length, watched = end - start, 0
        for piece in pieces.get(video, ()):
            low, high = piece
            if high < low or not (low <= start <= high or start <= low <= end):
                continue
            entry = max(low, start)
            while reached < len(points) and points[reached] <= got + high - entry:
                moment = spent + watched + (entry - start) + (points[reached] - got)
                precision[reached] = points[reached] / moment if moment else 0.0
                reached += 1
            watched += high - start
            got += high - entry
            start += watched  # as the campaign's program counts
            piece[1] = entry - 1
        spent += max(watched, length)
    best = 0.0
    for i in range(len(points) - 1, -1, -1):
        best = precision[i] = max(best, precision[i])
    return points, precision
