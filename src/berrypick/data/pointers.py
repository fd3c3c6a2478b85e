"""Rows that point into documents: how the place of one is named and written as a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from berrypick.data.arrays import Positions

if TYPE_CHECKING:
    from berrypick.data.boxes import Boxes


def span_name(document: str, start: float, end: float, unit: str = "") -> str:
    """How a span is written where a unit needs one name: ``document#start-end``; lines as ``document:first-last``."""
    if unit == "lines":
        return f"{document}:{int(start) + 1}-{int(end)}" if end > start + 1 else f"{document}:{int(start) + 1}"
    return f"{document}#{start:.12g}-{end:.12g}"


def place_record(unit: str, start: float, end: float) -> dict[str, Any]:
    """A place by the names of fields that say what it counts; lines from 1, both included."""
    if unit == "lines":
        return {"start_line": int(start) + 1, "end_line": int(end)}
    return {"start_time": start, "end_time": end} if unit == "seconds" else {"start": start, "end": end}


class Pointers:
    """Rows with start and end, or with places on pages; subclasses have the columns."""

    start: Positions | None
    end: Positions | None
    boxes: Boxes | None
    unit: str

    def placed_name(self, document: str, row: int) -> str:
        """Return how the place of a row in a document is written."""
        if self.boxes is not None:
            return self.boxes.name(document, row)
        if self.start is None or self.end is None:
            return document
        return span_name(document, self.start[row], self.end[row], self.unit)

    def place(self, row: int) -> dict[str, Any]:
        """Return the place of a row by the names of fields; nothing for a whole document."""
        if self.boxes is not None:
            return self.boxes.record(row)
        if self.start is None or self.end is None:
            return {}
        return place_record(self.unit, self.start[row].item(), self.end[row].item())


class Records(Pointers):
    """Pointers as a sequence of dictionaries."""

    def __len__(self) -> int:
        raise NotImplementedError

    def record(self, row: int) -> dict[str, Any]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Go through the rows as dictionaries: doc, start and end or element, and score or grade."""
        return (self.record(row) for row in range(len(self)))

    def __getitem__(self, row: int) -> dict[str, Any]:
        return self.record(range(len(self))[row])
