"""spanAP: average precision as detection counts it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from berrypick.core.arrays import BoolArray, FloatArray, IntArray
from berrypick.core.laws import without
from berrypick.core.observed import record
from berrypick.core.parameters import parameter
from berrypick.core.score import Explanation, Score, Table, number
from berrypick.judging.context import JudgingContext
from berrypick.judging.together import SpansTogether
from berrypick.judging.topic import JudgedTopic
from berrypick.measures.base import SHOWN, Measure
from berrypick.measures.spans._iou import ALMOST, length_parameter, of_length, overlaps
from berrypick.measures.spans._pairs import FittingPairs

_RANGE = re.compile(r"(0?\.\d+|1(?:\.0*)?):(0?\.\d+|1(?:\.0*)?)")
STEP = 0.05


def thresholds(iou: Any) -> list[float]:
    """0.5 is one threshold, '0.5:0.95' are ten, in steps of 0.05; nothing if it is neither."""
    if isinstance(iou, str):
        ends = _RANGE.fullmatch(iou.replace(" ", ""))
        low, high = (float(ends[1]), float(ends[2])) if ends else (1.0, 0.0)
        return [round(low + STEP * i, 10) for i in range(int((high - low) / STEP + 1 + 1e-9))] if low > 0 else []
    number_given = isinstance(iou, (int, float)) and not isinstance(iou, bool)
    return [float(iou)] if number_given and 0 < iou <= 1 else []


@dataclass(frozen=True)
class spanAP(Measure):
    """Average precision of a detector: each result takes at most one target, by intersection over union.

    Formula
    -------
    The results in order, y_1, y_2, .. y_n (up to rank k for @k). Each takes, of the targets of its document that are
    not taken yet and whose intersection over union with it is at least iou, the one where it is largest, and is then a
    true one; else it is a false one. With R targets::

        precision(i)  = true ones among the first i results / i
        spanAP@k      = (1/R) sum over true results y_i of max over j >= i of precision(j)

    iou='0.5:0.95' is the mean over the thresholds 0.5, 0.55, .. 0.95. A result that repeats an earlier one is false.
    Where a rank has several regions, each is a result. length='short' keeps the targets that last up to 10 seconds,
    'middle' those up to 30, 'long' those up to 150; the results all stay, so that one that fits a target of another
    length is a false one.

    Meaning
    -------
    Precision made non-increasing from the right, summed over the steps of recall. A second result on a target that is
    taken counts against the list, however well it fits.

    Use
    ---
    Moment retrieval in videos, temporal action detection, and other tasks whose results are to have the borders of
    their targets. spanAP(iou='0.5:0.95')@10, the mean over topics, is mAP of QVHighlights.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No targets; with length=, no targets of that length.

    Example
    -------
    Two targets; the second result takes the first of them, the third one the other: precisions 1/2 and 2/3, of which
    the first is raised to 2/3

    >>> import berrypick as bp
    >>> truth = {"q": {"video#0-10": 1, "video#20-40": 1}}
    >>> run = {"q": {"video#60-70": 3, "video#0-8": 2, "video#20-40": 1}}
    >>> round(bp.score("spanAP", truth, run), 4)
    0.6667

    0.8 of the first target is too little above that threshold, so that only the third result is a true one there

    >>> round(bp.score("spanAP(iou=0.9)", truth, run), 4)
    0.1667

    The first target alone is short, in seconds

    >>> bp.score("spanAP(length='short')", truth, run)
    0.5
    """

    #: A target goes to the first result that fits it: the results of one rank are read in the order of the file.
    laws: ClassVar[tuple[str, ...]] = without("tie-order")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...]] = ("targets",)
    of_areas: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("lei2021qvhighlights", "heilbron2015activitynet")

    iou: float | str = parameter(
        0.5,
        "any",
        "least intersection over union of a result and its target, or '0.5:0.95': the mean over steps of 0.05",
        check=lambda v: bool(thresholds(v)),
        must="a number in (0, 1] or a range such as '0.5:0.95'",
    )
    length: str | None = length_parameter()

    def _taken(self, judged: JudgedTopic, least: float) -> IntArray:
        """The target that each result takes, -1 for a false one."""
        return taken_targets(self._overlaps(judged), least)

    def _overlaps(self, judged: JudgedTopic) -> FloatArray:
        """results x targets, of those that count."""
        found = overlaps(judged) if self.length is None else overlaps(judged)[:, of_length(judged, self.length)]
        return found if self.at is None else found[judged.ranking_spans.rank < self.at]

    def _values(self, judged: JudgedTopic) -> list[float]:
        """At each threshold."""
        count = int(of_length(judged, self.length).sum())
        return [average_precision(self._taken(judged, t) >= 0, count) for t in thresholds(self.iou)]

    def compute(self, judged: JudgedTopic) -> Score:
        if not of_length(judged, self.length).any():
            return Score(None)
        return Score(float(np.mean(self._values(judged))))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def score_together(self, spans: SpansTogether, context: JudgingContext) -> dict[str, Score] | None:
        if self.length is not None:
            return None
        record("targets")
        fitting, levels = FittingPairs.of(spans, min(thresholds(self.iou)) * ALMOST, self.at), thresholds(self.iou)
        found = {}
        for i, (topic, targets) in enumerate(zip(spans.topics, spans.targets.tolist(), strict=True)):
            if not targets:
                found[topic] = Score(None)
            elif fitting.has(i):
                rows, ratio, count = fitting.matrix(i)
                values = [average_precision(_hits(rows, ratio, t, count), targets) for t in levels]
                found[topic] = Score(float(np.mean(values)))
            else:
                found[topic] = Score(0.0)
        return found

    def explain(self, judged: JudgedTopic) -> Explanation:
        ranking, targets = judged.spans
        kept = np.flatnonzero(of_length(judged, self.length))
        if not len(kept):
            return self._explanation(judged, f"Undefined: no target is {self.length}.")
        ratio, levels = self._overlaps(judged), thresholds(self.iou)
        parts: list[Any] = []
        taken = self._taken(judged, levels[0])
        hits = np.cumsum(taken >= 0)
        rows = []
        for row, target in enumerate(taken.tolist()[:SHOWN]):
            name, share = (
                (targets.name(int(kept[target])), number(float(ratio[row, target]))) if target >= 0 else ("-", "")
            )
            rank = f"{int(ranking.rank[row]) + 1} ({ranking.name(row)})"
            rows.append([rank, name, share, number(float(hits[row] / (row + 1)))])
        title = f"The target that each result takes, at an intersection over union of {levels[0]:g}"
        parts.append(Table(title, ["rank", "target", "IoU", "precision"], rows, align="<<>>"))
        if len(levels) > 1:
            each = [[f"{t:g}", number(v, 6)] for t, v in zip(levels, self._values(judged), strict=True)]
            parts.append(Table("At each threshold", ["IoU", "AP"], each))
        return self._explanation(judged, *parts, f"{self} = {self._value_text(judged)}, with {len(kept)} targets")


def taken_targets(ratio: FloatArray, least: float) -> IntArray:
    """For each result, in order, the free target with the largest ratio that is large enough; -1 if there is none."""
    free = ratio * (ratio >= least * ALMOST)
    taken = np.full(len(free), -1, dtype=np.int64)
    for row in np.flatnonzero(free.any(axis=1)).tolist():
        best = int(free[row].argmax())
        if free[row, best] > 0:
            taken[row] = best
            free[:, best] = 0.0
    return taken


def _hits(rows: IntArray, ratio: FloatArray, least: float, count: int) -> BoolArray:
    """Which of the results of a topic take a target, from those that may."""
    hits = np.zeros(count, dtype=bool)
    hits[rows] = taken_targets(ratio, least) >= 0
    return hits


def average_precision(hits: Any, targets: int) -> float:
    """Precision made non-increasing from the right, summed at the hits, over the number of targets."""
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    raised = np.maximum.accumulate(precision[::-1])[::-1]
    return float(raised[hits].sum() / targets)
