"""What the measures for retrieved chunks share: when a target is covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import UsageError
from berrypick.data.observed import once_for_each, record
from berrypick.data.parameters import positive_share
from berrypick.data.run import Ranking
from berrypick.data.score import Explanation, Score, Table, number
from berrypick.data.truth import Targets
from berrypick.kernels.relevant_text import newly_covered
from berrypick.measures._matched_places import iou_parameter, matched_at, matched_in_block, nothing_to_match
from berrypick.measures.base import Measure
from berrypick.measures.blocks import SpanBlock
from berrypick.measures.spans._pairs import covered_in_block
from berrypick.targets.in_common import meetings
from berrypick.targets.places import common_places, covered_places
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class SpanMeasure(Measure):
    """Measures that ask at which rank a target has been found: covered to a share, or matched by one result."""

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...] | None] = ("targets",)
    of_areas: ClassVar[bool] = True

    share: float | None = positive_share(
        None, "minimum share of a target that the results so far must cover together (0.5, unless iou is given)"
    )
    iou: float | None = iou_parameter()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.share is not None and self.iou is not None:
            raise UsageError(f"{self.name()} takes share= or iou=, not both")

    def parameter_values(self) -> dict[str, Any]:
        values = super().parameter_values()
        return values if self.iou is not None else {"share": self.least_share, **values}

    @property
    def least_share(self) -> float:
        """The share that a target needs where nothing else is said."""
        return 0.5 if self.share is None else float(self.share)

    def ranks(self, judged: JudgedTopic) -> FloatArray:
        """The rank, from 1, at which each target is found; infinite if it never is, or after the cut-off."""
        found = covered_at(judged, self.least_share) if self.iou is None else matched_at(judged, float(self.iou))
        return found if self.at is None else np.where(found <= self.at, found, np.inf)

    def empty_topic_score(self, judged: JudgedTopic) -> Score:
        return nothing_to_match(judged)

    def topic_value(self, ranks: FloatArray, grade: FloatArray) -> float:
        """Return the value from the ranks at which targets are found, and their grades; for measures that have it."""
        raise NotImplementedError

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        if type(self).topic_value is SpanMeasure.topic_value or not spans.few_pairs:
            return None
        record("targets")
        if self.iou is None:
            ranks = covered_in_block(spans, self.least_share)
        else:
            ranks = matched_in_block(spans, float(self.iou))
        if self.at is not None:
            ranks = np.where(ranks <= self.at, ranks, np.inf)
        grade, places = spans.wanted.grade, zip(spans.topics, spans.target_bounds, strict=True)
        return {topic: Score(self.topic_value(ranks[a:b], grade[a:b]) if b > a else None) for topic, (a, b) in places}

    def table(self, judged: JudgedTopic) -> Table:
        ranking, targets = judged.spans
        names = ranking.names_by_rank()
        rows = []
        for x, rank in list(enumerate(self.ranks(judged).tolist()))[:30]:
            when = f"{rank:.0f} ({names[int(rank) - 1]})" if np.isfinite(rank) else "never"
            rows.append([targets.name(x), number(float(targets.grade[x])), when])
        title = f"When {self.least_share:.0%} of each target has been retrieved"
        if self.iou is not None:
            least = "above" if "iou-above" in judged.rules else "at least"
            title = f"The first result whose intersection over union with each target is {least} {self.iou:g}"
        return Table(title, ["target", "grade", "at rank"], rows, align="<><")

    def explain(self, judged: JudgedTopic) -> Explanation:
        return self._explanation(judged, self.table(judged), f"{self} = {self._value_text(judged)}")


@once_for_each
def covered_at(judged: JudgedTopic, share: float) -> FloatArray:
    """The rank, from 1, by which the results together cover a share of each target; infinite if never."""
    ranking, targets = judged.spans
    if ranking.boxes is not None and targets.boxes is not None:
        return _places_covered(ranking, targets, share)
    found = np.full(len(targets), np.inf)
    rows_by_document = ranking.rows_by_document
    for document, indices in targets.by_document().items():
        rows = rows_by_document.get(document)
        if rows is not None:
            found[indices] = _covered_in(ranking, rows, targets, indices, share)
    return found


def _covered_in(ranking: Ranking, rows: IntArray, targets: Targets, indices: IntArray, share: float) -> FloatArray:
    """One document: text that was there before covers nothing more."""
    assert targets.start is not None and targets.end is not None
    start, end = targets.start[indices], targets.end[indices]
    wanted = np.where(end > start, share * (end - start) * (1 - 1e-9), 0.5)  # a point is there or not
    have = np.zeros(len(indices))
    found = np.full(len(indices), np.inf)
    for row, new in newly_covered(ranking, rows, start, end):
        have += new
        found[(have >= wanted) & ~np.isfinite(found)] = ranking.rank[row] + 1
    return found


def _places_covered(ranking: Ranking, targets: Targets, share: float) -> FloatArray:
    """The rank by which results cover a share of each place on a page, some targets after the others."""
    assert targets.boxes is not None
    found = np.full(len(targets), np.inf)
    for target, row in meetings(ranking, targets, by_target=True).blocks():
        meets = common_places(ranking, row, targets, target) > 0
        target, row = target[meets], row[meets]
        of, group = np.unique(target, return_inverse=True)
        have = covered_places(ranking, row, targets, of, group)
        wanted = (share * targets.boxes.areas * (1 - 1e-9))[target]
        enough = sums_within(group, have) >= wanted
        np.minimum.at(found, target[enough], ranking.rank[row[enough]] + 1.0)
    return found


def sums_within(group: IntArray, values: FloatArray) -> FloatArray:
    """Sums from the first to each of a group, whose values are neighbours; each group is added up for itself."""
    heads = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    return np.concatenate([np.zeros(0), *(np.cumsum(part) for part in np.split(values, heads[1:]))])
