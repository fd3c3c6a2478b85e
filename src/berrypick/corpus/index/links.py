"""Links of many documents: values of attributes, found in the characters of all documents together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from berrypick.corpus.index.tags import Int32Array, Tags, int32
from berrypick.corpus.index.wellformed import WHITE
from berrypick.corpus.xml_documents import LINKS, link_target

_NAMES = tuple(name.encode() for name in LINKS)
_USUAL = re.compile(rb"([A-Za-z0-9_-]+)(?:\.(?:xml|page))?(?:#[^&%]*)?")  # to a document in the same folder
_ELSEWHERE = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*:")  # a scheme, hence to no document, whatever follows
_VALUE = re.compile(rb"""=\s*(?:"([^"]*)"|'([^']*)')""")
_TAG = re.compile(rb"""<[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*>""")
_ATTRIBUTE = re.compile(rb"""([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(rb"&([^;]*);")
_PREDEFINED = {"amp": b"&", "lt": b"<", "gt": b">", "quot": b'"', "apos": b"'"}
_TO_SPACE = bytes.maketrans(b"\t\n", b"  ")

Places = npt.NDArray[np.int64]


class Links(NamedTuple):
    """How many links each document has, the elements they are in, and which of the targets they lead to."""

    counts: Int32Array
    element: Int32Array
    target: Int32Array
    targets: list[str]


def links_of(documents: Sequence[str], written: Sequence[bytes], tags: Tags) -> Links:
    """The links of some documents to others."""
    place, tag = _attributes(tags)
    document = np.searchsorted(tags.first, tag, side="right") - 1
    values: dict[bytes, int] = {}  # few, as many links say the same
    value = [values.setdefault(one, len(values)) for one in _values(tags, place, document, written)]
    targets, target = _targets(documents, document, list(values), np.array(value, dtype=np.int64))
    good = target >= 0
    first = np.cumsum(tags.elements) - tags.elements
    element = tags.passed[tag[good]] - 1 - first[document[good]]
    counts = np.bincount(document[good], minlength=len(documents))
    return Links(int32(counts), int32(element), int32(target[good]), targets)


def _attributes(tags: Tags) -> tuple[Places, Places]:
    """Attributes that may be links: where the ``=`` of each stands, and in which tag."""
    characters = np.frombuffer(tags.characters, dtype=np.uint8)
    place, tag = tags.equals()
    end = place.copy()  # of the name
    while len(white := np.flatnonzero(characters[end - 1] <= ord(" "))):
        end[white] -= 1
    found = np.zeros(len(place), dtype=np.bool_)
    for name in _NAMES:
        found |= _ends_with(characters, end, name)
    place, tag, end = place[found], tag[found], end[found]
    spans = zip(tags.start[tag].tolist(), end.tolist(), strict=True)
    good = np.array([_is_attribute(tags.characters, *span) for span in spans], dtype=np.bool_)
    return place[good], tag[good]


def _ends_with(characters: npt.NDArray[np.uint8], end: Places, name: bytes) -> npt.NDArray[np.bool_]:
    """Whether a name stands before each place, and it is the whole name but for a prefix."""
    left = np.flatnonzero(characters[end - 1] == name[-1])
    for back, character in enumerate(name[-2::-1], start=2):
        left = left[characters[end[left] - back] == character]
    before = characters[end[left] - len(name) - 1]
    found = np.zeros(len(end), dtype=np.bool_)
    found[left] = (before <= ord(" ")) | (before == ord(":"))
    return found


def _is_attribute(characters: bytes, start: int, end: int) -> bool:
    """Whether a name is that of an attribute and not in the value of another, from where its tag starts to its end."""
    if characters.find(b"'", start, end) < 0:
        return characters.count(b'"', start, end) % 2 == 0
    before = _ATTRIBUTE.sub(b"", characters[start:end])
    return b"'" not in before and b'"' not in before


def _values(tags: Tags, place: Places, document: Places, written: Sequence[bytes]) -> Iterator[bytes]:
    """The value of each attribute as written, or nothing if it surely leads nowhere."""
    characters = tags.characters
    for i, equals in enumerate(place.tolist()):
        if characters[equals + 1] == ord('"'):
            value = characters[equals + 2 : characters.find(b'"', equals + 2)]
        else:
            match = _VALUE.match(characters, equals)
            assert match is not None
            value = match[1] or match[2] or b""
        if value.isascii() and WHITE not in value:
            yield value
        elif _ELSEWHERE.match(value):
            yield b""
        else:  # some characters stand for others
            yield _written(written[document[i]])[i - int(np.searchsorted(document, document[i]))]


def _written(document: bytes) -> list[bytes]:
    """The values of all attributes of a document that may be links."""
    attributes = (match for tag in _TAG.finditer(document) for match in _ATTRIBUTE.finditer(tag[0]))
    return [one[2] or one[3] or b"" for one in attributes if one[1].rpartition(b":")[2] in _NAMES]


def _targets(
    documents: Sequence[str], document: Places, values: Sequence[bytes], value: Places
) -> tuple[list[str], Places]:
    """The documents that links lead to, and for each link which of them, -1 if to no other document.

    A link stands in a document, and its value is one of the values. What that means depends on the folder only.
    """
    folders: dict[str, int] = {}
    folder = np.array([folders.setdefault(name[: name.rfind("/") + 1], len(folders)) for name in documents])
    cases, case = np.unique(folder[document] * len(values) + value, return_inverse=True)
    names = list(folders)
    targets: dict[str, int] = {}
    leads = np.full(len(cases), -1)
    for i, number in enumerate(cases.tolist()):
        target = _target(values[number % len(values)], names[number // len(values)])
        if target is not None:
            leads[i] = targets.setdefault(target, len(targets))
    found = leads[case]
    own = np.array([targets.get(name, -1) for name in documents])
    return list(targets), np.where(found == own[document], -1, found)


def _target(value: bytes, folder: str) -> str | None:
    """The document that a link in a folder leads to."""
    if usual := _USUAL.fullmatch(value):  # the quicker way to what link_target says
        return folder + usual[1].decode()
    return link_target(_read(value), folder)


def _read(value: bytes) -> str:
    """What the value of an attribute says."""
    spaced = value.translate(_TO_SPACE)
    return _REFERENCE.sub(_character, spaced).decode() if b"&" in spaced else spaced.decode()


def _character(match: re.Match[bytes]) -> bytes:
    reference = match[1].decode()
    if not reference.startswith("#"):
        return _PREDEFINED[reference]
    return chr(int(reference[2:], 16) if reference[1] == "x" else int(reference[1:])).encode()
