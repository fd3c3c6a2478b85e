"""Pages to be judged, as the page to judge on has them: boxes, the shape of each page, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from berrypick.data.errors import UsageError
from berrypick.data.words import counted
from berrypick.judgements.page_pool import Box, PageTask

#: Height of a page by its width, where nothing says it.
_SHAPE = 1.294
_UNITS = "give page_size in every task, or boxes in shares of their pages (0 to 1) in every task"


def page_data(tasks: Sequence[PageTask], pictures: Any, notes: list[str]) -> dict[str, Any]:
    """Tasks and the pictures of their pages, each picture once."""
    sized, shares = _one_unit(tasks)
    shown: dict[tuple[str, int], Any] = {}
    if pictures is not None and not sized and not shares:
        notes.append("pictures: page_size is needed to place boxes on them; outlines are shown")
        pictures = None
    found: list[dict[str, Any]] = []
    held: list[str] = []
    places: dict[tuple[str, int], int] = {}
    extents = _extents(tasks)
    for task in tasks:
        page = task.document, task.page
        if pictures is not None and page not in shown:
            shown[page] = pictures.get(task.document, task.page - 1)
            if (picture := shown[page]) is not None:
                places[page] = len(held)
                held.append(picture.to_json()["picture"])
        units = task.page_size or ((1.0, 1.0) if shares else extents[page])
        found.append(
            {"topic": task.topic, "doc": task.document, "question": task.question, "page": task.page,
             "size": task.page_size, "units": units, "ratio": _ratio(task, units, shares, shown.get(page)),
             "sized": sized or shares, "regions": _distinct(task.boxes), "picture": places.get(page)}
        )  # fmt: skip
    notes += _said(pictures, sum(picture is None for picture in shown.values()))
    return {"tasks": found, "pictures": held, "notes": notes}


def _one_unit(tasks: Sequence[PageTask]) -> tuple[bool, bool]:
    """Whether all pages have a size, and whether boxes are shares; a truth has one unit, and so have its tasks."""
    sized = [task for task in tasks if task.page_size is not None]
    if sized and len(sized) < len(tasks):
        one = next(task for task in tasks if task.page_size is None)
        raise UsageError(f"page {one.page} of {one.document} has no page_size, and other tasks have one: {_UNITS}")
    most = [max(edge for box in task.boxes for edge in box) for task in tasks]
    shares = not sized and max(most) <= 1
    if not sized and not shares and any(box == (0.0, 0.0, 1.0, 1.0) for task in tasks for box in task.boxes):
        raise UsageError(f"a whole page beside boxes in units of their own has no known size: {_UNITS}")
    return bool(sized), shares


def _extents(tasks: Sequence[PageTask]) -> dict[tuple[str, int], tuple[float, float]]:
    """As much of each page as its boxes need."""
    found: dict[tuple[str, int], tuple[float, float]] = {}
    for task in tasks:
        page = task.document, task.page
        width, height = found.get(page, (0.0, 0.0))
        found[page] = max(width, *(box[2] for box in task.boxes)), max(height, *(box[3] for box in task.boxes))
    return found


def _ratio(task: PageTask, units: Box, shares: bool, picture: Any) -> float:
    if shares:
        return _SHAPE if picture is None else picture.height / picture.width
    return min(10.0, max(0.1, units[1] / units[0]))


def _distinct(boxes: Sequence[Box]) -> list[list[float]]:
    return [list(box) for box in dict.fromkeys(boxes)]


def _said(pictures: Any, missing: int) -> list[str]:
    if pictures is None:
        return []
    refused = pictures.refused
    found = [f"{counted(len(refused), 'picture')} that cannot be shown, such as {refused[0]}"] if refused else []
    if missing > len(refused):
        found.append(f"pictures of {counted(missing - len(refused), 'page')} are not in the folder: outlines are shown")
    return found
