"""The texts of documents: a folder of text files, or JSON Lines with ``doc`` and ``text``.

Offsets count the characters (Unicode code points) of a text as it is in the file: line ends are not translated, so a
carriage return is a character, and a byte order mark is none. Offsets that count bytes of UTF-8 or UTF-16 units, as
other languages do, are converted here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from berrypick.core.arrays import IntArray, Positions
from berrypick.core.collection import Collection
from berrypick.core.errors import InputError, UsageError, nearest, option, shorten
from berrypick.core.run import Run
from berrypick.core.truth import OFFSETS, Offsets, TopicTruth, Truth
from berrypick.formats._files import check_member, open_bytes
from berrypick.formats._spans import records
from berrypick.formats.base import Problems

T = TypeVar("T")
#: Files in a folder of texts that are no texts.
_PASSED_OVER = (".gz", ".zip", ".png", ".jpg", ".jpeg", ".gif", ".pdf", ".parquet", ".pyc", ".db", ".sqlite")


class Texts(Mapping[str, str]):
    """Document to text. Files are read at first use.

    ``named`` holds texts that are there already, ``files`` those that wait in a file.
    """

    def __init__(self, named: Mapping[str, str], files: Mapping[str, str] | None = None, source: str = "") -> None:
        self._known = dict(named)
        self._files = dict(files or {})
        self._kept: dict[tuple[str, str], Any] = {}
        self.source = source

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def kept(self, what: str, document: str, make: Callable[[str], T]) -> T:
        """Something that is worked out from a text once."""
        if (what, document) not in self._kept:
            self._kept[what, document] = make(self.text(document))
        return self._kept[what, document]

    def __getitem__(self, document: str) -> str:
        if document not in self._known:
            self._known[document] = _decoded(self._files[document])
        return self._known[document]

    def __contains__(self, document: object) -> bool:
        return document in self._known or document in self._files

    def __iter__(self) -> Iterator[str]:
        yield from self._files or self._known

    def __len__(self) -> int:
        return len(self._files or self._known)

    def canonical(self, document: str) -> str:
        """The one name of a document that may be called by several."""
        return document

    def text(self, document: str, path: str | None = None, line: int | None = None) -> str:
        """The text of a document that a file names; an error that says where if it is not there."""
        if document not in self:
            raise self.unknown(document, path, line)
        return self[document]

    def unknown(self, document: str, path: str | None = None, line: int | None = None) -> InputError:
        close = nearest(document, list(self)) or f"; it has {', '.join(list(self)[:5])}" + ", ..." * (len(self) > 5)
        return InputError(
            f"document {document} is not in {self.source or 'the documents given'}{close}",
            path=path,
            line=line,
            remedy="documents are named by their file path relative to the folder, with or without extension",
        )

    @cached_property
    def collection(self) -> Collection:
        """How long they are."""
        return Collection(_Lengths(self), self.source)


class _Lengths(Mapping[str, float]):
    def __init__(self, texts: Texts) -> None:
        self.texts = texts

    def __getitem__(self, document: str) -> float:
        return float(len(self.texts[document]))

    def __contains__(self, document: object) -> bool:
        return document in self.texts

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


def read_texts(path: Texts | Mapping[str, str] | str | PathLike[str]) -> Texts:
    """Texts from a folder, from a file of JSON Lines, or from a mapping of document to text."""
    if isinstance(path, Texts):
        return path
    if isinstance(path, Mapping):
        for document, text in path.items():
            if not isinstance(text, str):
                raise UsageError(f"the text of {shorten(str(document))} is a {type(text).__name__}, not a str")
        return Texts({str(document): text for document, text in path.items()})
    if not isinstance(path, (str, PathLike)):
        raise UsageError(f"documents are a folder, a file or a mapping of name to text, not {type(path).__name__}")
    name = fspath(path)
    return _folder(name) if os.path.isdir(name) else _lines(name)


def _folder(folder: str) -> Texts:
    """A document is called by the path of its file below the folder; without the ending too, where that is clear."""
    files: dict[str, str] = {}
    short: dict[str, list[str]] = {}
    real_top = os.path.realpath(folder)
    for place, folders, names in os.walk(folder, onerror=_unreadable):
        folders.sort()
        for name in sorted(names):
            if name.startswith(".") or name.lower().endswith(_PASSED_OVER):
                continue
            path = os.path.join(place, name)
            check_member(path, real_top)
            document = Path(os.path.relpath(path, folder)).as_posix()
            files[document] = path
            stem = document[: -len(Path(document).suffix)] if Path(document).suffix else ""
            if stem:
                short.setdefault(stem, []).append(document)
    if not files:
        raise InputError("holds no text files", path=folder, remedy="give the folder of the documents")
    aliases = {stem: names[0] for stem, names in short.items() if len(names) == 1 and stem not in files}
    return _Folder(files, aliases, folder)


def _unreadable(error: OSError) -> None:
    raise InputError(f"cannot be read ({error.strerror})", path=str(error.filename)) from None


class _Folder(Texts):
    """The files of a folder; names without endings lead there as well, but are not listed."""

    def __init__(self, files: Mapping[str, str], aliases: Mapping[str, str], source: str) -> None:
        super().__init__({}, files, source)
        self._aliases = dict(aliases)

    def __getitem__(self, document: str) -> str:
        return super().__getitem__(self.canonical(document))

    def __contains__(self, document: object) -> bool:
        return document in self._files or document in self._aliases

    def canonical(self, document: str) -> str:
        return self._aliases.get(document, document)


def _decoded(path: str) -> str:
    with open_bytes(path) as stream:
        raw = stream.read()
    try:
        return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8 text", path=path, line=line, remedy="save the file as UTF-8") from None


def _lines(path: str) -> Texts:
    found: dict[str, str] = {}
    for number, text, value in records(path, Problems(path)):
        document, content = value.get("doc"), value.get("text")
        if isinstance(document, int) and not isinstance(document, bool):
            document = str(document)
        if not isinstance(document, str) or not isinstance(content, str):
            raise InputError(
                "doc or text is missing",
                path=path,
                line=number,
                text=text,
                remedy=f"expected a folder of text files, or lines like {json.dumps({'doc': 'a', 'text': '...'})}",
            )
        if document in found:
            raise InputError(f"duplicate document {document}", path=path, line=number)
        found[document] = content.removeprefix("\ufeff")
    if not found:
        raise InputError("holds no documents", path=path)
    return Texts(found, source=path)


# --- offsets ----------------------------------------------------------------------------------------------------------


def check_offsets(name: str | None) -> Offsets:
    if name is None:
        return "chars"
    if name not in OFFSETS:
        close = nearest(name, list(OFFSETS)) or f"; expected one of {', '.join(OFFSETS)}"
        raise UsageError(f"unknown offsets {name!r}{close}")
    return name


class Units:
    """From offsets in bytes or UTF-16 units to characters, for one text."""

    def __init__(self, text: str, counting: Offsets) -> None:
        self.counting = counting
        self.plain = counting == "chars" or text.isascii()
        self.total = len(text)
        if not self.plain:
            points = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
            if counting == "bytes":
                width = 1 + (points > 0x7F).astype(np.int64) + (points > 0x7FF) + (points > 0xFFFF)
            else:
                width = 1 + (points > 0xFFFF).astype(np.int64)
            self.starts = np.concatenate([[0], np.cumsum(width)])  # where every character starts, and the end
            self.total = int(self.starts[-1])

    def characters(self, offsets: Positions) -> tuple[IntArray, IntArray]:
        """The offsets in characters, and the rows of those inside a character."""
        whole = offsets.astype(np.int64)
        if self.plain:
            return whole, np.zeros(0, dtype=np.int64)
        place = np.searchsorted(self.starts, whole, side="left")
        split = self.starts[np.minimum(place, len(self.starts) - 1)] != whole
        return place, np.flatnonzero(split)


def checked_truth(truth: Truth, texts: Texts, counting: Offsets = "chars") -> Truth:
    """Spans within their documents, in characters; an unknown document or an offset beyond the end is an error."""
    if truth.units != "spans":
        return truth
    units = _Cache(texts, counting)
    topics = {}
    for name, topic in truth.topics.items():
        for document in topic.documents():
            if document not in texts:
                raise texts.unknown(document, truth.source or None, _line_of(topic, document))
        topics[name] = _checked_topic(_called(topic, texts), units, truth.source)
    return replace(truth, topics=topics)


def _called(topic: TopicTruth, texts: Texts) -> TopicTruth:
    """Documents by their one name, so that truth and run speak of the same."""
    return replace(
        topic,
        document=tuple(texts.canonical(name) for name in topic.document),
        empty_documents=tuple(texts.canonical(name) for name in topic.empty_documents),
    )


def _line_of(topic: TopicTruth, document: str) -> int | None:
    if topic.line is None or document not in topic.document:
        return None
    return int(topic.line[topic.document.index(document)])


def _checked_topic(topic: TopicTruth, units: _Cache, source: str) -> TopicTruth:
    if topic.start is None or topic.end is None:
        return topic
    start, end = topic.start.copy(), topic.end.copy()
    rows: dict[str, list[int]] = {}
    for row, document in enumerate(topic.document):
        rows.setdefault(document, []).append(row)
    for document, chosen in rows.items():
        index = np.array(chosen, dtype=np.int64)
        start[index], end[index] = units.spans(document, start[index], end[index], index, topic.line, source)
    return replace(topic, start=start, end=end)


def checked_run(run: Run, texts: Texts, counting: Offsets = "chars") -> Run:
    """As for the truth; whole documents and paths are left as they are."""
    if run.start is None or run.end is None or not len(run):
        return run
    units = _Cache(texts, counting)
    start, end = run.start.copy(), run.end.copy()
    order = np.argsort(run.document, kind="stable")
    codes, heads = np.unique(run.document[order], return_index=True)
    for code, rows in zip(codes.tolist(), np.split(order, heads[1:]), strict=True):
        document = run.documents[code]
        if document not in texts:
            line = int(run.line[rows].min()) if run.line is not None else None
            raise texts.unknown(document, run.source or run.tag or None, line)
        start[rows], end[rows] = units.spans(document, start[rows], end[rows], rows, run.line, run.source or run.tag)
    names = [texts.canonical(name) for name in run.documents]
    known = {name: code for code, name in enumerate(dict.fromkeys(names))}
    codes = np.array([known[name] for name in names], dtype=np.int64)
    return replace(run, start=start, end=end, documents=list(known), document=codes[run.document])


class _Cache:
    """Units of each document, made once."""

    def __init__(self, texts: Texts, counting: Offsets) -> None:
        self.texts, self.counting = texts, counting
        self.known: dict[str, Units] = {}

    def of(self, document: str) -> Units:
        if document not in self.known:
            self.known[document] = Units(self.texts[document], self.counting)
        return self.known[document]

    def spans(
        self, document: str, start: Positions, end: Positions, rows: IntArray, line: IntArray | None, source: str
    ) -> tuple[IntArray, IntArray]:
        units = self.of(document)
        what = {"chars": "characters", "bytes": "bytes", "utf16": "UTF-16 units"}[self.counting]

        def refuse(bad: int, problem: str) -> InputError:
            where = int(line[rows[bad]]) if line is not None else None
            return InputError(
                f"the span {start[bad]:.12g}-{end[bad]:.12g} of {document} {problem}",
                path=source or None,
                line=where,
                remedy=f"{document} has {units.total} {what}; set what offsets count (chars, bytes or utf16) with "
                f"{option('offsets')}",
            )

        if (beyond := np.flatnonzero(end > units.total)).size:
            raise refuse(int(beyond[0]), "goes beyond the end of the document")
        for offsets in (start, end):
            if (broken := np.flatnonzero(offsets != np.floor(offsets))).size:
                raise refuse(int(broken[0]), "has an offset that is not a whole number")
        first, inside = units.characters(start)
        last, also = units.characters(end)
        if (split := np.union1d(inside, also)).size:
            raise refuse(int(split[0]), "starts or ends inside a character")
        return first, last
