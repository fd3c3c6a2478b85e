"""The texts of documents: a folder of text or PDF files, JSON Lines with ``doc`` (or BEIR's ``_id``) and ``text``, or
a file of another format that holds them, such as SQuAD.

Offsets count the characters (Unicode code points) of a text as it is in the file: line ends are not translated, so a
carriage return is a character; a byte order mark at the start of a file is none, unless offsets are said or seen to
count it. U+FEFF in a string of JSON or Python is a character like any other. Offsets that count bytes of UTF-8 or
UTF-16 units, as other languages do, are converted here.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike, fspath
from typing import Any, TypeVar

from berrypick.data.collection import Collection
from berrypick.data.errors import InputError, UsageError, nearest, nesting_refused, shorten
from berrypick.data.words import counted
from berrypick.documents.lazy import OfDocuments
from berrypick.documents.near_names import near_match
from berrypick.documents.pdf_texts import is_pdf, pdf_texts
from berrypick.documents.squad_texts import is_squad, squad_texts
from berrypick.files.files import head, members, read_whole, reusable
from berrypick.files.problems import Problems
from berrypick.rows.json_lines import records
from berrypick.rows.valid_names import name_problem

T = TypeVar("T")
#: How the names of retrieved texts begin that are in none of the documents.
NOT_IN_DOCUMENTS = "not in the documents"
#: How an address or an absolute path begins.
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[A-Za-z]:[\\/]|/|\\\\")
#: Files in a folder of texts that are no texts.
_PASSED_OVER = (".gz", ".zip", ".png", ".jpg", ".jpeg", ".gif", ".parquet", ".pyc", ".db", ".sqlite")


class Texts(Mapping[str, str]):
    """Document to text; files are read at first use.

    Parameters
    ----------
    named : mapping
        Texts that are there already.
    files : mapping, optional
        Files of texts that wait.
    source : str
        Where they come from, for messages.

    Examples
    --------
    >>> import berrypick as bp
    >>> texts = bp.Texts({"guide": "Cut the old canes."})
    >>> texts, len(texts["guide"])
    (Texts(1 document), 18)
    """

    #: What a person should know of how they were read.
    notes: tuple[str, ...] = ()

    def __init__(self, named: Mapping[str, str], files: Mapping[str, str] | None = None, source: str = "") -> None:
        self._known = dict(named)
        self._files = dict(files or {})
        self._kept: dict[tuple[str, str], Any] = {}
        self._marked: set[str] = set()
        self._unplaced: dict[str, str] = {}
        self.source = source

    def __repr__(self) -> str:
        return f"Texts({counted(len(self), 'document')}{f', {self.source!r}' if self.source else ''})"

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def kept(self, what: str, document: str, make: Callable[[str], T]) -> T:
        """Something that is worked out from a text once."""
        if (what, document) not in self._kept:
            self._kept[what, document] = make(self.text(document))
        return self._kept[what, document]

    def name_unplaced(self, text: str) -> str:
        """Return the name under which a retrieved text that is in none of the documents counts as one of its own.

        Lookups find it, so that its length and its tokens are known; iteration and the number of documents leave it
        out. A text has the same name wherever it is retrieved, and no document has that name.
        """
        shown, number = f"{NOT_IN_DOCUMENTS}: {shorten(text, 40)}", 1
        name = shown
        while self._unplaced.get(name, text) != text or (name not in self._unplaced and name in self):
            number += 1
            name = f"{shown} ({number})"
        self._unplaced[name] = text
        return name

    @property
    def unplaced(self) -> Mapping[str, str]:
        """Retrieved texts that are in none of the documents, by their names."""
        return self._unplaced

    def __getitem__(self, document: str) -> str:
        if document in self._unplaced:
            return self._unplaced[document]
        document = self.canonical(document)
        if document not in self._known:
            self._known[document], marked = _decoded(self._files[document])
            if marked:
                self._marked.add(document)
        return self._known[document]

    def has_mark(self, document: str) -> bool:
        """Return whether the file of a document begins with a byte order mark, which is no part of the text."""
        self.text(document)
        return self.canonical(document) in self._marked

    def __contains__(self, document: object) -> bool:
        if self._has(document) or document in self._unplaced:
            return True
        return isinstance(document, str) and self.by_path(document) is not None

    def _has(self, document: object) -> bool:
        """Whether a document has this very name."""
        return document in self._known or document in self._files

    def by_path(self, document: str) -> str | None:
        """Find the document that a path or address elsewhere stands for: ``s3://bucket/guide.md`` is ``guide.md``.

        The one whose name the path ends with; of an address or an absolute path also the only one with its last part.
        """
        if "/" not in document and "\\" not in document:
            return None
        if self._has(document):
            return None
        parts = [part for part in document.replace("\\", "/").split("/") if part]
        for i in range(1, len(parts)):
            if self._has(name := "/".join(parts[i:])):
                return name
        found = self._last_parts.get(parts[-1], []) if parts and _ELSEWHERE.match(document) else []
        return found[0] if len(found) == 1 else None

    @cached_property
    def _last_parts(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self:
            found.setdefault(name.rpartition("/")[2], []).append(name)
        return found

    def path_note(self, documents: Iterable[str]) -> str:
        """Return a note on documents that are called by paths; '' if none is."""
        matched = {name: found for name in dict.fromkeys(documents) if (found := self.by_path(name)) is not None}
        if not matched:
            return ""
        name, found = next(iter(matched.items()))
        return f"{counted(len(matched), 'document')} matched by the end of a path ({name} as {found})"

    def __iter__(self) -> Iterator[str]:
        yield from self._files or self._known

    def __len__(self) -> int:
        return len(self._files or self._known)

    def canonical(self, document: str) -> str:
        """Return the one name of a document that may be called by several."""
        if document in self._unplaced:
            return document
        return document if self._has(document) else self.by_path(document) or document

    def text(self, document: str, path: str | None = None, line: int | None = None) -> str:
        """Return the text of a document that a file names; an error that says where if it is not there."""
        if document not in self:
            raise self.unknown(document, path, line)
        return self[document]

    def unknown(self, document: str, path: str | None = None, line: int | None = None) -> InputError:
        """Make the error for a document that has no text."""
        near = near_match([document], list(self), files=True)
        if near is not None:
            close = f"; it has one that differs in {near.why} ({near.shown('here', 'there')})"
        else:
            some = ", ".join(list(self)[:5]) + ", ..." * (len(self) > 5)
            close = nearest(document, list(self)) or f"; it has {some}"
        what = f"document {document} is not in {self.source or 'the documents given'}{close}"
        remedy = "documents are named by their file path relative to the folder, with or without extension"
        return InputError(what, path=path, line=line, remedy=remedy)

    @cached_property
    def collection(self) -> Collection:
        """How long they are."""
        return Collection(_Lengths(self), self.source)


class _Lengths(OfDocuments[float]):
    def __getitem__(self, document: str) -> float:
        return float(len(self._source[document]))


def read_texts(path: Texts | Mapping[str, str] | str | PathLike[str]) -> Texts:
    """Read the texts of documents.

    Parameters
    ----------
    path : Texts, mapping, str or path
        A folder of text or PDF files, a file of JSON Lines with doc and text, or a mapping of document to text.

    Returns
    -------
    Texts
        A mapping of document to text; files are read at first use.

    Examples
    --------
    >>> import berrypick as bp
    >>> texts = bp.read_texts({"guide": "Cut the old canes."})
    >>> texts["guide"][:3]
    'Cut'
    """
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
    if is_pdf(name):
        texts, notes = pdf_texts({os.path.basename(name): name}, name)
        return _Folder({}, {_stem(one): one for one in texts}, name, texts, texts, notes)
    with reusable(name), nesting_refused(name):
        return Texts(squad_texts(name), source=name) if is_squad(head(name)) else _lines(name)


def _folder(folder: str) -> Texts:
    """A document is called by the path of its file below the folder; without the ending too, where that is clear."""
    from pathlib import Path  # loads urllib

    files: dict[str, str] = {}
    pdfs: dict[str, str] = {}
    every: list[str] = []
    for path in members(folder, lambda name: not name.startswith(".") and not name.lower().endswith(_PASSED_OVER)):
        document = Path(os.path.relpath(path, folder)).as_posix()
        (pdfs if is_pdf(document) else files)[document] = path
        every.append(document)
    if not files and not pdfs:
        raise InputError("holds no text or PDF files", path=folder, remedy="give the folder of the documents")
    stems = {document: _stem(document) for document in every}
    of_texts = {stems[document] for document in files}
    twins = {document for document in pdfs if stems[document] in of_texts}  # somebody has extracted their texts
    waiting = {document: path for document, path in pdfs.items() if document not in twins}
    texts, notes = _of_pdfs(waiting, folder, optional=bool(files))
    if twins:
        example = f"such as {min(twins)}"
        notes.append(f"{counted(len(twins), 'PDF file')} skipped beside text files of the same name, {example}")
    short: dict[str, list[str]] = {}
    kept = dict.fromkeys(document for document in every if document in files or document in texts)
    for document in kept:
        if stems[document] != document:
            short.setdefault(stems[document], []).append(document)
    aliases = {stem: names[0] for stem, names in short.items() if len(names) == 1 and stem not in kept}
    return _Folder(files, aliases, folder, texts, kept, notes)


def _stem(document: str) -> str:
    """A name without its ending; a name without an ending is its own."""
    folder, slash, name = document.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    return f"{folder}{slash}{stem}" if dot and stem else document


def _of_pdfs(files: Mapping[str, str], folder: str, optional: bool) -> tuple[dict[str, str], list[str]]:
    """The texts of the PDF files of a folder; beside text files they are ``optional``: a note says what is missing."""
    if not files:
        return {}, []
    try:
        return pdf_texts(files, folder)
    except (UsageError, InputError) as error:
        if not optional:
            raise
        return {}, [f"{counted(len(files), 'PDF file')} skipped: {error.lines[0]}"]


class _Folder(Texts):
    """The files of a folder; names without endings lead there as well, but are not listed."""

    def __init__(
        self,
        files: Mapping[str, str],
        aliases: Mapping[str, str],
        source: str,
        texts: Mapping[str, str],
        names: Iterable[str],
        notes: Iterable[str],
    ) -> None:
        super().__init__(texts, files, source)
        self._aliases, self.notes = dict(aliases), tuple(notes)
        self._names = tuple(names)

    def _has(self, document: object) -> bool:
        return document in self._files or document in self._known or document in self._aliases

    def __iter__(self) -> Iterator[str]:
        yield from self._names

    def __len__(self) -> int:
        return len(self._names)

    def canonical(self, document: str) -> str:
        found = super().canonical(document)
        return self._aliases.get(found, found)


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
            remedy = f"expected a folder of text files, or lines like {json.dumps({'doc': 'a', 'text': '...'})}"
            raise InputError("doc or text is missing", path=path, line=number, text=text, remedy=remedy)
        if problem := name_problem(document):
            raise InputError(f"doc contains {problem}", path=path, line=number, text=text)
        if document in found:
            raise InputError(f"duplicate document {document}", path=path, line=number)
        found[document] = content
    if not found:
        raise InputError("holds no documents", path=path)
    return Texts(found, source=path)


def checksum(text: str) -> str:
    """A short name for the content of a text."""
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
