"""The texts of documents: a folder of text files, JSON Lines with ``doc`` (or BEIR's ``_id``) and ``text``, or a file
of another format that holds them, such as SQuAD.

Offsets count the characters (Unicode code points) of a text as it is in the file: line ends are not translated, so a
carriage return is a character; a byte order mark at the start of a file is none, unless offsets are said or seen to
count it. U+FEFF in a string of JSON or Python is a character like any other. Offsets that count bytes of UTF-8 or
UTF-16 units, as other languages do, are converted here.
"""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from berrypick import formats
from berrypick.core.arrays import IntArray, Positions
from berrypick.core.collection import Collection
from berrypick.core.errors import InputError, Message, UsageError, nearest, option, shorten
from berrypick.core.near_names import near_match
from berrypick.core.run import Run
from berrypick.core.truth import OFFSETS, Offsets, TopicTruth, Truth
from berrypick.formats._files import check_member, head, read_whole, reusable
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
        self._marked: set[str] = set()
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
            self._known[document], marked = _decoded(self._files[document])
            if marked:
                self._marked.add(document)
        return self._known[document]

    def has_mark(self, document: str) -> bool:
        """Whether the file of a document begins with a byte order mark, which is no part of the text."""
        self.text(document)
        return self.canonical(document) in self._marked

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
        near = near_match([document], list(self), files=True)
        close = f"; it has one that differs in {near.why} ({near.shown('here', 'there')})" if near is not None else ""
        close = (
            close
            or nearest(document, list(self))
            or f"; it has {', '.join(list(self)[:5])}" + ", ..." * (len(self) > 5)
        )
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
    if os.path.isdir(name):
        return _folder(name)
    with reusable(name):
        held = formats.documents_in(name) if _is_whole_json(name) else {}
        return Texts(held, source=name) if held else _lines(name)


def _is_whole_json(path: str) -> bool:
    """Whether a file is a JSON object, but not lines of documents."""
    first = next(iter(head(path, 1)), "").lstrip()
    return first.startswith("{") and not ('"text"' in first and ('"doc"' in first or '"_id"' in first))


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


def _decoded(path: str) -> tuple[str, bool]:
    """The text of a file, and whether a byte order mark stands before it."""
    raw = read_whole(path)
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode("utf-8"), raw.startswith(codecs.BOM_UTF8)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8 text", path=path, line=line, remedy="save the file as UTF-8") from None


def _lines(path: str) -> Texts:
    found: dict[str, str] = {}
    for number, text, value in records(path, Problems(path)):
        document, content = value.get("doc", value.get("_id")), value.get("text")
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
        found[document] = content
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


#: What offsets count, in words.
UNIT_NAMES = {"chars": "characters", "bytes": "bytes", "utf16": "UTF-16 units"}


class Units:
    """From offsets in bytes or UTF-16 units to characters, for one text, and back.

    ``marked``: a byte order mark stands before the text in its file; ``+bom`` counts it, as one character, three bytes
    or one UTF-16 unit.
    """

    def __init__(self, text: str, counting: Offsets, marked: bool = False) -> None:
        self.counting = counting
        unit, _, bom = counting.partition("+")
        self.mark = (3 if unit == "bytes" else 1) if bom and marked else 0
        self.plain = unit == "chars" or text.isascii()
        self.total = len(text) + self.mark
        if not self.plain:
            points = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
            if unit == "bytes":
                width = 1 + (points > 0x7F).astype(np.int64) + (points > 0x7FF) + (points > 0xFFFF)
            else:
                width = 1 + (points > 0xFFFF).astype(np.int64)
            self.starts = np.concatenate([[0], np.cumsum(width)])  # where every character starts, and the end
            self.total = int(self.starts[-1]) + self.mark

    def characters(self, offsets: Positions) -> tuple[IntArray, IntArray]:
        """The offsets in characters, and the rows of those inside a character."""
        whole = offsets.astype(np.int64)
        if self.mark:  # what starts before or in the mark starts with the text
            whole = np.maximum(whole - self.mark, 0)
        if self.plain:
            return whole, np.zeros(0, dtype=np.int64)
        place = np.searchsorted(self.starts, whole, side="left")
        split = self.starts[np.minimum(place, len(self.starts) - 1)] != whole
        return place, np.flatnonzero(split)

    def offset(self, character: int) -> int:
        """Where a character starts, in these units."""
        return self.mark + (character if self.plain else int(self.starts[character]))


def count_units(text: str, counting: Offsets) -> int:
    """The length of a text in these units."""
    unit = counting.partition("+")[0]
    if unit == "chars" or text.isascii():
        return len(text)
    encoded = text.encode("utf-8" if unit == "bytes" else "utf-16-le", errors="surrogatepass")
    return len(encoded) if unit == "bytes" else len(encoded) // 2


def checked_truth(
    truth: Truth,
    texts: Texts,
    counting: Offsets = "chars",
    on_mismatch: Literal["error", "note"] = "error",
    least: float | None = None,
) -> Truth:
    """Spans within their documents, in characters, that match the quotes beside them.

    An unknown document or an offset beyond the end is an error; so is a quote elsewhere than at its offsets, unless
    that shall be a note. ``least`` is the least similarity, in per cent, of a quote that need not be the same text.
    """
    if truth.units != "spans":
        return truth
    for topic in truth.topics.values():
        for document in topic.documents():
            if document not in texts:
                raise texts.unknown(document, truth.source or None, _line_of(topic, document))
    topics = {name: called(topic, texts) for name, topic in truth.topics.items()}
    truth, counting = _with_matching_quotes(replace(truth, topics=topics), texts, counting, on_mismatch, least)
    units = UnitsCache(texts, counting)
    checked = {name: _checked_topic(topic, units, truth.source) for name, topic in truth.topics.items()}
    return replace(truth, topics=checked, annotators={})


def called(topic: TopicTruth, texts: Texts) -> TopicTruth:
    """Documents by their one name, so that truth and run speak of the same."""
    quotes = (q if q.document is None else replace(q, document=texts.canonical(q.document)) for q in topic.quotes)
    return replace(
        topic,
        document=tuple(texts.canonical(name) for name in topic.document),
        empty_documents=tuple(texts.canonical(name) for name in topic.empty_documents),
        quotes=tuple(quotes),
        judged_documents=tuple(texts.canonical(name) for name in topic.judged_documents),
    )


def _with_matching_quotes(
    truth: Truth, texts: Texts, counting: Offsets, on_mismatch: Literal["error", "note"], least: float | None
) -> tuple[Truth, Offsets]:
    """Quotes beside offsets compared with the documents and dropped; and what the offsets are seen to count."""
    quotes = [(name, q) for name, topic in truth.topics.items() for q in topic.quotes if q.has_offsets]
    if not quotes:
        return truth, counting
    from berrypick.corpus import text_check

    stated = text_check.stated_by_document(
        (str(q.document), text_check.Stated(key, float(q.start or 0), float(q.end or 0), q.text))
        for key, (_, q) in enumerate(quotes)
    )
    check = text_check.check_texts(stated, texts, counting, least)
    notes = text_check.refuse_or_note(
        check, texts, lambda key: (quotes[key][0], quotes[key][1].line), truth.source, on_mismatch, "quote"
    )
    ends: dict[str, dict[tuple[str, float, float], int]] = {}
    for key, end in check.ends.items():
        name, quote = quotes[key]
        ends.setdefault(name, {})[str(quote.document), float(quote.start or 0), float(quote.end or 0)] = end
    topics = {name: _without_checked(topic, ends.get(name, {})) for name, topic in truth.topics.items()}
    where = f"{truth.source or 'the truth'}: "
    said = tuple(Message(where + Message(note).template) for note in notes)
    return replace(truth, topics=topics, notes=(*truth.notes, *said)), check.counting


def _without_checked(topic: TopicTruth, ends: Mapping[tuple[str, float, float], int]) -> TopicTruth:
    """Without the quotes that have offsets, and with some ends corrected."""
    end = topic.end
    if ends and topic.start is not None and end is not None:
        spans = zip(topic.document, topic.start.tolist(), end.tolist(), strict=True)
        corrected = [ends.get((document, float(low), float(high)), high) for document, low, high in spans]
        end = np.array(corrected, dtype=end.dtype)
    return replace(topic, end=end, quotes=tuple(quote for quote in topic.quotes if not quote.has_offsets))


def _line_of(topic: TopicTruth, document: str) -> int | None:
    if topic.line is None or document not in topic.document:
        return None
    return int(topic.line[topic.document.index(document)])


def _checked_topic(topic: TopicTruth, units: UnitsCache, source: str) -> TopicTruth:
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


def checked_run(
    run: Run, texts: Texts, counting: Offsets = "chars", on_mismatch: Literal["error", "note"] = "error"
) -> Run:
    """As for the truth; whole documents and paths are left as they are."""
    if run.start is None or run.end is None or not len(run):
        return run
    _known_documents(run, texts)
    run, counting = _with_matching_texts(run, texts, counting, on_mismatch)
    assert run.start is not None and run.end is not None
    units = UnitsCache(texts, counting)
    start, end = run.start.copy(), run.end.copy()
    order = np.argsort(run.document, kind="stable")
    found, heads = np.unique(run.document[order], return_index=True)
    for code, rows in zip(found.tolist(), np.split(order, heads[1:]), strict=True):
        document, source = run.documents[code], run.source or run.tag
        start[rows], end[rows] = units.spans(document, start[rows], end[rows], rows, run.line, source)
    names = [texts.canonical(name) for name in run.documents]
    known = {name: code for code, name in enumerate(dict.fromkeys(names))}
    codes = np.array([known[name] for name in names], dtype=np.int64)
    return replace(run, start=start, end=end, documents=list(known), document=codes[run.document])


def _known_documents(run: Run, texts: Texts) -> None:
    for code, name in enumerate(run.documents):
        if name not in texts and len(rows := np.flatnonzero(run.document == code)):
            line = int(run.line[rows].min()) if run.line is not None else None
            raise texts.unknown(name, run.source or run.tag or None, line)


def _with_matching_texts(
    run: Run, texts: Texts, counting: Offsets, on_mismatch: Literal["error", "note"]
) -> tuple[Run, Offsets]:
    """Texts beside offsets compared with the documents and dropped; and what the offsets are seen to count."""
    start, end, line = run.start, run.end, run.line
    if not run.quoted or line is None or start is None or end is None:
        return run, counting
    from berrypick.corpus import text_check

    spans = zip(run.document.tolist(), start.tolist(), end.tolist(), strict=True)
    stated = text_check.stated_by_document(
        (run.documents[code], text_check.Stated(row, low, high, run.quoted[row]))
        for row, (code, low, high) in enumerate(spans)
        if row in run.quoted
    )
    check = text_check.check_texts(stated, texts, counting)

    def where(row: int) -> tuple[str, int | None]:
        position = int(np.searchsorted(run.bounds, row, side="right")) - 1
        return f"{run.topics[position]}, rank {int(run.rank[row]) + 1}", int(line[row])

    notes = text_check.refuse_or_note(check, texts, where, run.source or run.tag, on_mismatch, "text")
    if check.ends:
        end = end.copy()
        end[list(check.ends)] = list(check.ends.values())
    return replace(run, end=end, quoted={}, notes=(*run.notes, *notes)), check.counting


class UnitsCache:
    """Units of each document, made once."""

    def __init__(self, texts: Texts, counting: Offsets) -> None:
        self.texts, self.counting = texts, counting
        self.known: dict[str, Units] = {}

    def of(self, document: str) -> Units:
        if document not in self.known:
            marked = self.counting.endswith("+bom") and self.texts.has_mark(document)
            self.known[document] = Units(self.texts[document], self.counting, marked)
        return self.known[document]

    def spans(
        self, document: str, start: Positions, end: Positions, rows: IntArray, line: IntArray | None, source: str
    ) -> tuple[IntArray, IntArray]:
        units = self.of(document)
        what = UNIT_NAMES[self.counting.partition("+")[0]]

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
