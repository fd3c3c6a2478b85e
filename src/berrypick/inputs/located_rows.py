"""What evaluations ask of quotes: where they stand, in which document, and why they are not where they should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import NoneType

import numpy as np

from berrypick.addons.adopt.locator import Locator, Unresolved, UnresolvedQuotes, located_run, located_truth
from berrypick.addons.adopt.text_patterns import diagnose
from berrypick.core.errors import InputError
from berrypick.core.run import Run
from berrypick.core.truth import Quote
from berrypick.core.words import counted
from berrypick.documents.placed import UNNAMED
from berrypick.documents.quotes import Quotes, check_quotes
from berrypick.documents.texts import Texts
from berrypick.inputs.column_tables import ColumnTable, TextSearch


def with_documents(run: Run, texts: Texts, quotes: Quotes) -> Run:
    """Name the document of results with offsets and text that name none: the one that has the text there."""
    assert run.start is not None
    locator, source = Locator(texts, quotes), run.source or run.tag
    code = list(run.documents).index(UNNAMED)
    locator.expect((text, None) for row, text in run.quoted.items() if run.document[row] == code)
    names, problems = [run.documents[int(one)] for one in run.document], list[InputError]()
    rows = np.flatnonzero(run.document == code).tolist()
    topics = np.repeat(np.arange(len(run.topics)), np.diff(run.bounds))
    for row in rows:
        line = None if run.line is None else int(run.line[row])
        if row not in run.quoted:
            problems.append(InputError("names no document, and has no text", path=source or None, line=line))
            continue
        quote = Quote(run.quoted[row], None, run.start[row].item(), line=line)
        found = locator.resolve(run.topics[int(topics[row])], quote, source)
        if isinstance(found, Unresolved):
            problems.append(found.error(texts, source))
        else:
            names[row] = found.document
    if problems:
        raise UnresolvedQuotes(problems, len(rows), source)
    known = {name: number for number, name in enumerate(dict.fromkeys(names))}
    note = f"{counted(len(rows), 'result')} in the document that has the text there; none is named"
    return replace(
        run,
        documents=list(known),
        document=np.array([known[name] for name in names], dtype=np.int64),
        notes=(*run.notes, note),
    )


def located_rows(table: ColumnTable, waiting: Sequence[int], texts: Texts, search: TextSearch) -> ColumnTable:
    """Give rows without offsets the places of their texts, which count what the offsets of other rows count."""
    locator, problems = Locator(texts, check_quotes(search.quotes)), list[InputError]()
    columns = {name: list(table.columns.get(name) or [None] * len(table)) for name in ("doc", "start", "end")}
    sought = ((table.columns["text"][row], columns["doc"][row]) for row in waiting)
    locator.expect((text, name) for text, name in sought if isinstance(text, str) and isinstance(name, (str, NoneType)))
    for row in waiting:
        text, document = table.columns["text"][row], columns["doc"][row]
        if not isinstance(text, str) or not text.strip():
            raise table.error(row, "text must be a non-empty string")
        if not isinstance(document, (str, NoneType)):
            raise table.error(row, "doc must be a text")
        where = table.place(row)
        hint = columns["start"][row] if search.offsets == "chars" else None
        place = locator.resolve(str(table.columns["topic"][row]), Quote(text, document, hint), where)
        if isinstance(place, Unresolved):
            problems.append(place.error(texts, where))
        else:
            columns["doc"][row] = place.document
            columns["start"][row], columns["end"][row] = search.convert(place.document, place.start, place.end)
    if problems:
        raise UnresolvedQuotes(problems, len(waiting), table.where)
    columns["text"] = list(table.columns["text"])
    for row in waiting:
        columns["text"][row] = None  # found, and so not to be checked
    return replace(table, columns={**table.columns, **columns})


class QuoteFinder:
    """Finds quoted text in documents, for truths and runs that quote.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = bp.Truth.from_records([{"topic": "1", "doc": "guide", "quote": "old canes"}])
    >>> texts = bp.read_texts({"guide": "Cut the old canes."})
    >>> bp.QuoteFinder.truth(truth, texts).to_dict()
    {'1': {'guide#8-17': 1}}
    """

    truth = staticmethod(located_truth)
    run = staticmethod(located_run)
    documents_of = staticmethod(with_documents)
    rows = staticmethod(located_rows)
    why = staticmethod(diagnose)
