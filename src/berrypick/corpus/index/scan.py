"""The structure of many XML documents at once, from their bytes.

``structure_of`` works on one document and through a tree. For a collection that is too slow: the time goes into
building the tree, and into a hundred small steps per document. Here libxml2 only says whether a document is
well-formed, which it does without a tree. What it has approved is then taken apart by its ``<`` and ``>``, a bundle of
documents in the same few passes over one array of bytes.

Whatever is out of the ordinary goes through ``structure_of``, which also has the word on what is wrong with a document.
So the two agree by construction where it is hard, and by test where it is easy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from berrypick.core.errors import InputError
from berrypick.core.structure import Structure
from berrypick.corpus.index.links import links_of
from berrypick.corpus.index.tags import Int32Array, Tags, any_names, int32, short_names
from berrypick.corpus.index.wellformed import Approved, approved, one_byte_a_character, without_strays
from berrypick.corpus.xml_documents import structure_of

#: Offsets are integers of 32 bits.
LARGEST = 2**31 - 1  # bytes
_AS_IT_IS = getattr(os, "O_BINARY", 0)
#: Columns of a bundle that are places in lists of it.
_CODED = {"name": "vocabulary", "link_target": "targets"}


class Source(NamedTuple):
    """A document, its file, and by what that is known to be unchanged."""

    name: str
    path: str
    size: int
    modified: int = 0  # nanoseconds


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
    link_target: Int32Array = field(default_factory=_none)  # place in the targets
    targets: list[str] = field(default_factory=list)
    problems: dict[str, InputError] = field(default_factory=dict)


def scan(sources: Sequence[Source]) -> Bundle:
    """The structures of some documents. Links lead to names of documents, whether there are such documents or not."""
    plain: list[tuple[Source, Approved]] = []
    odd: list[tuple[Source, bytes]] = []
    problems: dict[str, InputError] = {}
    for source in sources:
        try:
            data = _content(source)
        except InputError as error:
            problems[source.name] = _bare(error)
            continue
        found = approved(data)
        if found is None:
            odd.append((source, data))
        else:
            plain.append((source, found))
    together = _together([source.name for source, _ in plain], [data for _, data in plain]) if plain else Bundle()
    if together is None:
        odd += [(source, _content(source)) for source, _ in plain]
    parts = [together] if together else []
    for source, data in odd:
        try:
            parts.append(_through_tree(source, data))
        except InputError as error:
            problems[source.name] = _bare(error)
    bundle = _joined(parts)
    bundle.problems = problems
    return bundle


def _bare(error: InputError) -> InputError:
    """An error without what it was raised from and where, which would hold on to the document."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _content(source: Source) -> bytes:
    if source.size > LARGEST:
        raise InputError("is too large: an index has documents of up to 2 GB", path=source.path)
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
    vocabulary, name = _coded(structure.name)
    targets, link_target = _coded([target for _, target in structure.links])
    starts = np.flatnonzero(np.diff(structure.dropped, prepend=-2) != 1)
    return Bundle(
        documents=[document],
        length=int32([structure.length]),
        vocabulary=vocabulary,
        elements=int32([len(structure)]),
        name=name,
        parent=int32(structure.parent),
        start=int32(structure.start),
        end=int32(structure.end),
        texts=int32([len(structure.text_parent)]),
        text_parent=int32(structure.text_parent),
        text_raw_length=int32(structure.text_raw_length),
        drops=int32([len(starts)]),
        dropped_start=int32(structure.dropped[starts]),
        dropped_length=np.diff(int32(starts), append=int32([len(structure.dropped)])),
        links=int32([len(structure.links)]),
        link_element=int32([element for element, _ in structure.links]),
        link_target=link_target,
        targets=targets,
    )


def _coded(values: Sequence[str]) -> tuple[list[str], Int32Array]:
    """The different values, and which of them each one is."""
    codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return list(codes), int32([codes[value] for value in values])


def _joined(parts: Sequence[Bundle]) -> Bundle:
    """Bundles as one."""
    if len(parts) == 1:
        return parts[0]
    found = Bundle(documents=[document for part in parts for document in part.documents])
    for column, words in _CODED.items():
        setattr(found, words, _shared(parts, column, words))
    for column in (one.name for one in fields(Bundle)):
        if isinstance(getattr(found, column), np.ndarray):
            setattr(found, column, np.concatenate([_none(), *(getattr(part, column) for part in parts)]))
    return found


def _shared(parts: Sequence[Bundle], column: str, words: str) -> list[str]:
    """The words of all bundles, with the bundles' columns made places among these."""
    shared, codes = _coded([word for part in parts for word in getattr(part, words)])
    for part in parts:
        own, codes = np.split(codes, [len(getattr(part, words))])
        setattr(part, column, own[getattr(part, column)])
    return shared


def _together(documents: list[str], found: list[Approved]) -> Bundle | None:
    """The columns of approved documents; None if they do not add up to what they should."""
    tags = Tags([one_byte_a_character(data.plain) for data in found])
    if not tags.alternate:
        tags = Tags([one_byte_a_character(without_strays(data.plain)) for data in found])
    if not tags.sound:
        return None
    names, name = short_names(tags) or any_names(b"".join([data.written for data in found]))
    if len(name) != tags.elements.sum():
        return None
    vocabulary, local = _local([name.decode() for name in names])
    parent, text_parent = tags.holders()
    start, end = tags.spans()
    links = links_of(documents, [data.written for data in found], tags)
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
        links=links.counts,
        link_element=links.element,
        link_target=links.target,
        targets=links.targets,
    )


def _local(names: Sequence[str]) -> tuple[list[str], Int32Array]:
    """Names without prefixes, each once, and where each of the given ones stands among them."""
    return _coded([name.rpartition(":")[2] for name in names])
