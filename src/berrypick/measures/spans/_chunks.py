"""What the measures for retrieved chunks share: when a target is covered, and how much of the answer has been read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray, Positions
from berrypick.core.errors import NeedsError, UsageError, option
from berrypick.core.observed import once_for_each, record
from berrypick.core.parameters import positive_share
from berrypick.core.run import Ranking
from berrypick.core.score import Explanation, Score, Table, number
from berrypick.core.truth import Targets
from berrypick.documents.token_offsets import TokenOffsets
from berrypick.documents.tokens import token_costs
from berrypick.judging.context import JudgingContext
from berrypick.judging.together import SpansTogether
from berrypick.judging.topic import JudgedTopic
from berrypick.kernels.intervals import intersections
from berrypick.kernels.relevant_text import unseen_parts
from berrypick.measures.base import Measure
from berrypick.measures.spans._iou import iou_parameter, matched_at, nothing_to_match
from berrypick.measures.spans._pairs import covered_together, matched_together
from berrypick.measures.spans._text import view_of
from berrypick.relevance.in_common import meetings
from berrypick.relevance.places import common_places, covered_places, read_in_order

# --- targets found --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SpanMeasure(Measure):
    """Measures that ask at which rank a target has been found: covered to a share, or matched by one result."""

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...]] = ("targets",)
    of_areas: ClassVar[bool] = True

    share: float | None = positive_share(
        None, "least share of a target that the results so far must cover together (0.5, unless iou is given)"
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

    def score_together(self, spans: SpansTogether, context: JudgingContext) -> dict[str, Score] | None:
        if type(self).topic_value is SpanMeasure.topic_value:
            return None
        record("targets")
        if self.iou is None:
            ranks = covered_together(spans, self.least_share)
        else:
            ranks = matched_together(spans, float(self.iou))
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


def newly_covered(
    ranking: Ranking, rows: IntArray, start: Positions, end: Positions
) -> Iterator[tuple[int, FloatArray]]:
    """Each row of one document, and the length that it is the first to cover of each target; 1 of an entry point."""
    assert ranking.start is not None and ranking.end is not None
    seen: tuple[list[float], list[float]] = ([], [])
    for row in rows.tolist():
        pieces = unseen_parts(ranking.start[row].item(), ranking.end[row].item(), *seen)
        if pieces:
            low, high = np.array([a for a, _ in pieces]), np.array([b for _, b in pieces])
            points = ((low[:, None] <= start) & (start < high[:, None]) & (start == end)).sum(axis=0)
            yield row, intersections(low, high, start, end).sum(axis=0) + points


# --- the answer against reading ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Reading:
    """The corners of the curve: effort spent, and the share of the relevant text seen by then."""

    effort: FloatArray
    seen: FloatArray
    cost: FloatArray  # of each pointer
    found: FloatArray  # how much of the answer each pointer shows for the first time, as a share
    unit: str
    tokenizer: str = ""

    def at(self, effort: FloatArray) -> FloatArray:
        """The share seen after so much effort; the curve stays where it is after the end of the list."""
        last = np.searchsorted(self.effort, effort, side="right") - 1  # of corners at one place, the last
        following = np.minimum(last + 1, len(self.effort) - 1)
        width = self.effort[following] - self.effort[last]
        part = np.where(width > 0, (effort - self.effort[last]) / np.where(width > 0, width, 1.0), 0.0)
        return np.asarray(self.seen[last] + part * (self.seen[following] - self.seen[last]), dtype=np.float64)

    def area(self, budget: float) -> float:
        """The area under the curve up to a budget, divided by the budget."""
        within = self.effort <= budget  # also where the curve rises at the budget itself: no width, no area
        x = np.append(self.effort[within], budget)
        y = np.append(self.seen[within], self.at(np.array([budget])))
        return float(((x[1:] - x[:-1]) * (y[1:] + y[:-1])).sum() / 2 / budget)


def effort_for(effort: FloatArray, seen: FloatArray, share: float) -> float | None:
    """Where a rising, piecewise straight curve first reaches a share."""
    wanted = share * (1 - 1e-9)
    reached = np.flatnonzero(seen >= wanted)
    if not len(reached):
        return None
    k = int(reached[0])
    if k == 0 or seen[k] == seen[k - 1]:
        return float(effort[k])
    part = (wanted - seen[k - 1]) / (seen[k] - seen[k - 1])
    return float(effort[k - 1] + part * (effort[k] - effort[k - 1]))


@once_for_each
def reading_of(judged: JudgedTopic, unit: str | None) -> Reading:
    """Read what the reader gets with each result from first to last, each time from its start to its end.

    Text that was read before costs again and shows nothing new. The unit is tokens where the texts are known and
    nothing else is asked for.
    """
    if judged.ranking_spans.boxes is not None:
        return _pages_read(judged, unit)
    if unit == "chars" and judged.context.reader.line_unit == "lines":
        raise UsageError("positions count lines, not characters: leave effort out")
    tokens = tokens_read(judged, unit)
    view = view_of(judged)
    ranking, total = judged.read_regions, view.total
    assert ranking.start is not None and ranking.end is not None
    cost = reading_costs(ranking, tokens)
    spent = np.cumsum(cost)  # after each result
    effort, seen = [np.zeros(1)], [np.zeros(1)]
    have, done = 0.0, 0
    found = np.zeros(len(ranking))
    read: dict[int, tuple[list[float], list[float]]] = {}
    relevant = {code: view.relevant[name] for name, code in ranking.codes_of(view.relevant).items()}
    for row in np.flatnonzero(np.isin(ranking.document, list(relevant))).tolist():
        effort.append(spent[done:row])  # the results in between show nothing
        seen.append(np.full(row - done, have))
        code, before = int(ranking.document[row]), have
        start, end, done = ranking.start[row].item(), ranking.end[row].item(), row
        for low, high in unseen_parts(start, end, *read.setdefault(code, ([], []))):
            for a, b in common_parts(relevant[code].start, relevant[code].end, low, high):
                places = _corners(tokens, ranking.documents[code], a, b)
                to_here = cost_to(tokens, ranking.documents[code], start, places)
                effort.append((spent[row - 1] if row else 0.0) + to_here)
                seen.append(have + places - a)
                have += b - a
        found[row] = have - before
    effort.append(spent[done:])
    seen.append(np.full(len(spent) - done, have))
    unit_name = "tokens" if tokens is not None else _unit_name(judged)
    share = np.minimum(np.concatenate(seen) / total, 1.0)
    tokenizer = tokens.name if tokens is not None else ""
    return Reading(np.maximum.accumulate(np.concatenate(effort)), share, cost, found / total, unit_name, tokenizer)


def _pages_read(judged: JudgedTopic, unit: str | None) -> Reading:
    """Boxes are read from top to bottom and left to right."""
    if unit not in (None, "pages"):
        raise UsageError(f"places on pages are read in pages, not in {unit}: leave effort out")
    view, ranking = view_of(judged), judged.read_regions
    assert ranking.boxes is not None
    row, area, new = read_in_order(ranking, judged.relevant_spans)
    effort, seen = np.append(0.0, np.cumsum(area)), np.append(0.0, np.cumsum(new))
    cost, found = (np.bincount(row, values, len(ranking)).astype(np.float64) for values in (area, new))
    share = np.minimum(seen / view.total, 1.0)
    return Reading(effort, share, cost, found / view.total, "pages" if ranking.boxes.shares else "area")


def _unit_name(judged: JudgedTopic) -> str:
    units = (judged.effort_unit, judged.context.reader.line_unit)
    return next((unit for unit in ("seconds", "lines") if unit in units), "chars")


def tokens_read(judged: JudgedTopic, unit: str | None) -> TokenOffsets | None:
    """Tokens if that is the unit, or if there is no unit and they can be counted."""
    unit = unit or (judged.effort_unit if judged.effort_unit != "rank" else None)
    if unit == "tokens" and judged.tokens is None:
        raise NeedsError(f"counts tokens and needs the texts of the documents: give them with {option('documents')}")
    return judged.tokens if unit in (None, "tokens") else None


def reading_costs(ranking: Ranking, tokens: TokenOffsets | None) -> FloatArray:
    """What reading each result costs, in tokens or in what positions count."""
    assert ranking.start is not None and ranking.end is not None
    return ranking.lengths() if tokens is None else token_costs(tokens, ranking, ranking.start, ranking.end)


def cost_to(tokens: TokenOffsets | None, document: str, start: float, places: FloatArray) -> FloatArray:
    """What reading from a start to each place costs."""
    return places - start if tokens is None else tokens.between(document, np.full(len(places), start), places)


def _corners(tokens: TokenOffsets | None, document: str, start: float, end: float) -> FloatArray:
    """Where the curve may bend within a relevant stretch: at its ends, and at the ends of tokens."""
    inside = np.zeros(0) if tokens is None else tokens.inside(document, start, end)
    return np.concatenate([[start], inside, [end]]).astype(np.float64)


def common_parts(start: Positions, end: Positions, low: float, high: float) -> list[tuple[float, float]]:
    """The parts of [low, high) in disjoint stretches, in order."""
    first, last = int(np.searchsorted(end, low, side="right")), int(np.searchsorted(start, high, side="left"))
    pairs = zip(start[first:last].tolist(), end[first:last].tolist(), strict=True)
    return [(max(a, low), min(b, high)) for a, b in pairs]
