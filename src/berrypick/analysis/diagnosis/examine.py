"""The examination of targets: what every stage shows of each target of a truth, and the class that follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.analysis.diagnosis.classes import UNPLACED, Sighting, TargetClass, TargetFacts, classify
from berrypick.analysis.diagnosis.diagnosis_tables import place_of, text_of
from berrypick.analysis.diagnosis.holdings import Holdings
from berrypick.analysis.diagnosis.unplaced import UnplacedTarget
from berrypick.data.arrays import FloatArray
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import TopicTruth
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.run_inputs import copy_rules
from berrypick.inputs.titles import titles_of
from berrypick.targets.in_common import sizes
from berrypick.topics.judge import judge_topic
from berrypick.topics.sufficient import Sufficient
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class DiagnosedTarget:
    """One target of one topic, and what became of it.

    Attributes
    ----------
    run
        The run; ``pipeline`` where the runs are stages.
    topic
        The topic.
    place
        Where the target is: doc with start and end, start_line and end_line, start_time and end_time, or page and box.
    text
        Its text, where the documents are known.
    class_name
        Its class; ``lost in STAGE`` names the stage that lost it.
    ranks
        For each stage, the ranks of the results that hold it.
    question
        The question of the topic, where the truth has it.
    kind
        The class with the index of the stage.
    """

    run: str
    topic: str
    place: Mapping[str, Any]
    text: str | None
    class_name: str
    ranks: Mapping[str, tuple[int, ...]]
    question: str | None
    kind: TargetClass = field(repr=False)


@dataclass(frozen=True)
class ExaminedTarget:
    """A target with what every stage shows of it, before runs have names."""

    topic: str
    place: Mapping[str, Any]
    text: str | None
    question: str | None
    kind: TargetClass
    sightings: tuple[Sighting, ...]

    def named(self, run: str, stages: Sequence[str]) -> DiagnosedTarget:
        ranks = {stage: one.ranks for stage, one in zip(stages, self.sightings, strict=True)}
        return DiagnosedTarget(
            run, self.topic, self.place, self.text, self.kind.label(stages), ranks, self.question, self.kind
        )


@dataclass(frozen=True)
class Examined:
    targets: list[ExaminedTarget]
    topics: dict[str, TargetClass]


@dataclass(frozen=True)
class Patient:
    """Truth, chunks and settings: all that the diagnosis of any list needs."""

    evaluation: Evaluation
    unplaced: Mapping[str, Sequence[UnplacedTarget]]
    chunks: Ranking | None
    k: int
    share: float
    budget: float | None

    def examine(self, stages: Sequence[Run]) -> Examined:
        """Every target of every topic in the light of one list, or of the lists of successive stages."""
        truth, context = self.evaluation.truth, self.evaluation.context
        questions = titles_of(truth)
        targets: list[ExaminedTarget] = []
        topics: dict[str, TargetClass] = {}
        for topic in truth.topics:
            chunks = None if self.chunks is None else self._chunks(topic, self.chunks)
            judged = [judge_topic(truth, run, topic, context) for run in stages]
            lost = self.unplaced.get(topic, ())
            found = [*self._placed(judged, questions.get(topic), chunks)]
            found += self._missing(topic, lost, stages, questions)
            if found:
                targets += found
                topics[topic] = self._topic_class(judged[-1], [one.kind for one in found], lost)
        for topic in [
            one for one in self.unplaced if one not in truth
        ]:  # of golden files: topics that have no place at all
            targets += self._missing(topic, self.unplaced[topic], stages, questions)
            topics[topic] = TargetClass(UNPLACED)
        return Examined(targets, topics)

    def _chunks(self, topic: str, chunks: Ranking) -> Ranking:
        """The chunks as a topic sees them: copies of its judged passages are these."""
        inputs, texts = self.evaluation.inputs, self.evaluation.context.reader.texts
        if inputs.options.copies == "apart" or texts is None:
            return chunks
        from berrypick.documents.copies import ranking_renamed

        judged = self._copied.get(topic)
        if judged is None:
            return chunks
        return ranking_renamed(chunks, judged, texts, copy_rules(inputs.options), self._copies.get(topic, ()))

    @property
    def _copied(self) -> Mapping[str, TopicTruth]:
        """The judgements whose copies count."""
        return self.evaluation.inputs.copied or self.evaluation.truth.topics

    @cached_property
    def _copies(self) -> Mapping[str, Sequence[str]]:
        """The documents of chunks that can hold copies of the judged passages of each topic."""
        from berrypick.documents.copy_search import documents_with_copies

        inputs, texts = self.evaluation.inputs, self.evaluation.context.reader.texts
        assert self.chunks is not None and texts is not None
        return documents_with_copies(self._copied, self.chunks.documents, texts, copy_rules(inputs.options))

    def _placed(
        self, judged: Sequence[JudgedTopic], question: str | None, listed: Ranking | None
    ) -> Iterable[ExaminedTarget]:
        wanted = next((one.targets for one in judged if one.targets.start is not None), judged[-1].targets)
        lists = [Holdings(one.ranking, one.targets, self.share) for one in judged]
        chunks = None if listed is None else Holdings(listed, wanted, self.share)
        spent = None if self.budget is None else _spent(judged[-1])
        for x in range(len(wanted)):
            sightings = tuple(one.sighting(x) for one in lists)
            last = sightings[-1].ranks
            facts = TargetFacts(
                sightings,
                lists[-1].together(x, self.k),
                None if chunks is None else chunks.largest_share(x),
                None if spent is None or not last else float(spent[last[0] - 1]),
            )
            kind = classify(facts, self.k, self.share, self.budget)
            place, text = place_of(wanted, x), text_of(wanted, x, self.evaluation.context.reader)
            yield ExaminedTarget(judged[-1].topic, place, text, question, kind, sightings)

    def _missing(
        self, topic: str, lost: Sequence[UnplacedTarget], stages: Sequence[Run], questions: Mapping[str, str]
    ) -> Iterable[ExaminedTarget]:
        for one in lost:
            kind = classify(TargetFacts(placed=False), self.k, self.share)
            nothing = (Sighting(),) * len(stages)
            yield ExaminedTarget(
                topic, {"doc": one.document}, one.text, questions.get(topic, one.question), kind, nothing
            )

    def _topic_class(
        self, judged: JudgedTopic, kinds: Sequence[TargetClass], lost: Sequence[UnplacedTarget]
    ) -> TargetClass:
        """The class of the target that got least far; with sets or hops, of the set that got farthest."""
        groups, kind = _groups(judged, lost)
        if kind == "hop":  # one target of each hop is needed
            return min((max((kinds[x] for x in group), key=_depth) for group in groups), key=_depth)
        return max((min((kinds[x] for x in group), key=_depth) for group in groups), key=_depth)


def _depth(kind: TargetClass) -> tuple[int, int]:
    return kind.depth


def _groups(judged: JudgedTopic, lost: Sequence[UnplacedTarget]) -> tuple[list[list[int]], str]:
    """What is enough, by the numbers of targets; those without a place come after the others."""
    count = len(judged.targets)
    if not (judged.truth.names_sets or any(one.sets or one.hops for one in lost)):
        return [list(range(count + len(lost)))], "set"
    known = Sufficient.of(judged.truth, judged.targets)
    kind = known.kind if judged.truth.names_sets else "set" if any(one.sets for one in lost) else "hop"
    groups = dict(zip(known.names, map(list, known.groups), strict=True)) if judged.truth.names_sets else {}
    for x, one in enumerate(lost, count):
        for name in one.sets if kind == "set" else one.hops:
            groups.setdefault(name, []).append(x)
    found = [group for group in groups.values() if group]
    return found or [list(range(count + len(lost)))], kind


def _spent(judged: JudgedTopic) -> FloatArray:
    """What reading the list costs, up to and including each rank: lengths, in results where documents are judged."""
    ranking = judged.ranking
    if judged.context.effort != "rank":
        return np.cumsum(judged.effort.ranks)
    if ranking.start is None:
        return np.arange(1.0, ranking.ranks + 1)
    lengths = sizes(ranking, np.arange(len(ranking)))
    return np.cumsum(np.bincount(ranking.rank, weights=lengths, minlength=ranking.ranks))
