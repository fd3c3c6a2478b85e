"""Places on pages: the page of each row, and the box on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray

#: Document and page, from 0.
Page = tuple[str, int]
#: A page from 0, the box on it (None: all of it), and the size of the page, where it is given.
Place = tuple[int, tuple[float, ...] | None, tuple[float, ...] | None]
_WHOLE = np.array([0.0, 0.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes on pages, row by row, as they are given, or in shares of their pages.

    Attributes
    ----------
    page
        The page of each row, counted from 0.
    box
        x0, y0, x1, y1 of each row, from the upper left corner of the page; nan for a whole page.
    size
        The width and height of the page, nan where they are not known. Boxes in shares keep them to be shown.
    shares
        Whether boxes are in shares of their pages, so that a page has the area 1.
    """

    page: IntArray
    box: FloatArray
    size: FloatArray
    shares: bool = False

    @classmethod
    def of(cls, rows: Sequence[tuple[int, Sequence[float] | None, Sequence[float] | None]]) -> Boxes:
        """From the page, box and page size of each row; None for a whole page, and for a size that is not known."""
        unknown = (np.nan,) * 4
        return cls(
            np.array([page for page, _, _ in rows], dtype=np.int64),
            np.array([unknown if box is None else box for _, box, _ in rows], dtype=np.float64).reshape(-1, 4),
            np.array([unknown[:2] if size is None else size for _, _, size in rows], dtype=np.float64).reshape(-1, 2),
        )

    @classmethod
    def joined(cls, parts: Sequence[Boxes]) -> Boxes:
        """The rows of several, of one unit, one after the other."""
        if not parts:
            return cls.of([])
        page, box, size = (
            np.concatenate(column) for column in zip(*((p.page, p.box, p.size) for p in parts), strict=True)
        )
        return cls(page, box, size, parts[0].shares)

    def __len__(self) -> int:
        return len(self.page)

    def __getitem__(self, rows: Any) -> Boxes:
        return Boxes(self.page[rows], self.box[rows], self.size[rows], self.shares)

    @cached_property
    def whole(self) -> BoolArray:
        """Which rows are whole pages."""
        if self.shares:
            return np.asarray((self.box == _WHOLE).all(axis=1), dtype=bool)
        return np.isnan(self.box[:, 0])

    @cached_property
    def sized(self) -> BoolArray:
        """Which rows have the size of their page."""
        return ~np.isnan(self.size[:, 0])

    @cached_property
    def areas(self) -> FloatArray:
        """The area of each row; of boxes in shares, that of a page is 1."""
        width, height = self.box[:, 2] - self.box[:, 0], self.box[:, 3] - self.box[:, 1]
        return np.asarray(np.maximum(width, 0) * np.maximum(height, 0), dtype=np.float64)

    def extent(self) -> tuple[FloatArray, FloatArray]:
        """Where rows begin and end along the document, in pages: from the top of a box to its bottom."""
        if not self.shares:
            return self.page.astype(np.float64), (self.page + 1).astype(np.float64)
        return self.page + self.box[:, 1], self.page + self.box[:, 3]

    def middle(self) -> FloatArray:
        """Where the middle of each box lies along the document, in pages."""
        return np.asarray(self.page + (self.box[:, 1] + self.box[:, 3]) / 2, dtype=np.float64)

    def given(self, row: int) -> tuple[int, list[float] | None, list[float] | None]:
        """The page from 1, the box and the page size of a row in the units of the file; None for what it has not."""
        size = self.size[row].tolist() if self.sized[row] else None
        if self.whole[row]:
            return int(self.page[row]) + 1, None, size
        box = self.box[row].tolist()
        if self.shares and size:  # as given, but for the last digits
            box = [float(f"{edge:.12g}") for edge in (self.box[row] * np.tile(self.size[row], 2)).tolist()]
        return int(self.page[row]) + 1, box, size

    def split(self, row: int, place: float) -> Boxes:
        """A row and its copy behind it, as the parts above and below a place along the document."""
        box = self.box.copy()
        box[row, 3] = box[row + 1, 1] = place - self.page[row]
        return Boxes(self.page, box, self.size, self.shares)

    def record(self, row: int) -> dict[str, Any]:
        """A row as lines of a file have it."""
        page, box, size = self.given(row)
        found: dict[str, Any] = {"page": page}
        if box is not None:
            found["box"] = [_plain(edge) for edge in box]
        return found if size is None else found | {"page_size": [_plain(edge) for edge in size]}

    def name(self, document: str, row: int) -> str:
        """How a place is written where a unit needs one name: ``document#page=4&box=366,229,514,383``."""
        page, box, _ = self.given(row)
        return f"{document}#page={page}" + ("" if box is None else f"&box={','.join(f'{edge:.12g}' for edge in box)}")

    def columns(self) -> list[FloatArray]:
        """What tells two places of a document apart."""
        whole = np.nan_to_num(self.box, nan=-1.0)
        return [self.page.astype(np.float64), *whole.T]


def overlap(one: Boxes, other: Boxes) -> bool:
    """Whether the first rows of two, in one unit and of one document, have a point in common."""
    touching = (one.box[0, :2] <= other.box[0, 2:]).all() and (other.box[0, :2] <= one.box[0, 2:]).all()
    return bool(one.page[0] == other.page[0] and touching)


def _plain(value: float) -> float:
    return int(value) if value.is_integer() else value
