"""Documents that libxml2 has approved of, made so plain that tags can be told from text by ``<`` and ``>`` alone.

libxml2 says whether a document is well-formed, without making a tree of it. Whatever is out of the ordinary is not
approved here, though it may be a good document: a document type with declarations of its own, an entity, an encoding
other than UTF-8 or Latin-1, a complaint of libxml2 however slight, a size near its limits.
"""

from __future__ import annotations

import contextlib
import re
from functools import cache
from typing import NamedTuple

from lxml import etree

#: The limits of libxml2 are a little different with a tree and without; beyond half of them there is always a tree.
LARGEST = 5_000_000  # bytes

_ENCODING = re.compile(rb"""<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)""")
_DECLARATION = re.compile(rb"""<!DOCTYPE[^>\["']*(?:(?:"[^"]*"|'[^']*')[^>\["']*)*>""")  # that declares nothing more
_IDENTITY = re.compile(rb"""xml:id\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_IDENTIFIERS = re.compile(rb"[A-Za-z_][A-Za-z0-9._-]*(?: [A-Za-z_][A-Za-z0-9._-]*)*")
_PREDEFINED = (b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;")
_NUMBERED = re.compile(rb"&(#[^;]*);")
_TO_WHITE = re.compile(rb"#(?:0*(?:9|10|13|32)|x0*(?:9|[aAdD]|20))")
_TAG_OR_STRAY = re.compile(rb"""(<[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*>)|>""")
_NOT_FIRST = bytes(range(0x80, 0xC0))  # bytes of UTF-8 that begin no character
_INNOCENT = bytes.maketrans(b"<>&", b"xxx")


#: What stands in plain documents for characters that are not written as themselves. No XML document has these bytes.
WHITE = b"\x01"
OTHER = b"\xff"


class Approved(NamedTuple):
    """A document in UTF-8 with nothing in it but tags, text and references to characters, and without the latter.

    Comments and processing instructions have become ``<!>``, sections of character data text, ends of lines LF. In
    ``plain``, references have become one character that stands nowhere else, ``WHITE`` or ``OTHER``.
    """

    written: bytes
    plain: bytes


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


def _is_fine(data: bytes) -> bool:
    """Whether libxml2 has nothing to say against a document."""
    parser = _parser()
    try:
        parser.feed(data)  # a little quicker than to hand over the document
        parser.close()
    except etree.XMLSyntaxError:
        with contextlib.suppress(etree.XMLSyntaxError):
            parser.close()  # another document is to come
        return False
    return not len(parser.feed_error_log)


def approved(data: bytes) -> Approved | None:
    """A document made plain; None if it has something in it that only a tree can tell, or is none."""
    if len(data) > LARGEST or data[:1] != b"<" or data[1:2] == b"\0":
        return None
    if not _is_fine(data):
        return None
    declared = _ENCODING.match(data)
    if declared is not None and (encoding := declared[1].lower()) not in (b"utf-8", b"us-ascii"):
        if encoding != b"iso-8859-1":
            return None
        data = data.decode("latin-1").encode()
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    written = _without_hidden(data)
    if written is None or not _identifiers_differ(written):
        return None
    plain = _without_references(written)
    return None if plain is None else Approved(written, plain)


def _without_hidden(data: bytes) -> bytes | None:
    """Replace what may hold a ``<`` that starts no tag; None if there is a declaration that is more than a name."""
    pieces, done = [], 0
    exclamation = _marked(data, ord("!"), 0)
    question = _marked(data, ord("?"), 2 if data.startswith(b"<?xml ") else 0)  # that one may stay
    while exclamation >= 0 or question >= 0:
        place = question if exclamation < 0 or 0 <= question < exclamation else exclamation
        shown = b"<!>"
        if place == question:
            stop = data.find(b"?>", place) + 2
        elif data.startswith(b"<!--", place):
            stop = data.find(b"-->", place + 4) + 3
        elif data.startswith(b"<![CDATA[", place):
            stop = data.find(b"]]>", place) + 3
            shown = data[place + 9 : stop - 3].translate(_INNOCENT)
        elif declaration := _DECLARATION.match(data, place):
            stop = declaration.end()
        else:
            return None
        pieces += [data[done:place], shown]
        done = stop
        exclamation = _marked(data, ord("!"), stop) if 0 <= exclamation < stop else exclamation
        question = _marked(data, ord("?"), stop) if 0 <= question < stop else question
    return b"".join([*pieces, data[done:]]) if pieces else data


def _marked(data: bytes, sign: int, start: int) -> int:
    """The next ``<`` with a certain sign behind it. To look for the sign is quickest: it is the rarer one."""
    place = data.find(sign, start)
    while place > 0 and data[place - 1] != ord("<"):
        place = data.find(sign, place + 1)
    return place - 1 if place > 0 else -1


def _identifiers_differ(data: bytes) -> bool:
    """Whether a tree would not object to identifiers: in a tree they must be names, and differ."""
    behind = data.split(b"xml:id")[1:]
    if not behind:
        return True
    values = [piece[2 : piece.find(b'"', 2)] for piece in behind if piece.startswith(b'="')]
    if len(values) < len(behind):  # written in another way
        values = [one or other for one, other in _IDENTITY.findall(data)]
    return len(set(values)) == len(values) and _IDENTIFIERS.fullmatch(b" ".join(values)) is not None


def _without_references(data: bytes) -> bytes | None:
    """Replace references to characters; None if there is another one."""
    for reference in _PREDEFINED:
        if b"&" not in data:
            return data
        data = data.replace(reference, OTHER)
    if b"&" in data:
        data = _NUMBERED.sub(lambda match: WHITE if _TO_WHITE.fullmatch(match[1]) else OTHER, data)
    return None if b"&" in data else data


def without_strays(data: bytes) -> bytes:
    """With no ``>`` but where tags end: in text it may stand for itself, and in values of attributes."""
    return data if data.count(b"<") == data.count(b">") else _TAG_OR_STRAY.sub(_not_stray, data)


def _not_stray(match: re.Match[bytes]) -> bytes:
    return match[1][:-1].replace(b">", OTHER) + b">" if match[1] else OTHER


def one_byte_a_character(data: bytes) -> bytes:
    """The first byte of each character. Those of tags are all in ASCII."""
    return data if data.isascii() else data.translate(None, _NOT_FIRST)
