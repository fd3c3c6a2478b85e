"""What is kept of a run that has been scored: its numbers, and what signatures, notes and facts need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from typing import Any

import numpy as np

from berrypick.core.arrays import FloatArray
from berrypick.core.results import ALL, Note, Row, RunFacts, Signature, TopicGroups, mean
from berrypick.core.score import Curve, CurvesWanted, Score, at_same_places
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.signature import sign


def _open(cls: type) -> Any:
    """Return the class that is not frozen of a frozen one with slots, for many values at once.

    What is frozen takes four times as long to make. Both have the same slots, so a value may pass to the frozen class.
    """
    told = [(one.name, Any, field(default=one.default, default_factory=one.default_factory)) for one in fields(cls)]
    return make_dataclass(f"Open{cls.__name__}", told, slots=True)


_OpenRow, _OpenScore = _open(Row), _open(Score)


@dataclass
class TopicScores:
    """What was found for some topics of a run: values by measure and topic, and counts for notes."""

    found: dict[tuple[str, str], Score] = field(default_factory=dict)
    curves: dict[tuple[str, str], Curve | None] = field(default_factory=dict)
    resampled: dict[tuple[str, str], Curve | None] = field(default_factory=dict)
    repeats: int = 0
    #: By topic, how much of the retrieved text was retrieved before.
    overlap: dict[str, float] = field(default_factory=dict)
    user_notes: dict[str, int] = field(default_factory=dict)
    #: By measure and topic, a value for each reader drawn from a fitted user model; nan where it is undefined.
    drawn: dict[tuple[str, str], FloatArray] = field(default_factory=dict)
    #: By measure, what its values were computed from.
    reads: dict[str, set[str]] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """As it travels to another process: names once, and mere values as numbers."""
        measures, topics = ({key[side]: None for key in self.found} for side in (0, 1))
        keys = [(text, topic) for topic in topics for text in measures]
        if len(keys) != len(self.found) or not all(key in self.found for key in keys):
            return vars(self)
        scores = [self.found[key] for key in keys]
        more = {i: one for i, one in enumerate(scores) if one.notes or one.signed or one.beside}
        return {**vars(self), "found": (list(measures), list(topics), [one.value for one in scores], more)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if isinstance(found := state["found"], tuple):
            measures, topics, values, more = found
            keys = [(text, topic) for topic in topics for text in measures]
            scores = list(map(_OpenScore, values))
            for score in scores:
                score.__class__ = Score
            self.found = dict(zip(keys, scores, strict=True))
            self.found.update((keys[i], score) for i, score in more.items())

    def merge(self, other: TopicScores) -> None:
        """Add what another process found."""
        self.found.update(other.found)
        self.curves.update(other.curves)
        self.resampled.update(other.resampled)
        self.drawn.update(other.drawn)
        self.repeats += other.repeats
        self.overlap.update(other.overlap)
        for text, names in other.reads.items():
            self.reads.setdefault(text, set()).update(names)
        for note, count in other.user_notes.items():
            self.user_notes[note] = self.user_notes.get(note, 0) + count


@dataclass(frozen=True)
class SharedSignature:
    """The part of a signature that all topics have, and the signature where no topic adds anything."""

    head: str
    own: tuple[tuple[str, str], ...]
    plain: Signature

    def of(self, scores: Sequence[Score]) -> Signature:
        return sign(self.own, scores, self.head) if any(score.signed for score in scores) else self.plain


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

    def rows(
        self, name: str, measures: Sequence[RequestedMeasure], groups: TopicGroups | None = None
    ) -> tuple[list[Row], list[Row], list[Row]]:
        """A row for each topic and measure, a mean for each measure, and one for each group and measure."""
        of = {} if groups is None else groups.of
        found, curves, resampled = self.scores.found, self.scores.curves, self.scores.resampled
        shared = [(one.text, self.signatures[one.text]) for one in measures]
        bare = not (curves or resampled or of)
        rows: list[Any] = []
        for topic in self.topics:
            for text, signature in shared:
                key = (text, topic)
                score = found[key]
                own = signature.of([score]) if score.signed else signature.plain
                more = () if bare else (curves.get(key), resampled.get(key), of.get(topic))
                rows.append(_OpenRow(name, topic, text, score.value, own, *more))
        for row in rows:
            row.__class__ = Row
        means = [self._mean(name, one, self.topics) for one in measures]
        return rows, means, [] if groups is None else self._group_means(name, measures, groups)

    def _group_means(self, name: str, measures: Sequence[RequestedMeasure], groups: TopicGroups) -> list[Row]:
        members: dict[str, list[str]] = {group: [] for group in groups.names}
        for topic in self.topics:
            if topic in groups.of:
                members[groups.of[topic]].append(topic)
        found = []
        for group, topics in members.items():
            for one in measures:
                row = self._mean(name, one, topics)
                *fields, version = row.signature.fields
                signature = replace(row.signature, fields=(*fields, ("group", f"{groups.field}={group}"), version))
                found.append(replace(row, signature=signature, group=group))
        return found

    def _mean(self, name: str, one: RequestedMeasure, topics: Sequence[str]) -> Row:
        """Over some topics."""
        scores = [self.scores.found[one.text, topic] for topic in topics]
        value = mean([score.value for score in scores])
        if one.measure.summed:
            value = sum(score.value for score in scores if score.value is not None)
        curve = None
        if self.curves and one.measure.has_curve():
            found = (self.scores.resampled.get((one.text, topic)) for topic in topics)
            curve = mean_curve([one_curve for one_curve in found if one_curve is not None])
        summary = one.measure.beside_mean(scores)
        return Row(name, ALL, one.text, value, self.signatures[one.text].of(scores), curve, summary=summary)


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
