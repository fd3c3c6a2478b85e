"""An evaluation as a value: everything read and prepared once, then used as often as needed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

from berrypick import users
from berrypick.data.arrays import FloatArray
from berrypick.data.costs import lacking
from berrypick.data.errors import BerrypickError, UsageError, nearest, option, shorten
from berrypick.data.results import LateRows, MeasureInfo, Note, Results, Row, TopicGroups
from berrypick.data.run import Run
from berrypick.data.score import CurvesWanted, Explanation
from berrypick.data.sums import TruthSums
from berrypick.data.truth import Truth
from berrypick.data.words import counted, unit_word
from berrypick.evaluation.inputs import prepare_inputs, prepared, with_sources
from berrypick.evaluation.kept import find_kept, keep, kept_key, known_truth
from berrypick.evaluation.line_units import check_reader
from berrypick.evaluation.notes import lengths_notes, some, unspaced_notes
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.evaluation.requested import EFFORT, MeasureRequest, MeasuresGiven, RequestedMeasure, given_measures
from berrypick.evaluation.run_inputs import RunInputs
from berrypick.evaluation.scored import ScoredRun, SharedSignature
from berrypick.evaluation.scoring import raise_named, score_run
from berrypick.evaluation.signature import accepts_navigation, depends_on
from berrypick.evaluation.unread import unread_notes
from berrypick.given.convert import RunFile, as_truth
from berrypick.inputs.titles import Titles
from berrypick.kernels import LARGE, missing_notes
from berrypick.measures import UnknownMeasureError
from berrypick.topics.context import JudgingContext
from berrypick.topics.repeats import refuse_duplicates
from berrypick.topics.topics import JudgedTopics
from berrypick.users import UserModel
from berrypick.workers.progress import Progress as Progress
from berrypick.workers.progress import ProgressLike, StepCounter, as_progress

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords
    from berrypick.evaluation.readers import DrawnReaders
    from berrypick.targets.gains import Quantisation
    from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Truth, runs, measures and options, read and prepared once, and used as often as needed.

    Create one with :meth:`prepare`.

    Attributes
    ----------
    truth
        The judgements.
    inputs
        The runs, read or waiting in their files.
    measures
        What was requested.
    options
        The options as given.
    context
        What topics are judged with: user model, texts, lengths.
    notes
        Notes about the inputs.
    groups
        Groups of topics, where they are asked for.
    contexts
        By the text of a measure, its context: with the user model and the quantisation that it names itself, if any.
    readers
        Readers drawn from a fitted user model, where :meth:`run` is to score them too.
    recalls
        Pairs of measures, any and all, that recalls@k stands for.
    scored_topics
        The judged topics to score, of every run alike; None for all.
    scored_as
        What the signature calls these topics.
    judged
        The judgements that signatures are about: with quotes in their places, before options change them; None: truth.

    Examples
    --------
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
    contexts: Mapping[str, JudgingContext] = field(default_factory=dict)
    readers: DrawnReaders | None = None
    recalls: tuple[tuple[str, str], ...] = ()
    scored_topics: frozenset[str] | None = None
    scored_as: str = "baseline"
    judged: Truth | None = None
    #: Signatures of measures, by all that they depend on: those of one run are mostly those of the next.
    _signatures: dict[Any, SharedSignature] = field(default_factory=dict, init=False)

    @classmethod
    @takes_options
    def prepare(
        cls, truth: Any, runs: Any, measures: MeasuresGiven = (), **options: Unpack[EvaluationKeywords]
    ) -> Evaluation:
        """Read and check everything; see :func:`berrypick.evaluate` for what truth, runs and options may be."""
        measures = given_measures(measures, options)
        given = EvaluationOptions.from_arguments(options, "Evaluation.prepare")
        return cls._from_options(truth, runs, measures, given)

    @classmethod
    def _from_options(
        cls,
        truth: Any,
        runs: Any,
        measures: MeasuresGiven | None,
        options: EvaluationOptions,
        once: bool = False,
    ) -> Evaluation:
        """The same with options as one value. ``measures`` None: none are needed. ``once``: it is run once, so an
        iterator of runs need not be kept."""
        key = kept_key(measures, options)
        if key is None:
            return cls._newly_prepared(truth, runs, measures, options, once)[0]
        known = known_truth(truth)
        if (kept := find_kept(known, key)) is not None:
            return kept._on_runs(runs, once)
        made, read = cls._newly_prepared(known, runs, measures, options, once)
        keep(truth, read, key, made)
        return made

    @classmethod
    def _newly_prepared(
        cls, truth: Any, runs: Any, measures: MeasuresGiven | None, options: EvaluationOptions, once: bool
    ) -> tuple[Evaluation, Truth]:
        """The evaluation, and its truth as it was read."""
        options = _with_fitted_user(options)
        try:
            request = MeasureRequest.of(measures, options)  # mistakes are reported before anything is read
        except UnknownMeasureError as error:
            raise error.for_units(_judges_spans(truth, options.fields)) from None
        inputs = prepare_inputs(truth, runs, options, once)
        context = inputs.context
        chosen = request.on(inputs.truth, context.reader)
        for given in (options.user, *(one.measure.user_model() for one in chosen.measures)):
            if given is not None and not users.is_name(given):
                check_reader(given, inputs.truth, bool(options.whole_documents))
        judgements, groups, ungrouped = _grouped(inputs.truth, options)
        if inputs.runs.pages is not None:
            _check_areas(chosen.measures)
        _check_measures(chosen.measures, judgements, options)
        contexts = _contexts(chosen.measures, context, judgements.units == "elements")
        _check_navigation(context, contexts.values())
        notes = (*inputs.notes, *chosen.notes, *ungrouped)
        made = cls(
            judgements, inputs.runs, chosen.measures, options, context, notes, groups, contexts,
            recalls=chosen.recalls, judged=inputs.judged,
        )  # fmt: skip
        assert inputs.read is not None
        return made, inputs.read

    def _on_runs(self, runs: Any, once: bool) -> Evaluation:
        """Return the same for other runs, as they are given; signatures and sums of the truth are shared."""
        found = prepared(with_sources(self.inputs, runs, once))
        made = object.__new__(Evaluation)  # as replace does, which shares no signatures
        made.__dict__.update(self.__dict__, inputs=found)
        return made

    def __repr__(self) -> str:
        parts = (
            counted(len(self.truth), "topic"),
            "runs of an iterator" if self.inputs.stream is not None else counted(len(self.inputs.sources), "run"),
            counted(len(self.measures), "measure"),
        )
        return f"Evaluation({', '.join(parts)}, user={self.context.user})"

    @cached_property
    def runs(self) -> dict[str, Run]:
        """All runs by name, read and prepared."""
        found = [self.inputs.load(source) for source in self.inputs.sources]
        return dict(zip(unique_names([(run.tag, run.source) for run in found]), found, strict=True))

    @cached_property
    def sums(self) -> TruthSums:
        """The sums of the judgements, for signatures."""
        return TruthSums(self.truth if self.judged is None else self.judged)

    @cached_property
    def _reads(self) -> dict[str, frozenset[str]]:
        """By the text of a measure, what its values depend on."""
        return {one.text: depends_on(one.measure, self.contexts[one.text].user) for one in self.measures}

    @cached_property
    def _measure_info(self) -> dict[str, MeasureInfo]:
        """The facts of the measures, for results."""
        return {one.text: one.info() for one in self.measures}

    def _in_its_unit(self, one: RequestedMeasure, means: Sequence[Row]) -> MeasureInfo:
        """The facts of a measure whose curve counts what is read, in the unit that its signatures state."""
        signed = (row.signature.parts("effort") for row in means if row.measure == one.text)
        # a run without any value states the option alone
        known = dict.fromkeys(unit for units in signed for unit in units if unit != "rank")
        # signatures state chars where nobody knows what positions count
        words = {"chars": f"{unit_word(self.context.reader.line_unit)}s", "area": "units of area"}
        return one.info(" or ".join(words.get(unit, unit) for unit in known) or words["chars"])

    def read_by(self, user: Any) -> Evaluation:
        """Return the same with another user model, for the measures that name none themselves; runs are kept as read.

        ``user`` is what the option takes.
        """
        model, navigation = users.load(user, self.context.reader.navigation)
        reader = self.context.reader
        reader = reader if navigation is reader.navigation else replace(reader, navigation=navigation)
        context = self.context.read_by(model.resolved(reader), reader)
        contexts = _contexts(self.measures, context, self.truth.units == "elements")
        inputs = replace(self.inputs, sources=tuple(self.runs.values()), stream=None, context=context)
        options = self.options.with_user(user)
        made = replace(self, inputs=inputs, context=context, contexts=contexts, options=options)
        made.__dict__["runs"] = self.runs  # under the names they have
        return made

    def scored_by(self, measures: Sequence[RequestedMeasure]) -> Evaluation:
        """Return the same with other measures; runs are kept as read."""
        contexts = _contexts(measures, self.context, self.truth.units == "elements")
        made = replace(self, measures=tuple(measures), contexts=contexts)
        made.__dict__["runs"] = self.runs
        return made

    def scoring_topics(self, topics: Iterable[str], *notes: Note, scored_as: str = "baseline") -> Evaluation:
        """Return the same on some of the judged topics, where a run that lacks one counts as an empty list; the
        signature calls them ``scored_as``."""
        made = replace(self, scored_topics=frozenset(topics), scored_as=scored_as, notes=(*self.notes, *notes))
        if "runs" in self.__dict__:
            made.__dict__["runs"] = self.runs
        return made

    def without_runs(self) -> Evaluation:
        """Return the same for runs that come one by one, as it is sent to other processes."""
        return replace(self, inputs=self.inputs.without_sources(), judged=None)

    def _for_next_runs(self) -> Evaluation:
        """Return the same without its runs, which then are free; what depends on no run is shared."""
        for name in ("sums", "_reads", "_measure_info"):
            getattr(self, name)  # made now, once for all
        made = object.__new__(Evaluation)
        made.__dict__.update(self.__dict__, inputs=self.inputs.without_sources())
        made.__dict__.pop("runs", None)
        return made

    def run(
        self,
        *,
        curves: CurvesWanted = False,
        jobs: int = 1,
        executor: Executor | None = None,
        progress: ProgressLike = None,
        reader_draws: int = 0,
    ) -> Results:
        """Score every topic of every run, in ``jobs`` processes or by the workers of an ``executor``.

        ``progress`` is called with (done, of). ``curves`` may be "common": then those of topics are only at the points
        that all topics share. With a fitted user model, ``reader_draws`` readers are drawn.
        """
        own = any(context.user is not self.context.user for context in self.contexts.values())
        by_name = self.options.user is None or users.is_name(self.options.user)
        fitted = own or not by_name  # perhaps: drawing looks, and refuses what is no count
        if reader_draws and (fitted or type(reader_draws) is not int or reader_draws < 0):
            return self.drawing(reader_draws).run(curves=curves, jobs=jobs, executor=executor, progress=progress)
        if jobs != 1 or executor is not None:
            check_workers(jobs, executor)
        inputs, each = self.inputs, len(self.truth)
        step = StepCounter(None if progress is None else as_progress(progress), each * len(inputs.sources))

        def streamed() -> Iterator[Run | RunFile]:
            for source in inputs.streamed():
                step.of += each
                yield source

        sources = inputs.sources if inputs.stream is None else streamed()
        if jobs == 1 and executor is None:
            if inputs.stream is None and "runs" in self.__dict__:
                sources = tuple(self.runs.values())  # they are read already
            return self._results([score_run(self, curves, source, step) for source in sources], [])
        from berrypick.evaluation.run_workers import jobs_notes, share_runs  # loads multiprocessing

        notes = jobs_notes(jobs) if executor is None else []
        return self._results(share_runs(self, curves, sources, jobs, executor, step), notes)

    def drawing(self, count: int) -> Evaluation:
        """Return the same with this many readers drawn from its fitted user model, if it has one."""
        from berrypick.evaluation.readers import drawn_readers

        readers, lacking = drawn_readers(self, count)
        return self if readers is None else replace(self, readers=readers, notes=(*self.notes, *lacking))

    def _results(self, scored: list[ScoredRun], notes: Sequence[Note]) -> Results:
        """The numbers of all runs together."""
        means: list[Row] = []
        group_means: list[Row] = []
        reads = self._reads
        notes = [*self.notes, *unread_notes(self, reads), *lengths_notes(self, reads), *notes]
        facts = {}
        drawn: dict[tuple[str, str], dict[str, FloatArray]] = {}
        names = unique_names([(run.tag, run.source) for run in scored])
        named = list(zip(names, scored, strict=True))
        for name, run in named:
            means += [run.mean(name, one, run.topics, self.sums) for one in self.measures]
            if self.groups is not None:
                group_means += run.group_means(name, self.measures, self.groups, self.sums)
            notes += run.notes(name)
            facts[name] = run.facts(name)
            notes += [Note("costs", text, name) for text in lacking(facts[name].costs, run.topics)]
            if self.readers is not None:
                drawn |= run.drawn(name)
        notes += missing_notes(large=sum(run.results for run in facts.values()) >= LARGE)
        if (texts := self.context.reader.texts) is not None:
            notes += unspaced_notes(self.truth, texts, means)
        if self.recalls:
            from berrypick.measures.answers.recalls import Recalls

            notes += Recalls.notes(self.recalls, means)
        info, known = dict(self._measure_info), None
        info |= {
            one.text: self._in_its_unit(one, means) for one in self.measures if EFFORT in one.measure.curve_axes[0]
        }
        if self.readers is not None:
            from berrypick.data.drawn import DrawnValues

            summed = frozenset(text for text, one in info.items() if one.summed)
            readers = self.readers
            known = DrawnValues(readers.source, readers.confidence, drawn, summed, readers.evenly)
        told, measures, groups, sums = tuple(dict.fromkeys(notes)), self.measures, self.groups, self.sums

        def rows() -> list[Row]:
            return [row for name, run in named for row in run.topic_rows(name, measures, sums, groups)]

        return Results(LateRows(rows), means, told, info, facts, groups, group_means, known)

    def judge(self, run: str, topic: str, user: UserModel | None = None) -> JudgedTopic:
        """Return one topic of one run judged, by the user model of the evaluation or another one."""
        context = self.context if user is None else replace(self.context, user=user.resolved(self.context.reader))
        from berrypick.topics.judge import judge_topic

        return judge_topic(self.truth, self.runs[run], self.topic_named(topic), context)

    def explain(self, run: str, one: RequestedMeasure, topic: str) -> Explanation:
        """Return the working of one number."""
        topic, system = self.topic_named(topic), self.runs[run]
        judged = JudgedTopics(self.truth, system, (topic,), self.contexts[one.text])
        if not one.measure.of_documents:
            judged.judge(topic)  # what is wrong with it is no matter of the measure
        try:
            return one.measure.explain_topic(judged, one.text)
        except Exception as error:
            raise_named(error, one.text, one.measure, judged.context.user)

    def topic_named(self, given: str) -> str:
        """Return the topic that a person means: by its name, else by its question, up to white space."""
        given = str(given)
        if given in self.truth:
            return given
        source, asked = self.truth.source or "the truth", Titles.of(self.truth).topics_of(given)
        if len(asked) > 1:
            what = f"{len(asked)} topics of {source} have the question {shorten(given, 80)!r}"
            raise UsageError(f"{what}: name one of {some(asked, 8)}")
        if asked:
            return asked[0]
        known = list(self.truth.topics)
        offer = nearest(given, known) or f"; it has {some(known, 8)}"
        raise UsageError(f"topic {given} is not in {source}{offer}")


def prepare_one(
    truth: Any, run: Any, measures: MeasuresGiven | None, options: Mapping[str, Any], function: str
) -> Evaluation:
    """An evaluation of a single run, its duplicates refused where its format says so."""
    made = Evaluation._from_options(truth, run, measures, EvaluationOptions.from_arguments(options, function))
    if len(made.inputs.sources) != 1:
        raise UsageError(f"{function} takes one run, not {len(made.inputs.sources)}")
    [only] = made.runs.values()
    if (made.context.duplicates or only.ordering.duplicates) == "error":
        refuse_duplicates(only)
    return made


def check_workers(jobs: int, executor: Any) -> None:
    """Refuse what cannot share out work."""
    if not isinstance(jobs, Integral) or jobs < 1:
        kind = "" if isinstance(jobs, Integral) else ", which is not a whole number"
        raise UsageError(f"jobs must be at least 1, not {jobs!r:.60}{kind}")
    if executor is None:
        return
    from concurrent.futures import Executor

    if not isinstance(executor, Executor):
        dask = hasattr(executor, "get_executor")
        offer = ": use client.get_executor()" if dask else ", e.g. concurrent.futures.ProcessPoolExecutor()"
        raise UsageError(f"executor is a concurrent.futures.Executor, not {type(executor).__name__}{offer}")


def _stem(path: str) -> str:
    """The name of a file without its extension."""
    name = os.path.basename(path)
    dot = name.rfind(".")
    return name[:dot] if 0 < dot < len(name) - 1 else name


def unique_names(runs: Sequence[tuple[str, str]]) -> list[str]:
    """From tag and file of each run: the tag, else the stem of the file; made unique by the stem, then by a number."""
    stems = [_stem(source.removesuffix(".gz")) if source else tag or "run" for tag, source in runs]
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


def _with_fitted_user(options: EvaluationOptions) -> EvaluationOptions:
    """Read the file of a fitted user model, once."""
    by_name = options.user is None or users.is_name(options.user)
    fitted = None if by_name else users.read_fitted(options.user)
    return options if fitted is None else options.with_user(fitted)


def _grouped(truth: Truth, options: EvaluationOptions) -> tuple[Truth, TopicGroups | None, tuple[Note, ...]]:
    """Add the table of topics to a truth, and group them; notes count topics without a group."""
    if options.by is None and options.topic_table is None:
        return truth, None, ()
    from berrypick.evaluation.groups import topic_groups, with_topic_table

    truth = with_topic_table(truth, options.topic_table)
    groups, ungrouped = topic_groups(truth, options)
    return truth, groups, tuple(ungrouped)


def _check_navigation(context: JudgingContext, others: Iterable[JudgingContext]) -> None:
    """Refuse navigation that no user model reads."""
    navigation, models = context.reader.navigation, [context.user, *(one.user for one in others)]
    if navigation is not None and not any(map(accepts_navigation, models)):
        raise UsageError(f"user model {context.user.name()} does not use {navigation.source or 'this navigation'}")


def _judges_spans(truth: Any, fields: Any) -> bool:
    """Whether a truth judges spans, as far as it can be read."""
    try:
        return as_truth(truth, fields).units == "spans"
    except BerrypickError:
        return False


def _check_measures(measures: Sequence[RequestedMeasure], truth: Truth, options: EvaluationOptions) -> None:
    """Refuse ``unjudged`` for measures that do not count characters, and measures of documents on judged text."""
    for one in measures:
        if options.unjudged is not None and not one.measure.takes_unjudged():
            raise UsageError(
                f"{one.text} does not count characters or seconds: {option('unjudged')} applies to charP, charR, "
                "charF and IoU"
            )
        if one.measure.instead_on_spans and truth.judges_text:
            raise UsageError(
                f"{one.text} {one.measure.instead_on_spans}, but {truth.source or 'the truth'} judges spans in them: "
                "charJudged is the share of what is retrieved that was judged"
            )


def _check_areas(measures: Sequence[RequestedMeasure]) -> None:
    """Where places on pages are judged, lengths are areas."""
    for one in measures:
        if not one.measure.of_areas and not one.measure.of_documents:
            known = "charR, charP, charF, IoU, charJudged, Overlap, Coverage"
            spans = "spanHit, spanRR, spanNDCG, spanAP, spanAll, EPRUM"
            what = f"{one.text} does not count areas, and the truth judges places on pages"
            raise UsageError(f"{what}: use {known}, {spans}")


def _contexts(
    measures: Sequence[RequestedMeasure], context: JudgingContext, elements: bool
) -> dict[str, JudgingContext]:
    """The context of each measure: some name a user model, or a quantisation by which targets are chosen."""
    made: dict[tuple[Any, ...], JudgingContext] = {(None, None): context}
    found: dict[str, JudgingContext] = {}
    for one in measures:
        found[one.text] = context
        chooses = elements or "targets" in one.measure.dependencies()
        key = (one.measure.user_model(), one.measure.quantisation() if chooses else None)
        if key not in made:
            made[key] = _with_own(context, *key)
        found[one.text] = own = made[key]
        if one.measure.reads_targets(own.user.name()):
            continue  # else what is relevant does not depend on what readers look for
        no_idealism = elements and own.idealism is not None
        no_points = own.user.seeks_entry_points and "user" not in one.measure.dependencies()
        if no_idealism or no_points:
            user = users.build("classical").resolved(own.reader) if no_points else own.user
            idealism = None if no_idealism else own.idealism
            found[one.text] = made.setdefault(
                (*key, no_idealism, no_points), replace(own, user=user, idealism=idealism)
            )
    return found


def _with_own(context: JudgingContext, user: str | None, quant: Quantisation | None) -> JudgingContext:
    """The context with what a measure itself names."""
    model, navigation = users.load(context.user if user is None else user, context.reader.navigation)
    reader = context.reader  # a fitted chain has its own transitions
    reader = reader if navigation is reader.navigation else replace(reader, navigation=navigation)
    return replace(context, user=model.resolved(reader), reader=reader, quant=quant)
