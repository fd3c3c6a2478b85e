"""The structure of many XML documents at once.

``structure_of`` works on one document, in about a hundred small steps. For a collection of short documents these take
longer than parsing. Here libxml2 parses each document and serialises it again, and the steps are taken once for a
bundle of documents. Tests compare the two.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from berrypick.data.errors import InputError
from berrypick.documents.xml.links import links_of
from berrypick.documents.xml.tags import Int32Array, Tags
from berrypick.documents.xml.xml_documents import markup_of

#: Offsets are integers of 32 bits.
LARGEST = 2**31 - 1  # bytes
_BINARY = getattr(os, "O_BINARY", 0)


class Source(NamedTuple):
    """A document, its file, and by what that is known to be unchanged."""

    name: str
    path: str
    size: int
    modified: int = 0  # nanoseconds


@dataclass(eq=False)
class Bundle:
    """Documents as columns: values of one document after those of another, with the number that each document has.

    ``columns`` are ``length``; ``elements``, ``texts``, ``drops`` (stretches of dropped characters) and ``links``: how
    many of them each document has; and, for each of these, the columns of lists. ``name`` is the place of a name in the
    vocabulary, ``link_target`` that of a document in the targets. ``problems`` has the errors of unreadable documents,
    by their names.
    """

    documents: list[str] = field(default_factory=list)
    vocabulary: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    columns: dict[str, Int32Array] = field(default_factory=lambda: defaultdict(lambda: np.zeros(0, dtype=np.int32)))
    problems: dict[str, InputError] = field(default_factory=dict)


def scan(sources: Sequence[Source]) -> Bundle:
    """The structures of some documents. Links lead to names of documents, whether there are such documents or not."""
    markup: dict[str, bytes] = {}
    problems: dict[str, InputError] = {}
    for source in sources:
        try:
            markup[source.name] = markup_of(_content(source), path=source.path)
        except InputError as error:
            problems[source.name] = _without_traceback(error)
    bundle = _bundle(list(markup), list(markup.values())) if markup else Bundle()
    bundle.problems = problems
    return bundle


def _without_traceback(error: InputError) -> InputError:
    """An error without what it was raised from and where, which would hold on to the document."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _content(source: Source) -> bytes:
    if source.size > LARGEST:
        raise InputError("is too large: an index has documents of up to 2 GB", path=source.path)
    try:
        file = os.open(source.path, os.O_RDONLY | _BINARY)
        try:
            found = os.read(file, source.size + 1)  # one more, to see that the file ends there
            if len(found) == source.size:
                return found
            return found + b"".join(iter(lambda: os.read(file, 1 << 20), b""))  # its size has changed
        finally:
            os.close(file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=source.path) from error


def _bundle(documents: list[str], markup: Sequence[bytes]) -> Bundle:
    tags = Tags(markup)
    vocabulary, name = tags.names()
    parent, text_parent = tags.holders()
    start, end = tags.spans()
    links = links_of(documents, tags)
    columns = {
        "length": tags.of_documents(tags.line_length),
        "elements": tags.elements,
        "name": name,
        "parent": parent,
        "start": start,
        "end": end,
        "texts": tags.texts,
        "text_parent": text_parent,
        "text_raw_length": tags.text_length[tags.text],
        "drops": tags.drops,
        "dropped_start": tags.dropped_start,
        "dropped_length": tags.dropped_length,
        "links": links.counts,
        "link_element": links.element,
        "link_target": links.target,
    }
    return Bundle(documents, vocabulary, links.targets, columns)
