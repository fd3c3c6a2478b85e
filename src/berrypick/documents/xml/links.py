"""Links of many documents: values of attributes, found in the markup of all documents together."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from berrypick.documents.xml.tags import Int32Array, Tags, int32
from berrypick.documents.xml.xml_documents import LINKS, link_target

Positions = npt.NDArray[np.int64]


class DocumentLinks(NamedTuple):
    """How many links each document has, the elements they are in, and which of the targets they lead to."""

    counts: Int32Array
    element: Int32Array
    target: Int32Array
    targets: list[str]


def links_of(documents: Sequence[str], tags: Tags) -> DocumentLinks:
    """The links of some documents to others."""
    place, tag = _attributes(tags)
    document = np.searchsorted(tags.first, tag, side="right") - 1
    targets: dict[str, int] = {}
    target = _targets(documents, document, [_value(tags.markup, start) for start in place.tolist()], targets)
    good = target >= 0
    first = np.cumsum(tags.elements) - tags.elements
    element = tags.passed[tag[good]] - 1 - first[document[good]]
    counts = np.bincount(document[good], minlength=len(documents))
    return DocumentLinks(int32(counts), int32(element), int32(target[good]), list(targets))


def _attributes(tags: Tags) -> tuple[Positions, Positions]:
    """Attributes that may be links: where the ``=`` of each is in the markup, and in which tag."""
    markup = np.frombuffer(tags.markup, dtype=np.uint8)
    place = np.flatnonzero(markup == ord("="))
    found = np.zeros(len(place), dtype=np.bool_)
    for name in LINKS:
        found |= _is_name(markup, place, name.encode())
    equals = np.flatnonzero(tags.characters == ord("="))[found]  # the same ones, among characters
    tag = np.searchsorted(tags.start, equals) - 1
    inside = equals < tags.end[tag]
    place, tag = place[found][inside], tag[inside]
    good = np.array([_is_attribute(tags.markup, equals) for equals in place.tolist()], dtype=np.bool_)
    return place[good], tag[good]


def _is_name(markup: npt.NDArray[np.uint8], end: Positions, name: bytes) -> npt.NDArray[np.bool_]:
    """Whether a name ends at each position, and it is the whole name but for a prefix."""
    left = np.flatnonzero((markup[end + 1] == ord('"')) & (markup[end - 1] == name[-1]))
    for back, character in enumerate(name[-2::-1], start=2):
        left = left[markup[end[left] - back] == character]
    before = markup[end[left] - len(name) - 1]
    found = np.zeros(len(end), dtype=np.bool_)
    found[left] = (before == ord(" ")) | (before == ord(":"))
    return found


def _is_attribute(markup: bytes, equals: int) -> bool:
    """Whether an ``=`` in a tag is not in the value of an attribute, where the quotes so far are odd in number."""
    return markup.count(b'"', markup.rfind(b"<", 0, equals), equals) % 2 == 0


def _value(markup: bytes, equals: int) -> bytes:
    return markup[equals + 2 : markup.find(b'"', equals + 2)]


def _targets(
    documents: Sequence[str], document: Positions, values: Sequence[bytes], targets: dict[str, int]
) -> Positions:
    """For each link the number of the document it leads to, -1 if to no other document; new ones join ``targets``.

    What a value means depends on the folder only, and many links have the same.
    """
    folders = [name[: name.rfind("/") + 1] for name in documents]
    known: dict[tuple[str, bytes], int] = {}
    found = np.empty(len(values), dtype=np.int64)
    for i, (which, value) in enumerate(zip(document.tolist(), values, strict=True)):
        key = folders[which], value
        if key not in known:
            target = link_target(html.unescape(value.decode()), key[0])
            known[key] = -1 if target is None else targets.setdefault(target, len(targets))
        found[i] = known[key]
    own = np.array([targets.get(name, -1) for name in documents])
    return np.where(found == own[document], -1, found)
