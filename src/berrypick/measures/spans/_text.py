"""What the text measures share: retrieved text against relevant text, in ranked order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.boxes import Boxes
from berrypick.data.collection import unknown_length
from berrypick.data.columns import Coded
from berrypick.data.errors import UsageError
from berrypick.data.laws import with_laws
from berrypick.data.observed import once_for_each
from berrypick.data.parameters import parameter
from berrypick.data.run import Ranking
from berrypick.data.score import Curve, CurveColumns, Explanation, Score, Table, nothing_once, number
from berrypick.data.truth import Highlighted
from berrypick.data.words import unit_word
from berrypick.kernels.areas import common_areas, union_area
from berrypick.kernels.intervals import intersections, merge
from berrypick.kernels.relevant_text import Measured, MeasuredText, first_seen_of
from berrypick.measures.base import Measure, TextValue
from berrypick.measures.blocks import SpanBlock
from berrypick.measures.spans.overlap import known_unions
from berrypick.targets.places import first_seen_places
from berrypick.topics.context import JudgingContext
from berrypick.topics.ranked_gains import rows_by_document
from berrypick.topics.topic import JudgedTopic

V = TypeVar("V", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class View:
    """Per pointer: its length, what of it is new, what of that is relevant; and all relevant text."""

    ranking: Ranking
    length: FloatArray
    new: FloatArray
    good: FloatArray
    text: RelevantText
    total: float

    @property
    def relevant(self) -> dict[str, Measured]:
        """Relevant text by document."""
        return self.text.by_name

    def cumulated(self, values: FloatArray) -> FloatArray:
        """Sums up to each rank."""
        ranking = self.ranking
        by_rank = values if ranking.one_per_rank else np.bincount(ranking.rank, values, ranking.ranks)
        sums = np.cumsum(by_rank, dtype=np.float64)
        self._known(float(sums[-1]) if len(sums) else 0.0)
        return sums

    def up_to(self, values: FloatArray, rank: int | float | None) -> float:
        """The sum over the first ranks, or over all."""
        chosen = values if rank is None else values[self.ranking.rank < rank]
        total = float(chosen.sum())
        self._known(total)
        return total

    def _known(self, total: float) -> None:
        """Unknown lengths are nan, and so is everything computed from them."""
        if math.isnan(total):
            row = int(np.flatnonzero(np.isnan(self.length))[0])
            raise unknown_length(self.ranking.documents[int(self.ranking.document[row])])

    def found(self, rank: int | float | None) -> float:
        """Relevant text in the first ranks; added up in seconds it may otherwise end an ulp above all there is."""
        return min(self.up_to(self.good, rank), self.total)


@dataclass(frozen=True, eq=False)
class RelevantText:
    """The relevant text of a topic by document: it does not depend on any run."""

    names: list[str]
    measured: MeasuredText

    @cached_property
    def by_name(self) -> dict[str, Measured]:
        return dict(zip(self.names, self.measured.measured(), strict=True))

    @cached_property
    def total(self) -> float:
        return sum(self.measured.total.tolist())

    @cached_property
    def documents(self) -> int:
        """How many documents hold relevant text."""
        return int((self.measured.total > 0).sum())

    def retrieved(self, ranking: Ranking) -> tuple[IntArray, MeasuredText]:
        """The codes of the documents that a list points into, rising, and their text."""
        codes = ranking.codes_in_order(self.names)
        rising = np.argsort(codes, kind="stable")
        rising = rising[codes[rising] >= 0]
        return codes[rising], self.measured.of_documents(rising)


@lru_cache(maxsize=2048)
def relevant_text_of(text: Highlighted) -> RelevantText:
    documents = Coded.of(text.document)
    return RelevantText(
        list(documents.names), MeasuredText.merged(documents.codes, len(documents.names), text.start, text.end)
    )


@once_for_each
def view_of(judged: JudgedTopic) -> View:
    ranking = judged.ranking_spans
    text = relevant_text_of(judged.relevant_spans)
    assert ranking.start is not None and ranking.end is not None
    if ranking.boxes is not None:
        wanted = judged.relevant_spans
        new, good = first_seen_places(ranking, wanted)
        return View(ranking, ranking.lengths(), new, good, text, _united(wanted))
    known, retrieved = text.retrieved(ranking)
    new, good = first_seen_of(ranking.document, ranking.start, ranking.end, known, retrieved)
    if ranking.start.dtype.kind == "i":  # seconds may be rounded otherwise there
        known_unions[ranking] = float(new.sum())
    length = (ranking.end - ranking.start).astype(np.float64)
    if (unknown := ranking.unknown).any():
        length[unknown] = new[unknown] = np.nan
    if "charge-in-full" in judged.rules:
        new = _charge_in_full(judged, ranking, known[retrieved.total > 0], length, new)
    return View(ranking, length, new, good, text, text.total)


def _united(text: Highlighted) -> float:
    """The area of relevant places, counted once."""
    boxes = Boxes.of([]) if text.boxes is None else text.boxes
    page = np.unique(np.column_stack([Coded.of(text.document).codes, boxes.page]), axis=0, return_inverse=True)[1]
    return union_area(page.reshape(-1), boxes.box)


def without_text(judged: JudgedTopic) -> Score:
    """Nothing is relevant: undefined, but 0 in the official program of INEX 2009 and 2010."""
    return Score(0.0 if "empty-is-zero" in judged.rules else None)


@once_for_each
def unjudged_of(judged: JudgedTopic) -> FloatArray:
    """Per pointer: what of its new text was not judged; nan where its length is unknown."""
    ranking, text = judged.ranking_spans, judged.truth.judged_spans()
    assert ranking.start is not None and ranking.end is not None
    columns = (ranking.document, ranking.start, ranking.end)
    if ranking.boxes is not None:
        new, seen = first_seen_places(ranking, text)
    else:
        new, seen = first_seen_of(*columns, *relevant_text_of(text).retrieved(ranking))
    whole = ranking.codes_in_order(sorted(judged.truth.whole_documents))
    left = np.where(np.isin(ranking.document, whole[whole >= 0]), 0.0, new - seen)
    left[ranking.unknown] = np.nan
    return left


def perhaps_relevant_of(judged: JudgedTopic) -> FloatArray:
    """Per pointer: what of its new text may be relevant although nobody judged it.

    Text that is in none of the documents was not judged either, but is not relevant.
    """
    left, texts = unjudged_of(judged), judged.context.reader.texts
    if texts is None or not texts.unplaced:
        return left
    ranking = judged.ranking_spans
    unplaced = ranking.codes_in_order([*texts.unplaced])
    return np.where(np.isin(ranking.document, unplaced[unplaced >= 0]), 0.0, left)


def _charge_in_full(
    judged: JudgedTopic, ranking: Ranking, relevant: IntArray, length: FloatArray, new: FloatArray
) -> FloatArray:
    """The official program charges articles without relevant text in full each time, and in the thorough task nothing
    for passages of other articles that could not be located."""
    hopeless = ~np.isin(ranking.document, relevant)
    cost = np.where(hopeless, length, new)
    if judged.task == "thorough" and ranking.start is not None:
        cost[(ranking.start < 0) & ~hopeless] = 0.0
    return cost


@lru_cache(maxsize=64)
def _ranks(count: int) -> tuple[int, ...]:
    """The places of a curve by rank, which many curves share."""
    return tuple(range(1, count + 1))


def of_arrays(value: V) -> V:
    """Mark a value of lengths that is worked out of arrays of them as it is of numbers."""
    value.of_arrays = True  # type: ignore[attr-defined]
    return value


@dataclass(frozen=True)
class TextMeasure(Measure):
    """Measures of the first k results as one text."""

    laws: ClassVar[tuple[str, ...]] = with_laws("split-span")
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    depends_on: ClassVar[tuple[str, ...] | None] = ("text",)
    references: ClassVar[tuple[str, ...]] = ("pehcevski2006hixeval",)
    of_areas: ClassVar[bool] = True

    counts_unjudged: ClassVar[bool] = True

    #: Whether the value depends on how much is retrieved, relevant or not.
    charges: ClassVar[bool] = True

    counted: str | None = parameter(
        None,
        "once|each|pairs",
        "each: results and targets that overlap count each time, as chunking_evaluation does; pairs: what every result "
        "and target have in common is added up, as legalbenchrag does",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.counted == "pairs" and not self.by_pairs:
            raise UsageError(f"{self.name()} has no counted='pairs': no program defines it so")

    def above_one(self) -> str:
        several = "what several results or targets contain counts several times"
        return several if self.counted == "pairs" else self.why_above_one

    #: Whether the program that counts every pair of result and target has it.
    by_pairs: ClassVar[bool] = True

    def for_rules(self, rules: frozenset[str]) -> TextMeasure:
        """chunking_evaluation adds up lengths, whatever overlaps; legalbenchrag adds up what pairs have in common."""
        if "count-each" in rules and self.counted is None:
            return replace(self, counted="each")
        if "count-pairs" in rules and self.counted is None and self.by_pairs:
            return replace(self, counted="pairs")
        return self

    def used_values(self) -> dict[str, Any]:
        return super().used_values() | {"counted": self.counted or "once"}

    def counts_repeats(self) -> bool:
        return self.counted in ("each", "pairs")

    def text_value(self) -> TextValue | None:
        return None if self.counts_repeats() else self.value

    def added_up(self, judged: JudgedTopic) -> float:
        """The value with lengths added up, text that occurs twice counted twice."""
        found = (count_pairs if self.counted == "pairs" else count_each)(judged, self.at)
        return self.value(found.retrieved, found.relevant, found.wanted)

    def value(self, retrieved: float, relevant: float, total: float) -> float:
        """From the lengths of what was retrieved, of what of it is relevant, and of all that is relevant."""
        raise NotImplementedError

    def compute(self, judged: JudgedTopic) -> Score:
        view = view_of(judged)
        if view.total <= 0:
            return Score(None)
        once = Score(self.value(self._retrieved(view), *self._relevant(judged, view)))
        if self.counted in (None, "once"):
            return once
        value = self.added_up(judged)
        differs = self.counted == "pairs" and abs(value - (once.value or 0.0)) > 1e-9
        return Score(value, notes=(PAIRS_NOTE,) if differs else ())

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> dict[str, Score] | None:
        if self.counted not in (None, "once") or context.unjudged != "irrelevant":
            return None
        new, good = spans.read[:2]
        relevant = np.minimum(spans.sums(good, self.at), spans.total).tolist()
        retrieved = spans.sums(new, self.at).tolist() if self.charges else [0.0] * len(relevant)
        states = zip(spans.targets.tolist(), spans.answered.tolist(), spans.total.tolist(), strict=True)
        found = {}
        for topic, (targets, answered, total), a, b in zip(spans.topics, states, retrieved, relevant, strict=True):
            if not targets:
                found[topic] = Score(None)
            elif not answered:
                found[topic] = Score(self.value(0.0, 0.0, 1.0))  # whatever there is, none of it
            else:
                found[topic] = Score(self.value(a, b, total) if total > 0 else None)
        return found

    def curves_of_block(
        self, spans: SpanBlock, context: JudgingContext, found: Mapping[str, Score]
    ) -> dict[str, tuple[Curve | None, Curve | None]]:
        heights = self._heights(spans)
        curves: dict[str, tuple[Curve | None, Curve | None]] = {}
        places = zip(
            spans.topics, spans.targets.tolist(), spans.total.tolist(), pairwise(spans.bounds.tolist()), strict=True
        )
        for topic, targets, total, (a, b) in places:
            value, curve = found[topic].value, None
            if targets and a == b and not value:
                curve = self.missing_topic_curve()
            elif targets and total > 0:
                curve = CurveColumns(_ranks(b - a), heights[a:b])
            curves[topic] = curve, None if value is None else curve
        return curves

    def _heights(self, spans: SpanBlock) -> FloatArray:
        """The value after each row; it changes only where the lengths that it is made of change."""
        first, topic = spans.bounds[:-1][spans.topic], spans.topic
        read, found = (np.append(0.0, np.cumsum(values)) for values in spans.read[:2])  # whole numbers: exact
        total = spans.total[topic]
        relevant = np.minimum(found[1:] - found[first], total)
        retrieved = read[1:] - read[first] if self.charges else np.zeros(len(topic))
        columns = np.stack([topic, retrieved, relevant])
        changes = np.flatnonzero(np.append(True, (columns[:, 1:] != columns[:, :-1]).any(axis=0))[: len(topic)])
        lengths = zip(*(column[changes].tolist() for column in (retrieved, relevant, total)), strict=True)
        values = [self.value(a, b, all_) if all_ > 0 else 0.0 for a, b, all_ in lengths]
        kind = np.float64 if all(type(value) is float for value in values) else object  # 1 stays 1
        return np.repeat(np.array(values, dtype=kind), np.diff(np.append(changes, len(topic))))

    def _relevant(self, judged: JudgedTopic, view: View) -> tuple[float, float]:
        """Relevant text of the first ranks, and all that is relevant."""
        found, total = view.found(self.at), view.total
        if judged.context.unjudged == "irrelevant":
            return found, total
        unknown = view.up_to(perhaps_relevant_of(judged), self.at)
        return found + unknown, total + unknown

    def _retrieved(self, view: View) -> float:
        return view.up_to(view.new, self.at) if self.charges else 0.0

    def curve(self, judged: JudgedTopic) -> Curve | None:
        view = view_of(judged)
        if view.total <= 0:
            return None
        if self.counted not in (None, "once"):
            return [(k, replace(self, at=k).added_up(judged)) for k in range(1, view.ranking.ranks + 1)]
        relevant = np.minimum(view.cumulated(view.good), view.total)
        retrieved = view.cumulated(view.new) if self.charges else np.zeros(len(relevant))
        unknown = np.zeros(len(relevant))
        if judged.context.unjudged == "relevant":
            unknown = view.cumulated(perhaps_relevant_of(judged))
        return [
            (k, self.value(a, b + u, float(view.total + u)))
            for k, (a, b, u) in enumerate(
                zip(retrieved.tolist(), relevant.tolist(), unknown.tolist(), strict=True), start=1
            )
        ]

    def _explain_pairs(self, judged: JudgedTopic) -> Explanation:
        found = count_pairs(judged, self.at)
        once = replace(self, counted="once")
        rows = [
            ["lengths of results, added up", number(found.retrieved)],
            [f"common {judged.material} of each result and each target, added up", number(found.relevant)],
            ["lengths of targets, added up", number(found.wanted)],
            [str(self), self._value_text(judged)],
            [f"{once}, for comparison", once._value_text(judged)],
        ]
        return self._explanation_by(judged, "As legalbenchrag counts", rows)

    def _explain_summed(self, judged: JudgedTopic) -> Explanation:
        found = count_each(judged, self.at)
        rows = [
            ["lengths of results, added up", number(found.retrieved)],
            [f"relevant {judged.material} in them, once", number(found.relevant)],
            ["lengths of targets, added up", number(found.wanted)],
            ["of each target not found, added up", number(found.unused)],
            [str(self), self._value_text(judged)],
        ]
        return self._explanation_by(judged, "As chunking_evaluation counts", rows)

    def explain(self, judged: JudgedTopic) -> Explanation:
        view = view_of(judged)
        if view.total <= 0:
            return self._explanation(judged, f"Undefined: no {judged.material} is relevant.")
        if self.counts_repeats():
            return self._explain_pairs(judged) if self.counted == "pairs" else self._explain_summed(judged)
        retrieved, (relevant, total) = self._retrieved(view), self._relevant(judged, view)
        read = view.up_to(np.nan_to_num(view.new), self.at)
        unjudged = relevant - view.found(self.at)
        rows = [
            [f"retrieved, each {unit_word(judged.context.reader.line_unit)} once", number(read)],
            *([["of it unjudged, which counts as relevant", number(unjudged)]] if unjudged else []),
            ["of it relevant", number(relevant)],
            ["relevant in all", number(total)],
            [str(self), number(self.value(retrieved, relevant, total), 6)],
        ]
        return self._explanation_by(judged, f"{judged.material.capitalize()} of the first results together", rows)

    def _explanation_by(self, judged: JudgedTopic, title: str, rows: list[list[str]]) -> Explanation:
        return self._explanation(judged, text_table(view_of(judged)), Table(title, ["quantity", "value"], rows))


#: On values that differ from those of text counted once.
PAIRS_NOTE = (
    "what several results or targets contain counts several times, as the programs of legalbenchrag and FEVER do; "
    "counted='once' does not"
)


def count_pairs(judged: JudgedTopic, at: float | int | None) -> TextCounts:
    """The common text of every result and every target, added up; results that repeat others included."""
    ranking, text = judged.read_regions, judged.relevant_spans
    chosen = ranking if at is None else ranking.rows(ranking.rank < at)
    assert chosen.start is not None and chosen.end is not None
    common = 0.0
    for rows, targets in _in_common(chosen, text):
        common += float(_common(chosen, rows, text, targets).sum())
    retrieved = view_of(judged)
    return TextCounts(common, retrieved.up_to(retrieved.length, at), _added_up(text), 0.0)


def _common(ranking: Ranking, rows: IntArray, text: Highlighted, targets: list[int]) -> FloatArray:
    """What each result and each target of a document have in common."""
    assert ranking.start is not None and ranking.end is not None
    if ranking.boxes is None or text.boxes is None:
        return intersections(ranking.start[rows], ranking.end[rows], text.start[targets], text.end[targets])
    row, target = np.repeat(rows, len(targets)), np.tile(np.asarray(targets), len(rows))
    one, other = ranking.boxes[row], text.boxes[target]
    return np.where(one.page == other.page, common_areas(one.box, other.box), 0.0)


def _added_up(text: Highlighted) -> float:
    return float((text.end - text.start).sum() if text.boxes is None else text.boxes.areas.sum())


@dataclass(frozen=True)
class TextCounts:
    """The quantities of chunking_evaluation: relevant text found (once), lengths of results and of targets added up,
    and what of each target was not found, added up."""

    relevant: float
    retrieved: float
    wanted: float
    unused: float


def count_each(judged: JudgedTopic, at: float | int | None) -> TextCounts:
    """Overlapping results and overlapping targets are counted as often as they occur."""
    view, text = view_of(judged), judged.relevant_spans
    if text.boxes is not None:
        raise UsageError("counted='each' is chunking_evaluation's, which has no pages: use counted='pairs'")
    chosen = view.ranking if at is None else view.ranking.rows(view.ranking.rank < at)
    assert chosen.start is not None and chosen.end is not None
    wanted = float((text.end - text.start).sum())
    unused = wanted
    for rows, targets in _in_common(chosen, text):
        low, high = merge(chosen.start[rows], chosen.end[rows])
        unused -= float(intersections(low, high, text.start[targets], text.end[targets]).sum())
    return TextCounts(view.found(at), view.up_to(view.length, at), wanted, unused)


def _in_common(ranking: Ranking, text: Highlighted) -> Iterator[tuple[IntArray, list[int]]]:
    """Of each document that has both: rows of the list, and targets."""
    targets = rows_by_document(text.document)
    for document, rows in ranking.rows_by_document.items():
        if document in targets:
            yield rows, targets[document]


def text_table(view: View, most: int = 30) -> Table:
    """Which result brought which text, and what of it had been seen."""
    found, read = view.cumulated(view.good), view.cumulated(np.nan_to_num(view.new))
    missing = view.cumulated(np.isnan(view.new).astype(np.float64))
    rows = []
    shown = range(min(len(view.ranking), most))
    because = nothing_once([_why(view, row) for row in shown], [int(view.ranking.rank[row]) + 1 for row in shown])
    for row in shown:
        k = int(view.ranking.rank[row])
        rows.append(
            [
                f"{k + 1} ({view.ranking.name(row)})",
                _length(view.length[row]),
                _length(view.new[row]),
                number(float(view.good[row])),
                _length(np.nan if missing[k] else found[k] / read[k] if read[k] else 0.0),
                number(float(found[k] / view.total) if view.total else 0.0),
                because[row],
            ]
        )
    head = ["rank", "length", "new", "relevant", "precision", "recall", "because"]
    return Table("What each result adds", head, rows, align="<>>>>><")


def _length(value: float) -> str:
    return "unknown" if math.isnan(value) else number(float(value))


def _why(view: View, row: int) -> str:
    repeated = view.ranking.repeated
    if repeated is not None and repeated[row]:
        return "a repeat of an earlier result"
    if view.new[row] == 0 and view.length[row] > 0:
        return "all of it was retrieved before"
    if view.new[row] < view.length[row]:
        return "part of it was retrieved before"
    return "" if view.good[row] else _how_far(view, row)


def _how_far(view: View, row: int) -> str:
    """Where the nearest relevant text of the document is, for a result that holds none of it."""
    ranking = view.ranking
    text = view.relevant.get(ranking.documents[int(ranking.document[row])])
    if text is None or not len(text.start):
        return "nothing relevant in its document"
    if ranking.boxes is not None or ranking.start is None or ranking.end is None or math.isnan(view.length[row]):
        return "nothing relevant in it"
    before, after = text.start - ranking.end[row], ranking.start[row] - text.end
    gap = np.maximum(before, after)
    nearest = int(gap.argmin())
    side = "before" if before[nearest] >= after[nearest] else "after"
    distance = number(float(max(gap[nearest], 0)))
    return f"{distance} {side} the nearest relevant text"


@dataclass(frozen=True)
class Article:
    """The results of one document: which rows, in ranked order."""

    document: str
    rows: IntArray


def articles(ranking: Ranking) -> list[Article]:
    """Documents in the order in which the list first points into them."""
    groups = ranking.grouped
    order = np.argsort(groups.first(), kind="stable").tolist()
    return [Article(ranking.documents[int(groups.code[i])], groups.rows(i)) for i in order]
