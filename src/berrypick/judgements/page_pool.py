"""Pages that should be judged next: those that the first results of several runs point to.

A task is a page with the boxes of results that are not judged already, all of them. Pages that could change the
comparison most come first, as with text: the largest change of the difference in charP between two of the runs, if what
is not judged of their boxes on the page is relevant. Areas count in pages where the sizes of pages are known.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.boxes import Boxes, Page
from berrypick.data.errors import UsageError, option
from berrypick.data.origin import Origin
from berrypick.data.results import Note
from berrypick.data.run import Run
from berrypick.data.score import Table
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.documents.pages.page_units import PageUnits
from berrypick.files.files import atomic_writer
from berrypick.formats.annotation.page_marks import in_percent, page_selector
from berrypick.formats.annotation.web_annotation import TOPIC
from berrypick.formats.base import Problems
from berrypick.judgements.pool import JudgingTask, Pool, TaskFormat, sample_field
from berrypick.kernels.areas import first_seen_areas, union_area
from berrypick.rows.json_lines import Fields, plain, write_lines

#: What of a box must be left for it to be judged, as a share of its area: sums of floats are not exact.
_LEFT = 1e-9
Box = tuple[float, ...]


@dataclass(frozen=True)
class PageTask(JudgingTask):
    """A page to be judged: boxes of results on it. ``text`` and ``regions`` are empty."""

    page: int = 1
    #: Width and height; None where boxes are shares of the page, or in units that nothing says the page's size in.
    page_size: Box | None = None
    boxes: tuple[Box, ...] = ()
    area: float = 0.0  # of the boxes, counted once, without what is judged

    def record(self) -> dict[str, Any]:
        """As a line of a file has it."""
        asked = {"question": self.question} if self.question else {}
        size = {} if self.page_size is None else {"page_size": _plain(self.page_size)}
        boxes = [_plain(box) for box in self.boxes]
        return {"topic": self.topic, "doc": self.document, **asked, "page": self.page, **size, "boxes": boxes,
                **sample_field(self)}  # fmt: skip


def _plain(numbers: Sequence[float]) -> list[float]:
    return [plain(number) for number in numbers]


@dataclass(frozen=True)
class PagePool(Pool):
    """Pages to be judged; ``retrieved`` and ``judged`` are areas."""

    tasks: tuple[PageTask, ...] = field(repr=False)
    shares: bool = True
    notes: tuple[Note, ...] = field(default=(), repr=False)

    @property
    def progress(self) -> str:
        total = self.retrieved or 1.0
        left = sum(task.area for task in self.tasks)
        many = counted(sum(len(task.boxes) for task in self.tasks), "box", "boxes")
        area = f"{left:.4g} {'pages' if self.shares else 'units of area'}"
        more = f"; {counted(self.left_out, 'task')} beyond the budget" if self.left_out else ""
        return (
            f"{100 * self.judged / total:.1f}% of the area of the first {self.depth} results is judged, "
            f"{100 * (self.judged + left) / total:.1f}% after these tasks: "
            f"{counted(len(self.tasks), 'task')} with {many}, {area}{more}"
        )

    def records(self) -> list[dict[str, Any]]:
        return [{**task.record(), "impact": task.impact} for task in self.tasks]

    def rows(self) -> list[dict[str, Any]]:
        columns = ("page_size", "boxes")
        return [
            {**row, **{name: json.dumps(row[name], separators=(",", ":")) for name in columns if name in row}}
            for row in self.records()
        ]

    def tables(self, places: int = 4) -> list[Table]:
        header = ["topic", "doc", "page", "boxes", "impact"]
        rows = [
            [task.topic, task.document, str(task.page), str(len(task.boxes)), f"{task.impact:.{places}f}"]
            for task in self.tasks
        ]
        return [Table(self.progress, header, rows, "<<>>>")]

    def write(self, path: str | PathLike[str], format: TaskFormat = "jsonl") -> None:  # type: ignore[override]
        """Write the tasks, atomically: JSON Lines, or for Label Studio or as Web Annotations."""
        if format == "doccano":
            what = "doccano marks spans of text, and no boxes on pages"
            raise UsageError(f"{what}: write the tasks as jsonl, for label-studio or as w3c")
        if format not in ("jsonl", *_BOX_WRITERS):
            raise UsageError(f"unknown format {format!r:.40} of tasks; expected jsonl, label-studio or w3c")
        if format != "jsonl" and not self.shares:
            what = f"{format} counts boxes in percent of their pages, whose sizes are not known"
            raise UsageError(f"{what}: give page_size in the runs, or write the tasks as jsonl")
        with atomic_writer(str(path)) as out:
            if format == "jsonl":
                write_lines((task.record() for task in self.tasks), out)
            else:
                json.dump(_BOX_WRITERS[format](self.tasks), out, ensure_ascii=False, indent=1)
                out.write("\n")


def _label_studio(tasks: Sequence[PageTask]) -> list[dict[str, Any]]:
    """Tasks with the picture of the page, and its boxes as predictions, which are no judgements."""
    found = []
    for task in tasks:
        results = []
        for number, box in enumerate(task.boxes, 1):
            sides = dict(zip(("x", "y", "width", "height"), in_percent(box, task.page_size), strict=True))
            value = {**sides, "rotation": 0, "rectanglelabels": ["unjudged"]}
            results.append({"id": f"box{number}", "type": "rectanglelabels", "from_name": "label", "to_name": "page",
                            "value": value})  # fmt: skip
        data = {**task.record(), "image": f"{task.document}/{task.page}.png"}
        found.append({"data": data, "predictions": [{"result": results}]})
    return found


def _web_annotations(tasks: Sequence[PageTask]) -> dict[str, Any]:
    """An annotation for each box, without a label yet."""
    items = []
    for task in tasks:
        asked = [{"type": "TextualBody", "purpose": "describing", "value": task.question}] if task.question else []
        body = [{"type": "TextualBody", "purpose": "tagging", "value": f"{TOPIC}{task.topic}"}, *asked]
        for box in task.boxes:
            selector = page_selector(task.page, in_percent(box, task.page_size))
            target = {"source": task.document, "selector": selector}
            items.append({"type": "Annotation", "motivation": "assessing", "body": body, "target": target})
    return {"@context": "http://www.w3.org/ns/anno.jsonld", "type": "AnnotationPage", "items": items}


_BOX_WRITERS: dict[str, Callable[[Sequence[PageTask]], Any]] = {"label-studio": _label_studio, "w3c": _web_annotations}


def page_pool(
    runs: Sequence[Run],
    truth: Truth | None,
    depth: int,
    budget: int | None,
    asked: Mapping[str, str],
    topics: Sequence[str],
) -> PagePool:
    """Pages of the first results of some runs on some topics, without what is judged already."""
    if truth is not None and len(truth) and not truth.of_pages:
        what = f"{truth.source or option('truth')} judges no places on pages, but the runs have some"
        raise UsageError(f"{what}: berrypick place turns spans into boxes")
    known, units = PageUnits.of_truth(truth) if truth is not None and truth.of_pages else (truth, _units_of(runs))
    systems = [units.of_run(run) for run in runs]
    notes = [*([] if known is None or truth is None else known.notes[len(truth.notes) :])]
    told = [Note("boxes", text) for text in notes]
    told += [
        Note("boxes", text, run=run.tag or run.source or "")
        for before, run in zip(runs, systems, strict=True)
        for text in run.notes[len(before.notes) :]
    ]
    tasks: list[PageTask] = []
    retrieved = judged = 0.0
    for topic in topics:
        found = _PagesOfTopic(systems, topic, None if known is None else known.topics.get(topic), depth)
        retrieved += found.retrieved
        judged += found.judged
        tasks += found.tasks(topic, asked.get(topic, ""), units)
    tasks.sort(key=lambda task: -task.impact)  # stable: equal ones stay in the order of the runs
    if units.shares and any(task.page_size is None for task in tasks):
        tasks = [replace(task, page_size=None, boxes=_as_shares(task)) for task in tasks]
    kept = tasks if budget is None else tasks[:budget]
    left_out = len(tasks) - len(kept)
    return PagePool(tuple(kept), depth, retrieved, judged, left_out, shares=units.shares, notes=tuple(told))


def _units_of(runs: Sequence[Run]) -> Any:
    """What boxes count in where no truth says it: shares, if some run says how."""
    found = [PageUnits.of_truth(_as_truth(run))[1] for run in runs]
    sizes = {page: size for units in reversed(found) for page, size in units.sizes.items()}
    return PageUnits(any(units.shares for units in found), sizes, "the other runs")


def _as_truth(run: Run) -> Truth:
    boxes = run.boxes if run.boxes is not None else Boxes.of([])
    names = tuple(run.documents[code] for code in run.document.tolist()[: len(boxes)])
    start, end = boxes.extent()
    topic = TopicTruth("", names, np.zeros(len(boxes)), start, end, boxes=boxes)
    return Truth("spans", {"": topic}, Origin(run.source or run.tag or "a run"))


class _PagesOfTopic:
    """The pages that the first results of one topic point to."""

    def __init__(self, runs: Sequence[Run], topic: str, truth: TopicTruth | None, depth: int) -> None:
        self.pages: dict[Page, list[list[Boxes]]] = {}
        for number, run in enumerate(runs):
            ranking = run.ranking(topic)
            chosen = ranking.rows(ranking.rank < depth)
            assert chosen.boxes is not None
            for row, code in enumerate(chosen.document.tolist()):
                page = chosen.documents[code], int(chosen.boxes.page[row])
                self.pages.setdefault(page, [[] for _ in runs])[number].append(chosen.boxes[row : row + 1])
        self.known: dict[Page, list[FloatArray]] = {}
        self.whole = frozenset[str]() if truth is None else truth.whole_documents
        self.all_judged = truth is not None and truth.no_answer
        held = None if truth is None else truth.judged_spans()
        if held is not None and held.boxes is not None:
            for row, name in enumerate(held.document):
                self.known.setdefault((name, int(held.boxes.page[row])), []).append(held.boxes.box[row])
        self.left = {page: self._left(page, lists) for page, lists in self.pages.items()}
        total = {page: [_union(part) for part in (*map(_stack, lists), self._all(page))]
                 for page, lists in self.pages.items()}  # fmt: skip
        self.size = [max(sum(areas[i] for areas in total.values()), 1e-300) for i in range(len(runs))]
        self.retrieved = sum(areas[-1] for areas in total.values())
        self.judged = self.retrieved - sum(areas[-1] for areas in self.left.values())

    def _all(self, page: Page) -> FloatArray:
        return np.vstack([_stack(part) for part in self.pages[page]])

    def _left(self, page: Page, lists: Sequence[Sequence[Boxes]]) -> list[float]:
        """What is not judged of the boxes of each run, and of those of all of them."""
        if self.all_judged or page[0] in self.whole:
            return [0.0] * (len(lists) + 1)
        return [self._unjudged(page, part) for part in (*map(_stack, lists), self._all(page))]

    def _unjudged(self, page: Page, boxes: FloatArray) -> float:
        known = np.array(self.known.get(page, []), dtype=np.float64).reshape(-1, 4)
        every = np.vstack([known, boxes])
        code = np.zeros(len(every), dtype=np.int64)
        return float(first_seen_areas(code, every, code[:0], every[:0])[0][len(known) :].sum())

    def tasks(self, topic: str, question: str, units: Any) -> Iterator[PageTask]:
        for page, lists in self.pages.items():
            rows = Boxes.joined([one for part in lists for one in part])
            shown = {tuple(box.tolist()): None for box in rows.box if self._open(page, box)}
            if not shown:
                continue
            size = self._size(page, rows, units)
            share = [area / size_of for area, size_of in zip(self.left[page][:-1], self.size, strict=True)]
            impact = max(share) - (min(share) if len(share) > 1 else 0.0)
            yield PageTask(
                topic, page[0], 0, "", (), impact, question, page[1] + 1, size,
                tuple(_in_size(box, size) for box in shown), self.left[page][-1],
            )  # fmt: skip

    @staticmethod
    def _size(page: Page, rows: Boxes, units: Any) -> Box | None:
        """Of boxes in shares: the size that the truth says, else a run; a file has one unit."""
        if not units.shares:
            return None
        return units.sizes.get(page) or next((tuple(one.tolist()) for one in rows.size[rows.sized]), None)

    def _open(self, page: Page, box: FloatArray) -> bool:
        if self.all_judged or page[0] in self.whole:
            return False
        return self._unjudged(page, box[None, :]) > _LEFT * _union(box[None, :])


def _stack(boxes: Sequence[Boxes]) -> FloatArray:
    return Boxes.joined(boxes).box


def _union(box: FloatArray) -> float:
    return union_area(np.zeros(len(box), dtype=np.int64), box)


def _in_size(box: Box, size: Box | None) -> Box:
    """A box in shares in the units of its page, as it was given but for the last digits."""
    if size is None:
        return box
    return tuple(float(f"{edge * limit:.12g}") for edge, limit in zip(box, (*size, *size), strict=True))


def _as_shares(task: PageTask) -> tuple[Box, ...]:
    """Where some page has no known size, all boxes are written in shares: a file has one unit."""
    if task.page_size is None:
        return task.boxes
    size = (*task.page_size, *task.page_size)
    return tuple(tuple(edge / limit for edge, limit in zip(box, size, strict=True)) for box in task.boxes)


def read_page_task(value: dict[str, Any], problems: Problems, line: int | None) -> PageTask | None:
    """A page to be judged, from a line of a file; None where something is wrong with it."""
    fields = Fields(line or 0, str(value)[:200], value, problems)
    topic, document = fields.name("topic"), fields.name("doc")
    given = value.get("boxes")
    if given is not None and not (isinstance(given, list) and given):
        fields.fail("boxes must be a list of x0, y0, x1, y1", "remove it to judge the whole page")
    if not fields.good:
        return None
    page, size, boxes = 0, None, []
    for box in given or [None]:
        one = Fields(line or 0, fields.text, {"page": value.get("page"), "page_size": value.get("page_size"),
                                              "box": box}, problems)  # fmt: skip
        place = one.page_place(empty_allowed=True)
        if place is None:
            return None
        page, size = place[0] + 1, tuple(place[2]) if place[2] else None
        held = tuple(place[1] or (0.0, 0.0, *(size or (1.0, 1.0))))
        if not (held[0] < held[2] and held[1] < held[3]):
            problems.report(f"the box {list(held)} has no area", line)
            return None
        boxes.append(held)
    question = str(value.get("question") or "")
    sample = str(value.get("sample") or "")
    return PageTask(topic, document, 0, "", (), 0.0, question, page, size, tuple(boxes), sample=sample)
