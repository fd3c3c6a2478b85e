"""Judged pages in columns, as qrels have them, with the boxes on them."""

from __future__ import annotations

from typing import Any, ClassVar

from berrypick.files.files import content
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows

_COLUMNS = 5


class PageQrels(TruthRecords):
    """Judged pages, one per line: topic, an unused column, document, ``page=N``, grade, perhaps ``box=x0,y0,x1,y1``.

    Pages count from 1. A page without a box is relevant as a whole. ``size=WIDTHxHEIGHT`` is the size of the page.

    Sample::

        1 0 berries.pdf page=3 1 box=64,274,546,389 size=612x792
        1 0 berries.pdf page=9 0
    """

    format_name: ClassVar[str] = "page-qrels"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ("page=",)
    words: ClassVar[int] = 5
    shape: ClassVar[str] = "1 0 berries.pdf page=3 1 box=64,274,546,389"

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        words = lines[0].split()
        return len(words) >= _COLUMNS and words[3].startswith("page=") and words[3][5:].isdigit()

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text in content(path, problems):
            words = text.split()
            if len(words) < _COLUMNS or not words[3].startswith("page="):
                problems.report(f"has {len(words)} columns", number, text, f"expected {cls.shape}")
                continue
            row: dict[str, Any] = {"topic": words[0], "doc": words[2]}
            row["page"], row["grade"] = _number(words[3][5:]), _number(words[4])
            if not _add_more(row, words[_COLUMNS:]):
                problems.report("has something else than box= and size= after the grade", number, text, cls.shape)
                continue
            yield number, text, row


def _add_more(row: dict[str, Any], words: list[str]) -> bool:
    for word in words:
        name, _, value = word.partition("=")
        if name == "box" and "box" not in row:
            row["box"] = [_number(edge) for edge in value.split(",")]
        elif name == "size" and "page_size" not in row:
            row["page_size"] = [_number(edge) for edge in value.split("x")]
        else:
            return False
    return True


def _number(text: str) -> Any:
    """A number; other words are left to the checks of the fields."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
