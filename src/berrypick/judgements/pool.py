"""What should be judged next: the first results of several runs, merged into regions.

Regions are the unjudged text of the first results of all runs. Those that could change the comparison
most come first: the largest change of the difference in charP between two of the runs, if the region is relevant.
Neighbouring regions of a document are one task, with some text around them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from os import PathLike
from typing import Any, Literal, NamedTuple, TextIO, TypeVar, get_args

import numpy as np

from berrypick.data.annotators import Pieces
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import BerrypickError, InputError, UsageError, nearest, option
from berrypick.data.results import Note
from berrypick.data.run import Run
from berrypick.data.score import Table
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.documents.checked import checked_run, checked_truth
from berrypick.documents.placed import placed_run
from berrypick.documents.quotes import located_truth
from berrypick.documents.texts import Texts, read_texts
from berrypick.files.files import atomic_writer, file_name, head
from berrypick.files.problems import Problems
from berrypick.formats.annotation.web_annotation import TOPIC
from berrypick.given.convert import RunsLike, TruthLike, as_runs, as_truth
from berrypick.inputs.column_tables import TextSearch
from berrypick.inputs.titles import Titles, read_titles, titles_of
from berrypick.judgements.sample import sample_text, sample_topics
from berrypick.rows.fields import QUESTIONS, TABLE, plain_name
from berrypick.rows.json_lines import records
from berrypick.tables.tabular import Tabular

TaskFormat = Literal["jsonl", "label-studio", "doccano", "w3c"]
TASK_FORMATS: tuple[TaskFormat, ...] = get_args(TaskFormat)


@dataclass(frozen=True)
class JudgingTask:
    """Text to be judged: some regions of a document with text around them, from ``offset`` on."""

    topic: str
    document: str
    offset: int
    text: str
    regions: tuple[tuple[int, int], ...]  # in the document
    impact: float  # the largest change of a difference in charP, if all of the regions are relevant
    question: str = ""
    #: Of which random sample of topics it is; '' where topics were not sampled.
    sample: str = field(default="", kw_only=True)

    @property
    def characters(self) -> int:
        return sum(end - start for start, end in self.regions)


@dataclass(frozen=True)
class Pool(Tabular):
    """Tasks, the most important first, and the share already judged.

    Attributes
    ----------
    tasks
        Regions of documents to judge, with text around them.
    depth
        How many results of each run count.
    retrieved
        Characters of the first results of all runs, each counted once in a topic; of places on pages the area.
    judged
        How many of them are judged already.
    left_out
        Tasks beyond the budget.
    sample
        Which random sample of topics was drawn; '' where all topics count.
    notes
        Notes about the tasks.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.pool({"q": {"guide#0-17": 1}}, {"guide": "Cut the old canes."})
    >>> isinstance(found, bp.Pool), len(found), found.characters
    (True, 1, 17)
    """

    tasks: tuple[JudgingTask, ...] = field(repr=False)
    depth: int
    retrieved: float
    judged: float
    left_out: int = 0
    sample: str = ""
    notes: Sequence[Note] = ()

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[JudgingTask]:
        return iter(self.tasks)

    @property
    def characters(self) -> int:
        """Characters to be judged."""
        return sum(task.characters for task in self.tasks)

    @property
    def progress(self) -> str:
        """A sentence on what is judged, and what will be."""
        total = max(self.retrieved, 1)
        after = f"{100 * (self.judged + self.characters) / total:.1f}% after these tasks"
        regions = sum(len(task.regions) for task in self.tasks)
        more = f"; {counted(self.left_out, 'task')} beyond the budget" if self.left_out else ""
        return (
            f"{100 * self.judged / total:.1f}% of the text of the first {self.depth} results is judged, {after}: "
            f"{counted(len(self.tasks), 'task')} with {counted(regions, 'region')}, {self.characters} characters{more}"
        )

    def records(self) -> list[dict[str, Any]]:
        """Return a dictionary for each task, as lines of JSON have it."""
        return [{**_fields(task), "impact": task.impact} for task in self.tasks]

    def rows(self) -> list[dict[str, Any]]:
        return [
            {**row, "regions": " ".join(f"{start}-{end}" for start, end in row["regions"])} for row in self.records()
        ]

    def tables(self, places: int = 4) -> list[Table]:
        header = ["topic", "doc", "regions", "impact"]
        rows = [[row["topic"], row["doc"], row["regions"], f"{row['impact']:.{places}f}"] for row in self.rows()]
        return [Table(self.progress, header, rows, "<<<>")]

    def write(self, path: str | PathLike[str], format: TaskFormat = "jsonl") -> None:  # type: ignore[override]
        """Write the tasks for an annotation tool, atomically."""
        if format not in TASK_FORMATS:
            close = nearest(str(format), list(TASK_FORMATS)) or f"; expected one of {', '.join(TASK_FORMATS)}"
            raise UsageError(f"unknown format of tasks {format!r}{close}")
        with atomic_writer(str(path)) as out:
            _WRITERS[format](self.tasks, out)


def pool(
    runs: RunsLike,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    *,
    truth: TruthLike | None = None,
    depth: int = 10,
    context: int = 200,
    budget: int | None = None,
    titles: Mapping[str, str] | str | PathLike[str] | None = None,
    sample: int | None = None,
    seed: int | None = None,
) -> Pool:
    """Merge the first results of all runs into tasks to judge, skipping text already judged.

    Parameters
    ----------
    runs : RunsLike
        What systems returned: files, Runs, data frames, records, dictionaries by topic; several are a list, ``{name:
        run}``, or a table with a column ``run``.
    documents : Texts, mapping, str or path, optional
        The texts: a folder, JSON Lines with doc and text, or a mapping; not needed for places on pages.
    truth : TruthLike, optional
        The judgements so far.
    depth : int
        How many results of each run count.
    context : int
        How many characters are shown around a region; regions that are nearer to each other are one task.
    budget : int, optional
        The maximum number of tasks; the most important ones.
    titles : mapping, str or path, optional
        Questions of topics: topic to title, or a file with topic, TAB, title; by default those of the truth.
    sample : int, optional
        How many topics of the runs people should judge, drawn at random; the tasks say so. All tasks of these topics
        must be judged, so there is no budget.
    seed : int, optional
        The seed of the sample, 0 by default. A larger sample with the same seed has all topics of a smaller one.

    Returns
    -------
    Pool
        The tasks, the most important first.

    Examples
    --------
    >>> import berrypick as bp
    >>> texts = {"guide": "Cut the old canes in autumn. Water in July."}
    >>> found = bp.pool({"q": {"guide#0-27": 1}}, texts, truth={"q": {"guide#0-17": 1}}, context=0)
    >>> [(task.document, task.regions) for task in found]
    [('guide', ((17, 27),))]
    """
    for name, value, least in (("depth", depth, 1), ("context", context, 0), ("budget", budget, 1)):
        if value is not None and value < least:
            raise UsageError(f"{name} must be at least {least}, not {value}")
    if sample is not None and budget is not None:
        what = f"{option('budget')} leaves out tasks of sampled topics, which would not be judged as the others"
        raise UsageError(f"{what}: draw fewer topics with {option('sample')} instead")
    if sample is None and seed is not None:
        raise UsageError(f"{option('seed')} is the seed of a sample of topics: give {option('sample')} too")
    texts = None if documents is None else read_texts(documents)
    systems = as_runs(runs, None if texts is None else TextSearch(texts))
    if not systems:
        raise UsageError("no runs given")
    known = None if truth is None else as_truth(truth)
    asked = titles if isinstance(titles, Mapping) else _asked(titles, known, systems)
    if any(run.boxes is not None for run in systems):
        from berrypick.judgements.page_pool import page_pool

        systems = _matched(systems, known)
        drawn = _Sample.of(systems, sample, seed or 0)
        return drawn.said_by(page_pool(systems, known, depth, budget, asked, drawn.topics))
    if texts is None:
        raise UsageError(f"regions of text are shown in their documents: give {option('documents')}")
    for run in systems:
        _refuse_markup(run, texts)
    systems = _matched([checked_run(_placed(run, texts), texts) for run in systems], known)
    judgements = {} if known is None else _judgements(known, texts)
    drawn = _Sample.of(systems, sample, seed or 0)
    tasks: list[JudgingTask] = []
    retrieved = judged = 0.0
    for topic in drawn.topics:
        found = _PoolTopic(topic, systems, judgements.get(topic), depth)
        retrieved += found.retrieved
        judged += found.judged
        tasks += found.tasks(texts, context, asked.get(topic, ""))
    tasks.sort(key=lambda task: -task.impact)  # stable: equal ones stay in the order of the runs
    kept = tasks if budget is None else tasks[:budget]
    return drawn.said_by(Pool(tuple(kept), depth, round(retrieved), round(judged), len(tasks) - len(kept)))


AnyPool = TypeVar("AnyPool", bound=Pool)


class _Sample(NamedTuple):
    """The topics of the runs that tasks are made of, and what is said of their sample."""

    topics: Sequence[str]
    text: str = ""

    @classmethod
    def of(cls, runs: Sequence[Run], count: int | None, seed: int) -> _Sample:
        known = list(dict.fromkeys(topic for run in runs for topic in run.topics))
        if count is None:
            return cls(known)
        kept = set(found := sample_topics(known, count, seed))
        return cls([topic for topic in known if topic in kept], sample_text(found, known, seed))

    def said_by(self, made: AnyPool) -> AnyPool:
        """The pool with tasks that name the sample."""
        if not self.text:
            return made
        notes = [*made.notes, Note("sample", self.text)]
        idle = len(set(self.topics) - {task.topic for task in made.tasks})
        if idle:
            text = "have no task, as nothing of them is left to judge or the runs have no results: they belong to the "
            notes.append(Note("sample", f"{counted(idle, 'sampled topic')} {text}sample all the same"))
        tasks = tuple(replace(task, sample=self.text) for task in made.tasks)
        return replace(made, tasks=tasks, sample=self.text, notes=tuple(notes))


def _matched(runs: Sequence[Run], truth: Truth | None) -> list[Run]:
    """Runs that name topics by their questions, by the topics of the truth."""
    return list(runs) if truth is None else [Titles.of(truth).matched(run) for run in runs]


def _asked(titles: str | PathLike[str] | None, truth: Truth | None, runs: Sequence[Run]) -> Mapping[str, str]:
    """What topics ask: as a file says, else as the truth does, else as the files of runs do."""
    if titles is not None:
        return read_titles(titles)
    known = {} if truth is None else titles_of(truth)
    if all(known.get(topic) for run in runs for topic in run.topics):
        return known
    return {**{topic: question for run in runs for topic, question in _questions_in(run)}, **known}


def _questions_in(run: Run) -> Iterator[tuple[str, str]]:
    """The questions that the file of a run has beside its topics, where it is a file of rows."""
    from berrypick.judgements.adopt.golden_file import read_golden

    if not os.path.isfile(run.source):
        return
    rows: list[Mapping[str, Any]]
    try:
        if next(iter(head(run.source)), "").startswith("{"):
            rows = [row for _, _, row in records(run.source, Problems(run.source))]
        else:
            rows = [row.fields for row in read_golden(run.source).rows]
    except BerrypickError:  # another format, which has no questions
        return
    for row in rows:
        named = {plain_name(name): value for name, value in row.items()}
        topic = next((named[name] for name in TABLE["run"]["topic"].usual if name in named), None)
        question = next((named[name] for name in QUESTIONS[:-1] if isinstance(named.get(name), str)), "")
        if topic is not None and question:
            yield str(topic), question


def _refuse_markup(run: Run, texts: Texts) -> None:
    """Refuse offsets into XML without texts beside them: they may count the text, or the tags as well."""
    if run.start is None or run.texts.quoted:
        return
    marked = next((name for name in run.documents if texts.canonical(name).lower().endswith(".xml")), None)
    if marked is not None:
        raise InputError(
            f"points into {texts.canonical(marked)} by offsets, but a folder of XML is read with its tags, and the "
            "offsets may count the text alone",
            path=run.source or None,
            remedy='write the text that the offsets count as JSON Lines, {"doc": "a", "text": "..."}, and give that '
            f"file with {option('documents')}; or give each result its text beside the offsets",
        )


def _placed(run: Run, texts: Texts) -> Run:
    """A run whose results are known by their texts, as of traces, as places."""
    return placed_run(run, texts, "exact")


def _judgements(found: Truth, texts: Texts) -> Mapping[str, TopicTruth]:
    if found.units == "elements":
        raise UsageError(f"{option('truth')} judges elements; pools are made of text")
    counting = found.offsets or "chars"
    return located_truth(checked_truth(found, texts, counting), texts, "exact", counting).topics


class _PoolTopic:
    """The unjudged text of the first results of one topic, in pieces."""

    def __init__(self, name: str, runs: Sequence[Run], truth: TopicTruth | None, depth: int) -> None:
        self.name, self.all_judged = name, truth is not None and truth.no_answer
        lists = []
        for run in runs:
            ranking = run.ranking(name)
            if ranking.unit:
                raise UsageError(f"{run.source or run.tag or 'a run'} counts {ranking.unit}; pools are made of text")
            if ranking.start is None or ranking.end is None:
                raise UsageError(f"{run.source or run.tag or 'a run'} has whole documents; pools are made of parts")
            chosen = ranking.rows(ranking.rank < depth)
            assert chosen.start is not None and chosen.end is not None
            lists.append(([chosen.documents[code] for code in chosen.document.tolist()], chosen.start, chosen.end))
        spans = [] if truth is None else [truth.judged_spans()]
        self.pieces = Pieces.of([*lists, *((text.document, text.start, text.end) for text in spans)])
        held = np.array([self.pieces.covered(i) for i in range(len(runs))]).reshape(len(runs), -1)
        known = self.pieces.covered(len(runs)) if spans else np.zeros(len(self.pieces.length), dtype=bool)
        if truth is not None:
            known = known | self.pieces.within(truth.whole_documents) | self.all_judged
        length = self.pieces.length * held.any(axis=0)
        self.retrieved, self.judged = float(length.sum()), float((length * known).sum())
        self.wanted = held.any(axis=0) & ~known & (self.pieces.length > 0)
        size = np.maximum((held * self.pieces.length).sum(axis=1), 1.0)
        self.share = held * self.pieces.length / size[:, None]  # of each run's list

    def tasks(self, texts: Texts, context: int, question: str) -> Iterator[JudgingTask]:
        """Regions of a document that are near to each other are one task."""
        status = np.where(self.wanted, 1.0, np.nan)
        rows = np.flatnonzero(self.wanted)
        joined: list[tuple[str, list[tuple[int, int]]]] = []
        for document, start, end, _ in self.pieces.runs(status):
            if joined and joined[-1][0] == document and start - joined[-1][1][-1][1] <= context:
                joined[-1][1].append((int(start), int(end)))
            else:
                joined.append((document, [(int(start), int(end))]))
        impacts = self._impacts(rows, joined)
        for (document, regions), impact in zip(joined, impacts, strict=True):
            text = texts[document]
            first, last = _around(text, regions[0][0], regions[-1][1], context)
            yield JudgingTask(self.name, document, first, text[first:last], tuple(regions), impact, question)

    def _impacts(self, rows: Any, joined: Sequence[tuple[str, list[tuple[int, int]]]]) -> list[float]:
        """For each task: how far two runs can move apart."""
        numbers = {name: i for i, name in enumerate(self.pieces.names)}
        keys = [(numbers[document], regions[0][0]) for document, regions in joined]
        first = np.array([number for number, _ in keys]), np.array([start for _, start in keys])
        found: list[float] = []
        sums = np.concatenate([np.zeros((len(self.share), 1)), np.cumsum(self.share[:, rows], axis=1)], axis=1)
        places = list(zip(self.pieces.document[rows].tolist(), self.pieces.start[rows].tolist(), strict=True))
        bounds = [*np.searchsorted(_order(places), _order(zip(*first, strict=True))).tolist(), len(rows)]
        for low, high in pairwise(bounds):
            change = sums[:, high] - sums[:, low]
            found.append(float(change.max() - (change.min() if len(change) > 1 else 0.0)))
        return found


def _order(places: Any) -> FloatArray:
    """Document and start as one rising number."""
    return np.array([document * 2.0**40 + start for document, start in places], dtype=np.float64)


def _around(text: str, start: int, end: int, context: int) -> tuple[int, int]:
    """Where the text of a task begins and ends: not inside of a word, where there is one."""
    first, last = max(0, start - context), min(len(text), end + context)
    while 0 < first < start and not text[first - 1].isspace():
        first += 1
    while end < last < len(text) and not text[last].isspace():
        last -= 1
    return first, last


# --- files ------------------------------------------------------------------------------------------------------------


def _fields(task: JudgingTask) -> dict[str, Any]:
    asked = {"question": task.question} if task.question else {}
    regions = [list(region) for region in task.regions]
    return {"topic": task.topic, "doc": task.document, **asked, "offset": task.offset, "text": task.text,
            "regions": regions, **sample_field(task)}  # fmt: skip


def sample_field(task: JudgingTask) -> dict[str, str]:
    """The sample of a task as a field of a file."""
    return {"sample": task.sample} if task.sample else {}


def _write_lines(tasks: Sequence[JudgingTask], out: TextIO, **more: Any) -> None:
    for task in tasks:
        out.write(json.dumps({**_fields(task), **more}, ensure_ascii=False) + "\n")


def _write_label_studio(tasks: Sequence[JudgingTask], out: TextIO) -> None:
    out.write("[\n")
    for number, task in enumerate(tasks):
        end = "\n" if number + 1 == len(tasks) else ",\n"
        out.write(json.dumps({"data": _fields(task)}, ensure_ascii=False) + end)
    out.write("]\n")


def _write_w3c(tasks: Sequence[JudgingTask], out: TextIO) -> None:
    """An annotation for each region, without a label yet."""
    items = [_annotation(task, start, end) for task in tasks for start, end in task.regions]
    sample = {"label": tasks[0].sample} if tasks and tasks[0].sample else {}
    page = {"@context": "http://www.w3.org/ns/anno.jsonld", "type": "AnnotationPage", **sample, "items": items}
    json.dump(page, out, ensure_ascii=False, indent=1)
    out.write("\n")


def _annotation(task: JudgingTask, start: int, end: int) -> dict[str, Any]:
    text, low, high = task.text, start - task.offset, end - task.offset
    question = [{"type": "TextualBody", "purpose": "describing", "value": task.question}] if task.question else []
    return {
        "type": "Annotation",
        "motivation": "assessing",
        "body": [{"type": "TextualBody", "purpose": "tagging", "value": f"{TOPIC}{task.topic}"}, *question],
        "target": {
            "source": task.document,
            "selector": [
                {"type": "TextPositionSelector", "start": start, "end": end},
                {"type": "TextQuoteSelector", "exact": text[low:high], "prefix": text[max(0, low - 32) : low],
                 "suffix": text[high : high + 32]},
            ],
        },
    }  # fmt: skip


_WRITERS: dict[str, Callable[[Sequence[JudgingTask], TextIO], None]] = {
    "jsonl": _write_lines,
    "label-studio": _write_label_studio,
    "doccano": partial(_write_lines, label=[]),
    "w3c": _write_w3c,
}


def read_tasks(path: str | PathLike[str]) -> list[JudgingTask]:
    """Tasks from a file that :meth:`Pool.write` wrote: JSON Lines, or for doccano or Label Studio."""
    from berrypick.files.files import reusable

    with reusable(file_name(path)):
        return _read_tasks(file_name(path))


def _read_tasks(path: str) -> list[JudgingTask]:
    from berrypick.files.files import head
    from berrypick.files.json_files import load
    from berrypick.formats.annotation.annotation_export import task_fields
    from berrypick.formats.base import Problems
    from berrypick.judgements.page_pool import read_page_task
    from berrypick.rows.json_lines import records

    problems = Problems(path)
    found: list[JudgingTask] = []
    first = "".join(head(path)[:1]).lstrip()
    listed = load(path, problems)[0] if first.startswith("[") else None
    rows: Any = records(path, problems)
    if listed is not None:  # of Label Studio
        rows = ((None, "", one.get("data", one)) for one in listed if isinstance(one, dict))
    for number, _, value in rows:
        if value.get("page") is not None:
            if (page := read_page_task(value, problems, number)) is not None:
                found.append(page)
            continue
        fields = task_fields([value], problems, number, "the task")
        if fields is None:
            continue
        topic, document, text, offset = fields
        given = value.get("regions")
        regions = given if isinstance(given, list) and given else [[offset, offset + len(text)]]
        for region in regions:
            good = isinstance(region, list) and len(region) == 2 and all(isinstance(one, int) for one in region)
            if not good or not offset <= region[0] < region[1] <= offset + len(text):
                problems.report(f"the region {region!r:.40} is not within the text of the task", number)
        question = str(value.get("question") or "")
        places, sample = tuple((a, b) for a, b in regions), str(value.get("sample") or "")
        found.append(JudgingTask(topic, document, offset, text, places, 0.0, question, sample=sample))
    return found
