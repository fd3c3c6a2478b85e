"""Places on pages as programs that read layouts give them: docling, unstructured, Azure Document Intelligence.

A result or judgement with several regions is one with several places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_POLYGON = "give pages and boxes as page, box and page_size"
#: Names under which these programs keep places, without case and underscores.
LAYOUTS = frozenset({"prov", "boundingregions", "coordinates", "docitems", "dlmeta"})
#: Names under which they keep the same place again, by characters.
BESIDE = {"spans", "charspan", "docitems"}


class LayoutError(ValueError):
    """What is wrong with the regions of a row, and what to do about it."""

    def __init__(self, what: str, remedy: str = _POLYGON) -> None:
        super().__init__(what)
        self.remedy = remedy


def short_name(name: str) -> str:
    """A name without case and underscores."""
    return name.replace("_", "").lower()


def with_places(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with page, box and page_size in place of a layout's own fields; several are ``page_places``."""
    named = {short_name(name): name for name in given}
    if LAYOUTS.isdisjoint(named):
        return given
    size = _size_beside(given, named)
    found = [*_docling(given, named, size), *_azure(given, named)]
    page = next((named[name] for name in ("pagenumber", "pageno", "page") if name in named), None)
    if not found and page is not None and isinstance(given.get(named.get("coordinates", "")), Mapping):
        found = [_unstructured(given[named["coordinates"]], given[page])]
    if not found:
        return given
    used = {*LAYOUTS, *BESIDE, *(() if page is None else (short_name(page),))}
    rest = {name: value for name, value in given.items() if short_name(name) not in used}
    if size is not None:
        found = [{"page_size": size, **place} for place in found]
    if len(found) == 1:
        return {**{name: value for name, value in rest.items() if name not in found[0]}, **found[0]}
    rest = {name: value for name, value in rest.items() if name not in ("page_size", "page_width", "page_height")}
    return {**rest, "page_places": found}


def _size_beside(given: Mapping[str, Any], named: Mapping[str, str]) -> list[float] | None:
    size = given.get(named.get("pagesize", ""))
    if isinstance(size, Mapping):
        size = [size.get("width"), size.get("height")]
    if size is None and {"pagewidth", "pageheight"} <= {*named}:
        size = [given[named["pagewidth"]], given[named["pageheight"]]]
    return list(size) if isinstance(size, Sequence) and not isinstance(size, str) and _numbers(size, 2) else None


def _docling(given: Mapping[str, Any], named: Mapping[str, str], size: list[float] | None) -> Iterator[dict[str, Any]]:
    """``prov`` of an item, or of the items of a chunk, which a loader may keep under ``dl_meta``."""
    held = given.get(named.get("dlmeta", ""))
    items = (held if isinstance(held, Mapping) else given).get("doc_items", [])
    items = [given] if "prov" in named else [one for one in items if isinstance(one, Mapping)]
    for item in items:
        prov = item.get("prov") if "prov" in item else item.get(named.get("prov", ""))
        for one in prov if isinstance(prov, list) else []:
            if not isinstance(one, Mapping) or not isinstance(one.get("bbox"), Mapping):
                raise LayoutError(f"prov must hold page_no and bbox, not {one!r:.60}")
            yield {"page": one.get("page_no"), "box": _from_above(one["bbox"], size)}


def _from_above(box: Mapping[str, Any], size: list[float] | None) -> list[float]:
    edges: list[Any] = [box.get(name) for name in "ltrb"]
    if not _numbers(edges, 4):
        raise LayoutError(f"bbox must have l, t, r and b, not {dict(box)!r:.60}")
    left, top, right, bottom = edges
    if str(box.get("coord_origin", "TOPLEFT")).upper().endswith("BOTTOMLEFT"):
        if size is None:
            what = "bbox counts from the lower left corner, and the height of the page is not known"
            raise LayoutError(what, "give page_size, [width, height], beside it")
        top, bottom = size[1] - top, size[1] - bottom
    return [left, top, right, bottom]


def _azure(given: Mapping[str, Any], named: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    regions = given.get(named.get("boundingregions", ""))
    for one in regions if isinstance(regions, list) else []:
        if not isinstance(one, Mapping):
            raise LayoutError(f"boundingRegions must hold pageNumber and polygon, not {one!r:.60}")
        page = one.get("pageNumber", one.get("page_number"))
        yield {"page": page, "box": _around(one.get("polygon"), "polygon")}


def _unstructured(given: Mapping[str, Any], page: Any) -> dict[str, Any]:
    found = {"page": page, "box": _around(given.get("points"), "points of coordinates")}
    size = [given.get("layout_width"), given.get("layout_height")]
    return found | ({"page_size": size} if _numbers(size, 2) else {})


def _around(points: Any, called: str) -> list[float]:
    """The box around a polygon: pairs, objects with x and y, or numbers in turn."""
    flat: list[Any] = []
    for one in points if isinstance(points, Sequence) and not isinstance(points, str) else []:
        if isinstance(one, Mapping):
            flat += [one.get("x"), one.get("y")]
        elif isinstance(one, Sequence) and not isinstance(one, str):
            flat += one
        else:
            flat.append(one)
    if len(flat) < 4 or len(flat) % 2 or not _numbers(flat, len(flat)):
        raise LayoutError(f"{called} must be two or more places x, y, not {points!r:.60}")
    return [min(flat[::2]), min(flat[1::2]), max(flat[::2]), max(flat[1::2])]


def _numbers(values: Sequence[Any], many: int) -> bool:
    good = [isinstance(value, (int, float)) and not isinstance(value, bool) for value in values]
    return len(good) == many and all(good)


def one_place_each(rows: Any) -> Iterator[tuple[int, int, str, dict[str, Any]]]:
    """Rows with the number of the item that they belong to: one with several places is several rows of one item."""
    for item, (number, text, value) in enumerate(rows):
        places = value.get("page_places")
        if not isinstance(places, list):
            yield item, number, text, value
            continue
        rest = {name: held for name, held in value.items() if name != "page_places"}
        for place in places:
            yield item, number, text, {**rest, **(place if isinstance(place, Mapping) else {"box": place})}
