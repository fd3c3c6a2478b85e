"""The numbers of one run, topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from berrypick.data.columns import as_kept
from berrypick.data.costs import topic_costs
from berrypick.data.errors import InputError, NeedsError, UsageError
from berrypick.data.results import RunFacts, mean
from berrypick.data.run import Ranking, Run
from berrypick.data.score import Curve, CurveColumns, CurvesWanted, Score
from berrypick.data.words import counted
from berrypick.documents.near_names import near_hint
from berrypick.evaluation.notes import meaningless_notes, run_notes, some
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.scored import ScoredRun, SharedSignature, TopicScores
from berrypick.evaluation.signature import SignedMeasure, depends_on, sign
from berrypick.given.convert import RunFile
from berrypick.measures import Measure
from berrypick.measures.base import as_score
from berrypick.registry.registry import plugin_errors
from berrypick.topics.context import JudgingContext
from berrypick.topics.repeats import ranking_of, refuse_duplicates
from berrypick.topics.topics import JudgedTopics
from berrypick.users import UserModel
from berrypick.workers.progress import gc_paused

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation
    from berrypick.measures.blocks import RunBlocks, SpanBlock
    from berrypick.topics.topic import JudgedTopic

#: Fewer topics than this are judged one by one: a block would not pay.
FEW_TOPICS = 4


@gc_paused()
def score_run(
    evaluation: Evaluation,
    curves: CurvesWanted,
    source: Run | RunFile,
    step: Callable[[int], None],
    all_notes: bool = True,
) -> ScoredRun:
    """One run, of which only the numbers are kept."""
    run = evaluation.inputs.prepare(source) if isinstance(source, RunFile) else source
    scorer = RunScorer(evaluation, run, curves, all_notes)
    scorer.score_topics(scorer.topics, step)
    scorer.score_documents()
    if left := len(evaluation.truth) - len(scorer.topics):
        step(left)  # topics that the run does not answer, and that are not asked for
    return scorer.finished()


class RunScorer:
    """Scores the topics of one run; a run that cannot be evaluated against the truth is refused.

    Without ``all_notes`` only those are worked out that warn of numbers that mean nothing.
    """

    def __init__(self, evaluation: Evaluation, run: Run, curves: CurvesWanted, all_notes: bool = True) -> None:
        self.evaluation, self.run, self.curves, self.all_notes = evaluation, run, curves, all_notes
        truth, duplicates = evaluation.truth, evaluation.context.duplicates or run.ordering.duplicates
        if not any(topic in truth for topic in run.topics):
            raise InputError(
                f"answers none of the {counted(len(truth), 'judged topic')} of {truth.source or 'the truth'} "
                f"(truth: {some(list(truth.topics))}; run: {some(list(run.topics))})"
                + near_hint(run.topics, truth.topics, "run", "truth", files=True),
                path=run.source or run.tag or "run",
            )
        if duplicates == "error":
            refuse_duplicates(run)
        answered_only = evaluation.options.topics == "run"
        scored = truth.topics if evaluation.scored_topics is None else evaluation.scored_topics
        self.topics = [topic for topic in truth.topics if topic in scored and (topic in run or not answered_only)]
        self.scores = TopicScores()
        asks_overlap = any(one.measure.tells_overlap for one in evaluation.measures)
        self._notes_overlap = all_notes and run.start is not None and not asks_overlap

    def has_measures(self, of_documents: bool) -> bool:
        """Whether any measure is one of whole documents, or any is not."""
        return any(one.measure.of_documents == of_documents for one in self.evaluation.measures)

    def score_topics(self, topics: Sequence[str], step: Callable[[int], None]) -> None:
        """Score some topics, of which one at a time is held; plain ones in blocks, by measures that can."""
        evaluation = self.evaluation
        measures = [one for one in evaluation.measures if not one.measure.of_documents]
        if not measures and not self._notes_overlap:
            step(len(topics))
            return
        blocks = self._blocks(measures) if len(topics) >= FEW_TOPICS else None
        for block in [topics] if blocks is None else blocks.blocks(topics):
            spans = None if blocks is None else blocks.of(block)
            done = {} if spans is None else self._score_block(measures, spans)
            measured = self._block_overlap(spans) if spans is not None and self._notes_overlap else ()
            for topic in block:
                judged: dict[JudgingContext, JudgedTopics] = {}
                for one in measures:
                    known = topic in done.get(one.text, ())
                    if known and not self._lacks_curve(one, topic):
                        continue
                    context = evaluation.contexts[one.text]
                    if context not in judged:
                        judged[context] = JudgedTopics(evaluation.truth, self.run, (topic,), context)
                        first = judged[context].judge(topic)  # what is wrong with it is no matter of the measure
                        if self.all_notes:
                            self._count(first, first=len(judged) == 1)
                    if known:
                        self._add_curves(one, judged[context], topic)
                    else:
                        self._score(one, judged[context])
                if self._notes_overlap and topic not in measured:
                    own = judged.get(evaluation.context)
                    self._measure_overlap(topic, None if own is None else own.judge(topic).ranking)
                step(1)
        if evaluation.readers is not None:
            self.score_drawn(topics)

    def _blocks(self, measures: Sequence[RequestedMeasure]) -> RunBlocks | None:
        """The run as columns of all topics, where a measure may score them in blocks."""
        if not any(self._takes_blocks(one) for one in measures):
            return None
        from berrypick.measures.blocks import RunBlocks

        return RunBlocks(self.evaluation.truth, self.run)

    def _takes_blocks(self, one: RequestedMeasure) -> bool:
        """Whether a measure may score topics in blocks."""
        if not one.measure.scored_in_blocks:
            return False
        return takes_blocks(self.run, self.evaluation.contexts[one.text])

    def _score_block(self, measures: Sequence[RequestedMeasure], spans: SpanBlock) -> dict[str, Mapping[str, Score]]:
        """Score a block by the measures that can; what is found, by measure."""
        done: dict[str, Mapping[str, Score]] = {}
        for one in measures:
            if not self._takes_blocks(one):
                continue
            context = self.evaluation.contexts[one.text]
            try:
                found = one.measure.score_block(spans, context)
            except Exception as error:
                raise_named(error, one.text, one.measure, context.user)
            if found is not None:
                done[one.text] = found
                self.scores.add(one.text, {topic: as_score(score) for topic, score in found.items()})
                if self.curves and one.measure.has_curve():
                    self._block_curves(one, spans, found)
        return done

    def _block_curves(self, one: RequestedMeasure, spans: SpanBlock, found: Mapping[str, Score]) -> None:
        """Keep the curves that a measure makes of a block."""
        context = self.evaluation.contexts[one.text]
        try:
            for topic, (curve, common) in one.measure.curves_of_block(spans, context, found).items():
                self._keep_curves((one.text, topic), curve, common)
        except Exception as error:
            raise_named(error, one.text, one.measure, context.user)

    def _lacks_curve(self, one: RequestedMeasure, topic: str) -> bool:
        return self.curves and one.measure.has_curve() and (one.text, topic) not in self.scores.curves

    def _block_overlap(self, spans: SpanBlock) -> Container[str]:
        """The overlap of the lists of topics, as :meth:`_measure_overlap` finds it; the topics that are done."""
        shares = zip(spans.topics, spans.repeated_shares(), spans.targets.tolist(), strict=True)
        for topic, share, targets in shares:
            if targets and share is not None:
                self.scores.overlap[topic] = share
        return frozenset(spans.topics)

    def score_drawn(self, topics: Sequence[str]) -> None:
        """Score topics for each reader drawn from a fitted user model; a drawn chain is made once for all topics."""
        readers = self.evaluation.readers
        if readers is None or not readers.fitted:
            return
        measures = [one for one in self.evaluation.measures if one.text in readers.fitted]
        drawn = self.scores.drawn
        drawn.update({(one.text, topic): np.full(readers.count, np.nan) for one in measures for topic in topics})
        for number in range(readers.count):
            contexts = readers.contexts(self.evaluation, number)
            for topic in topics:
                judged: dict[JudgingContext, JudgedTopics] = {}
                for one in measures:
                    context = contexts[one.text]
                    if context not in judged:
                        judged[context] = JudgedTopics(self.evaluation.truth, self.run, (topic,), context)
                    value = self._drawn_value(one, judged[context], topic)
                    if value is not None:
                        drawn[one.text, topic][number] = value

    def score_documents(self, topics: Sequence[str] | None = None) -> None:
        """Score all topics, or some, by the measures of whole documents."""
        evaluation, chosen = self.evaluation, self.topics if topics is None else topics
        measures = [one for one in evaluation.measures if one.measure.of_documents]
        all_measures = [one.measure for one in measures]
        judged = JudgedTopics(evaluation.truth, self.run, chosen, evaluation.context, all_measures)
        for one in measures:
            self._score(one, judged)

    def _score(self, one: RequestedMeasure, judged: JudgedTopics) -> None:
        measure = one.measure
        try:
            found = measure.score_topics(judged)
            self.scores.add(one.text, found)
            for topic in found if self.curves and measure.has_curve() else ():
                value = self.scores.found[one.text].numbers[topic]
                self._keep_curves((one.text, topic), *self._curves_of(measure, judged.judge(topic), value))
        except Exception as error:
            raise_named(error, one.text, measure, judged.context.user)

    def _add_curves(self, one: RequestedMeasure, judged: JudgedTopics, topic: str) -> None:
        """Make the curves behind a value that was found in a block."""
        value = self.scores.found[one.text].numbers[topic]
        try:
            found = self._curves_of(one.measure, judged.judge(topic), value)
        except Exception as error:
            raise_named(error, one.text, one.measure, judged.context.user)
        self._keep_curves((one.text, topic), *found)

    def _curves_of(
        self, measure: Measure, judged: JudgedTopic, value: float | None
    ) -> tuple[Curve | None, Curve | None]:
        if self.curves != "common":
            return measure.topic_curves(judged, value)
        return None, measure.common_curve(judged, value)

    def _keep_curves(self, key: tuple[str, str], curve: Curve | None, common: Curve | None) -> None:
        if self.curves == "common":
            curve = common
        elif isinstance(curve, CurveColumns):
            curve = list(curve)  # people look at it
        self.scores.curves[key], self.scores.resampled[key] = curve, common

    @staticmethod
    def _drawn_value(one: RequestedMeasure, judged: JudgedTopics, topic: str) -> float | None:
        try:
            found = one.measure.score_topics(judged)[topic].value
        except Exception as error:
            raise_named(error, one.text, one.measure, judged.context.user)
        return found

    def _measure_overlap(self, topic: str, ranking: Ranking | None) -> None:
        """The overlap of the list, for a note where the measure was not requested."""
        if topic not in self.run or not self.evaluation.truth.topics[topic].has_relevant:
            return
        from berrypick.measures.spans.overlap import repeated_share

        share = repeated_share(ranking_of(self.run, topic, self.evaluation.context) if ranking is None else ranking)
        if share is not None:
            self.scores.overlap[topic] = share

    def _count(self, judged: JudgedTopic, first: bool) -> None:
        """Count what the notes of the run are about."""
        if first and judged.ranking.repeated is not None:
            self.scores.repeats += int(judged.ranking.repeated.sum())
        targets, user = judged.targets, judged.context.user
        if not len(targets) or not judged.answered:
            return
        notes = user.notes(judged.ranking, targets)
        if type(user).item_notes is not UserModel.item_notes:
            notes = (*notes, *user.item_notes(judged.ranking, judged.items))
        for note in notes:
            self.scores.user_notes[note] = self.scores.user_notes.get(note, 0) + 1

    def finished(self) -> ScoredRun:
        """What is kept of the run when it has been scored."""
        signatures = {one.text: self._shared(one) for one in self.evaluation.measures}
        overlap = mean(list(self.scores.overlap.values()))
        notes = run_notes(self) if self.all_notes else list(meaningless_notes(self))
        run, accepted = self.run, self.evaluation.options.unplaced is not None
        facts = RunFacts(
            "", run.source, run.size(), len(run.topics), overlap, run.of_topics.traces, run.texts.unplaced, accepted,
            run.tag, topic_costs(run, self.topics),
        )  # fmt: skip
        return ScoredRun(self.run.tag, self.topics, self.scores, signatures, notes, facts, self.curves)

    def _shared(self, one: RequestedMeasure) -> SharedSignature:
        reads = depends_on(one.measure, self.evaluation.contexts[one.text].user)
        more = self.scores.found[one.text].more
        said = {key for topic in self.topics if topic in more for key, _ in more[topic].signed}
        said &= {"effort", "tokenizer"}  # a measure knows itself in what its budget is counted
        run, kept = self.run, self.evaluation._signatures
        key = (one.text, reads, frozenset(said), run.ordering.duplicates, run.texts.of_text, run.start is None)
        sized = self.evaluation.truth.units == "elements" or run.path is not None  # by what the run has
        if sized or key not in kept:
            fields = SignedMeasure(one, self.evaluation, run, reads).fields()
            head, own = one.measure.signature_head(), tuple(field for field in fields if field[0] not in said)
            kept[key] = SharedSignature(head, own, sign(own, (), head))
        return kept[key]


def takes_blocks(run: Run, context: JudgingContext) -> bool:
    """Whether a run may have topics that are scored in blocks under a context."""
    user = type(context.user)
    said = user.notes is not UserModel.notes or user.item_notes is not UserModel.item_notes
    if said or user.seeks_entry_points or context.max_ranks is not None or context.rules:
        return False
    start, end = as_kept(run.start), as_kept(run.end)
    if context.idealism is not None or context.quant is not None or start is None or end is None:
        return False
    if run.path is not None or run.boxes is not None or run.texts.of_text or run.of_topics.extra or run.grouped:
        return False
    return {start.dtype, end.dtype} <= {np.dtype(np.int32), np.dtype(np.int64)}


def raise_named(error: Exception, name: str, *parts: Measure | UserModel) -> NoReturn:
    """Raise an error again: with the name of the measure unless it has it already, with the place if it comes from a
    measure or user model of another package."""
    if isinstance(error, UsageError) and type(error) in (UsageError, NeedsError):
        joint = " " if isinstance(error, NeedsError) else ": "
        raise UsageError(f"{name}{joint}{error.template}") from None
    with plugin_errors(name, *map(type, parts)):
        raise error
