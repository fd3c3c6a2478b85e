"""Places on pages that a loader leaves in the metadata of a result: page, page_label, bbox, coordinates, dl_meta, loc.

Beside the text or the offsets of a result they stay as they are in the input. Whether they are its place is known with
the truth: where it judges pages they are, and else they are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from berrypick.rows.layouts import BESIDE, LAYOUTS, short_name

#: The key of rows by our names that holds such fields under their own names.
PAGE_FIELDS = "_page_fields"
#: What LangChain.js keeps of a page or of lines.
_LOC = "loc"


def without_loader_fields(
    given: Mapping[str, Any], is_page: Callable[[str], bool], inside: Callable[[Any], str]
) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """Return a row without the fields of a loader, and these.

    ``is_page`` says whether a name is one of pages or boxes, ``inside`` which name in an object says where.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        own = is_page(name) or short_name(name) in LAYOUTS or (name.lower() == _LOC and isinstance(value, Mapping))
        if own or (isinstance(value, (Mapping, list, tuple)) and value and is_page(inside(value))):
            found[name] = value
    if not found:
        return given, found
    if not LAYOUTS.isdisjoint(map(short_name, found)):
        found |= {name: given[name] for name in given if short_name(name) in BESIDE}
    return {name: value for name, value in given.items() if name not in found}, found
