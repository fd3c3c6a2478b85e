"""Words with their places on pages, in reading order: where text and boxes meet."""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from lxml import etree

from berrypick.data.boxes import Place
from berrypick.data.errors import InputError, UsageError
from berrypick.documents.texts import Texts
from berrypick.files.problems import Problems
from berrypick.rows.json_lines import Fields, records
from berrypick.rows.page_places import read_place

#: Words of one line overlap in height by this share of the lower one.
SAME_LINE = 0.5
_SHAPE = "words are lines of JSON with doc, page, text and box"


class PlacedText(str):
    """A text that knows where its words begin and end, for what cuts it."""

    pieces: list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class DocumentWords:
    """The words of one document, in reading order; their text is the words with a space between them."""

    words: tuple[str, ...]
    places: tuple[Place, ...] = field(repr=False)

    @cached_property
    def text(self) -> str:
        return " ".join(self.words)

    @cached_property
    def starts(self) -> list[int]:
        """Where words begin in the text."""
        found, at = [], 0
        for word in self.words:
            found.append(at)
            at += len(word) + 1
        return found

    def placed_text(self) -> PlacedText:
        """The text, with the places of its words in it."""
        found = PlacedText(self.text)
        found.pieces = [(start, start + len(word)) for start, word in zip(self.starts, self.words, strict=True)]
        return found

    def boxes(self, start: float, end: float) -> list[dict[str, Any]]:
        """The places of a stretch of the text: a box for each line that it touches."""
        first = bisect_right(self.starts, start) - 1
        found: list[tuple[int, list[float], Any]] = []
        for word in range(max(first, 0), bisect_left(self.starts, end)):
            if self.starts[word] + len(self.words[word]) <= start:
                continue  # the stretch begins in the space behind it
            page, box, size = self.places[word]
            assert box is not None
            if found and found[-1][0] == page and _same_line(found[-1][1], box):
                held = found[-1][1]
                found[-1] = (page, [*map(min, held[:2], box[:2]), *map(max, held[2:], box[2:])], size)
            else:
                found.append((page, list(box), size))
        return [_record(page, box, size) for page, box, size in found]

    def spans(self, page: int, box: Sequence[float] | None) -> list[tuple[int, int]]:
        """The stretches of the text whose words have their middle in a box, or lie on a page."""
        found: list[tuple[int, int]] = []
        last = -2
        for word, (where, held, _) in enumerate(self.places):
            if where != page or not _inside(held, box):
                continue
            end = self.starts[word] + len(self.words[word])
            found.append((found.pop()[0] if word == last + 1 else self.starts[word], end))
            last = word
        return found


def _same_line(one: Sequence[float], other: Sequence[float]) -> bool:
    common = min(one[3], other[3]) - max(one[1], other[1])
    return common > SAME_LINE * min(one[3] - one[1], other[3] - other[1])


def _inside(word: Sequence[float] | None, box: Sequence[float] | None) -> bool:
    if box is None or word is None:
        return True
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _record(page: int, box: Sequence[float], size: Any) -> dict[str, Any]:
    return {"page": page + 1, "box": list(box), **({} if size is None else {"page_size": list(size)})}


class PageWords(dict[str, DocumentWords]):
    """Words of documents by name."""

    @cached_property
    def texts(self) -> Texts:
        """The texts that the words make."""
        return Texts({name: one.placed_text() for name, one in self.items()})


def read_words(words: str | PathLike[str] | Iterable[Mapping[str, Any]]) -> PageWords:
    """Read words with their places on pages, in reading order.

    Parameters
    ----------
    words : str, path or list of dictionaries
        JSON Lines with doc, page, text and box, one line per word; ALTO or PAGE XML, a file or a folder of them; or
        such dictionaries. ``x0, top, x1, bottom`` of pdfplumber's words are a box, and so are the first four values of
        PyMuPDF's, under ``word``.

    Returns
    -------
    PageWords
        A mapping of document to its words.

    Examples
    --------
    >>> import berrypick as bp
    >>> words = bp.read_words([{"doc": "a", "page": 1, "text": "Cut", "box": [10, 10, 30, 20]},
    ...                        {"doc": "a", "page": 1, "text": "canes.", "box": [34, 10, 70, 20]}])
    >>> words["a"].text, words["a"].boxes(0, 10)
    ('Cut canes.', [{'page': 1, 'box': [10.0, 10.0, 70.0, 20.0]}])
    """
    if isinstance(words, PageWords):
        return words
    if not isinstance(words, (str, PathLike)):
        return _of_rows(((i, "", dict(one)) for i, one in enumerate(words, 1)), Problems("words"))
    path = fspath(words)
    if os.path.isdir(path):
        return _of_folder(Path(path))
    if path.lower().endswith(".xml"):
        return _joined([_of_xml(Path(path), {})])
    return _of_rows(records(path, Problems(path)), Problems(path))


def _of_rows(rows: Any, problems: Problems) -> PageWords:
    held: dict[str, list[tuple[str, Place]]] = {}
    for number, text, value in rows:
        fields = Fields(number, text, _named(value), problems)
        document, word = fields.name("doc"), fields.value.pop("text", None)
        place = read_place(fields, empty_allowed=True)
        if not isinstance(word, str) or place is None or place[1] is None:
            fields.fail("is not a word with its place", _SHAPE)
            continue
        if word := " ".join(word.split()):
            held.setdefault(document, []).append((word, place))
    return _joined([held])


def _named(value: Mapping[str, Any]) -> dict[str, Any]:
    """A word by our names: pdfplumber has top and bottom, PyMuPDF a tuple."""
    found = dict(value)
    if isinstance(held := found.pop("word", None), (list, tuple)) and len(held) >= 5:
        found |= {"box": list(held[:4]), "text": held[4]}
    if {"x0", "x1", "top", "bottom"} <= {*found}:
        found |= {"box": [found.pop(name) for name in ("x0", "top", "x1", "bottom")]}
    for theirs, ours in (("bbox", "box"), ("page_number", "page"), ("page_no", "page")):
        if theirs in found:
            found.setdefault(ours, found.pop(theirs))
    known = ("doc", "page", "page_index", "text", "box", "page_size", "page_width", "page_height")
    return {name: found[name] for name in known if found.get(name) is not None}


def _joined(parts: Iterable[Mapping[str, Sequence[tuple[str, Place]]]]) -> PageWords:
    held: dict[str, list[tuple[str, Place]]] = {}
    for part in parts:
        for name, words in part.items():
            held.setdefault(name, []).extend(words)
    if not held:
        raise UsageError(f"there are no words; {_SHAPE}, or ALTO or PAGE XML")
    return PageWords(
        {name: DocumentWords(*(tuple(one) for one in zip(*words, strict=True))) for name, words in held.items()}
    )


# --- ALTO and PAGE XML ------------------------------------------------------------------------------------------------


def _of_folder(folder: Path) -> PageWords:
    """A file a page, or a document: those of a folder within it are the pages of one document, in order of names."""
    files = sorted((path for path in folder.rglob("*.xml") if path.is_file()), key=_in_order)
    if not files:
        raise InputError("contains no ALTO or PAGE XML", path=str(folder), remedy=_SHAPE)
    pages: dict[str, int] = {}
    names = [path.parent.name if path.parent != folder else path.stem for path in files]
    return _joined([_of_xml(path, pages, name) for path, name in zip(files, names, strict=True)])


def _in_order(path: Path) -> list[Any]:
    """Numbers in names count as numbers."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", str(path))]


def _of_xml(path: Path, pages: dict[str, int], name: str = "") -> dict[str, list[tuple[str, Place]]]:
    """The words of a file of ALTO or PAGE XML; pages are numbered as they come."""
    name = name or path.stem
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(path.read_bytes(), parser)
    except (etree.XMLSyntaxError, OSError) as error:
        raise InputError(f"cannot be read as XML: {error}", path=str(path)) from None
    found: list[tuple[str, Place]] = []
    for page in root.iter("{*}Page"):
        number = pages.get(name, 0)
        pages[name] = number + 1
        size = _numbers(path, page, *(("WIDTH", "HEIGHT") if "WIDTH" in page.attrib else ("imageWidth", "imageHeight")))
        alto = [(one.get("CONTENT", ""), _alto_box(path, one)) for one in page.iter("{*}String")]
        for text, box in alto or [*_page_xml(path, page)]:
            found += [(" ".join(text.split()), (number, box, size))] if text.strip() else []
    if not found:
        raise InputError("has no words: it is neither ALTO nor PAGE XML, or has no text", path=str(path))
    return {name: found}


def _alto_box(path: Path, one: Any) -> tuple[float, ...]:
    x, y, width, height = _numbers(path, one, "HPOS", "VPOS", "WIDTH", "HEIGHT")
    return (x, y, x + width, y + height)


def _page_xml(path: Path, page: Any) -> Iterable[tuple[str, tuple[float, ...]]]:
    """Words, or lines where there are no words, or regions where there are no lines."""
    for kind in ("Word", "TextLine", "TextRegion"):
        units = [*page.iter(f"{{*}}{kind}")]
        if not units:
            continue
        for one in units:
            points, text = one.find("{*}Coords"), one.find("{*}TextEquiv/{*}Unicode")
            if points is None or text is None:
                continue
            edges = [float(edge) for edge in re.findall(r"-?\d+(?:\.\d+)?", points.get("points", ""))]
            if len(edges) < 4 or len(edges) % 2:
                raise InputError("Coords has no points", path=str(path), line=points.sourceline)
            yield text.text or "", (min(edges[::2]), min(edges[1::2]), max(edges[::2]), max(edges[1::2]))
        return


def _numbers(path: Path, one: Any, *names: str) -> tuple[float, ...]:
    try:
        return tuple(float(one.get(name)) for name in names)
    except (TypeError, ValueError):
        what = f"{etree.QName(one).localname} needs the numbers {', '.join(names)}"
        raise InputError(what, path=str(path), line=one.sourceline) from None
