"""Rows without offsets that are placed by their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import NoneType
from typing import TYPE_CHECKING

from berrypick.data.errors import InputError
from berrypick.data.truth import Quote
from berrypick.documents.locator import Locator, Unresolved, UnresolvedQuotes
from berrypick.documents.quotes import check_quotes
from berrypick.documents.texts import Texts
from berrypick.inputs.text_search import TextSearch

if TYPE_CHECKING:
    from berrypick.inputs.column_tables import ColumnTable


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
