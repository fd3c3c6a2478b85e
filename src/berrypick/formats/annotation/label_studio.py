"""Exports of Label Studio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from berrypick.data.origin import Origin
from berrypick.data.truth import Offsets, Truth
from berrypick.files.json_files import load
from berrypick.formats.annotation.annotation_export import (
    WHOLE,
    Annotated,
    AnnotationExport,
    Mark,
    as_list,
    task_fields,
    truth_of,
)
from berrypick.formats.annotation.page_marks import AnnotatedPage, PageMark, rectangle, truth_of_pages
from berrypick.formats.base import Problems


class LabelStudio(AnnotationExport):
    """Spans marked in Label Studio, exported as JSON or JSON-MIN.

    The data of a task has ``text``, ``topic``, ``doc`` and ``offset``: where the text begins in its document, in
    characters (0 if absent). Spans labelled ``relevant`` are relevant, those labelled ``irrelevant`` were judged and
    are not; a number as label is a grade. A choice ``judged`` says that the whole text of the task was judged. Other
    labels, cancelled annotations and predictions are skipped and counted. Annotations of several people
    (``completed_by``) are kept apart, and merged by the option annotators.

    Offsets are UTF-16 units or characters, depending on the version: the text that Label Studio repeats with each span
    decides, whatever white space it trims, else where the spans fit between words.

    Rectangles on pictures of pages are boxes: the data of such a task has ``page`` (from 1) instead of ``text``, and
    ``page_size`` where boxes are to count in its units; without it they are shares of the page. A rotated rectangle is
    an error.

    Sample::

        [{"id": 1, "data": {"text": "See below. Cut the old canes.", "topic": "q1", "doc": "guide.md", "offset": 40},
          "annotations": [{"completed_by": 7, "result": [{"type": "labels", "from_name": "label", "to_name": "text",
            "value": {"start": 11, "end": 29, "text": "Cut the old canes.", "labels": ["relevant"]}}]}]}]
    """

    format_name: ClassVar[str] = "label-studio"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("[",)
    marks: ClassVar[tuple[str, ...]] = ('"annotations"', '"data"', '"annotation_id"', '"completions"')
    before: ClassVar[tuple[str, ...]] = ("span-list-truth",)
    countings: ClassVar[tuple[Offsets, ...]] = ("utf16", "chars")
    shape: ClassVar[str] = '[{"data": {"text": ..., "topic": ..., "doc": ...}, "annotations": [...]}]'

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "".join(lines)
        known = any(f'"{name}"' in text for name in ("annotations", "data", "annotation_id", "completions"))
        return text.lstrip().startswith("[") and known and '"selector"' not in text

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        found, _ = load(path, problems)
        if found is None:
            return Truth("spans", {}, Origin(path, cls.format_name))
        if not isinstance(found, list):
            problems.report("is not a list of tasks", remedy="export the project as JSON")
        tasks = _objects(found, "entries that are not tasks, skipped", problems)
        paged = [task for task in tasks if _data(task).get("page") is not None]
        if paged and len(paged) < len(tasks):
            problems.report("some tasks are pages and some are texts", remedy="export them as two projects")
        pages = list(_pages(paged, problems))
        read = [] if paged else list(_annotated(tasks, problems))
        if not read and not pages:
            problems.report("no task has annotations", remedy="annotate the tasks, then export the project as JSON")
        if pages:
            return truth_of_pages(pages, problems, path, cls.format_name)
        return truth_of(read, problems, path, cls.format_name, cls.countings)


def _data(task: dict[str, Any]) -> dict[str, Any]:
    """The fields of a task; in JSON-MIN they stand beside the marks."""
    return task["data"] if isinstance(task.get("data"), dict) else task


#: Fields of a page that a judgement has.
_PLACE = ("topic", "doc", "page", "page_size", "question")


def _pages(tasks: list[dict[str, Any]], problems: Problems) -> Iterator[AnnotatedPage]:
    """Tasks of pages, whose marks are rectangles."""
    for task in tasks:
        data = _data(task)
        fields = {name: data[name] for name in _PLACE if data.get(name) is not None}
        if data is task:  # JSON-MIN
            lists = [value for value in task.values() if isinstance(value, list)]
            values = [one for found in lists for one in found if isinstance(one, dict)]
            whole = any(isinstance(value, str) and value.lower() in WHOLE for value in task.values())
            yield AnnotatedPage(fields, _who(task.get("annotator")), tuple(_boxes(values, problems)), whole)
            continue
        for annotation in _finished(task, problems):
            results = _objects(annotation.get("result"), "results that are not objects, skipped", problems)
            values = _objects([one.get("value") for one in results], "results without a value, skipped", problems)
            whole = any(str(one).lower() in WHOLE for value in values for one in as_list(value.get("choices")))
            marks = tuple(_boxes(values, problems))
            yield AnnotatedPage(fields, _who(annotation.get("completed_by")), marks, whole)


def _boxes(values: list[dict[str, Any]], problems: Problems) -> Iterator[PageMark]:
    for value in values:
        for label in as_list(value.get("rectanglelabels")):
            box = rectangle(value)
            if isinstance(box, str):
                problems.report(box, text=str(value)[:100], remedy="correct it in Label Studio, and export again")
            else:
                yield PageMark(box, str(label))


def _finished(task: dict[str, Any], problems: Problems) -> Iterator[dict[str, Any]]:
    """The annotations of a task that were not cancelled."""
    annotations = task.get("annotations", task.get("completions"))
    if task.get("predictions"):
        problems.count("tasks with predictions, which are not judgements")
    if not isinstance(annotations, list) or not annotations:
        problems.count("tasks without annotations, skipped")
        return
    for annotation in annotations:
        if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
            problems.count("cancelled annotations, skipped")
        else:
            yield annotation


def _annotated(tasks: list[dict[str, Any]], problems: Problems) -> Iterator[Annotated]:
    for number, task in enumerate(tasks, start=1):
        name = f"task {task.get('id', number)}"
        if not isinstance(task.get("data"), dict):
            yield from _minimal(task, name, problems)
            continue
        fields = task_fields([task["data"], task["data"].get("meta")], problems, None, name)
        if fields is None:
            continue
        for annotation in _finished(task, problems):
            results = _objects(annotation.get("result"), "results that are not objects, skipped", problems)
            marks, whole = _marks(results, problems)
            yield Annotated(*fields, _who(annotation.get("completed_by")), marks, whole)


def _objects(given: Any, what: str, problems: Problems) -> list[dict[str, Any]]:
    """The objects of a list; anything else is counted."""
    every = as_list(given)
    found = [one for one in every if isinstance(one, dict)]
    if len(found) < len(every):
        problems.count(what, len(every) - len(found))
    return found


def _marks(results: list[dict[str, Any]], problems: Problems) -> tuple[tuple[Mark, ...], bool]:
    marks, whole = [], False
    for value in _objects([one.get("value") for one in results], "results without a value, skipped", problems):
        whole |= any(str(choice).lower() in WHOLE for choice in as_list(value.get("choices")))
        marks += list(_spans(value, problems))
    return tuple(marks), whole


def _spans(value: dict[str, Any], problems: Problems) -> Iterator[Mark]:
    places: dict[str, Any] = value["globalOffsets"] if isinstance(value.get("globalOffsets"), dict) else value
    start, end, text = places.get("start"), places.get("end"), value.get("text")
    for label in as_list(value.get("labels") or value.get("hypertextlabels")):
        if isinstance(start, int) and isinstance(end, int):
            yield Mark(start, end, str(label), text if isinstance(text, str) else None)
        else:
            problems.count("labels without start and end, skipped")


def _minimal(task: dict[str, Any], name: str, problems: Problems) -> Iterator[Annotated]:
    """JSON-MIN: the fields of the task and the spans of one annotation side by side."""
    fields = task_fields([task], problems, None, name)
    if fields is None:
        return
    lists = [value for value in task.values() if isinstance(value, list)]
    marks = tuple(mark for found in lists for one in found if isinstance(one, dict) for mark in _spans(one, problems))
    whole = any(isinstance(value, str) and value.lower() in WHOLE for value in task.values())
    yield Annotated(*fields, _who(task.get("annotator")), marks, whole)


def _who(given: Any) -> str:
    if isinstance(given, dict):
        given = given.get("email") or given.get("username") or given.get("id")
    return "" if given is None else str(given)
