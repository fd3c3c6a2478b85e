"""Results whose document is called by a name that a program made, or not named at all: which document they are in.

The names of the documents decide: those of the texts, or else those that were judged. A result is called by the file in
its metadata where a document has that name, and else found by its text. Both are counted. Results without offsets are
where their texts are.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from berrypick.data.columns import Coded, unpacked
from berrypick.data.errors import InputError, option
from berrypick.data.run import Run
from berrypick.data.strings import settled
from berrypick.data.words import counted
from berrypick.documents.checked import known_documents
from berrypick.documents.quotes import OnMismatch, Quotes
from berrypick.documents.texts import Texts
from berrypick.documents.unplaced import (
    JudgedPlaces,
    SoughtText,
    TextPlace,
    Unplaced,
    refuse_or_note,
    unplaced_rows,
)

CALLED_BY_FILE = "{} matched by the file name of the document, which has an id as its name"
FOUND_BY_TEXT = "{} found by their text, in any document: the id is not a document's"
#: The name of a document that a run does not name.
UNNAMED = ""


def named_run(run: Run, texts: Texts | None, judged: Container[str]) -> Run:
    """A run whose results are in documents that are known, or in one that their texts will show."""
    run = _with_known_names(run, judged if texts is None else texts, texts is not None)
    if texts is None and is_unnamed(run):
        raise _needs_documents(run)
    return run


def placed_run(run: Run, texts: Texts, quotes: Quotes) -> Run:
    """A run whose results are places in documents; one whose text has no place, or several, is an error."""
    if run.texts.strings:
        run = settled(run, (texts,))
    if not run.texts.quoted and not run.texts.other_names:  # only a text says which document a result is in
        return run
    run = named_run(run, texts, ())
    if run.texts.quoted and run.start is None:
        from berrypick.documents.locator import located_run

        return located_run(run, texts, quotes)
    return with_documents(run, [], texts, quotes, strict=True)[0]


def is_unnamed(run: Run) -> bool:
    """Whether some results do not name their documents; plain lists name every one."""
    return run.uncoded is None and UNNAMED in run.documents


def waiting_rows(run: Run, spans: bool) -> list[int]:
    """Rows whose text needs a place: all of a run without offsets where parts of documents are judged (``spans``), else
    those that name no document; of a run with offsets those without any."""
    if not run.texts.quoted:
        return []
    if run.start is not None:
        return sorted(row for row in run.texts.quoted if run.start[row] < 0)
    if not spans and not is_unnamed(run):
        return []
    rows = range(run.size()) if spans else _unnamed_rows(run)
    for row in rows:
        if row not in run.texts.quoted:
            line = None if run.line is None else int(run.line[row])
            what = "has neither offsets nor text; other lines have text"
            raise InputError(what, path=run.source or run.tag or None, line=line)
    return list(rows)


def _unnamed_rows(run: Run) -> list[int]:
    found: list[int] = np.flatnonzero(run.document == list(run.documents).index(UNNAMED)).tolist()
    return found


def with_documents(
    run: Run,
    waiting: list[int],
    texts: Texts,
    quotes: Quotes,
    on_mismatch: OnMismatch = "error",
    strict: bool = False,
) -> tuple[Run, list[int]]:
    """Results with text and offsets that name no document, each in the one that has the text there.

    Those whose text several documents have there wait as well, unless that is an error (``strict``), and all of them
    where texts are to be located whatever their offsets.
    """
    if not is_unnamed(run):
        return run, waiting
    rows = sorted({*_unnamed_rows(run)} - {*waiting})
    if on_mismatch == "locate":
        return run, sorted([*waiting, *(row for row in rows if row in run.texts.quoted)])
    if not rows:
        return run, waiting
    from berrypick.documents.unnamed_documents import name_documents

    found = name_documents(run, rows, texts, quotes, strict)
    return found[0], sorted([*waiting, *found[1]])


@dataclass(frozen=True)
class TextRules:
    """How the texts of results are placed, and what happens to those without a place."""

    quotes: Quotes = "exact"
    unplaced: Unplaced | None = None
    judged: JudgedPlaces = field(default_factory=lambda: JudgedPlaces(None))


def with_text_places(run: Run, rows: Sequence[int], texts: Texts, rules: TextRules) -> Run:
    """A run whose results in ``rows`` are where their texts are; texts without a place are documents of their own."""
    among = np.zeros(run.size(), dtype=bool)
    among[[row for row in rows if run.documents[int(run.document[row])]]] = True
    known_documents(run, texts, among)
    topics = np.searchsorted(run.bounds, np.array(rows, dtype=np.int64), side="right") - 1
    sought = [
        SoughtText(
            run.topics[topic], run.texts.quoted[row], run.documents[int(run.document[row])] or None, _start(run, row)
        )
        for row, topic in zip(rows, topics.tolist(), strict=True)
    ]
    from berrypick.documents.text_places import count_looser, find_texts

    places: dict[int, TextPlace] = dict(zip(rows, find_texts(sought, texts, rules.quotes, rules.judged), strict=True))
    lost = unplaced_rows(run, places)
    without = [one for one, row in zip(sought, rows, strict=True) if not places[row].document]
    notes = refuse_or_note(run, lost, rules.unplaced, lambda: count_looser(without, texts))
    if prefixed := sum(place.prefix for place in places.values()):
        what = (
            "has a prefix that is not in the document"
            if prefixed == 1
            else "have a prefix that is not in the documents"
        )
        notes = [*notes, f"{counted(prefixed, 'result')} {what}; the rest of the text counts"]
    return _moved(run, places, texts).changed(unplaced=tuple(lost), notes=(*run.notes, *notes))


def _start(run: Run, row: int) -> int | None:
    start = None if run.start is None else run.start[row].item()
    return None if start is None or start < 0 else int(start)


def _moved(run: Run, places: Mapping[int, TextPlace], texts: Texts) -> Run:
    names = [run.documents[code] for code in run.document.tolist()]
    size = run.size()
    start = np.zeros(size, dtype=np.int64) if run.start is None else unpacked(run.start).astype(np.int64)
    end = np.zeros(size, dtype=np.int64) if run.end is None else unpacked(run.end).astype(np.int64)
    for row, place in places.items():
        if place.document:
            names[row], start[row], end[row] = place.document, place.start, place.end
        else:
            text = run.texts.quoted[row]
            names[row], start[row], end[row] = texts.name_unplaced(text), 0, len(text)
    known = {name: code for code, name in enumerate(dict.fromkeys(names))}
    return run.changed(
        names=Coded(list(known), np.array([known[name] for name in names], dtype=np.int64)),
        start=start,
        end=end,
        quoted={row: text for row, text in run.texts.quoted.items() if row not in places},
        of_text=False,
    )


def _needs_documents(run: Run) -> InputError:
    row = int(np.flatnonzero(run.document == list(run.documents).index(UNNAMED))[0])
    line = None if run.line is None else int(run.line[row])
    remedy = f"give the documents to find it in with {option('documents')}, or name its document"
    what = "a result has no document, only its text"
    return InputError(what, path=run.source or run.tag or None, line=line, remedy=remedy)


def _with_known_names(run: Run, known: Container[str], texts: bool) -> Run:
    """Names that a program made become those of files, or none where there are texts to look in."""
    if not run.texts.other_names:
        return run
    names, files, unnamed = list(run.documents), set[int](), set[int]()
    for code, name in enumerate(names):
        if name not in run.texts.other_names or name in known:
            continue
        if (file := next((other for other in run.texts.other_names[name] if other in known), None)) is not None:
            names[code] = file
            files.add(code)
        elif texts and all(row in run.texts.quoted for row in np.flatnonzero(run.document == code).tolist()):
            names[code] = UNNAMED
            unnamed.add(code)
    said = []
    for codes, note in ((files, CALLED_BY_FILE), (unnamed, FOUND_BY_TEXT)):
        if count := int(np.isin(run.document, list(codes)).sum()):
            said.append(note.format(counted(count, "result")))
    if not said:
        return run
    known_as = {name: code for code, name in enumerate(dict.fromkeys(names))}
    recoded = np.array([known_as[name] for name in names], dtype=np.int64)
    return run.changed(names=Coded(list(known_as), recoded[run.document]), other_names={}, notes=(*run.notes, *said))
