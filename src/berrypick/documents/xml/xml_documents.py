"""XML documents: the tree of elements, and their text as one line of characters.

What counts, decided here once for all:

* The line of a document is made of its text nodes in document order. Comments and processing instructions contribute
  nothing. References to characters and to the five predefined entities count as one character, an end
  of line as one character (as every XML parser reports it).
* Every run of white space (space, TAB, CR, LF; a no-break space is none) is merged into one character, also where the
  run crosses the borders of elements. What survives belongs to the node in which the run starts.
* Text nodes are those of XPath 1.0: CDATA sections are part of the text around them; an element, a comment or a
  processing instruction between two pieces of text makes them two nodes.
* Names of elements are local names; positions count siblings of the same local name.
* Links are the attributes ``href`` (XHTML, XLink), ``url`` (DocBook 4) and ``xref`` (Mallard), also with a prefix as in
  ``xlink:href``, that lead to another document of the collection. Mallard's ``xref`` names a page by its identifier,
  which by its rules is the name of the page's file: so it leads to a file in the same folder, as the others do.

Files come from anywhere, so the parser is a hardened one: no entity is expanded, nothing is loaded, depth and sizes
have the limits of libxml2. A document whose text has an entity that would have to be expanded is refused: its
offsets would be wrong.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
from lxml import etree

from berrypick.data.arrays import IntArray
from berrypick.data.errors import InputError
from berrypick.documents.collection_files import SUFFIXES
from berrypick.documents.xml.structure import Structure

#: The attributes that may lead to other documents.
LINKS = ("href", "url", "xref")

_PLAIN = re.compile(r"(\w+)\.(?:xml|page)")  # most links, and the quickest
_SPACES = re.compile("  +")
_TO_SPACE = str.maketrans("\t\r\n", "   ")
# Advice of libxml2 to programmers, and a place that we give ourselves.
_NOT_FOR_READERS = re.compile(r"(, (use|try) XML_PARSE_HUGE[^,]*)|(, see xmlCtxt\w+\.?)|(\s*, line \d+, column \d+.*)")


def read_structure(path: str | Path, *, name: str = "", known: Container[str] | None = None) -> Structure:
    """The structure of the document in a file; ``name`` and ``known`` as in ``structure_of``."""
    return structure_of(_content(path), path=str(path), name=name, known=known)


def read_text(path: str | Path) -> str:
    """The line of the document in a file: its text with white space merged, as offsets count it."""
    return text_of(_content(path), path=str(path))


def read_length(path: str | Path) -> int:
    """How many characters the line of the document in a file has."""
    raw = _raw_text(_root(_content(path), str(path)))
    return len(raw) - len(_dropped(raw))


def structure_of(
    data: bytes, *, path: str | None = None, name: str = "", known: Container[str] | None = None
) -> Structure:
    """The structure of a document.

    ``path`` is the file to name in errors. Links are resolved against ``name``, what the document is called in its
    collection; those that lead out of ``known``, the names of all documents, are left out.
    """
    root = _root(data, path)
    tags = _Tags(root)
    dropped = _dropped(_raw_text(root))
    offset = np.cumsum(tags.text_length) - tags.text_length  # of each tag, in the text as written
    offset -= np.searchsorted(dropped, offset)  # and on the line
    parent, text_parent = tags.holders()
    texts = np.flatnonzero(tags.text_length)
    return Structure(
        name=_names(root),
        parent=parent,
        start=offset[tags.element],
        end=offset[tags.closed_by()],
        length=int(offset[-1]),
        text_parent=text_parent[texts],
        text_raw_length=tags.text_length[texts],
        dropped=dropped,
        links=tuple(_links(tags, name, known)),
    )


def text_of(data: bytes, *, path: str | None = None) -> str:
    """The line of a document: its text with white space merged (into spaces), as offsets count it."""
    return _SPACES.sub(" ", _raw_text(_root(data, path)).translate(_TO_SPACE))


def markup_of(data: bytes, *, path: str | None = None) -> bytes:
    """The root element of a document serialised again, in UTF-8, with comments and processing instructions empty."""
    return etree.tostring(_without_comments(_root(data, path)), encoding="utf-8")


def document_name(file: str) -> str:
    """The name of a file without the suffix that files of documents have."""
    for suffix in SUFFIXES:
        if file.lower().endswith(suffix):
            return file[: -len(suffix)]
    return file


def link_target(href: str, name: str) -> str | None:
    """The document that a link in document ``name`` leads to; None if it is no other document of the collection.

    Relative to the document's folder; a slash in front means the folder of the collection.
    """
    if (plain := _PLAIN.fullmatch(href)) and "/" not in name:
        return plain[1] if plain[1] != name else None
    place = href.partition("#")[0].partition("?")[0].strip()
    if not place or place.startswith("//") or ":" in place.partition("/")[0]:
        return None  # a place in the same document, another host, a scheme
    place = unquote(place) if "%" in place else place
    if "/" in place or "/" in name or place.startswith("."):
        whole = posixpath.join("/", posixpath.dirname(name), place)
        if _depth(whole) < 0:
            return None
        place = posixpath.normpath(whole).lstrip("/")
    target = document_name(place)
    return target if target and target != name else None


def _depth(path: str) -> int:
    """The least depth that a path passes through on its way down from a folder: below 0 it leaves the folder."""
    depth = least = 0
    for part in path.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        least = min(least, depth)
    return least


def _content(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=str(path)) from error


@cache
def _parser() -> etree.XMLParser:
    """One for all documents: to set up another takes as long as to parse a short one."""
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
    )


def _root(data: bytes, path: str | None) -> etree._Element:
    """Parse, and refuse what would make offsets wrong."""
    try:
        root = etree.fromstring(data, _parser())
    except etree.XMLSyntaxError as error:
        what = _NOT_FOR_READERS.sub("", error.msg or "the file is empty")
        raise InputError(f"cannot be read as XML: {what}", path=path, line=error.lineno) from error
    declares = root.getroottree().docinfo.internalDTD is not None  # else there are none: spare the pass over the tree
    entity = next(root.iter(etree.Entity), None) if declares else None
    if entity is not None:
        what = f"the text has the entity {entity.text}; entities are not expanded"
        remedy = "write the characters themselves, or numeric references like &#233;"
        raise InputError(what, path=path, line=entity.sourceline, remedy=remedy)
    return root


def _raw_text(root: etree._Element) -> str:
    """All text as written, white space not yet merged."""
    return str(etree.tostring(root, method="text", encoding="unicode"))


def _without_comments(root: etree._Element) -> etree._Element:
    """With comments and processing instructions empty: what looks like a tag in there is none."""
    for node in root.iter(etree.Comment, etree.ProcessingInstruction):
        node.text = ""
    return root


class _LocalNames(dict[str, str]):
    """Tags to local names, each worked out once."""

    def __missing__(self, tag: str) -> str:
        self[tag] = name = tag.rpartition("}")[2]
        return name


def _names(root: etree._Element) -> tuple[str, ...]:
    local = _LocalNames()
    return tuple([local[node.tag] for node in root.iter(etree.Element)])


def _characters(text: str) -> npt.NDArray[Any]:
    """The code points, in one byte each where that is enough."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    return np.frombuffer(text.encode("utf-32-le"), dtype="<u4")


def _dropped(written: str) -> IntArray:
    """The places of white space that follows white space."""
    white = _characters(written) <= ord(" ")  # XML has no other characters down there
    return np.flatnonzero(white[1:] & white[:-1]) + 1


class _Tags:
    """The tree as the places of its tags, in document order.

    To walk a tree of libxml2 from Python takes longer than to parse the file. Its serialised form is made in no time,
    and regular: a ``<`` or ``>`` is the start or the end of a tag and nothing else. So two arrays of places hold the
    whole tree, and the rest is arithmetic on them; no recursion, no stack.
    """

    def __init__(self, root: etree._Element) -> None:
        self.markup = str(etree.tostring(_without_comments(root), encoding="unicode"))
        characters = _characters(self.markup)
        self.start = np.flatnonzero(characters == ord("<"))
        self.end = np.flatnonzero(characters == ord(">"))
        kind = characters[self.start + 1]
        self.closing = kind == ord("/")
        self.element = ~self.closing & (kind != ord("!")) & (kind != ord("?"))
        self.empty = self.element & (characters[self.end - 1] == ord("/"))
        #: How many elements are open behind each tag.
        self.level = np.cumsum(self.element.astype(np.int64) - self.closing - self.empty)
        #: Characters of text between each tag and the next.
        self.text_length = np.append(self.start[1:], len(characters)) - self.end - 1
        self._count_escapes_once(characters)

    def _count_escapes_once(self, characters: npt.NDArray[Any]) -> None:
        """``&amp;`` in the text is one character."""
        escape = np.flatnonzero(characters == ord("&"))
        if len(escape):
            semicolon = np.flatnonzero(characters == ord(";"))
            excess = semicolon[np.searchsorted(semicolon, escape)] - escape
            tag = np.searchsorted(self.start, escape) - 1
            in_text = escape > self.end[tag]
            np.subtract.at(self.text_length, tag[in_text], excess[in_text])

    def closed_by(self) -> IntArray:
        """For each element the tag that ends it: at every depth, tags that open and tags that close take turns."""
        paired = np.flatnonzero((self.element & ~self.empty) | self.closing)
        turns = paired[np.argsort(self.level[paired] + self.closing[paired], kind="stable")]
        found = np.arange(len(self.start))
        found[turns[::2]] = turns[1::2]
        return found[self.element]

    def holders(self) -> tuple[IntArray, IntArray]:
        """The parent of each element, and the element that the text behind each tag belongs to."""
        depth = (self.level + self.empty)[self.element]
        count = len(depth)
        order = np.argsort(depth, kind="stable")
        places = depth[order] * count + order

        def latest(level: IntArray, before: IntArray) -> IntArray:
            """Of the first so many elements, the last at a level."""
            return order[np.searchsorted(places, level * count + before) - 1]

        parent = latest(depth - 1, np.arange(count))
        parent[0] = -1
        return parent, latest(self.level, np.cumsum(self.element))


def _links(tags: _Tags, name: str, known: Container[str] | None) -> Iterator[tuple[int, str]]:
    """The elements that link to other documents, with the names of those, in document order."""
    markup = tags.markup
    attributes = [f'{attribute}="' for attribute in LINKS]
    found = [match.span() for link in attributes if link in markup for match in re.finditer(link, markup)]
    places = np.array(sorted(end for start, end in found if markup[start - 1] in " :"), dtype=np.int64)
    if not len(places):
        return
    starts, ends = tags.start[tags.element], tags.end[tags.element]
    elements = np.searchsorted(starts, places) - 1
    # In the text it is none, and neither in the value of another attribute, where the quotes so far are even in number.
    quotes = np.flatnonzero(_characters(markup) == ord('"'))
    after = np.searchsorted(quotes, places)
    good = (places < ends[elements]) & ((after - np.searchsorted(quotes, starts[elements])) % 2 == 1)
    rows = zip(elements[good].tolist(), places[good].tolist(), quotes[after[good]].tolist(), strict=True)
    for element, place, end in rows:
        href = markup[place:end]
        target = link_target(html.unescape(href) if "&" in href else href, name)
        if target is not None and (known is None or target in known):
            yield element, target
