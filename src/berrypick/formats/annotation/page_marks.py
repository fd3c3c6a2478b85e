"""Boxes that annotation tools mark on pages: in percent of the page, with labels, by annotators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.data.truth import Truth
from berrypick.files.line_words import finite
from berrypick.formats.annotation.annotation_export import GRADES, WHOLE
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows
from berrypick.rows.truth_rows import truth_of_rows

#: Left, top, width and height, in percent of the page.
Percent = tuple[float, float, float, float]
_NUMBER = r"(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)"
_FRAGMENT = re.compile(rf"(?:[^&]*&)*?xywh=percent:{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}(?:&.*)?")


@dataclass(frozen=True)
class PageMark:
    """A box with its label; no box for a whole page."""

    box: Percent | None
    label: str


@dataclass(frozen=True)
class AnnotatedPage:
    """What one annotator marked on one page. ``fields`` has topic, doc, page, and page_size where the task knows it."""

    fields: dict[str, Any]
    annotator: str
    marks: tuple[PageMark, ...]
    whole: bool = False
    line: int | None = None


def truth_of_pages(pages: Iterable[AnnotatedPage], problems: Problems, path: str, name: str) -> Truth:
    """The truth that annotators made of pages: boxes in the units of the page, or in shares of it."""
    return truth_of_rows(_rows(pages, problems), problems, path).changed(format=name)


def _rows(pages: Iterable[AnnotatedPage], problems: Problems) -> Rows:
    for one in pages:
        who = {"annotator": one.annotator} if one.annotator else {}
        whole = one.whole or any(mark.label.strip().lower() in WHOLE for mark in one.marks)
        found: dict[str, tuple[dict[str, Any], float]] = {}
        if whole:
            found["page"] = ({}, 0.0)
        for mark in one.marks:
            grade = GRADES.get(mark.label.strip().lower(), finite(mark.label.strip()))
            if mark.label.strip().lower() in WHOLE:
                continue
            if grade is None:
                problems.count(f"boxes with the label {mark.label}, skipped")
                continue
            place = {} if mark.box is None else {"box": in_units(mark.box, one.fields.get("page_size"))}
            found["page" if mark.box is None else str(len(found))] = (place, grade)
        if not found:
            problems.count("pages without a mark, skipped")
        for place, grade in found.values():
            row = {**one.fields, **place, "grade": grade, **who}
            yield one.line or 0, str(row)[:200], row


def in_units(box: Percent, size: Any) -> list[float]:
    """A box in percent as x0, y0, x1, y1 in the units of its page; in shares where its size is not known."""
    left, top, width, height = box
    good = isinstance(size, Sequence) and not isinstance(size, str) and len(size) == 2
    across, down = (float(edge) for edge in size) if good and all(_is_number(edge) for edge in size) else (1.0, 1.0)
    edges = (left * across, top * down, (left + width) * across, (top + height) * down)
    return [float(f"{edge / 100:.12g}") for edge in edges]


def in_percent(box: Sequence[float], size: Sequence[float] | None) -> Percent:
    """The same the other way round."""
    across, down = (1.0, 1.0) if size is None else (size[0], size[1])
    left, top, right, bottom = (
        float(f"{100 * edge / limit:.12g}") for edge, limit in zip(box, (across, down, across, down), strict=True)
    )
    return left, top, float(f"{right - left:.12g}"), float(f"{bottom - top:.12g}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def rectangle(value: dict[str, Any]) -> Percent | str:
    """A rectangle of Label Studio, or what is wrong with it."""
    sides: list[Any] = [value.get(name) for name in ("x", "y", "width", "height")]
    if not all(_is_number(side) and abs(side) <= 1e6 for side in sides):
        return "a rectangle needs x, y, width and height in percent"
    if value.get("rotation"):
        return "a rectangle is rotated, and boxes are not"
    left, top, width, height = (float(side) for side in sides)
    return left, top, width, height


# --- fragments of W3C Web Annotations ---------------------------------------------------------------------------------

_MEDIA = "http://www.w3.org/TR/media-frags/"
_PDF = "http://tools.ietf.org/rfc/rfc3778"


def page_selector(page: int, box: Percent | None) -> dict[str, Any]:
    """The selector of a page, refined by that of a box on it."""
    found: dict[str, Any] = {"type": "FragmentSelector", "conformsTo": _PDF, "value": f"page={page}"}
    if box is not None:
        sides = ",".join(f"{side:.12g}" for side in box)
        found["refinedBy"] = {"type": "FragmentSelector", "conformsTo": _MEDIA, "value": f"xywh=percent:{sides}"}
    return found


def page_of_selectors(selectors: Sequence[Any]) -> tuple[int, Percent | None] | str | None:
    """The page and box of selectors; what is wrong with them; None where they are not of pages."""
    texts = [str(one.get("value", "")) for one in _refined(selectors) if one.get("type") == "FragmentSelector"]
    pages = [found for text in texts for found in re.findall(r"(?:^|&)page=(\d{1,9})(?=&|$)", text)]
    boxes = [text for text in texts if "xywh=" in text]
    if not pages and not boxes:
        return None
    if len(pages) != 1 or int(pages[0]) < 1:
        return "a box needs one page=N, from 1, in a FragmentSelector"
    if not boxes:
        return int(pages[0]), None
    found = _FRAGMENT.fullmatch(boxes[0])
    if len(boxes) > 1 or found is None:
        return f"a box is xywh=percent:x,y,w,h, not {boxes[0]:.60}"
    left, top, width, height = (float(side) for side in found.groups())
    return int(pages[0]), (left, top, width, height)


def _refined(selectors: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Selectors, and those that refine them."""
    for one in selectors:
        while isinstance(one, dict):
            yield one
            one = one.get("refinedBy")
