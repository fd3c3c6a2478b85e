"""Results with offsets and text that name no document: the document that has the text there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from berrypick.data.columns import Coded
from berrypick.data.errors import InputError, option
from berrypick.data.run import Run
from berrypick.data.truth import Quote
from berrypick.data.words import counted
from berrypick.documents.locator import Locator, Unresolved, UnresolvedQuotes
from berrypick.documents.quotes import Quotes
from berrypick.documents.texts import Texts


def name_documents(
    run: Run, rows: Sequence[int], texts: Texts, quotes: Quotes, strict: bool = True
) -> tuple[Run, list[int]]:
    """Name the document of results with offsets and text that name none: the one that has the text there.

    Returns the run, and, unless that is an error (``strict``), the rows whose text several documents have there.
    """
    assert run.start is not None
    locator, source = Locator(texts, quotes), run.source or run.tag
    locator.expect((run.texts.quoted[row], None) for row in rows if row in run.texts.quoted)
    names, problems = [run.documents[int(one)] for one in run.document], list[InputError]()
    topics, left = np.repeat(np.arange(len(run.topics)), np.diff(run.bounds)), list[int]()
    for row in rows:
        line = None if run.line is None else int(run.line[row])
        if row not in run.texts.quoted:
            problems.append(InputError("has neither a document nor a text", path=source or None, line=line))
            continue
        quote = Quote(run.texts.quoted[row], None, run.start[row].item(), line=line)
        found = locator.resolve(run.topics[int(topics[row])], quote, source)
        if isinstance(found, Unresolved) and not strict and any(one.start == quote.start for one in found.candidates):
            left.append(row)
        elif isinstance(found, Unresolved):
            problems.append(found.error(texts, source))
        else:
            names[row] = found.document
    if problems:
        locate = f"{option('text_mismatch', 'locate')} finds each text in the documents instead, ignoring its offset"
        raise UnresolvedQuotes(problems, len(rows), source, *(() if strict else (locate,)))
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    named = counted(len(rows) - len(left), "result")
    notes = (*run.notes, f"{named} assigned to the document that has the text at these offsets")
    codes = np.array([known[name] for name in names], dtype=np.int64)
    found_run = run.changed(names=Coded(list(known), codes), notes=notes if len(left) < len(rows) else run.notes)
    return found_run, left
