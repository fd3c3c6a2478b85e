"""How XML files are read and written: streamed, with errors that name file and line, and hardened.

Files come from anywhere. Entities are not expanded, and a file that declares any is refused; no DTD and nothing else
is fetched, from the network or from the disk; depth and length of text have the limits of libxml2. lxml is imported
only when a file is read.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from berrypick.data.errors import InputError
from berrypick.files.files import open_bytes
from berrypick.formats.base import Problems

if TYPE_CHECKING:
    from lxml import etree

_CHUNK = 1 << 16
#: Bytes that a tag, a comment, or anything else between elements that are read may have.
LONGEST_PART = 1 << 24
_FORBIDDEN = re.compile("[^\\x20-\\x7e\x80-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Above this libxml2 knows the line of an element only through the text inside or before it.
_LAST_OWN_LINE = 65535


def looks_like(lines: list[str], name: str) -> bool:
    """Whether first lines are XML with such an element, the root or just below it, or say so in the DOCTYPE."""
    text = "\n".join(lines)
    return text.lstrip().startswith("<") and re.search(rf"<(?:!DOCTYPE\s+)?{name}[\s/>\[]", text) is not None


def streamed(path: str, problems: Problems, tags: Sequence[str]) -> Iterator[tuple[str, etree._Element]]:
    """Starts and ends of elements with these tags as the file is read. Whoever is done with one calls :func:`forget`.

    A file that is not well-formed, or declares entities, is one problem, and what came before it is all there is.
    """
    from lxml import etree

    parser = etree.XMLPullParser(
        events=["start", "end"],
        tag=list(tags),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    unchecked = True
    try:
        for event, element in _parsed(path, parser):
            if unchecked and _declares_entities(element):
                problems.report(*_entities_refused(path))
                return
            unchecked = False
            yield event, element
    except etree.XMLSyntaxError as error:
        problems.report(*_broken(path, error, parser))
        return
    undefined = sum("not defined" in entry.message for entry in parser.feed_error_log)
    if undefined:
        problems.count("references to undefined entities, ignored", undefined)


def _parsed(path: str, parser: Any) -> Iterator[tuple[str, etree._Element]]:
    left = LONGEST_PART
    for chunk in _chunks(path):
        parser.feed(chunk)
        for event in parser.read_events():
            left = LONGEST_PART
            yield event
        left -= len(chunk)
        if left < 0:  # libxml2 keeps an open tag or comment until it ends, however long it is
            what = f"has {LONGEST_PART >> 20} MB without an element that is read, the most there may be"
            raise InputError(what, path=path)
    parser.close()
    yield from parser.read_events()


def _chunks(path: str) -> Iterator[bytes]:
    with open_bytes(path) as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _declares_entities(element: etree._Element) -> bool:
    declared: Any = element.getroottree().docinfo.internalDTD
    return declared is not None and any(True for _ in declared.iterentities())


def _entities_refused(path: str) -> tuple[str, int | None, None, str]:
    return (
        "declares entities; they are not expanded, because they can hide or multiply content",
        _line_with(path, b"<!ENTITY"),
        None,
        "replace entities by their text and remove the declarations",
    )


def _broken(
    path: str, error: etree.XMLSyntaxError, parser: etree.XMLPullParser
) -> tuple[str, int | None, str | None, str]:
    """What is wrong with a file that cannot be read to its end."""
    if re.search("amplification|entity reference loop", str(error.msg)):
        return _entities_refused(path)
    # the first says what is wrong, the last only that reading stopped
    fatal = next((entry for entry in parser.feed_error_log if entry.level_name == "FATAL"), None)
    line, what = (error.lineno, str(error.msg)) if fatal is None else (fatal.line, fatal.message)
    what = re.sub(r", line \d+, column \d+$", "", " ".join(what.split()))
    return f"is not well-formed XML ({what})", line or None, None, ""


def _line_with(path: str, what: bytes) -> int | None:
    """The line in which these bytes first occur; they may cross the border of two chunks."""
    before, tail = 0, b""
    for chunk in _chunks(path):
        data = tail + chunk
        place = data.find(what)
        if place >= 0:
            return before + data.count(b"\n", 0, place) + 1
        tail = data[-len(what) :]
        before += data.count(b"\n") - tail.count(b"\n")
    return None


def line_of(element: etree._Element) -> int:
    """The line on which an element starts."""
    line: int = element.sourceline or 0  # type: ignore[assignment]
    if line > _LAST_OWN_LINE and element.text:
        line -= element.text.count("\n")  # it is where the text in it ends
    return line


def text_of(element: etree._Element) -> str | None:
    """The text in an element, no white space around it; None if anything else is in it (an entity, an element)."""
    return (element.text or "").strip() if not len(element) else None


def forget(element: etree._Element, problems: Problems, known: Container[str]) -> None:
    """Free an element and all that stands before it in its parent.

    Elements before it, and those in it, whose tags are not ``known`` have not been read: they are counted. An element
    around results has been.
    """
    count_unknown(element, problems, known)
    element.clear()
    parent = element.getparent()
    if parent is None:
        return
    while element.getprevious() is not None:
        _count_unknown(parent[0], problems, known)
        del parent[0]


def count_unknown(parent: etree._Element, problems: Problems, known: Container[str]) -> None:
    """Count the child elements that were not read."""
    for child in parent:
        _count_unknown(child, problems, known)


def count_attributes(element: etree._Element, problems: Problems, known: Container[str]) -> None:
    """Count the unknown attributes of an element; those of other namespaces belong to other programs."""
    for name in map(str, element.keys()):
        if name not in known and not name.startswith("{"):
            problems.count(f"{name} of <{element.tag}>, ignored")


def _count_unknown(child: etree._Element, problems: Problems, known: Container[str]) -> None:
    if isinstance(child.tag, str) and child.tag not in known and child.find(".//result") is None:
        parent = child.getparent()
        problems.count(f"<{child.tag}> in <{'' if parent is None else parent.tag}>, ignored")


def writable(names: Sequence[str]) -> str:
    """Whether names come back from XML as they were; empty if so, else which does not."""
    bad = next((name for name in names if not name or name != name.strip() or _FORBIDDEN.search(name)), None)
    return f"the name {bad!r} cannot be written in XML" if bad is not None else ""


def quoted(value: str) -> str:
    """The value of an attribute, with its quotation marks."""
    from xml.sax.saxutils import quoteattr  # brings much of urllib along, which readers need not wait for

    return quoteattr(value)


def tag(name: str, attributes: dict[str, str], end: str = "/>") -> str:
    """A start tag, or an empty element; attributes without a value are left out."""
    parts = [name, *(f"{key}={quoted(value)}" for key, value in attributes.items() if value)]
    return f"<{' '.join(parts)}{end}"
