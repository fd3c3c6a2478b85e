"""An evaluation as a value: everything read and prepared once, then used as often as needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from berrypick import users
from berrypick.core.errors import BerrypickError, UsageError, nearest, option
from berrypick.core.explanation import Explanation, number
from berrypick.core.gc import gc_paused
from berrypick.core.registry import plugin_errors
from berrypick.core.results import Note, Results, Row, TopicGroups
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.core.words import counted
from berrypick.corpus.convert import RunFile, as_truth
from berrypick.evaluation.groups import topic_groups, with_topic_table
from berrypick.evaluation.inputs import prepare_inputs
from berrypick.evaluation.notes import lengths_notes, some
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.evaluation.protocols import check_task_name, get_protocol
from berrypick.evaluation.requested import MeasuresGiven, RequestedMeasure, resolve_measures
from berrypick.evaluation.run_inputs import RunInputs
from berrypick.evaluation.scored import ScoredRun, TopicScores
from berrypick.evaluation.scoring import RunScorer, prefix_errors
from berrypick.evaluation.signature import accepts_navigation
from berrypick.judging.context import JudgingContext
from berrypick.judging.judge import judge_topic, refuse_duplicates
from berrypick.judging.repeats import repeats_of
from berrypick.judging.topic import JudgedTopic
from berrypick.kernels import LARGE, missing_notes
from berrypick.measures import UnknownMeasureError
from berrypick.measures import _documents as document_measures
from berrypick.measures._ranked import RankedMeasure, document_table
from berrypick.measures.base import Measure, as_score
from berrypick.users import ReaderContext, UserModel

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Truth, runs, measures and options, read and prepared.

    >>> import berrypick as bp
    >>> evaluation = bp.Evaluation.prepare({"q": {"a": 1}}, {"q": {"b": 2, "a": 1}}, "RR")
    >>> evaluation.run().mean()
    {'run': {'RR': 0.5}}
    """

    truth: Truth
    inputs: RunInputs
    measures: tuple[RequestedMeasure, ...]
    options: EvaluationOptions
    context: JudgingContext
    notes: tuple[Note, ...] = ()
    groups: TopicGroups | None = None

    @classmethod
    @takes_options
    def prepare(
        cls, truth: Any, runs: Any, measures: MeasuresGiven = (), **options: Unpack[EvaluationKeywords]
    ) -> Evaluation:
        """Read and check everything; see :func:`berrypick.evaluate` for what truth, runs and options may be."""
        return cls._prepare(truth, runs, measures, EvaluationOptions.from_arguments(options, "Evaluation.prepare"))

    @classmethod
    def _prepare(
        cls,
        truth: Any,
        runs: Any,
        measures: MeasuresGiven | None,
        options: EvaluationOptions,
        once: bool = False,
    ) -> Evaluation:
        """``measures`` None: none are needed. ``once``: it is run once, so an iterator of runs need not be kept."""
        protocol, task = get_protocol(options.protocol), check_task_name(options.task)
        options = replace(options, topics=options.topics or protocol.topics)
        try:
            requested = () if measures is None else resolve_measures(measures, protocol.name, task)
        except UnknownMeasureError as error:
            raise error.for_units(_judges_spans(truth)) from None
        inputs = prepare_inputs(truth, runs, options, once)
        judgements, groups, notes = inputs.truth, None, inputs.notes
        if options.by is not None or options.topic_table is not None:
            judgements = with_topic_table(judgements, options.topic_table)
            groups, ungrouped = topic_groups(judgements, options)
            notes = (*notes, *ungrouped)
        made = cls(judgements, inputs.runs, requested, options, inputs.context, notes, groups)
        made._check_navigation()
        made._check_unjudged()
        return made

    def __repr__(self) -> str:
        parts = (
            counted(len(self.truth), "topic"),
            "runs of an iterator" if self.inputs.stream is not None else counted(len(self.inputs), "run"),
            counted(len(self.measures), "measure"),
        )
        return f"Evaluation({', '.join(parts)}, user={self.context.user})"

    def _check_navigation(self) -> None:
        """A navigation file that no user model uses is an error."""
        navigation = self.context.reader.navigation
        models = [self.context.user, *(self.context_for(one).user for one in self.measures)]
        if navigation is not None and not any(accepts_navigation(model) for model in models):
            source = navigation.source or "this navigation"
            raise UsageError(f"user model {self.context.user.name()} does not use {source}")

    def _check_unjudged(self) -> None:
        """Unjudged text is known to measures of characters alone."""
        for one in self.measures:
            if self.options.unjudged is not None and not one.counts_unjudged:
                raise UsageError(
                    f"{one.text} does not count characters: {option('unjudged')} applies to charP, charR, charF and IoU"
                )
            if one.instead_on_spans and self.truth.judges_text:
                raise UsageError(
                    f"{one.text} {one.instead_on_spans}, but {self.truth.source or 'the truth'} judges text in them: "
                    "charJudged is the share of retrieved text that was judged"
                )

    @cached_property
    def _contexts(self) -> dict[tuple[str | None, str | None], JudgingContext]:
        return {}

    @cached_property
    def runs(self) -> dict[str, Run]:
        """All runs by name, read and prepared."""
        found = [self.inputs.load(i) for i in range(len(self.inputs))]
        return dict(zip(unique_names([(run.tag, run.source) for run in found]), found, strict=True))

    def without_runs(self) -> Evaluation:
        """The same for runs that come one by one, as it is sent to other processes."""
        made = replace(self, inputs=self.inputs.without_sources())
        for one in self.measures:
            made.context_for(one)  # user models that only this process has registered are values from here on
        return made

    def context_for(self, one: RequestedMeasure) -> JudgingContext:
        """The context with the user model and the quantisation that a measure names itself."""
        key = (one.user, one.quant)
        if key not in self._contexts:
            user, reader = self._reader(self.context.user if one.user is None else one.user)
            own = key != (None, None)
            made = replace(self.context, user=user, reader=reader, quant=one.quant) if own else self.context
            self._contexts[key] = made
        return self._contexts[key]

    def _reader(self, user: Any) -> tuple[UserModel, ReaderContext]:
        """A user model, and what it knows: a fitted chain has its own transitions."""
        reader = self.context.reader
        model, navigation = users.load(user, reader.navigation)
        reader = reader if navigation is reader.navigation else replace(reader, navigation=navigation)
        return model.resolved(reader), reader

    def run(
        self,
        *,
        curves: bool = False,
        jobs: int = 1,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Results:
        """Score every topic of every run, in ``jobs`` processes or by the workers of an ``executor``.

        ``progress`` is called with (done, of).
        """
        check_progress(progress)
        check_workers(jobs, executor)
        scored = _scored_runs(self, curves, jobs, executor, progress)
        rows: list[Row] = []
        means: list[Row] = []
        group_means: list[Row] = []
        notes = [*self.notes, *lengths_notes(self), *_jobs_notes(jobs, executor)]
        facts = {}
        names = unique_names([(run.tag, run.source) for run in scored])
        scored.reverse()
        for name in names:
            run = scored.pop()  # its numbers are not kept twice
            topics, mean_rows, group_rows = run.rows(name, self.measures, self.groups)
            rows += topics
            means += mean_rows
            group_means += group_rows
            notes += run.notes(name)
            facts[name] = run.facts(name)
        notes += missing_notes(large=sum(run.results for run in facts.values()) >= LARGE)
        info = {one.text: one.info(self.context.effort) for one in self.measures}
        return Results(rows, means, tuple(dict.fromkeys(notes)), info, facts, self.groups, group_means)

    def judge(self, run: str, topic: str, user: UserModel | None = None) -> JudgedTopic:
        """One topic of one run judged, by the user model of the evaluation or another one."""
        context = self.context if user is None else replace(self.context, user=user.resolved(self.context.reader))
        return judge_topic(self.truth, self.runs[run], self._topic(topic), context)

    def explain(self, run: str, topic: str, one: RequestedMeasure) -> Explanation:
        """The working of one number."""
        topic, system = self._topic(topic), self.runs[run]
        if isinstance(one.measure, RankedMeasure):
            return one.measure.explain_documents(self.truth.topics[topic], system.ranking(topic))
        if not isinstance(one.measure, Measure):
            return _explain_documents(self.truth, system, topic, one.measure)
        judged = judge_topic(self.truth, system, topic, self.context_for(one))
        title = f"{one.text} for topic {topic}"
        if one.measure.needs_targets and not len(judged.targets):
            return Explanation(title, ["Undefined: the topic has no targets."])
        if not judged.answered:
            value = as_score(one.measure.missing_topic_score(judged)).value
            shown = "undefined" if value is None else number(value, 6)
            return Explanation(title, [f"The run has no results for this topic; its value is {shown}."])
        with prefix_errors(one.text), plugin_errors(one.text, type(one.measure), type(judged.context.user)):
            found = one.measure.explain(judged)
        has_user = one.user is not None or "user" not in one.measure.depends_on
        return found if has_user else replace(found, title=f"{found.title}, user model {self.context.user}")

    def _topic(self, topic: str) -> str:
        if str(topic) not in self.truth:
            known = list(self.truth.topics)
            offer = nearest(str(topic), known) or f"; it has {some(known, 8)}"
            raise UsageError(f"topic {topic} is not in {self.truth.source or 'the truth'}{offer}")
        return str(topic)


def prepare_one(
    truth: Any, run: Any, measures: MeasuresGiven | None, options: Mapping[str, Any], function: str
) -> Evaluation:
    """An evaluation of a single run, its duplicates refused where its format says so."""
    made = Evaluation._prepare(truth, run, measures, EvaluationOptions.from_arguments(options, function))
    if len(made.inputs) != 1:
        raise UsageError(f"{function} takes one run, not {len(made.inputs)}")
    refuse_duplicates(next(iter(made.runs.values())), made.context.duplicates)
    return made


def check_progress(progress: Any) -> None:
    """A switch, as other libraries have it, is an error before the work begins."""
    if progress is not None and not callable(progress):
        raise UsageError(
            f"progress is a function that is called with (done, of), not {progress!r:.40}; "
            "e.g. progress=lambda done, of: print(done, of)"
        )


def check_workers(jobs: int, executor: Any) -> None:
    """Refuse what cannot share out work."""
    if jobs < 1:
        raise UsageError(f"jobs must be at least 1, not {jobs}")
    if executor is None:
        return
    from concurrent.futures import Executor

    if not isinstance(executor, Executor):
        dask = hasattr(executor, "get_executor")
        offer = ": use client.get_executor()" if dask else ", e.g. concurrent.futures.ProcessPoolExecutor()"
        raise UsageError(f"executor is a concurrent.futures.Executor, not {type(executor).__name__}{offer}")


def _jobs_notes(jobs: int, executor: Executor | None) -> list[Note]:
    if jobs == 1 or executor is not None:
        return []
    from berrypick.core.workers import jobs_notes

    return jobs_notes(jobs)


def unique_names(runs: Sequence[tuple[str, str]]) -> list[str]:
    """From tag and file of each run: the tag, else the stem of the file; made unique by the stem, then by a number."""
    stems = [Path(source.removesuffix(".gz")).stem if source else tag or "run" for tag, source in runs]
    names = [tag or stem for (tag, _), stem in zip(runs, stems, strict=True)]
    clash = {name for name, count in Counter(names).items() if count > 1}
    names = [stem if name in clash else name for name, stem in zip(names, stems, strict=True)]
    used: set[str] = set()
    for i, name in enumerate(names):
        candidate, n = name, 2
        while candidate in used:
            candidate, n = f"{name}-{n}", n + 1
        used.add(candidate)
        names[i] = candidate
    return names


#: Fewer runs than this are shared out to an executor by topics.
FEW_RUNS = 8


def _scored_runs(
    evaluation: Evaluation, curves: bool, jobs: int, executor: Executor | None, progress: Progress | None
) -> list[ScoredRun]:
    """All runs scored. Every run is read, scored and dropped; several workers share the runs, or the topics of few
    runs."""
    inputs, each = evaluation.inputs, len(evaluation.truth)
    done, of = 0, each * len(inputs)

    def step(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, of)

    def counting() -> Iterator[Run | RunFile]:
        nonlocal of
        for source in inputs.streamed():
            of += each
            yield source

    sources = inputs.sources if inputs.stream is None else counting()
    whole_runs = _WholeRuns(evaluation, curves)
    if jobs == 1 and executor is None:
        return [whole_runs(source, step) for source in sources]
    from berrypick.core.workers import is_daemonic, ordered_map, process_pool  # loads multiprocessing

    if inputs.stream is not None and executor is None:
        if is_daemonic():
            return [whole_runs(source, step) for source in sources]
        with process_pool(jobs) as own:
            return ordered_map(_WholeRuns(evaluation.without_runs(), curves), sources, jobs=1, executor=own, step=step)
    if executor is not None:
        evaluation = evaluation.without_runs()
        whole_runs = _WholeRuns(evaluation, curves)
        sources = (source.absolute() if isinstance(source, RunFile) else source for source in sources)
    if inputs.stream is not None or len(inputs) >= (jobs if executor is None else FEW_RUNS):
        return ordered_map(whole_runs, sources, jobs=jobs, executor=executor, step=step)
    good, failure = _checked(RunScorer(evaluation, inputs.load(number), curves) for number in range(len(inputs)))
    shares = _Shares(good, jobs if executor is None else FEW_RUNS)
    parts = ordered_map(shares, range(len(shares.tasks)), jobs=jobs, executor=executor, step=step)
    for (which, _, _), found in zip(shares.tasks, parts, strict=True):
        good[which].scores.merge(found)
    if failure is not None:
        raise failure
    return [scorer.finished() for scorer in good]


@dataclass(frozen=True)
class _WholeRuns:
    """The work of one process: a run at a time, of which only the numbers are kept."""

    evaluation: Evaluation
    curves: bool

    @gc_paused()
    def __call__(self, source: Run | RunFile, step: Callable[[int], None]) -> ScoredRun:
        scorer = RunScorer(self.evaluation, self.evaluation.inputs.ready(source), self.curves)
        scorer.check()
        scorer.score_topics(scorer.topics, step)
        scorer.score_documents()
        if left := len(self.evaluation.truth) - len(scorer.topics):
            step(left)  # topics that the run does not answer, and that are not asked for
        return scorer.finished()


def _checked(scorers: Iterator[RunScorer]) -> tuple[list[RunScorer], BerrypickError | None]:
    """The runs before the first one that is refused, and why that one is: one process would get as far."""
    good: list[RunScorer] = []
    try:
        for scorer in scorers:
            scorer.check()
            repeats_of(scorer.run)  # computed once, before the work is shared out
            good.append(scorer)
    except BerrypickError as error:
        return good, error
    return good, None


class _Shares:
    """The work of several processes: each task is some topics of a run, one by one or by measures of documents."""

    def __init__(self, scorers: Sequence[RunScorer], jobs: int) -> None:
        self.scorers = scorers
        size = max(1, -(-sum(len(scorer.topics) for scorer in scorers) // (8 * jobs)))
        self.tasks: list[tuple[int, list[str], bool]] = []
        for which, scorer in enumerate(scorers):
            chunks = [scorer.topics[i : i + size] for i in range(0, len(scorer.topics), size)]
            for of_documents in (False, True):
                self.tasks += [
                    (which, chunk, of_documents)
                    for chunk in chunks
                    if scorer.has_measures(of_documents) or not of_documents
                ]

    def __call__(self, task: int, step: Callable[[int], None]) -> TopicScores:
        which, topics, of_documents = self.tasks[task]
        scorer = copy(self.scorers[which])
        scorer.scores = TopicScores()
        if of_documents:
            scorer.score_documents(topics)
        else:
            scorer.score_topics(topics, step)
        return scorer.scores


def _explain_documents(truth: Truth, run: Run, topic: str, measure: document_measures.DocumentMeasure) -> Explanation:
    value = document_measures.score(truth, run, [measure], [topic])[measure, topic]
    found = f"{measure} = {number(value, 6)}, computed by ir_measures"
    return Explanation(
        f"{measure} for topic {topic}", [*document_table(truth.topics[topic], run.ranking(topic)), found]
    )


def _judges_spans(truth: Any) -> bool:
    """Whether a truth judges spans, as far as it can be read."""
    try:
        return as_truth(truth).units == "spans"
    except BerrypickError:
        return False
