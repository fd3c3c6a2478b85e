"""bp.diagnose: for every target of a truth, whether it was found, and where it was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from berrypick.analysis.diagnosis.chunk_list import read_chunk_list
from berrypick.analysis.diagnosis.classes import FOUND, TargetClass
from berrypick.analysis.diagnosis.diagnosis_tables import legend_of, place_text, ranks_text, tables_of
from berrypick.analysis.diagnosis.examine import DiagnosedTarget, Patient
from berrypick.analysis.diagnosis.stages import OracleReranker, Pipeline, StageFlow, interval_over_topics, pipeline_of
from berrypick.analysis.diagnosis.unplaced import UnplacedTarget, without_unplaced
from berrypick.data.errors import UsageError, option
from berrypick.data.exchange import Kind
from berrypick.data.results import Note, Results, TopicGroups
from berrypick.data.run import Run
from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationKeywords, EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasuresGiven, given_measures
from berrypick.evaluation.run_inputs import stage_note
from berrypick.given.convert import RunsLike, TruthLike
from berrypick.tables.tabular import Tabular

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: What the runs are together where they are the stages of one pipeline.
PIPELINE = "pipeline"


@dataclass(frozen=True)
class Diagnosis(Tabular):
    """Where answers are lost: every target of a truth in exactly one class.

    Attributes
    ----------
    targets
        Every target of every run: ``topic``, ``place``, ``text``, ``class_name``, ``ranks``, ``question``.
    topic_classes
        By run, the class of each topic: that of its target that got least far; with sets, of the set that got farthest.
    k
        Number of first results to look at.
    share
        The minimum share of a target that a result must cover to hold it.
    pipelines
        By run, its stages: what each holds, gains and loses, and what the best order of the first one would hold.
    groups
        Groups of topics, where they were asked for.
    notes
        What was skipped or assumed.
    shown
        Number of topics that the text shows.
    confidence
        The confidence of the intervals.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q": {"guide#0-40": 1, "guide#90-120": 1}}
    >>> found = bp.diagnose(truth, {"q": {"guide#0-60": 2.0, "faq#0-90": 1.0}})
    >>> isinstance(found, bp.Diagnosis), [target.class_name for target in found.targets], found.topics
    (True, ['found', 'wrong passage'], {'q': 'wrong passage'})
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {
        **dict.fromkeys(("run", "topic", "topic_class", "place", "text", "class", "ranks", "question"), "text"),
    }

    targets: tuple[DiagnosedTarget, ...]
    topic_classes: Mapping[str, Mapping[str, TargetClass]]
    k: int
    share: float
    pipelines: Mapping[str, Pipeline] = field(default_factory=dict)
    groups: TopicGroups | None = None
    notes: Sequence[Note] = ()
    shown: int = 10
    confidence: float = 0.95

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs; one where they are stages."""
        return tuple(self.topic_classes)

    def pipeline(self, run: str | None = None) -> Pipeline:
        """Return the stages of a run, by default of the first one; a run without stages has none."""
        return self.pipelines.get(self.runs[0] if run is None else run, Pipeline())

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages of the first run; empty where it has none."""
        return self.pipeline().stages

    @property
    def flow(self) -> tuple[StageFlow, ...]:
        """What each stage of the first run holds, gains and loses."""
        return self.pipeline().flow

    @property
    def oracle(self) -> OracleReranker | None:
        """What the best order of the first stage of the first run would hold."""
        return self.pipeline().oracle

    @property
    def topics(self) -> dict[str, str]:
        """The class of each topic of the first run."""
        return self.topics_of(self.runs[0])

    def topics_of(self, run: str) -> dict[str, str]:
        """Return the class of each topic of a run."""
        stages = self.pipeline(run).stages
        return {topic: kind.label(stages) for topic, kind in self.topic_classes[run].items()}

    @property
    def classes(self) -> dict[str, dict[str, Any]]:
        """The count and share of the targets in each class of the first run, with an interval over topics."""
        return self.classes_of(self.runs[0])

    def classes_of(self, run: str, group: str | None = None) -> dict[str, dict[str, Any]]:
        """Return the same for a run, or for one group of its topics. Empty classes are omitted."""
        of = (
            self.targets_of(run)
            if group is None
            else [one for one in self.targets_of(run) if self._group(one.topic) == group]
        )
        counts = Counter(one.class_name for one in of)
        order = {one.class_name: one.kind.depth for one in of}
        found: dict[str, dict[str, Any]] = {}
        for name in sorted(counts, key=lambda name: order[name], reverse=True):
            hits = np.array([one.class_name == name for one in of], dtype=np.float64)
            low, high = interval_over_topics(hits, [one.topic for one in of], self.confidence)
            found[name] = {"count": counts[name], "share": counts[name] / len(of), "low": low, "high": high}
        return found

    def worst(self, n: int = 10, run: str | None = None) -> list[str]:
        """Return the topics of a run whose answers got least far, ties in the order of the truth."""
        classes = self.topic_classes[self.runs[0] if run is None else run]
        lost = [topic for topic, kind in classes.items() if kind.name != FOUND]
        return sorted(lost, key=lambda topic: classes[topic].depth)[:n]

    def targets_of(self, run: str) -> list[DiagnosedTarget]:
        """Return the targets of a run."""
        return self._by_run.get(run, [])

    @cached_property
    def _by_run(self) -> dict[str, list[DiagnosedTarget]]:
        found: dict[str, list[DiagnosedTarget]] = {}
        for one in self.targets:
            found.setdefault(one.run, []).append(one)
        return found

    def _group(self, topic: str) -> str | None:
        return None if self.groups is None else self.groups.of.get(topic)

    def records(self) -> list[dict[str, Any]]:
        stages = [{"run": run, "topic": "all", **one.record()} for run, one in self.pipelines.items() if one.flow]
        return [*self._target_records(), *stages]

    def _target_records(self) -> list[dict[str, Any]]:
        return [
            {
                "run": one.run,
                "topic": one.topic,
                "topic_class": self.topic_classes[one.run][one.topic].label(self.pipeline(one.run).stages),
                "target": dict(one.place),
                "text": one.text,
                "class": one.class_name,
                "ranks": {stage: list(ranks) for stage, ranks in one.ranks.items()},
                "question": one.question,
                **({} if self.groups is None else {self.groups.field: self._group(one.topic)}),
            }
            for one in self.targets
        ]

    def rows(self) -> list[dict[str, Any]]:
        return [
            {**record, "target": place_text(record["target"]), "ranks": ranks_text(record["ranks"])}
            for record in self._target_records()
        ]

    def tables(self, places: int = 4) -> list[Table]:
        return tables_of(self, places)

    def legend(self) -> list[str]:
        return legend_of(self)


@takes_options
def diagnose(
    truth: TruthLike,
    runs: RunsLike,
    *,
    k: int = 5,
    stages: bool = False,
    budget: float | None = None,
    share: float = 0.5,
    worst: int = 10,
    confidence: float = 0.95,
    measures: MeasuresGiven = (),
    **options: Unpack[EvaluationKeywords],
) -> Diagnosis:
    """Find out for every target of a truth whether a run found it, and where it was lost.

    Parameters
    ----------
    truth : TruthLike
        The judgements: spans, lines, seconds, boxes on pages or whole documents.
    runs : RunsLike
        What systems returned; each is diagnosed by itself unless ``stages`` is set. Rows that name their ``stage``, and
        reranker spans of traces, are the stages of a pipeline in one run.
    k : int
        Number of first results to look at.
    stages : bool
        Whether the runs are the successive stages of one pipeline, such as a retriever, its reranker, and the context
        that reached the model.
    budget : float, optional
        What a reader may spend on the list: in what positions count, or in the unit of ``effort``; in results where
        whole documents are judged.
    share : float
        The minimum share of a target that one result must cover to hold it.
    worst : int
        How many topics the text names, those whose answers got least far first; 0 for none.
    confidence : float
        The confidence of the intervals, which are over topics.
    measures : str, Measure or list
        Measures to compare between successive stages, over topics.
    **options
        Options of an evaluation, as in :func:`berrypick.evaluate`. With ``by``, each group of topics has its own row.
        ``chunks`` lists all chunks of the collection, with text, or doc, start and end: targets that no chunk overlaps,
        and targets that chunk borders cut, then have classes of their own.

    Returns
    -------
    Diagnosis
        Every target in one class; ``classes``, ``topics``, ``worst(n)``, ``to_pandas()``.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q1": {"guide#0-40": 1}, "q2": {"faq#0-30": 1}}
    >>> first = {"q1": {"guide#0-60": 2.0}, "q2": {"faq#0-90": 2.0}}
    >>> reranked = {"q1": {"guide#0-60": 2.0}, "q2": {"guide#0-60": 2.0}}
    >>> found = bp.diagnose(truth, {"bm25": first, "reranker": reranked}, stages=True)
    >>> found.topics
    {'q1': 'found', 'q2': 'lost in reranker'}
    """
    settings = EvaluationOptions.from_arguments(options, "diagnose")
    chunks, settings = settings.chunks, settings.changed(chunks=None)
    rules = DiagnosisRules(k, share, budget, stages, worst, confidence)
    judgements, missing, said = without_unplaced(truth, settings)
    wanted = given_measures(measures, options) or None
    prepared = Evaluation._from_options(judgements, runs, wanted, settings)
    return diagnosis_of(prepared, rules, chunks, missing, said, measured=wanted is not None)


@dataclass(frozen=True)
class DiagnosisRules:
    """What a diagnosis was asked for; the parameters of :func:`diagnose`."""

    k: int = 5
    share: float = 0.5
    budget: float | None = None
    stages: bool = False
    worst: int = 10
    confidence: float = 0.95

    def __post_init__(self) -> None:
        _check(self.k, self.share, self.budget, self.worst)


def diagnosis_of(
    prepared: Evaluation,
    rules: DiagnosisRules,
    chunks: Any = None,
    missing: Mapping[str, Sequence[UnplacedTarget]] | None = None,
    said: Sequence[Note] = (),
    measured: bool = False,
) -> Diagnosis:
    """Diagnose the runs of a prepared evaluation.

    ``missing`` are quotes that are not in the documents; ``measured``: its measures are compared between stages.
    """
    staged = {name: _stages(prepared, name, run) for name, run in prepared.runs.items()}
    if rules.stages:
        staged = {PIPELINE: {stage: run for name in staged for stage, run in _named(name, staged).items()}}
        if len(staged[PIPELINE]) < 2:
            raise UsageError(f"{option('stages', True)} needs the runs of two stages or more, the first stage first")
    if measured and not any(len(lists) > 1 for lists in staged.values()):
        remedy = f"give the runs of a pipeline with {option('stages', True)}, or rows with a field stage"
        raise UsageError(f"measures are compared between stages, but the runs have none: {remedy}")
    listed = None if chunks is None else read_chunk_list(chunks, prepared)
    patient = Patient(prepared, missing or {}, listed, rules.k, rules.share, rules.budget)
    targets: list[DiagnosedTarget] = []
    topic_classes: dict[str, dict[str, TargetClass]] = {}
    pipelines: dict[str, Pipeline] = {}
    for name, lists in staged.items():
        seen = patient.examine([*lists.values()])
        targets += [one.named(name, [*lists]) for one in seen.targets]
        topic_classes[name] = seen.topics
        if not targets:
            raise UsageError(f"{prepared.truth.source or 'the truth'} has no targets: nothing is judged relevant")
        results = _scores(prepared, lists) if measured and len(lists) > 1 else None
        pipelines[name] = pipeline_of([*lists], seen.targets, rules.k, rules.confidence, results)
    lists = {stage: run for lists in staged.values() for stage, run in lists.items()}
    notes = [*prepared.notes, *said, *(note for name, run in lists.items() for note in _notes(name, run))]
    return Diagnosis(
        tuple(targets), topic_classes, rules.k, rules.share, pipelines, prepared.groups, tuple(notes), rules.worst,
        rules.confidence,
    )  # fmt: skip


def _stages(prepared: Evaluation, name: str, run: Run) -> dict[str, Run]:
    """The stages of a run by name, all prepared; the run itself under its own name where it has no stages."""
    if not run.earlier:
        return {name: run}
    alone = replace(prepared.inputs, options=prepared.options.changed(stage=None))
    return {**{one.stage: alone.prepare(one) for one in run.earlier}, run.stage: run}


def _named(name: str, staged: Mapping[str, Mapping[str, Run]]) -> dict[str, Run]:
    """The stages of one of several runs, with the name of the run where another one has such a stage."""
    others = {stage for other, lists in staged.items() if other != name for stage in lists}
    return {f"{name} {stage}" if stage in others else stage: run for stage, run in staged[name].items()}


def _scores(prepared: Evaluation, lists: Mapping[str, Run]) -> Results:
    """The values of measures, with a run for each stage."""
    runs = tuple(run.changed(tag=f"{i} {stage}") for i, (stage, run) in enumerate(lists.items()))
    made = replace(prepared, inputs=replace(prepared.inputs, sources=runs, stream=None))
    return made.run()


def _notes(name: str, run: Run) -> list[Note]:
    """The notes of a run, without the one on stages: a diagnosis shows all of them."""
    unsaid = stage_note(run) if run.earlier else None
    return [Note("input", text, run=name) for text in run.notes if text != unsaid]


def _check(k: int, share: float, budget: float | None, worst: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise UsageError(f"k must be a whole number above 0, not {k!r:.40}")
    if not 0 < share <= 1:
        raise UsageError(f"share must be above 0 and at most 1, not {share!r:.40}")
    if budget is not None and not budget >= 0:
        raise UsageError(f"budget must be 0 or more, not {budget!r:.40}")
    if isinstance(worst, bool) or not isinstance(worst, int) or worst < 0:
        raise UsageError(f"worst must be a whole number, 0 or more, not {worst!r:.40}")
