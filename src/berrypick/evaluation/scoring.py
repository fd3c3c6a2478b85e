"""The numbers of one run, topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from berrypick.core.errors import InputError, UsageError
from berrypick.core.near_names import near_hint
from berrypick.core.registry import plugin_errors
from berrypick.core.results import RunFacts, mean
from berrypick.core.run import Ranking, Run
from berrypick.core.score import Score
from berrypick.core.words import counted
from berrypick.evaluation.notes import run_notes, some
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.scored import ScoredRun, SharedSignature, TopicScores
from berrypick.evaluation.signature import measure_fields, measure_head, sign
from berrypick.judging.context import JudgingContext
from berrypick.judging.documents import judged_documents
from berrypick.judging.judge import judge_topic, ranking_of, refuse_duplicates
from berrypick.judging.topic import JudgedTopic
from berrypick.measures import _documents as document_measures
from berrypick.measures._ranked import RankedMeasure
from berrypick.measures.base import Measure, as_score
from berrypick.measures.overlap import Overlap, repeated_share
from berrypick.users import UserModel

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation


class RunScorer:
    """Scores the topics of one run."""

    def __init__(self, evaluation: Evaluation, run: Run, curves: bool) -> None:
        self.evaluation, self.run, self.curves = evaluation, run, curves
        truth = evaluation.truth
        answered_only = evaluation.options.topics == "run"
        self.topics = [topic for topic in truth.topics if topic in run] if answered_only else list(truth.topics)
        self.scores = TopicScores()
        asks_overlap = any(isinstance(one.measure, Overlap) for one in evaluation.measures)
        self._notes_overlap = run.start is not None and not asks_overlap

    def check(self) -> None:
        """Refuse a run that cannot be evaluated against this truth."""
        truth = self.evaluation.truth
        if not any(topic in truth for topic in self.run.topics):
            raise InputError(
                f"answers none of the {counted(len(truth), 'judged topic')} of {truth.source or 'the truth'} "
                f"(truth: {some(list(truth.topics))}; run: {some(list(self.run.topics))})"
                + near_hint(self.run.topics, truth.topics, "run", "truth", files=True),
                path=self.run.source or self.run.tag or "run",
            )
        refuse_duplicates(self.run, self.evaluation.context.duplicates)

    def has_measures(self, of_documents: bool) -> bool:
        """Whether any measure is one of whole documents, or any is not."""
        return any(one.of_documents == of_documents for one in self.evaluation.measures)

    def score_topics(self, topics: Sequence[str], step: Callable[[int], None]) -> None:
        """Score some topics by measures that see one topic at a time."""
        if not self._notes_overlap and not self.has_measures(of_documents=False):
            step(len(topics))
            return
        for topic in topics:
            ranking = self._score_topic(topic)
            if self._notes_overlap:
                self._measure_overlap(topic, ranking)
            step(1)

    def _measure_overlap(self, topic: str, ranking: Ranking | None) -> None:
        """The overlap of the list, for a note where the measure was not requested."""
        if topic not in self.run or not self.evaluation.truth.topics[topic].has_relevant:
            return
        share = repeated_share(ranking_of(self.run, topic, self.evaluation.context) if ranking is None else ranking)
        if share is not None:
            self.scores.overlap[topic] = share

    def _score_topic(self, topic: str) -> Ranking | None:
        """Score one topic; the ranking that was judged in the evaluation's own context, if any."""
        judged: dict[JudgingContext, JudgedTopic] = {}
        for one in self.evaluation.measures:
            if not isinstance(one.measure, Measure) or isinstance(one.measure, RankedMeasure):
                continue
            context = self.evaluation.context_for(one)
            if context not in judged:
                judged[context] = judge_topic(self.evaluation.truth, self.run, topic, context)
                self._count(judged[context], context.user, first=len(judged) == 1)
            with prefix_errors(one.text), plugin_errors(one.text, type(one.measure), type(context.user)):
                self._score(one.text, one.measure, judged[context])
        own = judged.get(self.evaluation.context)
        return None if own is None else own.ranking

    def _count(self, judged: JudgedTopic, user: UserModel, first: bool) -> None:
        if first and judged.ranking.repeated is not None:
            self.scores.repeats += int(judged.ranking.repeated.sum())
        if not len(judged.targets) or not judged.answered:
            return
        for note in (*user.notes(judged.ranking, judged.targets), *user.item_notes(judged.ranking, judged.items)):
            self.scores.user_notes[note] = self.scores.user_notes.get(note, 0) + 1

    def _score(self, text: str, measure: Measure, judged: JudgedTopic) -> None:
        key = (text, judged.topic)
        if measure.needs_targets and not len(judged.targets):
            self.scores.found[key] = Score(None)
            return
        if not judged.answered:
            score = self.scores.found[key] = as_score(measure.missing_topic_score(judged))
            if self.curves and measure.has_curve() and score.value:
                self.scores.curves[key], self.scores.resampled[key] = (
                    measure.curve(judged),
                    measure.resampled_curve(judged),
                )
            elif self.curves and score.value is not None:
                self.scores.curves[key] = self.scores.resampled[key] = measure.missing_topic_curve()
            return
        self.scores.found[key] = as_score(measure.compute(judged))
        if self.curves and measure.has_curve():
            self.scores.curves[key] = measure.curve(judged)
            if self.scores.found[key].value is not None:
                self.scores.resampled[key] = measure.resampled_curve(judged)

    def score_documents(self, topics: Sequence[str] | None = None) -> None:
        """Score all topics, or some, by the measures of whole documents: ours, and those of ir_measures."""
        chosen = self.topics if topics is None else topics
        self._score_ranked(chosen)
        theirs = {
            one.text: one.measure
            for one in self.evaluation.measures
            if isinstance(one.measure, document_measures.DocumentMeasure)
        }
        if not theirs:
            return
        truth = self.evaluation.truth
        values = document_measures.score(truth, self.run, list(theirs.values()), topics)
        for text, measure in theirs.items():
            for topic in chosen:
                relevant = truth.topics[topic].has_relevant
                self.scores.found[text, topic] = Score(values[measure, topic] if relevant else None)

    def _score_ranked(self, topics: Sequence[str]) -> None:
        """All topics at once, by our measures of whole documents."""
        ours = [(one.text, one.measure) for one in self.evaluation.measures if isinstance(one.measure, RankedMeasure)]
        if not ours:
            return
        truth = self.evaluation.truth
        documents = judged_documents(truth, self.run, topics)
        relevant = [truth.topics[topic].has_relevant for topic in topics]
        for text, measure in ours:
            with prefix_errors(text):
                values = measure.compute_all(documents).tolist()
                for topic, value, defined in zip(topics, values, relevant, strict=True):
                    self.scores.found[text, topic] = as_score(value) if defined else Score(None)

    def finished(self) -> ScoredRun:
        """What is kept of the run when it has been scored."""
        signatures = {one.text: self._shared(one) for one in self.evaluation.measures}
        overlap = mean(list(self.scores.overlap.values()))
        facts = RunFacts("", self.run.source, len(self.run), len(self.run.topics), overlap)
        return ScoredRun(self.run.tag, self.topics, self.scores, signatures, run_notes(self), facts, self.curves)

    def _shared(self, one: RequestedMeasure) -> SharedSignature:
        head, own = measure_head(one.measure), measure_fields(one, self.evaluation, self.run)
        return SharedSignature(head, own, sign(own, (), head))


class prefix_errors:
    """Puts the measure's name in front of an error about what it needs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if type(error) is UsageError and not str(error).startswith(self.name.partition("(")[0].partition("@")[0]):
            verb = str(error).startswith(("needs", "reads", "counts"))
            raise UsageError(f"{self.name}{' ' if verb else ': '}{error.template}") from None
