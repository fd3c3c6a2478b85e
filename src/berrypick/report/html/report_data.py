"""The data of one topic on the report page: documents, targets, results, and what readers of them see.

Everything is plain lists and dictionaries, ready for JSON; docs/how-to/report.md describes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from berrypick.data.columns import unpacked
from berrypick.data.errors import BerrypickError, UsageError
from berrypick.data.navigation import LinkTable, ReachTable
from berrypick.data.run import Run
from berrypick.data.truth import Highlighted, Targets, Truth
from berrypick.evaluation.evaluation import Evaluation
from berrypick.formats import positions_in
from berrypick.kernels.intervals import merge
from berrypick.kernels.relevant_text import Measured, numbered_documents
from berrypick.measures.readers.eprum import EPRUM
from berrypick.report.html.json_numbers import JsonText, plain_number, plain_numbers, to_json
from berrypick.report.html.plain_rankings import PlainRows, Reading, sure_readings
from berrypick.report.html.report_boxes import ResultAreas, place, topic_boxes, united_relevant
from berrypick.report.html.report_users import Reader
from berrypick.report.html.result_columns import ResultColumns
from berrypick.report.html.shared_codes import SharedCodes
from berrypick.report.html.topic_blocks import TopicDocuments
from berrypick.tables.tabular import fields_of
from berrypick.targets.targets import targets_as_spans
from berrypick.topics.context import JudgingContext
from berrypick.topics.judge import judge_topic
from berrypick.topics.topic import JudgedTopic
from berrypick.users import UserModel
from berrypick.users.classical import Classical

Kind = Literal["text", "lines", "seconds", "documents", "elements", "pages"]
#: Those in which results have a start and an end.
PLACES = ("text", "lines", "seconds")
#: How many retrieved units of each run are drawn in the neighbourhood of a link graph.
NEIGHBOURS = 20
_EPRUM = EPRUM()  # for every reader of every ranking


def kind_of(truth: Truth, runs: Sequence[Run], context: JudgingContext) -> Kind:
    """What positions are: characters, seconds, or nothing, where whole documents or mere paths are known."""
    if truth.of_pages:
        return "pages"
    if truth.units == "documents" and not any(run.points_into_documents for run in runs):
        return "documents"
    collection = context.reader.collection
    if any(run.start is None and run.path is not None for run in runs) or (
        truth.units == "elements" and (collection is None or not collection.structures)
    ):
        return "elements"
    if "lines" in (truth.unit, *(run.unit for run in runs)):
        return "lines"
    return "seconds" if context.effort == "seconds" or _timed(truth, runs) else "text"


def _timed(truth: Truth, runs: Sequence[Run]) -> bool:
    """Video formats, fields of seconds, and fractions, which character offsets never have."""
    if "seconds" in (truth.unit, *(run.unit for run in runs)):
        return True
    if any(positions_in(name) == "seconds" for name in (truth.format, *(run.format for run in runs))):
        return True
    places = [unpacked(run.start) for run in runs] + [topic.start for topic in truth.topics.values()]
    return any(column is not None and bool((column != np.floor(column)).any()) for column in places)


@dataclass(frozen=True, eq=False)
class Details:
    """The topics of an evaluation, one by one."""

    evaluation: Evaluation
    readers: Sequence[Reader]
    depth: int
    titles: Mapping[str, str]
    simulated: Any = None  # SimulatedReaders, or None
    contexts: dict[str, JudgingContext] = field(default_factory=dict, init=False, repr=False)
    heads: dict[str, str] = field(default_factory=dict, init=False, repr=False)
    codes: SharedCodes = field(default_factory=SharedCodes, init=False, repr=False)
    #: By run and what its readers are judged by, what they get to where that is certain.
    certain: dict[tuple[str, JudgingContext], dict[str, Reading]] = field(default_factory=dict, init=False, repr=False)

    def context_of(self, model: UserModel) -> JudgingContext:
        """What a user model has prepared for one ranking is there for all others."""
        name = str(model)
        if name not in self.contexts:
            context = self.evaluation.context
            self.contexts[name] = replace(context, user=model.resolved(context.reader))
        return self.contexts[name]

    def certain_readings(self, run: str, context: JudgingContext) -> dict[str, Reading]:
        """What readers get to, by topic, where this is certain; worked out once for all topics of a run."""
        if (run, context) not in self.certain:
            self.certain[run, context] = sure_readings(self.evaluation.truth, self.evaluation.runs[run], context)
        return self.certain[run, context]

    @cached_property
    def kind(self) -> Kind:
        return kind_of(self.evaluation.truth, list(self.evaluation.runs.values()), self.evaluation.context)

    @cached_property
    def steps(self) -> dict[str, list[tuple[str, float]]]:
        """Where people go next from a unit, and how many of them, by the navigation that is given."""
        navigation = self.evaluation.context.reader.navigation
        found: dict[str, list[tuple[str, float]]] = {}
        if isinstance(navigation, LinkTable):
            degree: dict[str, int] = {}
            for a, b in navigation.rows:
                degree[a] = degree.get(a, 0) + (a != b)
            rows = [(a, b, 1 / degree[a]) for a, b in navigation.rows if a != b]
        elif isinstance(navigation, ReachTable):
            rows = [(a, b, p) for (a, b), p in navigation.rows.items() if a != b and p > 0]
        elif navigation is not None:
            number = {unit: i for i, unit in enumerate(navigation.units)}
            shares = sorted(navigation.shares().items(), key=lambda one: (number[one[0][0]], number[one[0][1]]))
            rows = [(a, b, p) for (a, b), p in shares]
        else:
            rows = []
        for a, b, p in rows:
            found.setdefault(a, []).append((b, p))
        return found

    def topic(self, name: str) -> PageTopic:
        """Everything about one topic."""
        model = self.plain_reader.model if self.plain_reader is not None else Classical()
        truth, context = self.evaluation.truth, self.context_of(model)  # one for all: targets are found once
        judged = [judge_topic(truth, run, name, context) for run in self.evaluation.runs.values()]
        return PageTopic(self, name, judged)

    @cached_property
    def plain_reader(self) -> Reader | None:
        """A reader who wants the relevant units, not entry points."""
        return next((reader for reader in self.readers if not reader.model.seeks_entry_points), None)

    def head(self, name: str) -> str:
        """A document as JSON up to its block, with its length where that is known; made once: it is in many topics."""
        if name not in self.heads:
            collection = self.evaluation.context.reader.collection
            lengths = {} if collection is None or self.kind not in PLACES else collection.lengths
            length = plain_number(float(lengths[name])) if name in lengths else None
            self.heads[name] = f'{{"name":{to_json(name)},"length":{to_json(length)},"block":'
        return self.heads[name]

    def document(self, name: str) -> dict[str, Any] | None:
        """The text and the tree of a document, where either is known."""
        text, tree = self._text(name), self._tree(name)
        return None if text is None and tree is None else {"name": name, "text": text, "tree": tree}

    def _text(self, name: str) -> str | None:
        reader = self.evaluation.context.reader
        texts, collection = reader.shown if self.kind == "lines" else reader.texts, reader.collection
        if texts is not None and name in texts:
            return texts[name]
        if collection is None or name not in collection.structures:
            return None
        read = getattr(collection.structures, "text", None)  # a folder has the texts, an index has not
        return None if read is None else str(read(name))

    def _tree(self, name: str) -> dict[str, Any] | None:
        collection = self.evaluation.context.reader.collection
        if collection is None or name not in collection.structures:
            return None
        structure = collection.structures[name]
        codes = {tag: code for code, tag in enumerate(dict.fromkeys(structure.name))}
        columns = fields_of(structure, "parent", "start", "end")
        return {
            "names": list(codes),
            "name": [codes[tag] for tag in structure.name],
            **{name: np.asarray(column).tolist() for name, column in columns.items()},
        }


class PageTopic:
    """One topic under way: documents get their numbers as they are met."""

    def __init__(self, details: Details, name: str, judged: Sequence[JudgedTopic]) -> None:
        self.details, self.name, self.judged = details, name, judged
        self.places = details.kind in PLACES
        self.on_pages = details.kind == "pages"
        self.relevant = _relevant(judged[0]) if self.places else {}
        self.targets = judged[0].targets
        self.number: dict[str, int] = {}
        self.document = np.zeros(0, dtype=np.int64)  # of the results that are shown
        #: The documents of the results that are shown, run by run, as numbers that all topics share.
        self.shown = [details.codes.of(place, one.ranking, details.depth) for place, one in enumerate(judged)]
        #: By the columns of reach, what was found for it.
        self.read: dict[tuple[bytes, ...], tuple[dict[str, Any], float | None]] = {}

    def to_json(self) -> dict[str, Any]:
        self._number_documents()
        entries = self._entry_points()
        return {
            "topic": self.name,
            "title": self.details.titles.get(self.name, ""),
            "documents": self._documents(),
            "targets": self._targets(self.targets),
            "entry_targets": self._targets(entries) if entries is not None else None,
            "relevant": [
                [self.number[name], plain_number(start), plain_number(end)]
                for name, measured in self.relevant.items()
                for start, end in zip(measured.start.tolist(), measured.end.tolist(), strict=True)
            ],
            "judged": self._judged(),
            "entries": [] if entries is None else self._places_of(entries),
            "runs": self._runs(),
            **self._readers(),
            "simulated": self._simulated(),
            "boxes": self._boxes(),
            "links": self._links(),
        }

    def _boxes(self) -> dict[str, Any] | None:
        """Places on pages, where these are judged; the pages of all runs have their sizes."""
        if not self.on_pages:
            return None
        found = topic_boxes(self.judged[0], self.number)
        for judged in self.judged[1:]:
            for number, sizes in topic_boxes(judged, self.number)["sizes"].items():
                found["sizes"][number] = {**sizes, **found["sizes"].get(number, {})}
        return found

    def _judged(self) -> list[list[Any]] | None:
        """Judged text of the documents above, to the end of those judged as a whole; None where there are no places."""
        if not self.places:
            return None
        truth = self.judged[0].truth
        text, whole = truth.judged_spans(), truth.whole_documents
        spans = zip(text.document, text.start.tolist(), text.end.tolist(), strict=True)
        found = [[self.number[name], plain_number(a), plain_number(b)] for name, a, b in spans if name in self.number]
        return [*found, *([number, 0, None] for name, number in self.number.items() if name in whole)]

    def _number_documents(self) -> None:
        """Documents with something relevant first, then by the best rank at which any run has them."""
        first = dict.fromkeys([*self.targets.document, *self.relevant])
        for point in self.details.evaluation.truth.topics[self.name].entry_points:
            first.setdefault(point.document)
        ranks = np.concatenate([one.ranking.rank for one in self.judged])
        met, code = numbered_documents(np.concatenate(self.shown))
        best = np.full(len(code), self.details.depth)
        np.minimum.at(best, met, ranks[ranks < self.details.depth])
        order = np.argsort(best, kind="stable")
        names = [self.details.codes.names[one] for one in code[order].tolist()]
        at = dict(zip(names, best[order].tolist(), strict=True))
        ordered = [*sorted(first, key=lambda name: at.get(name, math.inf)), *(name for name in at if name not in first)]
        self.number = {name: number for number, name in enumerate(ordered)}
        number = np.empty(len(code), dtype=np.int64)
        number[order] = [self.number[name] for name in names]
        self.document = number[met]

    def _documents(self) -> TopicDocuments:
        heads = [self.details.head(name) for name in self.number]
        tails = [',"relevant":0'] * len(heads)
        for name, number in self.number.items() if self.on_pages else ():
            tails[number] = f',"relevant":{to_json(self._relevant_area(name))}'
        for name, measured in self.relevant.items():
            tails[self.number[name]] = f',"relevant":{to_json(plain_number(measured.total))}'
        return TopicDocuments(list(self.number), heads, tails)

    def _relevant_area(self, name: str) -> float | int | None:
        text = self.judged[0].truth.relevant_text()
        if text is None:
            return 0
        rows = np.array([row for row, document in enumerate(text.document) if document == name], dtype=np.int64)
        return plain_number(united_relevant(text.rows(rows)))

    def _targets(self, targets: Targets) -> list[dict[str, Any]]:
        spans = _or_none(lambda: targets_as_spans(targets, self.details.evaluation.context.reader.collection))
        known = self.places or self.on_pages
        start = spans.start if spans is not None and known else None
        end = spans.end if spans is not None and known else None
        return [
            {
                "doc": self.number[targets.document[x]],
                "start": None if start is None else plain_number(start[x]),
                "end": None if end is None else plain_number(end[x]),
                "path": None if targets.path is None else targets.path[x],
                "grade": plain_number(targets.grade[x]),
                "ideal": plain_number(targets.idealism[x]),
                "name": targets.name(x),
                **({} if targets.boxes is None else {"place": place(targets.boxes, x)}),
            }
            for x in range(len(targets))
        ]

    def _entry_points(self) -> Targets | None:
        """Best entry points as targets, where the truth has them and their places are known."""
        from berrypick.targets.targets import entry_points_of

        found = _or_none(lambda: entry_points_of(self.details.evaluation.truth.topics[self.name]))
        return found if self.places else None

    def _places_of(self, entries: Targets) -> list[list[Any]]:
        assert entries.start is not None
        return [
            [self.number[name], plain_number(at)]
            for name, at in zip(entries.document, entries.start.tolist(), strict=True)
        ]

    @property
    def cut(self) -> int:
        """How many lists are longer than what is shown."""
        return sum(1 for one in self.judged if one.ranking.ranks > self.details.depth)

    def _runs(self) -> list[dict[str, Any]] | JsonText:
        """The lists of all runs, taken together where all of them are plain."""
        rows = PlainRows.of(self.judged, self.details.depth) if self.places else None
        found = None if rows is None else rows.to_json(self.document, self.number, self.relevant, self.targets)
        if found is None:
            return [self._run(judged) for judged in self.judged]
        parts = [
            f'{{"answered":{str(one.answered).lower()},"ranks":{one.ranking.ranks},"shown":{len(shown)},{lists}}}'
            for one, shown, lists in zip(self.judged, self.shown, found, strict=True)
        ]
        return JsonText(f"[{','.join(parts)}]")

    def _run(self, judged: JudgedTopic) -> dict[str, Any]:
        ranking = judged.ranking
        located = _or_none(lambda: judged.ranking_spans) if self.places else None
        shown = np.flatnonzero(ranking.rank < self.details.depth)
        columns = ResultColumns(ranking, located, self.relevant, self.targets)
        if self.on_pages and ranking.boxes is not None:
            text = judged.truth.relevant_text() or judged.truth.judged_spans()
            columns = ResultColumns(ranking, None, {}, self.targets, ResultAreas(ranking, text, shown))
        return {
            "answered": judged.answered,
            "ranks": ranking.ranks,
            "shown": len(shown),
            "results": columns.rows(shown, self.number),
            "seen": columns.seen(shown, self.relevant),
        }

    def _readers(self) -> dict[str, Any]:
        reach: list[list[list[Any]]] = []
        values: list[list[list[float | None]]] = []
        for reader in self.details.readers:
            # run by run: the models of a reader ask the same of a ranking
            contexts = [self.details.context_of(model) for model in reader.models]
            found = [
                [self._read(context, run, judged) for context in contexts]
                for run, judged in zip(self.details.evaluation.runs, self.judged, strict=True)
            ]
            reach.append([[entries for entries, _ in column] for column in zip(*found, strict=True)])
            values.append([[value for _, value in column] for column in zip(*found, strict=True)])
        return {"reach": reach, "values": values}

    def _simulated(self) -> list[list[dict[str, Any] | None]] | None:
        """By measure and run, what simulated readers get; None where there is no value."""
        details = self.details
        if details.simulated is None:
            return None
        twins, runs = details.simulated.of_topic(self.name), details.evaluation.runs
        return [[_twin(twins.get((run, one.text))) for run in runs] for one in details.simulated.measures]

    def _read(self, context: JudgingContext, run: str, plain: JudgedTopic) -> Reading:
        """What a reader gets to from each rank, and EPRUM for it."""
        if (known := self.details.certain_readings(run, context).get(self.name)) is not None:
            return known
        try:
            judged = self._judged_by(context, run, plain)
            if not len(judged.targets):
                return None, None
            if not judged.answered:
                return {"rank": [], "target": [], "p": []}, 0.0
            if judged.items is not judged.ranking or context.user.chances is not None:
                return _reach_entries(judged), _EPRUM.compute(judged).value
            reach = judged.reach  # with what is ideal, all that the value depends on; many lists have the same
            columns = (judged.targets.idealism, reach.rank, reach.target, reach.probability)
            key = tuple(column.tobytes() for column in columns)
            if key not in self.read:
                self.read[key] = _reach_entries(judged), _EPRUM.compute(judged).value
            return self.read[key]
        except BerrypickError:  # a document of unknown length, say; other topics may be fine
            return None, None

    def _judged_by(self, context: JudgingContext, run: str, plain: JudgedTopic) -> JudgedTopic:
        """The ranking judged by another user model; the targets are the same unless it seeks entry points."""
        if context.user.seeks_entry_points != plain.context.user.seeks_entry_points:
            return self.details.evaluation.judge(run, self.name, context.user)
        return replace(plain, context=context)

    def _links(self) -> dict[str, Any] | None:
        steps = self.details.steps
        if not steps:
            return None
        ranks: dict[str, list[int | None]] = {}
        for i, judged in enumerate(self.judged):
            ranking = judged.ranking
            for row in range(len(ranking)):
                rank = int(ranking.rank[row])
                name = ranking.name(row)
                if rank < min(NEIGHBOURS, self.details.depth):
                    held = ranks.setdefault(name, [None] * len(self.judged))
                    held[i] = rank + 1 if held[i] is None else held[i]
        wanted = {name: x for x, name in enumerate(self.targets.names())}
        units = list(dict.fromkeys([*ranks, *wanted]))
        number = {unit: i for i, unit in enumerate(units)}
        return {
            "units": [
                {
                    "name": unit,
                    "doc": self.number.get(unit),
                    "rank": ranks.get(unit, [None] * len(self.judged)),
                    "target": wanted.get(unit),
                }
                for unit in units
            ],
            "edges": [[number[a], number[b], p] for a in units for b, p in steps.get(a, ()) if b in number],
        }


def _reach_entries(judged: JudgedTopic) -> dict[str, Any]:
    """Ranks, targets and probabilities; an item may hold the results of several ranks, of which the last is shown."""
    reach = judged.reach
    last = np.zeros(reach.ranks, dtype=np.int64)
    np.maximum.at(last, judged.items.rank, judged.ranking.rank)
    return {
        "rank": (last[reach.rank] + 1).tolist(),
        "target": reach.target.tolist(),
        "p": plain_numbers(reach.probability),
    }


def _relevant(judged: JudgedTopic) -> dict[str, Measured]:
    """Relevant text by document, merged."""
    text: Highlighted | None = _or_none(lambda: judged.relevant_spans)
    if text is None:
        return {}
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(text.document):
        rows.setdefault(name, []).append(row)
    start, end = np.asarray(text.start), np.asarray(text.end)
    return {name: Measured(*merge(start[chosen], end[chosen])) for name, chosen in rows.items()}


def _twin(twin: Any) -> dict[str, Any] | None:
    if twin is None:
        return None
    spread = twin.spread
    return {
        **fields_of(twin, "value", "simulated", "error"),
        "nothing": spread.nothing,
        "quantiles": list(spread.quantiles),
        "edges": [spread.edges[0], spread.edges[-1]],
        "bars": [count / spread.readers for count in spread.bars],
    }


def _or_none(make: Any) -> Any:
    """What the inputs can give, or None."""
    try:
        return make()
    except UsageError:
        return None
