"""A page on which a person judges tasks: one HTML file, no server, no network."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from importlib.resources import files
from os import PathLike
from typing import Any

from berrypick.addons.judge.pool import JudgingTask, Pool, read_tasks
from berrypick.core.errors import UsageError
from berrypick.formats.io.files import atomic_writer, file_name


def annotate(
    tasks: Pool | Iterable[JudgingTask] | str | PathLike[str], *, html: str | PathLike[str], annotator: str = ""
) -> int:
    """Write a page on which a person judges tasks.

    The page keeps the work in the browser under a name that follows from the tasks and the annotator, and saves a truth
    as JSON Lines.

    Parameters
    ----------
    tasks : Pool, list of tasks, str or path
        What is to be judged: a pool, or a file of tasks.
    html : str or path
        The file to write.
    annotator : str
        Who judges; the page has a field for it.

    Returns
    -------
    int
        How many regions there are to judge.

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
    data: list[dict[str, Any]] = [
        {"topic": task.topic, "doc": task.document, "question": task.question, "offset": task.offset,
         "text": task.text, "regions": [list(region) for region in task.regions]}
        for task in found
    ]  # fmt: skip
    body = json.dumps(data, ensure_ascii=False)
    name = hashlib.sha256((body + annotator).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    with atomic_writer(file_name(html)) as out:
        out.write(_page(f'{{"name": "{name}", "annotator": {json.dumps(annotator)}, "tasks": {body}}}'))
    return sum(len(task.regions) for task in found)


def _page(tasks: str) -> str:
    """The page; what could end the script that holds the tasks is written as an escape of JSON."""
    page, css, js = (_asset(f"annotate.{kind}") for kind in ("html", "css", "js"))
    safe = tasks.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    parts = {"{css}": css, "{tasks}": safe, "{js}": js}
    return re.sub("|".join(map(re.escape, parts)), lambda place: parts[place[0]], page)


def _asset(name: str) -> str:
    return (files("berrypick.addons.judge") / "assets" / name).read_text(encoding="utf-8")
