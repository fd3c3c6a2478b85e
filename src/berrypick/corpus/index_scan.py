"""The structure of many XML documents at once, from their bytes.

``structure_of`` works on one document and through a tree. For a collection that is too slow: the time goes into
building the tree, and into a hundred small steps per document. Here libxml2 only says whether a document is
well-formed, which it does without a tree. What it has approved is then taken apart by its ``<`` and ``>``, a bundle of
documents in the same few passes over one array of bytes.

Whatever is out of the ordinary (a document type with declarations of its own, an entity, an encoding other than UTF-8
or Latin-1, a complaint of libxml2 however slight, depth or size near its limits) goes through ``structure_of``, which
also has the word on what is wrong with a document. The two agree by construction where it is hard, and by test where it
is easy.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from lxml import etree

from berrypick.core.errors import InputError
from berrypick.core.structure import Structure
from berrypick.corpus import xml_documents
from berrypick.corpus.xml_documents import link_target, structure_of

Int32Array = npt.NDArray[np.int32]

#: The limits of libxml2 are a little different with a tree and without; beyond half of them there is always a tree.
LARGEST = 5_000_000  # bytes
DEEPEST = 128

_ENCODING = re.compile(rb"""<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)""")
_DECLARATION = re.compile(
    rb"""<!DOCTYPE[^>\["']*(?:(?:"[^"]*"|'[^']*')[^>\["']*)*>"""
)  # without declarations of its own
_IDENTITY = re.compile(rb"""xml:id\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_IDENTIFIER = re.compile(rb"[A-Za-z_][A-Za-z0-9._-]*")
_TAG = re.compile(rb"""<[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*>""")
_TAG_OR_STRAY = re.compile(rb"(%s)|>" % _TAG.pattern)
_REFERENCE = re.compile(rb"&([^;]*);")
_TO_CHARACTER = re.compile(rb"#.*|amp|lt|gt|quot|apos")
_TO_WHITE = re.compile(rb"#(?:0*(?:9|10|13|32)|x0*(?:9|[aAdD]|20))")
_NAME = re.compile(rb"<([^\s/>!?]+)")
_ATTRIBUTE = re.compile(rb"""([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_LINK_NAMES = tuple(link.removesuffix('="').encode() for link in xml_documents._LINKS)
_VALUE = re.compile(rb"""\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NOT_FIRST = bytes(range(0x80, 0xC0))  # bytes of UTF-8 that begin no character
_SHORT = 24  # what names are shorter than, a multiple of 8
_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(9)], dtype=np.uint64)
_AS_IT_IS = getattr(os, "O_BINARY", 0)
_INNOCENT = bytes.maketrans(b"<>&", b"xxx")
_TO_SPACE = bytes.maketrans(b"\t\n", b"  ")
_PREDEFINED = {"amp": b"&", "lt": b"<", "gt": b">", "quot": b'"', "apos": b"'"}


class Source(NamedTuple):
    """A document, its file, and the size of that."""

    name: str
    path: str
    size: int


def _none() -> Int32Array:
    return np.zeros(0, dtype=np.int32)


@dataclass(eq=False)
class Bundle:
    """Documents as columns: values of one document after those of another, with the number that each document has.

    Documents stand in no particular order. What is wrong with a document stands in ``problems``, by its name.
    """

    documents: list[str] = field(default_factory=list)
    length: Int32Array = field(default_factory=_none)
    vocabulary: list[str] = field(default_factory=list)
    elements: Int32Array = field(default_factory=_none)  # how many
    name: Int32Array = field(default_factory=_none)  # place in the vocabulary
    parent: Int32Array = field(default_factory=_none)
    start: Int32Array = field(default_factory=_none)
    end: Int32Array = field(default_factory=_none)
    texts: Int32Array = field(default_factory=_none)  # how many
    text_parent: Int32Array = field(default_factory=_none)
    text_raw_length: Int32Array = field(default_factory=_none)
    drops: Int32Array = field(default_factory=_none)  # how many stretches of dropped characters
    dropped_start: Int32Array = field(default_factory=_none)
    dropped_length: Int32Array = field(default_factory=_none)
    links: Int32Array = field(default_factory=_none)  # how many
    link_element: Int32Array = field(default_factory=_none)
    link_target: list[str] = field(default_factory=list)
    problems: dict[str, InputError] = field(default_factory=dict)


def scan(sources: Sequence[Source]) -> Bundle:
    """The structures of some documents. Links lead to names of documents, whether there are such documents or not."""
    plain: list[tuple[Source, bytes]] = []
    parts: list[Bundle] = []
    problems: dict[str, InputError] = {}
    for source in sources:
        try:
            data = _content(source)
            approved = _approved(data)
            if approved is None:
                parts.append(_through_tree(source, data))
            else:
                plain.append((source, approved))
        except InputError as error:
            problems[source.name] = error
    if plain:
        together = _together([source.name for source, _ in plain], [data for _, data in plain])
        parts += [together] if together else [_through_tree(source, _content(source)) for source, _ in plain]
    found = _joined(parts)
    found.problems = problems
    return found


def _content(source: Source) -> bytes:
    try:
        file = os.open(source.path, os.O_RDONLY | _AS_IT_IS)
        try:
            found = os.read(file, source.size + 1)  # asked for one more, so that the end of the file shows
            if len(found) == source.size:
                return found
            return found + b"".join(iter(lambda: os.read(file, 1 << 20), b""))  # it is not what it was
        finally:
            os.close(file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=source.path) from error


def _through_tree(source: Source, data: bytes) -> Bundle:
    return _bundle(source.name, structure_of(data, path=source.path, name=source.name))


def _bundle(document: str, structure: Structure) -> Bundle:
    """A bundle of one."""
    vocabulary = list(dict.fromkeys(structure.name))
    codes = {name: code for code, name in enumerate(vocabulary)}
    starts = np.flatnonzero(np.diff(structure.dropped, prepend=-2) != 1)
    return Bundle(
        documents=[document],
        length=_array([structure.length]),
        vocabulary=vocabulary,
        elements=_array([len(structure)]),
        name=_array([codes[name] for name in structure.name]),
        parent=_array(structure.parent),
        start=_array(structure.start),
        end=_array(structure.end),
        texts=_array([len(structure.text_parent)]),
        text_parent=_array(structure.text_parent),
        text_raw_length=_array(structure.text_raw_length),
        drops=_array([len(starts)]),
        dropped_start=_array(structure.dropped[starts]),
        dropped_length=np.diff(_array(starts), append=_array([len(structure.dropped)])),
        links=_array([len(structure.links)]),
        link_element=_array([element for element, _ in structure.links]),
        link_target=[target for _, target in structure.links],
    )


def _array(values: Any) -> Int32Array:
    return np.asarray(values, dtype=np.int32)


def _joined(parts: Sequence[Bundle]) -> Bundle:
    if len(parts) == 1:
        return parts[0]
    vocabulary = {name: code for code, name in enumerate(dict.fromkeys(n for part in parts for n in part.vocabulary))}
    for part in parts:
        part.name = _array([vocabulary[name] for name in part.vocabulary])[part.name]
    found = Bundle(vocabulary=list(vocabulary))
    for column in fields(Bundle):
        values = [getattr(part, column.name) for part in parts]
        if isinstance(getattr(found, column.name), np.ndarray):
            setattr(found, column.name, np.concatenate([_none(), *values]))
        elif column.name in ("documents", "link_target"):
            setattr(found, column.name, [one for value in values for one in value])
    return found


# What libxml2 says


class _Nothing:
    """What becomes of a document that is parsed for its well-formedness only."""

    def close(self) -> None:
        return None


@cache
def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        target=_Nothing(),  # type: ignore[arg-type]
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
    )


def _approved(data: bytes) -> bytes | None:
    """The document in UTF-8, with nothing in it but tags, text and references to characters; None if it has more.

    Comments and processing instructions are left as ``<!>``, sections of character data are made text.
    """
    if len(data) > LARGEST or data[:1] != b"<" or data[1:2] == b"\0":
        return None
    parser = _parser()
    try:
        etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None
    if len(parser.error_log):
        return None
    declared = _ENCODING.match(data)
    if declared is not None and (encoding := declared[1].lower()) not in (b"utf-8", b"us-ascii"):
        if encoding != b"iso-8859-1":
            return None
        data = data.decode("latin-1").encode()
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    shown = _without_hidden(data)
    return shown if shown is not None and _ordinary(shown) else None


def _without_hidden(data: bytes) -> bytes | None:
    """Replace what may hold a ``<`` that starts no tag; None if there is a declaration that is more than a name."""
    pieces, done = [], 0
    may_stay = 2 if data.startswith(b"<?xml ") else 0
    places = [_marked(data, ord("!"), 0), _marked(data, ord("?"), may_stay)]
    while max(places) >= 0:
        place = min(place for place in places if place >= 0)
        shown = b"<!>"
        if data.startswith(b"<!--", place):
            stop = data.find(b"-->", place + 4) + 3
        elif data.startswith(b"<?", place):
            stop = data.find(b"?>", place) + 2
        elif data.startswith(b"<![CDATA[", place):
            stop = data.find(b"]]>", place) + 3
            shown = data[place + 9 : stop - 3].translate(_INNOCENT)
        elif declaration := _DECLARATION.match(data, place):
            stop = declaration.end()
        else:
            return None
        pieces += [data[done:place], shown]
        done = stop
        places = [_marked(data, sign, stop) if old < stop else old for sign, old in zip(b"!?", places, strict=True)]
    return b"".join([*pieces, data[done:]]) if pieces else data


def _marked(data: bytes, sign: int, start: int) -> int:
    """The next ``<`` with a certain sign behind it. To look for the sign is quickest: it is the rarer one."""
    place = data.find(sign, start)
    while place > 0 and data[place - 1] != ord("<"):
        place = data.find(sign, place + 1)
    return place - 1 if place > 0 else -1


def _ordinary(data: bytes) -> bool:
    """Whether references are all to characters, and a tree would not object to identifiers."""
    if b"&" in data:
        references = {piece[: piece.find(b";")] for piece in data.split(b"&")[1:]}
        if not all(map(_TO_CHARACTER.fullmatch, references)):
            return False
    if b"xml:id" in data:  # in a tree they must be names and differ
        values = [one or other for one, other in _IDENTITY.findall(data)]
        return len(set(values)) == len(values) and all(map(_IDENTIFIER.fullmatch, values))
    return True


# All documents in the same few passes


def _together(documents: list[str], approved: list[bytes]) -> Bundle | None:
    """The columns of approved documents; None if they do not add up to what they should."""
    tags = _Tags([_one_byte_a_character(data) for data in approved])
    if not tags.alternate:
        tags = _Tags([_one_byte_a_character(_TAG_OR_STRAY.sub(_not_stray, data)) for data in approved])
    if not tags.sound:
        return None
    written = b"".join(approved)
    names, name = _short_names(tags) or _any_names(written)
    if len(name) != tags.elements.sum():
        return None
    vocabulary, local = _local([name.decode() for name in names])
    parent, text_parent = tags.holders()
    start, end = tags.spans()
    links, link_element, link_target = _links(documents, written, tags)
    return Bundle(
        documents=documents,
        length=tags.of_documents(tags.line_length),
        vocabulary=vocabulary,
        elements=tags.elements,
        name=local[name],
        parent=parent,
        start=start,
        end=end,
        texts=tags.texts,
        text_parent=text_parent,
        text_raw_length=tags.text_length[tags.text],
        drops=tags.drops,
        dropped_start=tags.dropped_start,
        dropped_length=tags.dropped_length,
        links=links,
        link_element=link_element,
        link_target=link_target,
    )


def _short_names(tags: _Tags) -> tuple[list[bytes], Int32Array] | None:
    """The names there are, and which of them each element has; None unless all names are short and in ASCII."""
    characters = np.frombuffer(tags.characters + bytes(_SHORT), dtype=np.uint8)
    rows = np.lib.stride_tricks.sliding_window_view(characters, _SHORT)[tags.start[tags.element] + 1]
    over = (rows <= ord(" ")) | (rows == ord("/")) | (rows == ord(">"))
    length = over.argmax(axis=1)
    words = rows.view("<u8")  # a name is some numbers then, from which one is made
    numbers = np.zeros(len(words), dtype=np.uint64)
    for place in range(words.shape[1]):
        words[:, place] &= _FIRST_BYTES[np.clip(length - 8 * place, 0, 8)]
        numbers = numbers * np.uint64(0x9E3779B97F4A7C15) ^ words[:, place]
    known = np.unique(numbers[:1000])
    known = np.unique(np.append(known, numbers[~_among(numbers, known)]))
    name = np.searchsorted(known, numbers).astype(np.int32)
    example = np.zeros(len(known), dtype=np.int64)
    example[name] = np.arange(len(name))
    names = [bytes(row[:end]) for row, end in zip(rows[example], length[example].tolist(), strict=True)]
    fine = bool(length.all()) and all(map(bytes.isascii, names)) and bool((words[example[name]] == words).all())
    return (names, name) if fine else None


def _among(values: npt.NDArray[Any], known: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which of the values are among the known ones, which are in their order."""
    found: npt.NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values
    return found


def _any_names(written: bytes) -> tuple[list[bytes], Int32Array]:
    names = _NAME.findall(written)
    codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return list(codes), np.fromiter(map(codes.__getitem__, names), dtype=np.int32, count=len(names))


def _local(names: Sequence[str]) -> tuple[list[str], Int32Array]:
    """Names without prefixes, each once, and where each of the given ones stands among them."""
    local = [name.rpartition(":")[2] for name in names]
    vocabulary = {name: code for code, name in enumerate(dict.fromkeys(local))}
    return list(vocabulary), _array([vocabulary[name] for name in local])


def _one_byte_a_character(data: bytes) -> bytes:
    """With the first byte of each character only, and an x or white space for a reference to a character."""
    if b"&" in data:
        data = _REFERENCE.sub(lambda match: b" " if _TO_WHITE.fullmatch(match[1]) else b"x", data)
    return data if data.isascii() else data.translate(None, _NOT_FIRST)


def _not_stray(match: re.Match[bytes]) -> bytes:
    """A ``>`` in text, or in the value of an attribute, made something else."""
    return match[1][:-1].replace(b">", b"x") + b">" if match[1] else b"x"


class _Tags:
    """The tags of some documents, and the text behind each of them; compare ``xml_documents``."""

    def __init__(self, documents: Sequence[bytes]) -> None:
        self.characters = b"".join(documents)
        characters = np.frombuffer(self.characters, dtype=np.uint8)
        places = np.flatnonzero((characters | 2) == ord(">"))  # which < becomes, too
        self.start, self.end = places[::2], places[1::2]
        #: Whether there is no < or > but where tags start and end. If there is, nothing else here is right.
        self.alternate = bool((characters[self.start] == ord("<")).all())
        if not self.alternate:
            return
        kind = characters[self.start + 1]
        self.closing = kind == ord("/")
        self.element = ~self.closing & (kind != ord("!")) & (kind != ord("?"))
        self.empty = self.element & (characters[self.end - 1] == ord("/"))
        #: How many elements are open behind each tag.
        self.level = np.cumsum(self.element.astype(np.int8) - self.closing - self.empty, dtype=np.int32)
        #: The first tag of each document.
        self.first = np.searchsorted(self.start, np.cumsum([0, *map(len, documents[:-1])]))
        self._last = np.append(self.first[1:], len(self.start)) - 1
        #: How many elements have started with each tag, and how many there are in each document.
        self.passed = np.cumsum(self.element, dtype=np.int32)
        self.elements = np.diff(self.passed[self._last], prepend=_array([0]))
        self._measure_text(characters)

    @property
    def sound(self) -> bool:
        """Whether every document is whole, and none so deep that its tree might be refused."""
        if not self.alternate or self.level[self._last].any():
            return False
        return int(self.level.min()) == 0 and int(self.level.max()) <= DEEPEST

    def of_documents(self, values: npt.NDArray[Any]) -> Int32Array:
        """Values of tags added up in each document."""
        return np.add.reduceat(values, self.first, dtype=np.int32)

    def _measure_text(self, characters: npt.NDArray[np.uint8]) -> None:
        behind = np.append(self.start[1:], len(characters)) - self.end - 1
        inside = self.level > 0
        self.text_length = np.where(inside, behind, 0).astype(np.int32)
        #: The tags with text behind them, which is a text node, and how many there are in each document.
        self.text = np.flatnonzero(self.text_length)
        self.texts = np.diff(np.searchsorted(self.text, self._last, side="right"), prepend=0).astype(np.int32)
        stretches = np.stack([self.end - self.start + 1, behind], axis=1).ravel()
        kinds = np.stack([np.zeros_like(inside), inside], axis=1).ravel()
        self._merge_white(characters[np.repeat(kinds, stretches)])

    def _merge_white(self, text: npt.NDArray[np.uint8]) -> None:
        """Find white space that follows white space in the same document, and measure text nodes without it."""
        lengths = self.of_documents(self.text_length)
        begins = np.cumsum(lengths) - lengths
        dropped = np.zeros(len(text) + 1, dtype=np.bool_)
        white = text <= ord(" ")
        np.logical_and(white[1:], white[:-1], out=dropped[1 : len(text)])
        dropped[begins] = False
        edges = np.flatnonzero(dropped[1:] != dropped[:-1]) + 1
        document = np.searchsorted(begins, edges[::2], side="right") - 1
        self.drops = np.bincount(document, minlength=len(begins)).astype(np.int32)
        self.dropped_start = _array(edges[::2] - begins[document])
        self.dropped_length = _array(edges[1::2] - edges[::2])
        #: The length of the text behind each tag when white space is merged.
        self.line_length = self.text_length.copy()
        if len(self.text):
            node_start = np.cumsum(self.text_length[self.text]) - self.text_length[self.text]
            self.line_length[self.text] -= np.add.reduceat(dropped[:-1], node_start, dtype=np.int32)

    def spans(self) -> tuple[Int32Array, Int32Array]:
        """Where each element starts and ends on the line of its document."""
        offset = np.cumsum(self.line_length, dtype=np.int64) - self.line_length
        first = np.repeat(offset[self.first], self.elements)
        return _array(offset[self.element] - first), _array(offset[self.nesting.closed_by] - first)

    def holders(self) -> tuple[Int32Array, Int32Array]:
        """The parent of each element, and the element that each text node belongs to."""
        nesting = self.nesting
        first = np.cumsum(self.elements) - self.elements
        parent = nesting.around[nesting.element] - np.repeat(first, self.elements)
        parent[first] = -1
        holder = np.where(nesting.opening, nesting.number, nesting.around)
        behind = np.cumsum(self.element | self.closing)[self.text] - 1
        return _array(parent), _array(holder[behind] - np.repeat(first, self.texts))

    @cached_property
    def nesting(self) -> _Nesting:
        return _Nesting(self)


class _Nesting:
    """Which tags belong together, and which element is around each, among those tags that start or end an element.

    Put the tags of each depth together, in the order in which they stand. Behind a tag that opens an element is then
    the one that closes it. And siblings follow each other, so that the element around is known from the first of them,
    which stands right behind the tag of its parent, until there is another first.
    """

    def __init__(self, tags: _Tags) -> None:
        places = np.flatnonzero(tags.element | tags.closing)
        self.element = tags.element[places]
        self.opening = self.element & ~tags.empty[places]
        #: Of the element whose tag it is; for a closing tag of no use.
        self.number = tags.passed[places] - 1
        depth = tags.level[places] + ~self.opening
        order = np.argsort(depth.astype(np.int16), kind="stable")
        closed_by = places.copy()
        closed_by[order[:-1]] = np.where(self.opening[order[:-1]], places[order[1:]], places[order[:-1]])
        self.closed_by = closed_by[self.element]
        above = np.append(-1, np.where(self.opening, self.number, -1)[:-1])  # if it is a first child
        first = self.element & (above >= 0)
        known = np.maximum.accumulate(np.where(first[order], np.arange(len(order)), 0))
        self.around = np.empty_like(self.number)
        self.around[order] = above[order[known]]


def _links(documents: Sequence[str], written: bytes, tags: _Tags) -> tuple[Int32Array, Int32Array, list[str]]:
    """How many links each document has, the elements they are in, and the documents they lead to."""
    places = _link_places(written)
    tag = (
        np.cumsum([written.count(b"<", *pair) for pair in zip([0, *places], places, strict=False)], dtype=np.int64) - 1
    )
    document = np.searchsorted(tags.first, tag, side="right") - 1
    first = np.cumsum(tags.elements) - tags.elements
    element = np.cumsum(tags.element)[tag] - 1 - first[document]
    counts = np.zeros(len(documents), dtype=np.int32)
    elements: list[int] = []
    targets: list[str] = []
    known: dict[tuple[str, bytes], str | None] = {}
    for place, which, inside in zip(places, document.tolist(), element.tolist(), strict=True):
        href = _href(written, place)
        if href is None:
            continue
        name = documents[which]
        key = name[: name.rfind("/") + 1], href
        if key not in known:
            known[key] = link_target(_value(href), key[0])
        target = known[key]
        if target is not None and target != name:
            counts[which] += 1
            elements.append(inside)
            targets.append(target)
    return counts, _array(elements), targets


def _link_places(written: bytes) -> list[int]:
    """Where the name of an attribute with a link might end."""
    found: list[int] = []
    for name in _LINK_NAMES:
        place = written.find(name)
        while place >= 0:
            if written[place - 1] in b" \t\n:":
                found.append(place + len(name))
            place = written.find(name, place + len(name))
    return sorted(found)


def _href(written: bytes, place: int) -> bytes | None:
    """The value of the attribute whose name ends at a place; None if there is no attribute but something like it."""
    value = _VALUE.match(written, place)
    if value is None:
        return None
    start = written.rfind(b"<", 0, place)
    before = written[start:place]
    if b"'" in before or b">" in before:
        tag = _TAG.match(written, start)
        assert tag is not None
        names = [attribute.end(1) for attribute in _ATTRIBUTE.finditer(tag[0])]
        good = place - start in names
    else:
        good = before.count(b'"') % 2 == 0
    return (value[1] or value[2] or b"") if good else None


def _value(attribute: bytes) -> str:
    """What an attribute says."""
    spaced = attribute.translate(_TO_SPACE)
    return _REFERENCE.sub(_character, spaced).decode() if b"&" in spaced else spaced.decode()


def _character(match: re.Match[bytes]) -> bytes:
    reference = match[1].decode()
    if not reference.startswith("#"):
        return _PREDEFINED[reference]
    return chr(int(reference[2:], 16) if reference[1] == "x" else int(reference[1:])).encode()
