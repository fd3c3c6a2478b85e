"""What the INEX formats share: whole numbers, paths and points, and passages that could not be located."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from berrypick.data import paths
from berrypick.data.columns import unpacked
from berrypick.data.run import Run
from berrypick.files.line_words import whole_number
from berrypick.formats.base import Problems

whole = whole_number

#: A passage that could not be located counts as so many characters, none of them relevant.
UNLOCATED = 18
#: What runs write in place of an offset where a passage could not be located.
NOWHERE = ("X", "-1")

_TEXT = re.compile(r"/text\(\)(?:\[([1-9][0-9]{0,14})\])?(\.[0-9]{1,15})?\Z")


def nowhere(count: int) -> tuple[int, int]:
    """An interval for a passage that could not be located, outside every document and different for every one."""
    return -UNLOCATED * (count + 1), -UNLOCATED * count


def unlocated_note(count: int) -> tuple[str, ...]:
    many = "result could not be located and counts" if count == 1 else "results could not be located and count"
    return (f"{count} {many} as {UNLOCATED} characters, not relevant",) if count else ()


class Paths:
    """Paths and points as they are compared: no white space, a number at every step. Remembers what it has seen."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self._seen: dict[str, str | None] = {}

    def element(self, word: str) -> str | None:
        """A path to an element, ``/article[1]/bdy[1]/sec[2]``; None if it is none."""
        found = self.point(word)
        return None if found is None or "()" in found else found

    def point(self, word: str) -> str | None:
        """A path to an element, or ``parent/text()[k].offset``; None if it is neither."""
        if word not in self._seen:
            self._seen[word] = self._point(word)
        return self._seen[word]

    def _point(self, word: str) -> str | None:
        plain = "".join(word.split())
        text = _TEXT.search(plain)
        parent = plain[: text.start()] if text else plain
        if not paths.is_path(parent):
            return None
        found = paths.normal(parent)
        if text:
            found += f"/text()[{text[1] or 1}]{text[2] or ''}"
        if found.count("[") > plain.count("["):
            self.problems.count("paths with steps without a number, read as [1]")
        return found


def ends_before(start: str, end: str) -> bool:
    """Whether a passage surely ends before it starts; siblings of different names cannot be compared by their paths."""
    first, last = _steps(start), _steps(end)
    for (name, place), (other, other_place) in zip(first, last, strict=False):
        if name != other:
            return False
        if place != other_place:
            return other_place < place
    return False


def _steps(point: str) -> list[tuple[str, int]]:
    """The names and numbers on the way to a point; an offset is the last step."""
    path, offset = point, ""
    if "/text()" in point and not point.endswith("]"):
        path, _, offset = point.rpartition(".")
    found = [(name, int(place or 1)) for name, place in re.findall(r"/([^/\[]+)(?:\[([0-9]+)\])?", path)]
    return [*found, ("", int(offset))] if offset else found


def run_problem(value: Any, format: str) -> str:
    """Why a value is not a run that a format of INEX can hold; empty if it is."""
    if not isinstance(value, Run):
        return "it is not a run"
    if not value.points_into_documents:
        return f"the run retrieves whole documents; {format} holds parts of them"
    offsets = [] if value.start is None or value.end is None else [unpacked(value.start), unpacked(value.end)]
    return "the offsets are not whole numbers" if any(np.any(column % 1) for column in offsets) else ""
