"""What is kept of a run that has been scored: its numbers, and what signatures, notes and facts need."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.results import ALL, Note, Row, RunFacts, TopicGroups, mean
from berrypick.data.score import Curve, CurvesWanted, Score, Scores, at_same_places
from berrypick.data.signature import Signature
from berrypick.data.sums import TruthSums
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.signature import sign
from berrypick.measures import Measure


@dataclass
class TopicScores:
    """What was found for some topics of a run: values by measure and topic, and counts for notes."""

    found: dict[str, Scores] = field(default_factory=dict)
    curves: dict[tuple[str, str], Curve | None] = field(default_factory=dict)
    resampled: dict[tuple[str, str], Curve | None] = field(default_factory=dict)
    repeats: int = 0
    #: By topic, how much of the retrieved text was retrieved before.
    overlap: dict[str, float] = field(default_factory=dict)
    user_notes: dict[str, int] = field(default_factory=dict)
    #: By measure and topic, a value for each reader drawn from a fitted user model; nan where it is undefined.
    drawn: dict[tuple[str, str], FloatArray] = field(default_factory=dict)

    def add(self, measure: str, found: Mapping[str, Score]) -> None:
        """Add what a measure found for some topics."""
        scores = self.found.setdefault(measure, Scores())
        for topic in found if scores.more else ():
            scores.more.pop(topic, None)
        if isinstance(found, Scores):
            scores.numbers.update(found.numbers)
            scores.more.update(found.more)
            return
        for topic, score in found.items():
            scores.numbers[topic] = score.value
            if score.notes or score.signed or score.beside:
                scores.more[topic] = score

    def merge(self, other: TopicScores) -> None:
        """Add what another process found."""
        for measure, found in other.found.items():
            self.add(measure, found)
        self.curves.update(other.curves)
        self.resampled.update(other.resampled)
        self.drawn.update(other.drawn)
        self.repeats += other.repeats
        self.overlap.update(other.overlap)
        for note, count in other.user_notes.items():
            self.user_notes[note] = self.user_notes.get(note, 0) + count


@dataclass(frozen=True)
class SharedSignature:
    """The part of a signature that all topics have, and the signature where no topic adds anything."""

    head: str
    own: tuple[tuple[str, str], ...]
    plain: Signature

    #: By topic, its signature with the sum of its judgements, for all runs.
    of_topics: dict[str, Signature] = field(default_factory=dict, compare=False)

    def of(self, scores: Sequence[Score]) -> Signature:
        return sign(self.own, scores, self.head) if any(score.signed for score in scores) else self.plain

    def of_topic(self, topic: str, sums: TruthSums, score: Score | None) -> Signature:
        """The signature of the number of one topic."""
        if score is not None and score.signed:
            return self.of([score]).with_sums(partial(sums.of_topic, topic))
        if topic not in self.of_topics:
            self.of_topics[topic] = self.plain.with_sums(partial(sums.of_topic, topic))
        return self.of_topics[topic]


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """The numbers of one run; its name is given when those of all runs are known."""

    tag: str
    topics: Sequence[str]
    scores: TopicScores
    signatures: dict[str, SharedSignature]
    notes_without_name: Sequence[Note]
    facts_without_name: RunFacts
    curves: CurvesWanted

    @property
    def source(self) -> str:
        return self.facts_without_name.source

    def notes(self, name: str) -> list[Note]:
        return [replace(note, run=name) for note in self.notes_without_name]

    def facts(self, name: str) -> RunFacts:
        return replace(self.facts_without_name, name=name)

    def drawn(self, name: str) -> dict[tuple[str, str], dict[str, FloatArray]]:
        """Values for drawn readers: by run and measure, by topic."""
        found: dict[tuple[str, str], dict[str, FloatArray]] = {}
        for (text, topic), values in self.scores.drawn.items():
            found.setdefault((name, text), {})[topic] = values
        return found

    def topic_rows(
        self,
        name: str,
        measures: Sequence[RequestedMeasure],
        sums: TruthSums,
        groups: TopicGroups | None = None,
    ) -> list[Row]:
        """A row for each topic and measure."""
        of = {} if groups is None else groups.of
        curves, resampled = self.scores.curves, self.scores.resampled
        shared = [(one.text, self.signatures[one.text], self.scores.found[one.text]) for one in measures]
        bare = not (curves or resampled or of)
        rows: list[Row] = []
        for topic in self.topics:
            for text, signature, found in shared:
                own = signature.of_topic(topic, sums, found.more.get(topic))
                key = (text, topic)
                more = () if bare else (curves.get(key), resampled.get(key), of.get(topic))
                rows.append(Row(name, topic, text, found.numbers[topic], own, *more))
        return rows

    def group_means(
        self, name: str, measures: Sequence[RequestedMeasure], groups: TopicGroups, sums: TruthSums
    ) -> list[Row]:
        """A mean for each group and measure."""
        members: dict[str, list[str]] = {group: [] for group in groups.names}
        for topic in self.topics:
            if topic in groups.of:
                members[groups.of[topic]].append(topic)
        found = []
        for group, topics in members.items():
            for one in measures:
                row = self.mean(name, one, topics, sums)
                signature = row.signature.with_fields(("group", f"{groups.field}={group}"))
                found.append(replace(row, signature=signature, group=group))
        return found

    def mean(self, name: str, one: RequestedMeasure, topics: Sequence[str], sums: TruthSums) -> Row:
        """The mean of a measure over some topics."""
        scores = self.scores.found[one.text]
        values = [scores.numbers[topic] for topic in topics]
        value = sum(known for known in values if known is not None) if one.measure.summed else mean(values)
        curve = None
        if self.curves and one.measure.has_curve():
            found = (self.scores.resampled.get((one.text, topic)) for topic in topics)
            curve = mean_curve([one_curve for one_curve in found if one_curve is not None])
        silent = type(one.measure).beside_mean is Measure.beside_mean
        summary = {} if silent else one.measure.beside_mean([scores[topic] for topic in topics])
        signature = self.signatures[one.text].of([scores.more[topic] for topic in topics if topic in scores.more])
        signature = signature.with_sums(partial(sums.of_mean, topics))
        return Row(name, ALL, one.text, value, signature, curve, summary=summary)


def mean_curve(curves: Sequence[Curve]) -> Curve:
    """Point by point. A curve by rank goes on at its last value; one by level ends where it is not defined any more."""
    longest: Curve = max(curves, key=len, default=[])
    if not longest:
        return []
    by_rank = isinstance(longest[0][0], int)
    if (same := at_same_places(curves)) is not None:  # as most are
        places, heights = same
        columns = np.array(heights, dtype=np.float64).T.tolist()
        return [(x, math.fsum(column) / len(column)) for x, column in zip(places, columns, strict=True)]
    known = [dict(curve) for curve in curves]
    last = [curve[-1][1] if curve else 0.0 for curve in curves]
    points: list[tuple[float, float]] = []
    for x, _ in longest:
        values = [found.get(x, last[i] if by_rank else None) for i, found in enumerate(known)]
        points.append((x, mean(values) or 0.0))
    return points
