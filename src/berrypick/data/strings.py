"""Strings in lists of results: names of documents, or texts."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from berrypick.data.columns import Coded
from berrypick.data.run import Run

#: A longer string, or one of more words, is not the name of a document.
LONGEST_NAME = 200
_WORDS_OF_NAME = 6


def is_text(string: str) -> bool:
    """Whether a string looks like text, and not like the name of a document."""
    return "\n" in string or len(string) > LONGEST_NAME or len(string.split()) > _WORDS_OF_NAME


def settled(
    run: Run, known: Sequence[Container[str]], *, documents: bool = False, texts: bool = True, named: bool = False
) -> Run:
    """Return a run of strings as names of documents, or as texts to look up.

    Where documents are judged (``documents``), strings are names, unless none of them is known and all can be looked
    up. Where text is judged they are texts, unless all of them are names. ``known``: names of documents; ``texts``:
    whether there are documents to look in; ``named``: whether an option says that results are whole documents.
    """
    strings = [*dict.fromkeys(run.texts.quoted.values() if run.texts.quoted else run.documents)]
    are_known = (any(string in names for names in known) for string in strings)
    as_names = any(are_known) if documents else all(are_known)
    if not as_names and not texts and (documents or named):  # nothing to look in, and nobody knows the names
        as_names = not any(map(is_text, strings))
    if as_names == (not run.texts.quoted):
        return run.changed(strings=False)
    if as_names:
        column = [run.texts.quoted[row] for row in range(run.size())]
        codes = {name: code for code, name in enumerate(strings)}
        document = np.array([codes[name] for name in column], dtype=np.int64)
        return run.changed(names=Coded(strings, document), quoted={}, strings=False)
    quoted = {row: run.documents[code] for row, code in enumerate(run.document.tolist())}
    return run.changed(
        names=Coded([""], np.zeros(run.size(), dtype=np.int64)), quoted=quoted, other_names={}, strings=False
    )
