"""Results whose document is called by a name that a program made, or not named at all: which document they are in.

The names of the documents decide: those of the texts, or else those that were judged. A result is called by the file in
its metadata where a document has that name, and else found by its text. Both are counted.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

import numpy as np

from berrypick.core.errors import InputError, option
from berrypick.core.run import Run
from berrypick.core.words import counted
from berrypick.documents.quotes import Quotes, finder, located_run
from berrypick.documents.texts import Texts

CALLED_BY_FILE = "{} called by the file of the document, which has an id for a name"
FOUND_BY_TEXT = "{} found by the text, in any document: the id is none of a document"
#: The name of a document that a run does not name.
UNNAMED = ""


def placed_run(run: Run, texts: Texts | None, judged: Container[str], quotes: Quotes, spans: bool) -> Run:
    """A run whose results are in documents that are known. ``spans``: whether parts of documents are judged, so that
    results are places in them."""
    if not run.quoted and not run.other_names:  # only a text says which document a result is in
        return run
    run = _with_known_names(run, judged if texts is None else texts, texts is not None)
    unnamed = run.uncoded is None and UNNAMED in run.documents  # plain lists name every document
    if texts is None:
        if unnamed:
            raise _needs_documents(run)
        return run
    if run.quoted and run.start is None and (spans or unnamed):
        run = located_run(run, texts, quotes)
        return run if spans else replace(run, start=None, end=None)
    if not unnamed:
        return run
    found: Run = finder().documents_of(run, texts, quotes)
    return found


def _needs_documents(run: Run) -> InputError:
    row = int(np.flatnonzero(run.document == list(run.documents).index(UNNAMED))[0])
    line = None if run.line is None else int(run.line[row])
    remedy = f"give the documents to find it in with {option('documents')}, or name its document"
    what = "a result has no document, only its text"
    return InputError(what, path=run.source or run.tag or None, line=line, remedy=remedy)


def _with_known_names(run: Run, known: Container[str], texts: bool) -> Run:
    """Names that a program made become those of files, or none where there are texts to look in."""
    if not run.other_names:
        return run
    names, files, unnamed = list(run.documents), set[int](), set[int]()
    for code, name in enumerate(names):
        if name not in run.other_names or name in known:
            continue
        if (file := next((other for other in run.other_names[name] if other in known), None)) is not None:
            names[code] = file
            files.add(code)
        elif texts and all(row in run.quoted for row in np.flatnonzero(run.document == code).tolist()):
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
    return replace(
        run, documents=list(known_as), document=recoded[run.document], other_names={}, notes=(*run.notes, *said)
    )
