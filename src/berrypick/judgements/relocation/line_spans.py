"""Spans of lines as characters of their documents, and back. Lines end with a line feed; a form feed ends none."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate

from berrypick.data.errors import InputError
from berrypick.data.truth import Quote
from berrypick.documents.locator import normal_form


class LineSpans:
    """The lines of documents: half open, from 0."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._starts: dict[str, list[int]] = {}

    def starts(self, document: str) -> list[int]:
        """Return where each line begins, and where one more would."""
        if document not in self._starts:
            lines = self._texts[document].split("\n")
            self._starts[document] = list(accumulate((len(line) + 1 for line in lines), initial=0))
        return self._starts[document]

    def count(self, document: str) -> int:
        """Return how many lines a document has; a last one without a character is none."""
        text = self._texts[document]
        return text.count("\n") + (not text.endswith("\n") if text else 0)

    def characters(self, document: str, first: int, last: int) -> tuple[int, int]:
        """Return where lines begin and end, without blank lines around them and without the line feed."""
        starts, text = self.starts(document), self._texts[document]
        start, end = starts[first], min(starts[last], len(text))
        inner = text[start:end].strip()
        if not inner:
            return start, start
        skipped = text[start:end].index(inner)
        return start + skipped, start + skipped + len(inner)

    def lines(self, document: str, start: int, end: int) -> tuple[int, int]:
        """Return the lines that some characters are on."""
        starts = self.starts(document)
        return bisect_right(starts, start) - 1, bisect_right(starts, max(start, end - 1))

    def blank_around(self, document: str, first: int, last: int) -> tuple[int, int]:
        """Return how many of some lines are blank before the first other one, and after the last."""
        lines = [bool(line.strip()) for line in self._texts[document].split("\n")[first:last]]
        if True not in lines:
            return 0, 0
        return lines.index(True), lines[::-1].index(True)

    def widened(self, document: str, first: int, last: int, blank: tuple[int, int]) -> tuple[int, int]:
        """Return lines with as many blank lines around them, where there are some."""
        lines, (before, after) = self._texts[document].split("\n"), blank
        while before and first and not lines[first - 1].strip():
            first, before = first - 1, before - 1
        while after and last < self.count(document) and not lines[last].strip():
            last, after = last + 1, after - 1
        return first, last

    def check(self, document: str, first: int, last: int, path: str, line: int | None) -> None:
        """Refuse lines that a document does not have."""
        if last > self.count(document):
            what = f"{document} has {self.count(document)} lines, but lines {first + 1} to {last} are judged"
            remedy = "give the texts that the judgements were made on"
            raise InputError(what, path=path or None, line=line, remedy=remedy)

    def check_quote(self, quote: Quote, path: str) -> None:
        """Refuse a quote that is not on its lines."""
        assert quote.document is not None and quote.start is not None and quote.end is not None
        first, last = int(quote.start), int(quote.end)
        self.check(quote.document, first, last, path, quote.line)
        starts = self.starts(quote.document)
        there = self._texts[quote.document][starts[first] : starts[last]]
        if normal_form(quote.text).strip() not in normal_form(there):
            what = f"the quote is not on lines {first + 1} to {last} of {quote.document}"
            remedy = "give the texts that the judgements were made on"
            raise InputError(what, path=path or None, line=quote.line, remedy=remedy)
