"""bp.diagnose: for every target of a truth, whether it was found, and where it was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from berrypick.analysis.diagnosis.chunk_list import read_chunk_list
from berrypick.analysis.diagnosis.classes import FOUND, TargetClass
from berrypick.analysis.diagnosis.diagnosis_tables import legend_of, place_text, ranks_text, tables_of
from berrypick.analysis.diagnosis.examine import DiagnosedTarget, Patient
from berrypick.analysis.diagnosis.stages import OracleReranker, StageFlow, flow_of, interval_over_topics, oracle_of
from berrypick.analysis.diagnosis.unplaced import without_unplaced
from berrypick.data.errors import UsageError, option
from berrypick.data.exchange import Kind
from berrypick.data.results import Note, TopicGroups
from berrypick.data.score import Table
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationKeywords, EvaluationOptions, takes_options
from berrypick.given.convert import RunsLike, TruthLike
from berrypick.tables.tabular import Tabular

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: What the runs are together where they are the stages of one pipeline.
PIPELINE = "pipeline"


@dataclass(frozen=True)
class Diagnosis(Tabular):
    """Where the answers of a truth are lost: every target in exactly one class.

    Attributes
    ----------
    targets
        Every target of every run: ``topic``, ``place``, ``text``, ``class_name``, ``ranks``, ``question``.
    topic_classes
        By run, the class of each topic: that of its target that got least far; with sets, of the set that got farthest.
    k
        How many results count as the first ones.
    share
        The least share of a target that a result must cover to hold it.
    stages
        The names of the stages; empty where each run is diagnosed by itself.
    flow
        What each stage holds, gains and loses.
    oracle
        What the best order of the first stage would hold.
    groups
        Groups of topics, where they were asked for.
    notes
        What was skipped or assumed.
    shown
        How many topics the text names.
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
    stages: tuple[str, ...] = ()
    flow: tuple[StageFlow, ...] = ()
    oracle: OracleReranker | None = None
    groups: TopicGroups | None = None
    notes: Sequence[Note] = ()
    shown: int = 10
    confidence: float = 0.95

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs; one where they are stages."""
        return tuple(self.topic_classes)

    @property
    def topics(self) -> dict[str, str]:
        """The class of each topic of the first run."""
        return self.topics_of(self.runs[0])

    def topics_of(self, run: str) -> dict[str, str]:
        """Return the class of each topic of a run."""
        return {topic: kind.label(self.stages) for topic, kind in self.topic_classes[run].items()}

    @property
    def classes(self) -> dict[str, dict[str, Any]]:
        """The count and share of the targets in each class of the first run, with an interval over topics."""
        return self.classes_of(self.runs[0])

    def classes_of(self, run: str, group: str | None = None) -> dict[str, dict[str, Any]]:
        """Return the same for a run, or for one group of its topics. Classes that are empty are left out."""
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
        return [
            {
                "run": one.run,
                "topic": one.topic,
                "topic_class": self.topic_classes[one.run][one.topic].label(self.stages),
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
            for record in self.records()
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
    **options: Unpack[EvaluationKeywords],
) -> Diagnosis:
    """Tell for every target of a truth whether a run found it, and where it was lost.

    Parameters
    ----------
    truth : TruthLike
        The judgements: spans, lines, seconds, boxes on pages or whole documents.
    runs : RunsLike
        What systems returned; each is diagnosed by itself unless ``stages`` is set.
    k : int
        How many results count as the first ones.
    stages : bool
        Whether the runs are the successive stages of one pipeline, such as a retriever, its reranker, and the context
        that reached the model.
    budget : float, optional
        What a reader may spend on the list: in what positions count, or in the unit of ``effort``; in results where
        whole documents are judged.
    share : float
        The least share of a target that one result must cover to hold it.
    worst : int
        How many topics the text names, those whose answers got least far first; 0 for none.
    confidence : float
        The confidence of the intervals, which are over topics.
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
    _check(k, share, budget, worst)
    settings = EvaluationOptions.from_arguments(options, "diagnose")
    chunks, settings = settings.chunks, settings.changed(chunks=None)
    judgements, missing, said = without_unplaced(truth, settings)
    prepared = Evaluation._from_options(judgements, runs, None, settings)
    names, found = tuple(prepared.runs), tuple(prepared.runs.values())
    if stages and len(found) < 2:
        raise UsageError(f"{option('stages', True)} needs the runs of two stages or more, the first stage first")
    listed = None if chunks is None else read_chunk_list(chunks, prepared)
    patient = Patient(prepared, missing, listed, k, share, budget)
    pipelines = {PIPELINE: (names, found)} if stages else {one: ((one,), (run,)) for one, run in prepared.runs.items()}
    notes = [
        *prepared.notes,
        *said,
        *(Note("input", text, run=name) for name in names for text in prepared.runs[name].notes),
    ]
    targets: list[DiagnosedTarget] = []
    topic_classes: dict[str, dict[str, TargetClass]] = {}
    for name, (stage_names, lists) in pipelines.items():
        seen = patient.examine(lists)
        targets += [one.named(name, stage_names) for one in seen.targets]
        topic_classes[name] = seen.topics
    if not targets:
        raise UsageError(f"{prepared.truth.source or 'the truth'} has no targets: nothing is judged relevant")
    flow: tuple[StageFlow, ...] = ()
    oracle = None
    if stages:
        flow, oracle = flow_of(names, seen.targets, confidence), oracle_of(seen.targets, k, confidence)
    return Diagnosis(
        tuple(targets), topic_classes, k, share, names if stages else (), flow, oracle, prepared.groups, tuple(notes),
        worst, confidence,
    )  # fmt: skip


def _check(k: int, share: float, budget: float | None, worst: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise UsageError(f"k must be a whole number above 0, not {k!r:.40}")
    if not 0 < share <= 1:
        raise UsageError(f"share must be above 0 and at most 1, not {share!r:.40}")
    if budget is not None and not budget >= 0:
        raise UsageError(f"budget must be 0 or more, not {budget!r:.40}")
    if isinstance(worst, bool) or not isinstance(worst, int) or worst < 0:
        raise UsageError(f"worst must be a whole number, 0 or more, not {worst!r:.40}")
