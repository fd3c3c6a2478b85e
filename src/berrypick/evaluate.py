"""Topics x runs x measures: the one place where the layers meet.

truth, run -> targets -> user model -> reach -> judged ranking -> measure -> results
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

import numpy as np

from berrypick import formats, measures, users
from berrypick._version import __version__
from berrypick.core import spec as specs
from berrypick.core.arrays import FloatArray, IntArray, Positions
from berrypick.core.collection import Collection
from berrypick.core.errors import BerrypickError, InputError, UsageError, nearest
from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.judged import Candidates, Curve, Effort, Judged, Score
from berrypick.core.navigation import LinkTable, Navigation, Sessions
from berrypick.core.results import ALL, Results, Row, mean
from berrypick.core.run import Duplicates, Ranking, Run, repeated_pointers
from berrypick.core.truth import Offsets, Targets, Truth
from berrypick.corpus.index import ARROW, is_index, read_index
from berrypick.corpus.locate import Quotes, located_run, located_truth, quotes_named, unlocated
from berrypick.corpus.objects import as_run, as_runs, as_truth
from berrypick.corpus.resolve import resolve_run, resolve_truth
from berrypick.corpus.texts import Texts, checked_run, checked_truth, offsets_named, read_texts
from berrypick.corpus.tokens import Tokenizer, line_of
from berrypick.formats._base import flows, open_raw, standing
from berrypick.measures import _documents as document_measures
from berrypick.measures._base import Measure
from berrypick.measures.overlap import Overlap, repeated_share
from berrypick.parallel import in_order
from berrypick.protocols import PROTOCOLS, Protocol, check_task, measures_of, protocol_named, task_named
from berrypick.protocols import repair as mend
from berrypick.relevance import idealism as ideal
from berrypick.relevance.targets import (
    element_targets,
    entry_points_of,
    ranking_as_spans,
    relevant_text,
    targets_as_spans,
    targets_of,
    with_sizes,
)
from berrypick.users import UserModel, World

EffortName = Literal["rank", "chars", "tokens", "seconds"]
EFFORTS: tuple[EffortName, ...] = ("rank", "chars", "tokens", "seconds")
#: Dictionaries of topic to document to grade, and of topic to document to score, or to a list of results.
Judgements = Mapping[str, Mapping[str, float]]
Retrieved = Mapping[str, Any]
AnyMeasure = Measure | document_measures.DocumentMeasure


@dataclass(frozen=True)
class Asked:
    """A measure and the text under which its values are reported."""

    text: str
    measure: AnyMeasure


@dataclass(frozen=True, eq=False)
class Setting:
    """Everything an evaluation depends on besides truth, run and measure."""

    user: UserModel
    world: World
    units: int | None = None
    idealism: Mapping[float, float] | None = None
    effort: EffortName = "rank"
    topics: Literal["judged", "run"] = "judged"
    duplicates: Duplicates | None = None
    left_out: frozenset[str] = frozenset()
    protocol: Protocol = PROTOCOLS[""]
    task: str = ""
    repair: str = ""
    offsets: Offsets = "chars"
    quotes: Quotes = "exact"
    chunks: Mapping[str, tuple[Positions, Positions]] | None = None

    def read_by(self, measure: AnyMeasure) -> Setting:
        """With the user model that a measure names itself."""
        named = measure.user_model() if isinstance(measure, Measure) else None
        return self if named is None else replace(self, user=users.build(named))

    def prepared(self, truth: Truth) -> Setting:
        """Where no collection is given, the lengths that the truth has serve."""
        if self.world.collection is not None or not truth.lengths:
            return self
        return replace(self, world=replace(self.world, collection=Collection(truth.lengths, truth.source)))


def evaluate(
    truth: Truth | Judgements | str | PathLike[str],
    runs: Run | Retrieved | str | PathLike[str] | Sequence[Run | Retrieved | str | PathLike[str]],
    measures: str | Measure | Sequence[str | Measure] = (),
    *,
    user: str | UserModel | None = None,
    navigation: Navigation | str | PathLike[str] | None = None,
    collection: Collection | str | PathLike[str] | None = None,
    units: int | None = None,
    idealism: Mapping[float, float] | str | None = None,
    effort: EffortName = "rank",
    topics: Literal["judged", "run"] | None = None,
    duplicates: Duplicates | None = None,
    left_out: str | Sequence[str] = (),
    protocol: str | None = None,
    task: str | None = None,
    repair: str | None = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    tokenizer: str | Tokenizer | None = None,
    offsets: Offsets | None = None,
    quotes: Quotes | None = None,
    chunks: Run | str | PathLike[str] | None = None,
    curves: bool = False,
    progress: Callable[[int, int], None] | None = None,
    jobs: int = 1,
) -> Results:
    """Evaluate runs against a truth.

    ``truth``, ``runs``, ``navigation`` and ``collection`` may be values or files; truth and runs may be dictionaries of
    topic to document to grade or score too. ``measures`` is one text with several measures, or a list. ``user``
    defaults to classical, or to the model that ``navigation`` is for. ``task`` and ``protocol`` bring a campaign's
    rules, and its measures where none are named; ``repair`` mends runs that break the rules of the task. ``documents``
    are the texts (a folder, JSON Lines, or a mapping), for quotes, tokens and offsets in other units; ``tokenizer`` is
    a name or a callable; ``chunks`` are all chunks there are, as a run. ``progress`` is called with (done, of) as
    topics are finished. ``jobs`` is the number of processes.
    """
    if jobs < 1:
        raise UsageError(f"jobs is the number of processes, from 1 on, not {jobs}")
    judgements, systems = as_truth(truth), as_runs(runs)
    setting = make_setting(
        user, navigation, collection, units, idealism, effort, topics, duplicates, left_out, protocol, task, repair,
        documents, tokenizer, offsets, quotes, chunks,
    )  # fmt: skip
    if not measures and (setting.task or setting.protocol.name):
        measures = measures_of(setting.protocol, setting.task)
    asked = parse_measures(measures, setting.protocol.name)
    check_navigation(setting, asked)
    notes = _offsets_notes(judgements, setting)
    judgements, systems, setting = placed(judgements, systems, setting)
    rows: list[Row] = []
    means: list[Row] = []
    outcomes = [
        _Outcome(name, judgements, run, setting, asked, curves)
        for name, run in zip(unique_names(systems), systems, strict=True)
    ]
    for outcome in _judged(outcomes, jobs, progress):
        rows += outcome.rows()
        means += outcome.means()
        notes += outcome.notes()
    return Results(rows, means, tuple(dict.fromkeys(notes)))


def _judged(outcomes: Sequence[_Outcome], jobs: int, progress: Callable[[int, int], None] | None) -> Iterator[_Outcome]:
    """Outcomes as they are worked out, run by run; in several processes all runs at once, a few topics at a time."""
    done, of = 0, sum(len(outcome.topics) for outcome in outcomes)

    def step(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, of)

    if jobs == 1:
        for outcome in outcomes:
            outcome.check()
            outcome.work_out(outcome.topics, step)
            outcome.score_documents()
            yield outcome
        return
    good, failure = _checked(outcomes)
    shares = _Shares(good, jobs)
    for (which, _, _), part in zip(shares.tasks, in_order(shares, len(shares.tasks), jobs, step), strict=True):
        good[which].absorb(part)
    if failure is not None:
        raise failure
    yield from good


def _checked(outcomes: Sequence[_Outcome]) -> tuple[list[_Outcome], BerrypickError | None]:
    """The runs before the first one that is refused, and why that one is: one process would get as far."""
    good: list[_Outcome] = []
    for outcome in outcomes:
        try:
            outcome.check()
        except BerrypickError as error:
            return good, error
        _ = outcome.run.repeats  # worked out once, before the work is shared out
        good.append(outcome)
    return good, None


class _Shares:
    """The work of several processes: each task is some topics of a run, by our measures or by ir_measures'."""

    def __init__(self, outcomes: Sequence[_Outcome], jobs: int) -> None:
        self.outcomes = outcomes
        size = max(1, -(-sum(len(outcome.topics) for outcome in outcomes) // (8 * jobs)))
        self.tasks: list[tuple[int, list[str], bool]] = []
        for which, outcome in enumerate(outcomes):
            chunks = [outcome.topics[i : i + size] for i in range(0, len(outcome.topics), size)]
            for theirs in (False, True):
                self.tasks += [(which, chunk, theirs) for chunk in chunks if outcome.asks(theirs) or not theirs]

    def __call__(self, task: int, step: Callable[[int], None]) -> _Part:
        which, topics, theirs = self.tasks[task]
        outcome = copy(self.outcomes[which])
        outcome.part = _Part()
        if theirs:
            outcome.score_documents(topics)
        else:
            outcome.work_out(topics, step)
        return outcome.part


def explain(
    truth: Truth | Judgements | str | PathLike[str],
    run: Run | Retrieved | str | PathLike[str],
    topic: str,
    measure: str | Measure,
    *,
    user: str | UserModel | None = None,
    navigation: Navigation | str | PathLike[str] | None = None,
    collection: Collection | str | PathLike[str] | None = None,
    units: int | None = None,
    idealism: Mapping[float, float] | str | None = None,
    effort: EffortName = "rank",
    duplicates: Duplicates | None = None,
    left_out: str | Sequence[str] = (),
    protocol: str | None = None,
    task: str | None = None,
    repair: str | None = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    tokenizer: str | Tokenizer | None = None,
    offsets: Offsets | None = None,
    quotes: Quotes | None = None,
    chunks: Run | str | PathLike[str] | None = None,
) -> Explanation:
    """The working of one number for one topic."""
    judgements, system, topic = as_truth(truth), as_run(run), str(topic)
    setting = make_setting(
        user, navigation, collection, units, idealism, effort, "judged", duplicates, left_out, protocol, task, repair,
        documents, tokenizer, offsets, quotes, chunks,
    )  # fmt: skip
    asked = parse_measures(measure, setting.protocol.name)
    if len(asked) != 1:
        raise UsageError("explain takes one measure")
    check_navigation(setting, asked)
    judgements, (system,), setting = placed(judgements, [system], setting)
    if topic not in judgements:
        raise UsageError(
            f"topic {topic} is not in {judgements.source or 'the truth'}"
            f"{nearest(topic, list(judgements.topics)) or '; it has ' + _some(list(judgements.topics), 8)}"
        )
    refuse_duplicates(system, setting)
    if isinstance(asked[0].measure, document_measures.DocumentMeasure):
        return _explain_documents(judgements, system, topic, asked[0].measure)
    judged = judge(judgements, system, topic, setting.read_by(asked[0].measure))
    if not len(judged.targets):
        return Explanation(f"{asked[0].text} for topic {topic}", ["Undefined: the topic has no targets."])
    if not judged.answered:
        value = asked[0].measure.unanswered(judged).value
        shown = "undefined" if value is None else number(value, 6)
        return Explanation(
            f"{asked[0].text} for topic {topic}", [f"The run does not answer this topic; its value is {shown}."]
        )
    with _named(asked[0].text):
        found = asked[0].measure.explain(judged)
    return replace(found, title=f"{found.title}{_read_by(asked[0].measure, setting)}")


def _read_by(measure: Measure, setting: Setting) -> str:
    """Whose reading a number is about, where the measure does not say so itself."""
    if "user" not in measure.depends_on or measure.user_model() is not None:
        return ""
    return f", read by {setting.user}"


def parse_measures(given: str | Measure | Sequence[str | Measure], protocol: str = "") -> list[Asked]:
    """Measures from text, each once, in the order given, as a protocol defines them."""
    parts: list[str | Measure] = []
    given = () if given is None else given
    for one in [given] if isinstance(given, str) or not isinstance(given, Iterable) else given:
        if isinstance(one, str):
            parts += specs.split(one)
        elif isinstance(one, Measure):
            parts.append(one)
        elif document_measures.is_theirs(one):
            parts.append(str(one).replace('"', "'"))
        else:
            raise UsageError(f"{one!r:.60} is no measure: name it in a text, e.g. 'EPRUM'")
    if not parts:
        raise UsageError("no measure is asked for; name one, e.g. EPRUM")
    found: dict[str, Asked] = {}
    for part in parts:
        if isinstance(part, Measure):
            text = specs.render(part.name(), part.given(), part.at)
            found.setdefault(text, Asked(text, part))
        else:
            found.setdefault(specs.tidy(part), Asked(specs.tidy(part), parse_measure(part)))
    return [
        replace(one, measure=one.measure.under(protocol)) if isinstance(one.measure, Measure) else one
        for one in found.values()
    ]


def parse_measure(text: str) -> AnyMeasure:
    """One of our measures, or one of ir_measures'."""
    spec = specs.parse(text)
    if measures.named_measure(spec.name) is not None:
        return measures.build(spec)
    theirs = document_measures.parse(spec.text)
    if theirs is None:
        if measures.measure_class(spec.name) is not None:  # an alias, for which all files have to be read
            return measures.build(spec)
        known = [*measures.known_names(), *document_measures.names()]
        offer = nearest(spec.name, known) or "; see 'berrypick list measures'"
        raise UsageError(f"unknown measure {spec.name}{offer}")
    return theirs


def make_setting(
    user: str | UserModel | None,
    navigation: Navigation | str | PathLike[str] | None,
    collection: Collection | str | PathLike[str] | None,
    units: int | None,
    idealism: Mapping[float, float] | str | None,
    effort: EffortName,
    topics: Literal["judged", "run"] | None,
    duplicates: Duplicates | None,
    left_out: str | Sequence[str] = (),
    protocol: str | None = None,
    task: str | None = None,
    repair: str | None = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    tokenizer: str | Tokenizer | None = None,
    offsets: Offsets | None = None,
    quotes: Quotes | None = None,
    chunks: Run | str | PathLike[str] | None = None,
) -> Setting:
    if isinstance(navigation, (str, PathLike)):
        navigation = formats.read_navigation(navigation)
    if isinstance(collection, (str, PathLike)):
        collection = read_collection(collection)
    if user is None:
        user = "classical" if navigation is None else _reader_of(navigation)
    model = users.build(user)
    if effort not in EFFORTS:
        raise UsageError(
            f"unknown effort {effort!r}{nearest(str(effort), list(EFFORTS)) or '; it is one of ' + ', '.join(EFFORTS)}"
        )
    campaign = protocol_named(protocol)
    topics = topics or campaign.topics  # type: ignore[assignment]
    if topics not in ("judged", "run"):
        raise UsageError(f"topics is 'judged' or 'run', not {topics!r}")
    if duplicates not in (None, "error", "first", "keep"):
        raise UsageError(f"duplicates is 'error', 'first' or 'keep', not {duplicates!r}")
    if units is not None and units < 1:
        raise UsageError(f"units is the number of retrievable units, not {units}")
    mapping = ideal.parse_idealism(idealism) if isinstance(idealism, str) else idealism
    names = frozenset(left_out.split(",") if isinstance(left_out, str) and left_out else left_out)
    texts = None if documents is None else read_texts(documents)
    _need_texts(texts, effort=effort, tokenizer=tokenizer, offsets=offsets_named(offsets))
    line = None if texts is None else line_of(texts, tokenizer)
    world = World(collection, navigation, texts, line, line if effort == "tokens" else None)
    return Setting(
        model, world, units, mapping, effort, topics, duplicates, names, campaign, task_named(task), repair or "",
        offsets_named(offsets), quotes_named(quotes), _chunks(chunks, texts, offsets_named(offsets)),
    )  # fmt: skip


def _need_texts(texts: Texts | None, effort: str, tokenizer: object, offsets: str) -> None:
    """Some options make no sense without the texts of the documents."""
    for needs, what in (
        (effort == "tokens", "--effort tokens counts tokens"),
        (tokenizer is not None, "--tokenizer says how to count tokens"),
        (offsets != "chars", f"--offsets {offsets} converts offsets"),
    ):
        if needs and texts is None:
            raise UsageError(f"{what} in the texts of the documents: give them with --documents")


def _chunks(
    given: Run | str | PathLike[str] | None, texts: Texts | None, offsets: Offsets
) -> Mapping[str, tuple[Positions, Positions]] | None:
    """Every chunk of a chunking once, by document."""
    if given is None:
        return None
    run = as_run(given)
    if run.start is None or run.end is None:
        raise UsageError("chunks have a start and an end; these are whole documents")
    run = run if texts is None else checked_run(run, texts, offsets)
    assert run.start is not None and run.end is not None
    found: dict[str, tuple[Positions, Positions]] = {}
    for code, document in enumerate(run.documents):
        rows = np.flatnonzero(run.document == code)
        spans = np.unique(np.stack([run.start[rows], run.end[rows]], axis=1), axis=0)
        found[document] = (spans[:, 0], spans[:, 1])
    return found


def read_collection(path: str | PathLike[str]) -> Collection:
    """A folder of XML documents, an index of one, or a file of document lengths."""
    if Path(path).is_dir():
        from berrypick.corpus.folder import read_folder

        return read_folder(path)
    name = fspath(path)
    if not flows(name):
        return read_index(name) if is_index(name) else formats.read_collection(name)
    with standing(name):
        with open_raw(name) as stream:
            if stream.read(len(ARROW)) == ARROW:
                raise InputError("is an index, which is read from a file and not from a pipe", path=name)
        return formats.read_collection(name)


def placed(truth: Truth, runs: Sequence[Run], setting: Setting) -> tuple[Truth, list[Run], Setting]:
    """Paths and points as offsets, where the collection has the documents' structure."""
    collection = setting.world.collection
    texts = setting.world.texts
    if texts is not None:
        counting = truth.offsets or setting.offsets
        truth = located_truth(checked_truth(truth, texts, counting), texts, setting.quotes, counting)
        if truth.units == "spans":
            truth = replace(truth, offsets="chars")
            runs = [located_run(run, texts, setting.quotes) for run in runs]
        runs = [checked_run(run, texts, setting.offsets) for run in runs]
        if collection is None:
            setting = replace(setting, world=replace(setting.world, collection=texts.collection))
    elif (waiting := unlocated(truth)) is not None:
        raise waiting
    elif truth.offsets not in (None, "chars"):
        raise UsageError(
            f"{truth.source or 'the truth'} says that its offsets count {truth.offsets}: "
            "give the texts of the documents, to convert them, with --documents"
        )
    if collection is not None and collection.structures:
        truth = resolve_truth(truth, collection)
        runs = [resolve_run(run, collection) for run in runs]
    mended = [mend(run, setting.repair) for run in runs]
    for run in mended:
        check_task(run, setting.task)
    return truth, mended, setting.prepared(truth)


def _offsets_notes(truth: Truth, setting: Setting) -> list[str]:
    """Truth and runs may count offsets differently; which of them counts what is never left to guessing."""
    source = truth.source or "the truth"
    if truth.offsets is not None and truth.offsets != setting.offsets:
        return [f"{source}: offsets count {truth.offsets}, as it says; those of the runs count {setting.offsets}"]
    spans = any(topic.start is not None and len(topic.start) for topic in truth.topics.values())
    if truth.offsets is None and setting.offsets != "chars" and truth.units == "spans" and spans:
        return [f"{source}: does not say what its offsets count; they are taken to count {setting.offsets} too"]
    return []


def check_navigation(setting: Setting, asked: Sequence[Asked]) -> None:
    """A navigation file that no reader uses is a mistake."""
    navigation = setting.world.navigation
    readers = [setting.user, *(setting.read_by(one.measure).user for one in asked)]
    if navigation is not None and not any(_uses(reader, navigation) for reader in readers):
        raise UsageError(f"user model {setting.user.name()} does not read {navigation.source or 'this navigation'}")


def _reader_of(navigation: Navigation) -> str:
    """The user model that a navigation file is for, when none is named."""
    if isinstance(navigation, LinkTable):
        return "hyperlink"
    return "markov" if isinstance(navigation, Sessions) else "table"


def _uses(model: UserModel, navigation: Navigation) -> bool:
    inner = getattr(model, "inner", None)
    return bool(model.navigation) or (inner is not None and _uses(inner(), navigation))


def judge(truth: Truth, run: Run, topic: str, setting: Setting) -> Judged:
    """The judged ranking of one topic."""
    collection = setting.world.collection
    judgements = truth.topics[topic]
    targets = _targets(truth, topic, setting)
    ranking = with_sizes(_ranking(run, topic, setting), judgements)
    wanted = set(targets.document)
    if (
        len(targets)
        and len(ranking)
        and _kind(ranking) != _kind(targets)
        and "documents" in (_kind(ranking), _kind(targets))
    ):
        if collection is None:
            raise _kinds_differ(truth, run)
        targets, ranking = targets_as_spans(targets, collection), ranking_as_spans(ranking, wanted, collection)
    user, world = setting.user, setting.world
    return Judged(
        topic=topic,
        targets=targets,
        ranking=ranking,
        answered=topic in run,
        units=setting.units,
        make_reach=lambda: user.reach(ranking.fresh(), targets, world),
        make_candidates=lambda: _candidates(targets, setting),
        make_effort=lambda: _effort(ranking, targets, setting),
        make_collection=lambda: _collection(setting),
        make_spans=lambda: (ranking_as_spans(ranking, wanted, collection), targets_as_spans(targets, collection)),
        make_located=lambda: ranking_as_spans(ranking, wanted, collection),
        make_read=lambda: user.regions(ranking_as_spans(ranking, wanted, collection), world),
        make_text=lambda: relevant_text(judgements, targets, collection),
        truth=judgements,
        scale=truth.scale,
        protocol=setting.protocol.name,
        task=setting.task,
        ties=run.ties,
        left_out=setting.left_out,
        line=setting.world.line,
        effort_in=setting.effort,
        chunks=setting.chunks,
    )


def _targets(truth: Truth, topic: str, setting: Setting) -> Targets:
    judgements = truth.topics[topic]
    if setting.user.seeks_entry_points:
        points = entry_points_of(judgements)
        if points is not None:
            return points
    if truth.units == "elements":
        return element_targets(judgements, truth.scale, setting.left_out, setting.world.collection)
    all_grades = truth.grades() if setting.idealism is None else set()
    return targets_of(judgements, all_grades, setting.idealism)


def _kind(units: Ranking | Targets) -> str:
    return "parts" if units.start is not None or units.path is not None else "documents"


def _ranking(run: Run, topic: str, setting: Setting) -> Ranking:
    ranking = run.ranking(topic)
    longest = setting.protocol.longest
    if longest is not None and ranking.ranks > longest:
        ranking = replace(ranking.rows(ranking.rank < longest), ranks=longest)
    repeated = run.repeats[topic][: len(ranking)] if topic in run.repeats else None
    if repeated is None or not repeated.any():
        return ranking
    if (setting.duplicates or run.duplicates) == "first":
        return ranking.rows(~repeated).compacted()
    return replace(ranking, repeated=repeated)


def refuse_duplicates(run: Run, setting: Setting) -> None:
    """Repeated results are an error unless the format or the person says otherwise."""
    if (setting.duplicates or run.duplicates) != "error":
        return
    for topic in run.repeats:
        ranking = run.ranking(topic)
        repeated, first = repeated_pointers(ranking)
        if repeated.any():
            lines = ranking.line if ranking.line is not None else np.arange(1, len(ranking) + 1)
            pairs = sorted((max(a, b), min(a, b), row) for row in np.flatnonzero(repeated).tolist()
                           for a, b in [(int(lines[row]), int(lines[first[row]]))])  # fmt: skip
            later, earlier, row = pairs[0]
            raise InputError(
                f"{ranking.name(row)} is retrieved twice for topic {topic}, first in line {earlier}",
                path=run.source or run.tag,
                line=later,
                remedy="--duplicates first keeps the first of them in the ranking, keep leaves the rank without effect",
            )


def _kinds_differ(truth: Truth, run: Run) -> UsageError:
    sides = ("truth judges", "run points to")
    parts, wholes = sides[::-1] if truth.units == "documents" else sides
    return UsageError(
        f"the {parts} parts of documents, the {wholes} whole documents "
        f"({truth.source or 'truth'}, {run.source or run.tag}); "
        "with document lengths (--collection) whole documents are taken as the spans they are"
    )


def _collection(setting: Setting) -> Collection:
    if setting.world.collection is None:
        raise UsageError(
            "needs to know where documents end and how long they are together: give document lengths with --collection"
        )
    return setting.world.collection


def _candidates(targets: Targets, setting: Setting) -> Candidates:
    """Targets by decreasing grade, then truth order, then every other unit that leads somewhere; never from the run."""
    order = np.lexsort((np.arange(len(targets)), -targets.grade))
    rows = np.arange(len(order), dtype=np.int64)
    vocabulary = {name: code for code, name in enumerate(dict.fromkeys(targets.document))}
    own = Ranking(
        documents=list(vocabulary),
        document=np.array([vocabulary[targets.document[x]] for x in order.tolist()], dtype=np.int64),
        rank=rows,
        ranks=len(rows),
        start=None if targets.start is None else targets.start[order],
        end=None if targets.end is None else targets.end[order],
        paths=() if targets.path is None else [targets.path[x] for x in order.tolist()],
        path=None if targets.path is None else rows,
        size=None if targets.size is None else targets.size[order],
    )
    names = [targets.name(x) for x in order.tolist()]
    reach = setting.user.reach_alone(own, targets, setting.world)
    known = set(names)
    elements = _elements_around(targets, known, setting.world.collection)
    if elements is not None:
        names += [elements.name(row) for row in range(len(elements))]
        reach = reach.stacked(setting.user.reach_alone(elements, targets, setting.world))
    others = [unit for unit in setting.user.other_units(targets, setting.world) if unit not in known]
    if not others:
        return Candidates(names, reach)
    extra = np.arange(len(others), dtype=np.int64)
    other = Ranking(documents=others, document=extra, rank=extra, ranks=len(others))
    return Candidates([*names, *others], reach.stacked(setting.user.reach_alone(other, targets, setting.world)))


def _elements_around(targets: Targets, known: set[str], collection: Collection | None) -> Ranking | None:
    """Every other element of the documents that hold targets, in the order of the collection: elements of other
    documents lead nowhere."""
    if collection is None or not collection.structures or targets.start is None:
        return None
    documents = [name for name in dict.fromkeys(targets.document) if name in collection.structures]
    code: list[int] = []
    paths: list[str] = []
    start: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    end: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    for i, name in enumerate(documents):
        structure = collection.structures[name]
        kept = [e for e, path in enumerate(structure.paths) if name + path not in known]
        code += [i] * len(kept)
        paths += [structure.paths[e] for e in kept]
        start.append(np.asarray(structure.start)[kept])
        end.append(np.asarray(structure.end)[kept])
    rows = np.arange(len(code), dtype=np.int64)
    return Ranking(
        documents=documents,
        document=np.array(code, dtype=np.int64),
        rank=rows,
        ranks=len(rows),
        start=np.concatenate(start),
        end=np.concatenate(end),
        paths=paths,
        path=rows,
    )


def _effort(ranking: Ranking, targets: Targets, setting: Setting) -> Effort:
    if setting.effort == "rank":
        return Effort(np.ones(ranking.ranks), np.ones(len(targets)))
    lengths = _target_lengths(targets, setting.world)
    ranks = setting.user.effort(ranking, targets, setting.world)
    if len(ranks) and ranks[0] <= 0:
        raise UsageError(
            f"the effort of rank 1 ({ranking.names_by_rank()[0]}) is 0 {setting.effort}, which cannot be divided by; "
            "if its length is unknown, give document lengths with --collection"
        )
    return Effort(ranks, lengths)


def _target_lengths(targets: Targets, world: World) -> FloatArray:
    if targets.start is None and targets.size is not None and not np.isnan(targets.size).any():
        return targets.size
    spans = targets_as_spans(targets, world.collection)
    assert spans.start is not None and spans.end is not None
    if world.charged is None:
        return (spans.end - spans.start).astype(np.float64)
    tokens = np.zeros(len(spans))
    for document, rows in spans.by_document().items():
        tokens[rows] = world.charged.between(document, spans.start[rows], spans.end[rows])
    return tokens


def _topics(truth: Truth, run: Run, setting: Setting) -> list[str]:
    if setting.topics == "judged":
        return list(truth.topics)
    return [topic for topic in truth.topics if topic in run]


def _has_relevant(truth: Truth, topic: str) -> bool:
    return truth.topics[topic].has_relevant


@dataclass
class _Part:
    """What is found out about topics of a run."""

    found: dict[tuple[str, str], Score] = field(default_factory=dict)
    drawn: dict[tuple[str, str], Curve | None] = field(default_factory=dict)
    shared: dict[tuple[str, str], Curve | None] = field(default_factory=dict)
    repeats: int = 0
    #: By topic, how much of the retrieved text was retrieved before.
    overlap: dict[str, float] = field(default_factory=dict)
    reader_notes: dict[str, int] = field(default_factory=dict)


class _Outcome:
    """The rows of one run."""

    def __init__(
        self, name: str, truth: Truth, run: Run, setting: Setting, asked: Sequence[Asked], curves: bool
    ) -> None:
        self.name, self.truth, self.run, self.setting, self.asked, self.curves = (
            name,
            truth,
            run,
            setting,
            asked,
            curves,
        )
        self.topics = _topics(truth, run, setting)
        self.part = _Part()

    def check(self) -> None:
        if not any(topic in self.truth for topic in self.run.topics):
            raise InputError(
                f"answers none of the {_plural(len(self.truth), 'judged topic')} of {self.truth.source or 'the truth'} "
                f"(truth: {_some(list(self.truth.topics))}; run: {_some(list(self.run.topics))})",
                path=self.run.source or self.run.tag,
            )
        refuse_duplicates(self.run, self.setting)

    def asks(self, theirs: bool) -> bool:
        """Whether any measure is of ir_measures, or any of ours."""
        return any(isinstance(one.measure, document_measures.DocumentMeasure) == theirs for one in self.asked)

    def absorb(self, part: _Part) -> None:
        """What another process found."""
        self.part.found.update(part.found)
        self.part.drawn.update(part.drawn)
        self.part.shared.update(part.shared)
        self.part.repeats += part.repeats
        self.part.overlap.update(part.overlap)
        for note, count in part.reader_notes.items():
            self.part.reader_notes[note] = self.part.reader_notes.get(note, 0) + count

    def work_out(self, topics: Sequence[str], step: Callable[[int], None]) -> None:
        for topic in topics:
            self.judge(topic)
            self._measure_overlap(topic)
            step(1)

    def _measure_overlap(self, topic: str) -> None:
        """Results that point into documents may repeat one another; whoever does not ask how much is told."""
        if self.run.start is None or topic not in self.run or any(isinstance(o.measure, Overlap) for o in self.asked):
            return
        share = repeated_share(_ranking(self.run, topic, self.setting))
        if share is not None and _has_relevant(self.truth, topic):
            self.part.overlap[topic] = share

    def judge(self, topic: str) -> None:
        ours = [one for one in self.asked if isinstance(one.measure, Measure)]
        if not ours:
            return
        by_reader: dict[str | None, Judged] = {}
        for one in ours:
            assert isinstance(one.measure, Measure)
            reader = one.measure.user_model()
            if reader not in by_reader:
                setting = self.setting.read_by(one.measure)
                by_reader[reader] = judge(self.truth, self.run, topic, setting)
                self._note(by_reader[reader], setting.user, first=len(by_reader) == 1)
            judged = by_reader[reader]
            with _named(one.text):
                self._score(one.text, one.measure, judged)

    def _note(self, judged: Judged, user: UserModel, first: bool) -> None:
        if first and judged.ranking.repeated is not None:
            self.part.repeats += int(judged.ranking.repeated.sum())
        for note in user.notes(judged.ranking, judged.targets) if len(judged.targets) else ():
            self.part.reader_notes[note] = self.part.reader_notes.get(note, 0) + 1

    def _score(self, text: str, measure: Measure, judged: Judged) -> None:
        key = (text, judged.topic)
        if not len(judged.targets):
            self.part.found[key] = Score(None)
            return
        if not judged.answered:
            self.part.found[key] = measure.unanswered(judged)
            if self.curves and self.part.found[key].value is not None:
                self.part.drawn[key] = self.part.shared[key] = measure.unanswered_curve()
            return
        self.part.found[key] = measure.of(judged)
        if self.curves and measure.has_curve():
            self.part.drawn[key] = measure.curve(judged)
            if self.part.found[key].value is not None:
                self.part.shared[key] = measure.common_curve(judged)

    def score_documents(self, topics: Sequence[str] | None = None) -> None:
        theirs = [one for one in self.asked if isinstance(one.measure, document_measures.DocumentMeasure)]
        if not theirs:
            return
        values = document_measures.score(self.truth, self.run, [one.measure for one in theirs], topics)  # type: ignore[misc]
        for one in theirs:
            assert isinstance(one.measure, document_measures.DocumentMeasure)
            for topic in self.topics if topics is None else topics:
                defined = _has_relevant(self.truth, topic)
                value = values.get((one.measure, topic), 0.0)
                self.part.found[one.text, topic] = Score(value if defined else None)

    def rows(self) -> list[Row]:
        return [
            Row(
                self.name,
                topic,
                one.text,
                self.part.found[one.text, topic].value,
                self._signature(one, [self.part.found[one.text, topic]]),
                self.part.drawn.get((one.text, topic)),
                self.part.shared.get((one.text, topic)),
            )
            for topic in self.topics
            for one in self.asked
        ]

    def means(self) -> list[Row]:
        rows = []
        for one in self.asked:
            scores = [self.part.found[one.text, topic] for topic in self.topics]
            value = mean([score.value for score in scores])
            if isinstance(one.measure, document_measures.DocumentMeasure) and one.measure.summed:
                value = sum(score.value for score in scores if score.value is not None)
            curve = None
            if self.curves and isinstance(one.measure, Measure) and one.measure.has_curve():
                curve = _mean_curve([c for t in self.topics if (c := self.part.shared.get((one.text, t))) is not None])
            rows.append(Row(self.name, ALL, one.text, value, self._signature(one, scores), curve))
        return rows

    def _signature(self, one: Asked, scores: Sequence[Score]) -> str:
        parts = [*_own_part(one.measure), *self._setting_part(one.measure), *_signed(scores), f"v:{__version__}"]
        return "|".join(dict.fromkeys(parts))

    def _setting_part(self, measure: AnyMeasure) -> list[str]:
        setting = self.setting
        parts = []
        depends = measure.depends_on if isinstance(measure, Measure) else ()
        if "user" in depends:
            reader = setting.read_by(measure).user
            parts.append(f"user:{reader}")
            if setting.world.navigation is not None and _uses(reader, setting.world.navigation):
                parts.append(f"navigation:{fingerprint(setting.world.navigation)}")
        if setting.left_out:
            parts.append(f"left_out:{','.join(sorted(setting.left_out))}")
        if "idealism" in depends:
            parts.append(f"idealism:{ideal.describe(self.truth.grades(), setting.idealism)}")
        if "effort" in depends:
            parts.append(f"effort:{setting.effort}")
        line = setting.world.line
        if line is not None and (("effort" in depends and setting.effort == "tokens") or self._reads_tokens(measure)):
            parts.append(f"tokenizer:{line.name}")
        if "units" in depends and setting.units is not None:
            parts.append(f"units:{setting.units}")
        if setting.protocol.name:
            parts.append(f"protocol:{setting.protocol.name}")
        if setting.task:
            parts.append(f"task:{setting.task}")
        if setting.repair:
            parts.append(f"repair:{setting.repair}")
        return [*parts, f"duplicates:{setting.duplicates or self.run.duplicates}", f"topics:{setting.topics}"]

    def _reads_tokens(self, measure: AnyMeasure) -> bool:
        """Whether the reader of a measure counts tokens, whatever effort is counted in."""
        if not isinstance(measure, Measure) or "user" not in measure.depends_on:
            return False
        return getattr(self.setting.read_by(measure).user, "unit", None) == "tokens"

    def notes(self) -> list[str]:
        found = list(self.run.notes)
        ignored = sum(1 for topic in self.run.topics if topic not in self.truth)
        if ignored:
            found.append(f"{_plural(ignored, 'topic')} of the run not in the truth, ignored")
        absent = sum(1 for topic in self.topics if topic not in self.run and _has_relevant(self.truth, topic))
        if absent:
            found.append(f"{_plural(absent, 'judged topic')} missing from the run, counted 0")
        empty = sum(1 for topic in self.topics if not _has_relevant(self.truth, topic))
        if empty:
            found.append(
                "1 judged topic has nothing relevant; its value is undefined and left out of means"
                if empty == 1
                else f"{empty} judged topics have nothing relevant; their values are undefined and left out of means"
            )
        navigation = self.setting.world.navigation
        if navigation is None:  # else somebody may move from what is retrieved to what is judged
            found += strangers(self.truth, self.run)
        if navigation is not None and not self._meets(navigation):
            found.append(
                f"no unit of the run or the truth occurs in {navigation.source or 'the navigation'}, "
                "so nobody moves anywhere"
            )
        repeats = self.part.repeats
        if repeats:
            found.append(
                "1 result repeats an earlier one of the same topic; it reaches and gains nothing"
                if repeats == 1
                else f"{repeats} results repeat an earlier one of the same topic; they reach and gain nothing"
            )
        if self.part.overlap:
            shares = list(self.part.overlap.values())
            found.append(
                f"Overlap {mean(shares):.4f}: the share of what is retrieved that was retrieved before "
                f"({_plural(len(shares), 'topic')})"
            )
        found += [f"{note} ({_plural(count, 'topic')})" for note, count in self.part.reader_notes.items()]
        for one in self.asked:
            found += self._measure_notes(one)
        return [f"{self.name}: {note}" for note in found]

    def _meets(self, navigation: Navigation) -> bool:
        """Whether the navigation knows anything of what is judged or retrieved."""
        units = set(navigation.units)
        if not units or not units.isdisjoint(self.run.documents):
            return not units or not self.run.points_into_documents or self._names_met(units)
        return any(not units.isdisjoint(topic.document) for topic in self.truth.topics.values())

    def _names_met(self, units: set[str]) -> bool:
        rankings = (ranking for _, ranking in self.run.rankings())
        return any(ranking.name(row) in units for ranking in rankings for row in range(len(ranking)))

    def _measure_notes(self, one: Asked) -> list[str]:
        counts: dict[str, int] = {}
        above = undefined = 0
        for topic in self.topics:
            score = self.part.found[one.text, topic]
            for note in score.notes:
                counts[note] = counts.get(note, 0) + 1
            above += score.value is not None and score.value > 1 + 1e-9
            undefined += score.value is None and _has_relevant(self.truth, topic) and topic in self.run
        if above and isinstance(one.measure, Measure) and one.measure.increasing and one.measure.above_one:
            counts[f"values above 1: {one.measure.above_one}"] = above
        if undefined:
            counts["undefined, and left out of the mean"] = undefined
        return [f"{one.text}: {note} ({_plural(count, 'topic')})" for note, count in counts.items()]


def strangers(truth: Truth, run: Run) -> list[str]:
    """A note if no document of a run is judged for any topic: most likely the two name documents differently."""
    answered = [topic for topic in run.topics if topic in truth]
    for topic in answered[:10]:  # this is where nearly all runs show that they know the documents
        ranking, judged = run.ranking(topic), set(truth.topics[topic].documents())
        if any(ranking.documents[code] in judged for code in ranking.document.tolist()):
            return []
    known = {name for topic in truth.topics.values() for name in topic.documents()}
    if not known or not known.isdisjoint(run.documents):
        return []
    why = next((why for why, key in _ALIKE.items() if not {key(name) for name in known}.isdisjoint(
        key(name) for name in run.documents)), "")  # fmt: skip
    remedy = f"; names differ in their {why}: name documents alike in both" if why else ""
    return [
        f"none of the run's documents is judged (truth: {_some(sorted(known))}; run: {_some(run.documents)}){remedy}"
    ]


#: What names may differ in, and what is left of them without it.
_ALIKE: dict[str, Callable[[str], str]] = {
    "endings": lambda name: name.rpartition(".")[0] or name,
    "folders": lambda name: name.rpartition("/")[2],
    "folders and endings": lambda name: Path(name).stem,
    "capitals": str.lower,
}


def _own_part(measure: AnyMeasure) -> list[str]:
    if not isinstance(measure, Measure):
        return [str(measure), "by:ir_measures"]
    return [
        specs.render(measure.name(), {}, measure.at),
        *(
            f"{key}:{value:.12g}" if isinstance(value, float) else f"{key}:{value}"
            for key, value in measure.given().items()
            if key != "user"
        ),
    ]


def _signed(scores: Sequence[Score]) -> list[str]:
    """Extra parts of the values; where topics differ, all of them are named."""
    found: dict[str, dict[str, None]] = {}
    for score in scores:
        for key, value in score.signed:
            found.setdefault(key, {})[value] = None
    return [f"{key}:{'+'.join(values)}" for key, values in found.items()]


def _mean_curve(curves: Sequence[Curve]) -> Curve:
    """Point by point. A curve by rank goes on at its last value; one by level ends where it is not defined any more."""
    longest = max(curves, key=len, default=[])
    by_rank = bool(longest) and isinstance(longest[0][0], int)
    known = [dict(curve) for curve in curves]
    points: Curve = []
    for x, _ in longest:
        last = [curve[-1][1] if curve else 0.0 for curve in curves]
        values = [found.get(x, last[i] if by_rank else None) for i, found in enumerate(known)]
        points.append((x, mean(values) or 0.0))
    return points


def fingerprint(navigation: Navigation) -> str:
    """A short name for the content of a navigation file, so that signatures of different readers differ."""
    if isinstance(navigation, Sessions):
        parts = [";".join(path) for path in navigation.paths]
    elif isinstance(navigation, LinkTable):
        parts = [f"{a}\t{b}" for a, b in navigation.rows]
    else:
        parts = [f"{a}\t{b}\t{p!r}" for (a, b), p in navigation.rows.items()]
    return f"{zlib.crc32(chr(10).join(sorted(parts)).encode()):08x}"


def unique_names(runs: Sequence[Run]) -> list[str]:
    """The tag of each run, else the stem of its file; made unique by the stem, then by a number."""
    stems = [Path(run.source.removesuffix(".gz")).stem if run.source else run.tag or "run" for run in runs]
    names = [run.tag or stem for run, stem in zip(runs, stems, strict=True)]
    clash = {name for name in names if names.count(name) > 1}
    names = [stem if name in clash else name for name, stem in zip(names, stems, strict=True)]
    used: set[str] = set()
    for i, name in enumerate(names):
        candidate, n = name, 2
        while candidate in used:
            candidate, n = f"{name}-{n}", n + 1
        used.add(candidate)
        names[i] = candidate
    return names


class _named:
    """Puts the measure's name in front of an error about what it needs."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if type(error) is UsageError and not str(error).startswith(self.name.partition("(")[0].partition("@")[0]):
            verb = str(error).startswith(("needs", "reads", "counts"))
            raise UsageError(f"{self.name}{' ' if verb else ': '}{error}") from None


def _explain_documents(truth: Truth, run: Run, topic: str, measure: document_measures.DocumentMeasure) -> Explanation:
    value = document_measures.score(truth, run, [measure]).get((measure, topic), 0.0)
    judged = truth.topics[topic]
    grades: dict[str, float] = {}
    for document, grade in zip(judged.document, judged.grade.tolist(), strict=True):
        grades[document] = max(grade, grades.get(document, grade))
    ranking = run.ranking(topic)
    seen: dict[str, int] = {}
    for row, code in enumerate(ranking.document.tolist()):
        seen.setdefault(ranking.documents[code], int(ranking.rank[row]) + 1)
    rows = [
        [str(i), document, str(rank), "not judged" if document not in grades else number(grades[document])]
        for i, (document, rank) in enumerate(list(seen.items())[:30], start=1)
    ]
    relevant = sum(1 for grade in grades.values() if grade > 0)
    return Explanation(
        f"{measure} for topic {topic}",
        [
            Table(
                "Documents at their best rank", ["position", "document", "rank in the run", "grade"], rows, align="><>>"
            ),
            f"{_plural(relevant, 'document')} {'is' if relevant == 1 else 'are'} relevant.",
            f"{measure} = {number(value, 6)}, computed by ir_measures",
        ],
    )


def _some(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
