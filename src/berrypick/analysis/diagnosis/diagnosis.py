"""bp.diagnose: for every target of a truth, whether it was found, and where it was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from berrypick.analysis.diagnosis.chunk_list import read_chunk_list
from berrypick.analysis.diagnosis.classes import (
    FOUND,
    LOST,
    MEANING,
    Sighting,
    TargetClass,
    TargetFacts,
    classify,
)
from berrypick.analysis.diagnosis.holdings import Holdings
from berrypick.analysis.diagnosis.oracle import most_held
from berrypick.analysis.diagnosis.unplaced import UnplacedTarget, without_unplaced
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError, option, shorten
from berrypick.data.exchange import Kind
from berrypick.data.results import Note, TopicGroups
from berrypick.data.run import Ranking, Run, place_record
from berrypick.data.score import Table
from berrypick.data.truth import Targets
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationKeywords, EvaluationOptions, takes_options
from berrypick.given.convert import RunsLike, TruthLike
from berrypick.inputs.titles import titles_of
from berrypick.statistics.intervals import mean_intervals
from berrypick.tables.tabular import Interval, Tabular
from berrypick.targets.in_common import sizes
from berrypick.topics.judge import judge_topic
from berrypick.topics.sufficient import Sufficient
from berrypick.topics.topic import JudgedTopic
from berrypick.users.base import ReaderContext

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: What the runs are together where they are the stages of one pipeline.
PIPELINE = "pipeline"
#: Characters of a question and of a target's text in the table.
_SHOWN = 70


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
class StageFlow:
    """How many targets some result of a stage holds, and what the stage gained and lost against the one before."""

    stage: str
    held: Interval
    gained: Interval | None = None
    lost: Interval | None = None


@dataclass(frozen=True)
class OracleReranker:
    """The mean share of a topic's targets held by the first k results: of the first stage, of its best order, of the
    last stage. ``greedy`` counts the topics whose best order was not searched to the end."""

    first: Interval
    best: Interval
    last: Interval
    greedy: int = 0


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
        of = self._of(run) if group is None else [one for one in self._of(run) if self._group(one.topic) == group]
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

    def _of(self, run: str) -> list[DiagnosedTarget]:
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
        made = [self._class_table(run, places) for run in self.runs]
        if self.groups is not None:
            made += [self._group_table(run) for run in self.runs]
        if self.flow:
            made.append(self._flow_table(places))
        if self.oracle is not None:
            made.append(self._oracle_table(self.oracle, places))
        made += [self._worst_table(run) for run in self.runs if self.shown]
        return made

    def _class_table(self, run: str, places: int) -> Table:
        rows = [
            [name, str(row["count"]), *Interval(row["share"], row["low"], row["high"]).cells(places), meaning(name)]
            for name, row in self.classes_of(run).items()
        ]
        title = f"{run}: {counted(len(self._of(run)), 'target')} of {counted(len(self.topic_classes[run]), 'topic')}"
        return Table(title, ["class", "targets", "share", "interval", "meaning"], rows, "<>>><")

    def _group_table(self, run: str) -> Table:
        assert self.groups is not None
        names = list(self.classes_of(run))
        rows = []
        for group in self.groups.names:
            classes = self.classes_of(run, group)
            total = sum(row["count"] for row in classes.values())
            rows.append([group, str(total), *(str(classes.get(name, {}).get("count", 0)) for name in names)])
        return Table(f"{run}, by {self.groups.field}", [self.groups.field, "targets", *names], rows)

    def _flow_table(self, places: int) -> Table:
        rows = []
        for one in self.flow:
            parts = [one.held, one.gained or Interval(), one.lost or Interval()]
            rows.append([one.stage, *(cell for part in parts for cell in part.cells(places))])
        header = ["stage", "held", "interval", "gained", "interval", "lost", "interval"]
        return Table("Share of the targets that each stage holds, at any rank", header, rows)

    def _oracle_table(self, oracle: OracleReranker, places: int) -> Table:
        first, last = (self.stages[0], self.stages[-1]) if self.stages else ("as ranked", "")
        rows = [[first, *oracle.first.cells(places)], ["best order of it", *oracle.best.cells(places)]]
        if last and len(self.stages) > 1:
            rows.append([last, *oracle.last.cells(places)])
        title = f"Oracle reranker: share of a topic's targets that {self.k} results hold"
        return Table(title, ["list", "share", "interval"], rows)

    def _worst_table(self, run: str) -> Table:
        rows = []
        classes = self.topic_classes[run]
        by_topic: dict[str, list[DiagnosedTarget]] = {}
        for one in self._of(run):
            by_topic.setdefault(one.topic, []).append(one)
        for topic in self.worst(self.shown, run):
            for one in by_topic[topic]:
                if one.kind.name != FOUND:
                    places = [place_text(one.place), ranks_text(one.ranks)]
                    rows.append([one.class_name, topic, *places, in_a_cell(one.question), in_a_cell(one.text)])
        lost = sum(kind.name != FOUND for kind in classes.values())
        shown = f"the {self.shown} worst of {lost}" if lost > self.shown else str(lost)
        title = f"{run}: topics with a target that was not found ({shown})"
        return Table(title, ["class", "topic", "target", "ranks that hold it", "question", "text"], rows, "<<<<<<")

    def legend(self) -> list[str]:
        said = [f"A result holds a target if it covers {self.share:g} of it; the first {self.k} results count."]
        if self.oracle is not None and self.oracle.greedy:
            many = counted(self.oracle.greedy, "topic")
            said.append(f"Best order: greedy for {many} with more than 20 candidates, so the share is a lower bound.")
        return said


def in_a_cell(text: str | None) -> str:
    """A question or the text of a target as a cell of a table."""
    return shorten(" ".join((text or "").split()), _SHOWN)


def meaning(name: str) -> str:
    """What a class means; all stages that lose targets share one meaning."""
    return MEANING.get(name, MEANING[LOST])


def place_text(place: Mapping[str, Any]) -> str:
    """A place in one word: ``guide#0-40``, ``main.py:3-9``, ``report#page=4``."""
    doc = str(place.get("doc") or "?")
    if "page" in place:
        box = place.get("box")
        return f"{doc}#page={place['page']}" + ("" if box is None else f"&box={','.join(f'{edge:g}' for edge in box)}")
    if "start_line" in place:
        return f"{doc}:{place['start_line']}-{place['end_line']}"
    first, last = place.get("start", place.get("start_time")), place.get("end", place.get("end_time"))
    return doc if first is None or last is None else f"{doc}#{first:.12g}-{last:.12g}"


def ranks_text(ranks: Mapping[str, Sequence[int]]) -> str:
    """Ranks of each stage in one text; of one run alone, the ranks by themselves."""
    texts = {stage: ", ".join(map(str, found)) or "-" for stage, found in ranks.items()}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{stage}: {text}" for stage, text in texts.items())


def interval_over_topics(
    values: FloatArray, topics: Sequence[str], confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """The interval of a mean over targets, where the targets of one topic are not independent."""
    code = {topic: i for i, topic in enumerate(dict.fromkeys(topics))}
    if len(code) < 2:
        return None, None
    clusters = np.array([code[topic] for topic in topics], dtype=np.int64)
    found = mean_intervals(values[:, None], confidence=confidence, clusters=clusters)
    ends = float(found.low[0]), float(found.high[0])
    return (None, None) if np.isnan(ends).any() else ends


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
    patient = _Patient(prepared, missing, listed, k, share, budget)
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
        flow, oracle = _flow(names, seen.targets, confidence), _oracle(seen.targets, k, confidence)
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


@dataclass(frozen=True)
class _Examined:
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
class _Seen:
    targets: list[_Examined]
    topics: dict[str, TargetClass]


@dataclass(frozen=True)
class _Patient:
    """Truth, chunks and settings: all that the diagnosis of any list needs."""

    evaluation: Evaluation
    unplaced: Mapping[str, Sequence[UnplacedTarget]]
    chunks: Ranking | None
    k: int
    share: float
    budget: float | None

    def examine(self, stages: Sequence[Run]) -> _Seen:
        """Every target of every topic in the light of one list, or of the lists of successive stages."""
        truth, context = self.evaluation.truth, self.evaluation.context
        questions = titles_of(truth)
        targets: list[_Examined] = []
        topics: dict[str, TargetClass] = {}
        for topic in truth.topics:
            judged = [judge_topic(truth, run, topic, context) for run in stages]
            lost = self.unplaced.get(topic, ())
            found = [*self._placed(judged, questions.get(topic)), *self._missing(topic, lost, stages, questions)]
            if found:
                targets += found
                topics[topic] = self._topic_class(judged[-1], [one.kind for one in found], lost)
        return _Seen(targets, topics)

    def _placed(self, judged: Sequence[JudgedTopic], question: str | None) -> Iterable[_Examined]:
        wanted = next((one.targets for one in judged if one.targets.start is not None), judged[-1].targets)
        lists = [Holdings(one.ranking, one.targets, self.share) for one in judged]
        chunks = None if self.chunks is None else Holdings(self.chunks, wanted, self.share)
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
            yield _Examined(judged[-1].topic, place, text, question, kind, sightings)

    def _missing(
        self, topic: str, lost: Sequence[UnplacedTarget], stages: Sequence[Run], questions: Mapping[str, str]
    ) -> Iterable[_Examined]:
        for one in lost:
            kind = classify(TargetFacts(placed=False), self.k, self.share)
            nothing = (Sighting(),) * len(stages)
            yield _Examined(topic, {"doc": one.document}, one.text, questions.get(topic), kind, nothing)

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


def place_of(targets: Targets, x: int) -> dict[str, Any]:
    """Where a target is, by the names of fields."""
    place: dict[str, Any] = {"doc": targets.document[x]}
    if targets.boxes is not None:
        return place | targets.boxes.record(x)
    if targets.start is None or targets.end is None:
        return place
    return place | place_record(targets.unit, targets.start[x].item(), targets.end[x].item())


def text_of(targets: Targets, x: int, reader: ReaderContext) -> str | None:
    """The text of a target, where its document is known."""
    texts, document = reader.texts, targets.document[x]
    if texts is None or document not in texts or targets.start is None or targets.end is None:
        return None
    first, last = int(targets.start[x]), int(targets.end[x])
    if reader.line_unit == "lines":
        return "\n".join(texts[document].split("\n")[first:last])
    return texts[document][first:last] if reader.line_unit == "chars" else None


def _spent(judged: JudgedTopic) -> FloatArray:
    """What reading the list costs, up to and including each rank: lengths, in results where documents are judged."""
    ranking = judged.ranking
    if judged.context.effort != "rank":
        return np.cumsum(judged.effort.ranks)
    if ranking.start is None:
        return np.arange(1.0, ranking.ranks + 1)
    lengths = sizes(ranking, np.arange(len(ranking)))
    return np.cumsum(np.bincount(ranking.rank, weights=lengths, minlength=ranking.ranks))


def _flow(stages: Sequence[str], targets: Sequence[_Examined], confidence: float) -> tuple[StageFlow, ...]:
    """What each stage holds, gains and loses, with intervals over topics."""
    topics = [one.topic for one in targets]
    held = np.array([[bool(one.ranks) for one in target.sightings] for target in targets], dtype=bool)

    def share(which: Any) -> Interval:
        values = which.astype(np.float64)
        return Interval(float(values.mean()), *interval_over_topics(values, topics, confidence))

    found = [StageFlow(stages[0], share(held[:, 0]))]
    for i in range(1, len(stages)):
        before, after = held[:, i - 1], held[:, i]
        found.append(StageFlow(stages[i], share(after), share(after & ~before), share(before & ~after)))
    return tuple(found)


def _oracle(targets: Sequence[_Examined], k: int, confidence: float) -> OracleReranker:
    """The share of each topic's targets that k results hold, as ranked and at best."""
    by_topic: dict[str, list[_Examined]] = {}
    for one in targets:
        by_topic.setdefault(one.topic, []).append(one)
    shares: list[tuple[float, float, float]] = []
    greedy = 0
    for found in by_topic.values():
        best, exact = most_held([one.sightings[0].ranks for one in found], k)
        greedy += not exact
        first, last = (sum(any(rank <= k for rank in one.sightings[i].ranks) for one in found) for i in (0, -1))
        shares.append((first / len(found), best / len(found), last / len(found)))
    values = np.array(shares)

    def mean(column: int) -> Interval:
        return Interval(
            float(values[:, column].mean()), *interval_over_topics(values[:, column], list(by_topic), confidence)
        )

    return OracleReranker(mean(0), mean(1), mean(2), greedy)
