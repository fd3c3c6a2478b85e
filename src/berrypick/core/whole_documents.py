"""Numbers that count whole documents although parts of them are judged: 1.0 for text that never touches an answer.

One note says so, wherever results go. Gates and evaluators refuse such a number; whatever hands on numbers without
their notes warns.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable

from berrypick.core.errors import BerrypickWarning, UsageError
from berrypick.core.results import Note, merge_notes

KIND = "whole documents"
#: The field of a signature that says what was judged, where a measure counts whole documents instead.
FIELD = "judged"


def whole_documents_note(measure: str, instead: str, units: str, run: str = "") -> Note:
    """The note on a measure, with the measure that counts what was judged."""
    text = f"counts whole documents, each at its best rank and relevant if any text in it is; {instead} counts {units}"
    return Note(KIND, text, run, measure)


def refuse_whole_documents(notes: Iterable[Note], what: str, measures: Collection[str] | None = None) -> None:
    """Refuse what would rest on such a number: of any measure, or of some."""
    for note in notes:
        if note.kind == KIND and (measures is None or note.measure in measures):
            raise UsageError(f"{note.measure} {note.text}. {what} would take text that never touches an answer for it")


def warn_of_whole_documents(notes: Iterable[Note], runs: int, measures: Collection[str] | None = None) -> None:
    """Warn the caller of the caller, who sees numbers without notes."""
    told = [note for note in notes if note.kind == KIND and (measures is None or note.measure in measures)]
    for note in merge_notes(told, runs):
        warnings.warn(str(note), BerrypickWarning, stacklevel=3)
