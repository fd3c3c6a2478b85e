"""Places on pages as the fields of a line give them: a page, the box on it, the size of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from berrypick.data.boxes import Place
from berrypick.rows.fields import PAGE_NAMES
from berrypick.rows.json_lines import Fields

_EDGES = ("x0", "y0", "x1", "y1")
#: Names of edges in an object, in their order; the last two of a pair with ``w`` are a width and a height.
_OBJECTS = (
    (("x0", "y0", "x1", "y1"), False),
    (("l", "t", "r", "b"), False),
    (("left", "top", "right", "bottom"), False),
    (("x", "y", "w", "h"), True),
    (("x", "y", "width", "height"), True),
    (("left", "top", "width", "height"), True),
)
_LARGEST = 2.0**31


def has_place(value: Mapping[str, Any]) -> bool:
    """Whether a line has a field of pages."""
    return any(value.get(name) is not None for name in PAGE_NAMES)


def read_place(fields: Fields, empty_allowed: bool) -> Place | None:
    """Read the place of a line, checked.

    Parameters
    ----------
    fields : Fields
        The fields of the line, under our names; what is wrong is reported there.
    empty_allowed : bool
        Whether a box may be without area; else it is left out and counted.

    Returns
    -------
    tuple or None
        The page from 0, the box on it (None: all of it) and the size of the page (None: not given); None where the line
        has no place, or something is wrong with it.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.rows.page_places import read_place
    >>> from berrypick.files.problems import Problems
    >>> from berrypick.rows.json_lines import Fields
    >>> read_place(Fields(1, "", {"page": 3, "box": [0, 0, 0.5, 1]}, Problems("run.jsonl")), empty_allowed=True)
    (2, (0.0, 0.0, 0.5, 1.0), None)
    """
    value = fields.value
    if not has_place(value):
        return None
    if value.get("start") is not None or value.get("end") is not None:
        there = next(name for name in PAGE_NAMES if value.get(name) is not None)
        what = f"{fields.called('start')} and {fields.called(there)} are both positions, in characters and in pages"
        fields.fail(what, "remove one of them: offsets count from the start of the document, not of the page")
        return None
    page, box, size = _page(fields), _box(fields), _size(fields)
    if fields.good and page is None:
        there = next(name for name in PAGE_NAMES if value.get(name) is not None)
        fields.fail(f"{fields.called(there)} is there, but no page", "give page, counted from 1")
    text = next((name for name in ("text", "quote") if isinstance(value.get(name), str)), "")
    if fields.good and box is None and text:
        what = f"{fields.called('page')} and {fields.called(text)} are both positions"
        fields.fail(what, f"give the box of the text; {fields.called('page')} alone is the whole page")
    if not fields.good or page is None:
        return None
    if box is not None and size is not None:
        box = _within(fields, box, size)
    if box is not None and not empty_allowed and not (box[0] < box[2] and box[1] < box[3]):
        fields.problems.count("targets without area, skipped")
        fields.good = False
        return None
    return page, box, size


def _page(fields: Fields) -> int | None:
    found = []
    for name, first in (("page", 1), ("page_index", 0)):
        number = fields.number_of(name)
        if number is None:
            continue
        if number < first or not float(number).is_integer() or number > _LARGEST:
            remedy = "a page_index counts from 0" if first and number == 0 else ""
            fields.fail(f"{fields.called(name)} must be a whole number of at least {first}, not {number!r:.40}", remedy)
            return None
        found.append(int(number) - first)
    if len(set(found)) > 1:
        fields.fail("page and page_index are two pages", "page counts from 1, page_index from 0: keep one of them")
    return found[0] if found else None


def _box(fields: Fields) -> tuple[float, ...] | None:
    value = fields.value
    edges = [value.get(name) for name in _EDGES]
    given, called = value.get("box"), fields.called("box")
    if any(edge is not None for edge in edges):
        if given is not None:
            fields.fail(f"{called} and x0, y0, x1, y1 are two boxes", "keep one of them")
            return None
        given, called = edges, "x0, y0, x1, y1"
    if given is None:
        return None
    if isinstance(given, Mapping):
        return _of_object(fields, given, called)
    return _checked(fields, _numbers(fields, given, 4, called), called)


def _of_object(fields: Fields, given: Mapping[str, Any], called: str) -> tuple[float, ...] | None:
    names = {str(name).lower() for name in given}
    known = next((pair for pair in _OBJECTS if names.issuperset(pair[0])), None)
    if known is None or str(given.get("coord_origin", "TOPLEFT")).upper().endswith("BOTTOMLEFT"):
        remedy = "give x0, y0, x1, y1 from the upper left corner of the page"
        why = "counts from the lower left corner" if known else "is not a box"
        fields.fail(f"{called} {why}: {str(dict(given))[:60]}", remedy)
        return None
    by_name = {str(name).lower(): held for name, held in given.items()}
    found = _numbers(fields, [by_name[name] for name in known[0]], 4, called)
    if found is not None and known[1]:
        found = (found[0], found[1], found[0] + found[2], found[1] + found[3])
    return _checked(fields, found, called)


def _size(fields: Fields) -> tuple[float, ...] | None:
    given = fields.value.get("page_size")
    edges = [fields.value.get(name) for name in ("page_width", "page_height")]
    if given is None and any(edge is not None for edge in edges):
        given = edges
    if isinstance(given, Mapping):
        given = [given.get("width", given.get("w")), given.get("height", given.get("h"))]
    found = None if given is None else _numbers(fields, given, 2, "page_size")
    if found is not None and min(found) <= 0:
        fields.fail(f"page_size must be a width and a height above 0, not {list(found)}")
        return None
    return found


def _numbers(fields: Fields, given: Any, many: int, called: str) -> tuple[float, ...] | None:
    good = isinstance(given, Sequence) and not isinstance(given, (str, bytes)) and len(given) == many
    if not good or not all(_is_number(edge) for edge in given):
        fields.fail(f"{called} must be {many} numbers of at most 2^31, not {given!r:.60}")
        return None
    return tuple(float(edge) for edge in given)


def _is_number(edge: Any) -> bool:
    return isinstance(edge, (int, float)) and not isinstance(edge, bool) and abs(edge) <= _LARGEST


def _checked(fields: Fields, box: tuple[float, ...] | None, called: str) -> tuple[float, ...] | None:
    if box is None:
        return None
    for low, high, first, last in ((box[0], box[2], "x0", "x1"), (box[1], box[3], "y0", "y1")):
        if high < low:
            remedy = "a box is x0, y0, x1, y1 from the upper left corner; x, y, w, h are given by these names"
            fields.fail(f"{called}: {last} {high:g} is before {first} {low:g}", remedy)
            return None
    return box


def _within(fields: Fields, box: tuple[float, ...], size: tuple[float, ...]) -> tuple[float, ...] | None:
    """A box that ends outside of its page is cut at the edge; one that lies there as a whole is a mistake."""
    cut = tuple(min(max(edge, 0.0), limit) for edge, limit in zip(box, (*size, *size), strict=True))
    if cut == box:
        return box
    if (box[0] < box[2] and cut[0] == cut[2]) or (box[1] < box[3] and cut[1] == cut[3]):
        shown = f"{', '.join(f'{edge:g}' for edge in box)} on a page of {size[0]:g} x {size[1]:g}"
        fields.fail(f"the box {shown} is outside its page", "correct it, or page_size")
        return None
    fields.problems.count("boxes that ran past the edge of their page, cut off there")
    return cut
