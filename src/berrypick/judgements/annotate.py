"""A page on which a person judges tasks: one HTML file, no server, no network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from os import PathLike
from typing import Any

from berrypick.data.errors import UsageError, option
from berrypick.files.files import atomic_writer, file_name
from berrypick.judgements.judged_pages import page_data
from berrypick.judgements.page_pool import PageTask
from berrypick.judgements.pool import JudgingTask, Pool, read_tasks

_MORE = """  <button id="fresh">New box <kbd>b</kbd></button>
  <button id="edit">Change <kbd>e</kbd></button>
"""
#: What differs: the label of what is judged, its name, further buttons, and the files of styles and script.
_TEXT = {
    "label": "Text to judge", "what": "text", "more": "", "css": "annotate", "js": "annotate",
    "hint": "Judge the outlined region, or select any other text and judge that.",
}  # fmt: skip
_PAGES = {
    "label": "Page to judge", "what": "page", "more": _MORE, "css": "annotate annotate_boxes", "js": "annotate_boxes",
    "hint": "Judge the outlined box, or mark a box of your own.",
}  # fmt: skip
#: Of pages without their pictures.
_NO_PICTURES = " To see the pages behind the boxes, type berrypick annotate TASKS --html PAGE --pages FOLDER."


def annotate(
    tasks: Pool | Iterable[JudgingTask] | str | PathLike[str],
    *,
    html: str | PathLike[str],
    annotator: str = "",
    pages: str | PathLike[str] | None = None,
    notes: list[str] | None = None,
) -> int:
    """Write a page on which a person judges passages.

    The page keeps the work in the browser under a name that follows from the tasks and the annotator, and saves a truth
    as JSON Lines.

    Parameters
    ----------
    tasks : Pool, list of tasks, str or path
        What is to be judged: a pool, or a file of tasks.
    html : str or path
        The file to write.
    annotator : str
        Name of the person who judges; the page can change it.
    pages : str or path, optional
        Where boxes on pages are judged, a folder with pictures of the pages: DOC/PAGE.png or .jpg, pages from 1, or
        DOC.pdf. Without a picture, a page is an outline.
    notes : list, optional
        A list to which notes on missing pictures are added.

    Returns
    -------
    int
        The number of regions to judge.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> tasks = bp.pool({"q": {"guide#0-17": 1}}, {"guide": "Cut the old canes."})
    >>> bp.annotate(tasks, html=os.path.join(tempfile.mkdtemp(), "judge.html"), annotator="Ana")
    1
    """
    found = read_tasks(tasks) if isinstance(tasks, (str, PathLike)) else list(tasks)
    if not found:
        raise UsageError("there are no tasks to judge")
    boxes = [task for task in found if isinstance(task, PageTask)]
    if boxes and len(boxes) < len(found):
        raise UsageError("some tasks are of text and some of pages: write a page for each kind")
    if pages is not None and not boxes:
        raise UsageError(f"{option('pages')} shows places on pages, and the tasks are of text")
    if boxes:
        from berrypick.documents.pages.page_pictures import PagePictures

        pictures = None if pages is None else PagePictures.of(pages)
        data = page_data(boxes, pictures, [] if notes is None else notes)
    else:
        data = {"tasks": _text_tasks(found)}
    body = json.dumps(data["tasks"], ensure_ascii=False)
    name = hashlib.sha256((body + annotator).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    sample = next((task.sample for task in found if task.sample), "")
    content = json.dumps({"name": name, "annotator": annotator, "sample": sample, **data}, ensure_ascii=False)
    with atomic_writer(file_name(html)) as out:
        out.write(_page(content, _kind(bool(boxes), pages is not None)))
    return sum(len(task["regions"]) for task in data["tasks"])


def _kind(boxes: bool, pictures: bool) -> Mapping[str, str]:
    """Return what the page says and loads for its kind of tasks."""
    if not boxes:
        return _TEXT
    return _PAGES if pictures else {**_PAGES, "hint": _PAGES["hint"] + _NO_PICTURES}


def _text_tasks(tasks: Iterable[JudgingTask]) -> list[dict[str, Any]]:
    return [
        {"topic": task.topic, "doc": task.document, "question": task.question, "offset": task.offset,
         "text": task.text, "regions": [list(region) for region in task.regions]}
        for task in tasks
    ]  # fmt: skip


def _page(tasks: str, kind: Mapping[str, str]) -> str:
    """The page; what could end the script that holds the tasks is written as an escape of JSON."""
    css = "".join(_asset(f"{name}.css") for name in kind["css"].split())
    js = _asset("judging.js") + _asset(f"{kind['js']}.js")
    safe = tasks.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    parts = {"{css}": css, "{tasks}": safe, "{js}": js, "{label}": kind["label"], "{what}": kind["what"],
             "{more}": kind["more"], "{hint}": kind["hint"],
             "{policy}": _policy(css, js)}  # fmt: skip
    return re.sub("|".join(map(re.escape, parts)), lambda place: parts[place[0]], _asset("annotate.html"))


def _policy(css: str, js: str) -> str:
    """A Content-Security-Policy: only the script and the styles of the page, its own pictures, and no network."""
    script, style = (
        f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode('ascii')}'" for part in (js, css)
    )
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src data: blob:; base-uri 'none'; "
        "form-action 'none'"
    )


def _asset(name: str) -> str:
    return (files("berrypick.judgements") / "assets" / name).read_text(encoding="utf-8")
