"""spanAP: average precision as detection counts it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.laws import without
from berrypick.data.observed import record
from berrypick.data.parameters import parameter
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.measures._matched_places import ALMOST, Ratios, fitting_pairs, length_parameter, of_length, overlaps
from berrypick.measures.base import SHOWN, Measure
from berrypick.measures.blocks import SpanBlock
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic

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
    depends_on: ClassVar[tuple[str, ...] | None] = ("targets",)
    of_areas: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("lei2021qvhighlights", "heilbron2015activitynet")
    scored_in_blocks: ClassVar[bool] = True

    iou: float | str = parameter(
        0.5,
        "any",
        "minimum intersection over union of a result and its target, or '0.5:0.95': the mean over steps of 0.05",
        check=lambda v: bool(thresholds(v)),
        must="a number in (0, 1] or a range such as '0.5:0.95'",
    )
    length: str | None = length_parameter()

    def _taken(self, judged: JudgedTopic) -> list[_Taken]:
        """What each result that counts takes, at each threshold."""
        rank = judged.ranking_spans.rank
        rows = len(rank) if self.at is None else int(np.searchsorted(rank, self.at))
        free = of_length(judged, self.length)
        return taken_targets(overlaps(judged).blocks(), rows, free, thresholds(self.iou))

    def _values(self, judged: JudgedTopic) -> list[float]:
        """At each threshold."""
        count = int(of_length(judged, self.length).sum())
        return [average_precision(taken.target >= 0, count) for taken in self._taken(judged)]

    def compute(self, judged: JudgedTopic) -> Score:
        if not of_length(judged, self.length).any():
            return Score(None)
        return Score(float(np.mean(self._values(judged))))

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return self.compute(judged)

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        if self.length is not None or not spans.few_pairs:
            return None
        record("targets")
        levels = thresholds(self.iou)
        pairs, counts = fitting_pairs(spans, min(levels) * ALMOST, self.at)
        free = np.ones(len(spans.wanted.start), dtype=bool)
        taken = [one.target >= 0 for one in taken_targets([pairs], len(spans.rank), free, levels)]
        found = {}
        sizes = zip(spans.topics, spans.bounds[:-1].tolist(), counts, spans.targets.tolist(), strict=True)
        for topic, first, count, targets in sizes:
            hits = [one[first : first + count] for one in taken]
            values = [average_precision(one, targets) if one.any() else 0.0 for one in hits]
            found[topic] = Score(float(np.mean(values)) if targets else None)
        return found

    def explain(self, judged: JudgedTopic) -> Explanation:
        ranking, targets = judged.spans
        kept = np.flatnonzero(of_length(judged, self.length))
        if not len(kept):
            return self._explanation(judged, f"Undefined: no target is {self.length}.")
        levels = thresholds(self.iou)
        parts: list[Any] = []
        taken = self._taken(judged)[0]
        hits = np.cumsum(taken.target >= 0)
        rows = []
        for row, target in enumerate(taken.target.tolist()[:SHOWN]):
            name, share = (targets.name(target), number(float(taken.ratio[row]))) if target >= 0 else ("-", "")
            rank = f"{int(ranking.rank[row]) + 1} ({ranking.name(row)})"
            rows.append([rank, name, share, number(float(hits[row] / (row + 1)))])
        title = f"The target that each result takes, at an intersection over union of {levels[0]:g}"
        parts.append(Table(title, ["rank", "target", "IoU", "precision"], rows, align="<<>>"))
        if len(levels) > 1:
            each = [[f"{t:g}", number(v, 6)] for t, v in zip(levels, self._values(judged), strict=True)]
            parts.append(Table("At each threshold", ["IoU", "AP"], each))
        return self._explanation(judged, *parts, f"{self} = {self._value_text(judged)}, with {len(kept)} targets")


class _Taken(NamedTuple):
    """The target that each result takes, -1 for a false one, and their intersection over union."""

    target: IntArray
    ratio: FloatArray


def taken_targets(pairs: Iterable[Ratios], rows: int, free: BoolArray, least: list[float]) -> list[_Taken]:
    """For each of the first rows, in order, the free target with the largest ratio that is large enough.

    At several thresholds, each for itself; of equal ratios, the first target. ``pairs`` come by row.
    """
    found = [_Taken(np.full(rows, -1, dtype=np.int64), np.zeros(rows)) for _ in least]
    left = [free.copy() for _ in least]
    for row, target, ratio in pairs:
        counts = (ratio >= min(least) * ALMOST) & (row < rows)
        row, target, ratio = row[counts], target[counts], ratio[counts]
        order = np.lexsort((target, -ratio, row))
        row, target, ratio = row[order], target[order], ratio[order]
        heads = np.flatnonzero(np.append(True, row[1:] != row[:-1])[: len(row)]).tolist()
        for taken, open_, threshold in zip(found, left, least, strict=True):
            enough = ratio >= threshold * ALMOST
            for a, b in pairwise([*heads, len(row)]):
                fits = open_[target[a:b]] & enough[a:b]
                best = a + int(fits.argmax())
                if fits[best - a]:
                    taken.target[row[a]], taken.ratio[row[a]] = target[best], ratio[best]
                    open_[target[best]] = False
    return found


def average_precision(hits: Any, targets: int) -> float:
    """Precision made non-increasing from the right, summed at the hits, over the number of targets."""
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    raised = np.maximum.accumulate(precision[::-1])[::-1]
    return float(raised[hits].sum() / targets)
