"""Boxes of truth and runs brought into one unit: shares of their pages where sizes are known, else as they are given.

Boxes of a file that states no page size and has no coordinate above 1 are shares already. Pages of another size are
scaled only where both sides state it. Where the truth states none, areas count in the file's own units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.boxes import Boxes, Page
from berrypick.data.columns import unpacked
from berrypick.data.errors import InputError
from berrypick.data.run import Run
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted

#: Two sizes of a page are of one shape if their ratios differ by no more than this, as a share.
SHAPE = 0.01
_REMEDY = "give page_size, the width and height of the page, in every line"


@dataclass(frozen=True, eq=False)
class PageUnits:
    """What the boxes of a truth count in, and the sizes of its pages; its methods bring truth and runs into that unit.

    Attributes
    ----------
    shares
        Whether boxes are shares of their pages.
    sizes
        Width and height by document and page, from 0, where the truth gives them.
    source
        Where the truth is from, for messages.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.documents.pages.page_units import PageUnits
    >>> rows = [{"topic": "q", "doc": "a", "page": 1, "box": [0, 0, 50, 80], "page_size": [100, 200], "grade": 1}]
    >>> truth, units = PageUnits.of_truth(bp.Truth.from_records(rows))
    >>> truth.topics["q"].boxes.box.tolist()
    [[0.0, 0.0, 0.5, 0.4]]
    """

    shares: bool = True
    sizes: Mapping[Page, tuple[float, float]] = field(default_factory=dict)
    source: str = ""

    @classmethod
    def of_truth(cls, truth: Truth) -> tuple[Truth, PageUnits]:
        """Return a truth of boxes with these in shares of its pages, where their sizes are known."""
        topics = [topic for topic in truth.topics.values() if topic.boxes is not None]
        side = _FileBoxes(truth.source or "the truth")
        done = any(topic.boxes is not None and topic.boxes.shares for topic in topics)
        for topic in topics:
            assert topic.boxes is not None
            side.note_sizes(topic.document, topic.boxes)
        if done:
            return truth, cls(True, side.sizes, truth.source)
        shares = in_shares([topic.boxes for topic in topics if topic.boxes is not None])
        units = cls(shares or bool(side.sizes), side.sizes, truth.source)
        changed = {name: _topic_in_units(topic, side, units, shares) for name, topic in truth.topics.items()}
        notes = list(truth.notes)
        if shares and any((~topic.boxes.whole).any() for topic in topics if topic.boxes is not None):
            notes.append(_SHARES)
        if not units.shares:
            notes.append("no page_size is given: areas count in the units of the file, not in pages")
        return truth.changed(topics=changed, notes=(*notes, *side.notes(units))), units

    def of_run(self, run: Run) -> Run:
        """Return a run with its boxes in the units of the truth."""
        source = run.source or run.tag or "the run"
        if run.boxes is None:
            if not run.size():
                return replace(run, boxes=Boxes.of([]), start=np.zeros(0), end=np.zeros(0))
            what = "whole documents" if not run.points_into_documents else "offsets or elements"
            raise InputError(
                f"the truth judges places on pages, but the results are {what}", path=source, remedy=_PLACES
            )
        if run.boxes.shares and self.shares:
            return run
        side = _FileBoxes(source)
        names = [run.documents[code] for code in run.document.tolist()]
        side.note_sizes(names, run.boxes)
        shares = in_shares([run.boxes])
        if shares and not self.shares and not run.boxes.whole.all():
            what = f"boxes are shares of pages, but those of {self.source or 'the truth'} count in units of their own"
            raise InputError(what, path=source, remedy=_REMEDY)
        lines = None if run.line is None else unpacked(run.line).tolist()
        found = _converted(names, run.boxes, side, self, shares, lines)
        start, end = found.extent()
        said = [_SHARES] if shares and not run.boxes.whole.all() else []
        return run.changed(boxes=found, start=start, end=end, notes=(*run.notes, *said, *side.notes(self)))


@dataclass
class _FileBoxes:
    """The boxes of one file, and what became of them."""

    source: str
    sizes: dict[Page, tuple[float, float]] = field(default_factory=dict)
    scaled: int = 0
    assumed: int = 0
    beside: int = 0  # without a size, on pages whose size other lines of the file give
    cut: int = 0

    def note_sizes(self, names: Sequence[str], boxes: Boxes) -> None:
        for row in np.flatnonzero(boxes.sized).tolist():
            page, size = (names[row], int(boxes.page[row])), (float(boxes.size[row, 0]), float(boxes.size[row, 1]))
            known = self.sizes.setdefault(page, size)
            if known != size:
                _same_shape(page, known, size, self.source, self.source)
                self.scaled += 1

    def notes(self, units: PageUnits) -> list[str]:
        found = []
        if self.scaled:
            found.append(f"{counted(self.scaled, 'box', 'boxes')} on pages of another size of the same shape, scaled")
        if self.assumed:
            text = counted(self.assumed, "box", "boxes")
            found.append(f"{text} without page_size, read in the units of {units.source or 'the truth'}")
        if self.beside:
            text = counted(self.beside, "box", "boxes")
            found.append(f"{text} without page_size, read in the units of other lines on their pages")
        if self.cut:
            found.append(f"{counted(self.cut, 'box', 'boxes')} ran past the edge of the page, cut off there")
        return found


def _topic_in_units(topic: TopicTruth, side: _FileBoxes, units: PageUnits, shares: bool) -> TopicTruth:
    boxes = topic.boxes if topic.boxes is not None else Boxes.of([])
    lines = None if topic.line is None else topic.line.tolist()
    found = _converted(topic.document, boxes, side, units, shares, lines)
    start, end = found.extent()
    return replace(topic, boxes=found, start=start, end=end)


_PLACES = "give page, and box, in every line of the run"
_SHARES = "no coordinate is above 1 and no page_size is given: boxes are shares of their pages"


def in_shares(boxes: Sequence[Boxes]) -> bool:
    """Whether no page size is given and no coordinate is above 1."""
    return not any(one.sized.any() or (np.nan_to_num(one.box) > 1).any() for one in boxes)


def _converted(
    names: Sequence[str], boxes: Boxes, side: _FileBoxes, units: PageUnits, shares: bool, lines: list[int] | None
) -> Boxes:
    """Boxes in the units of the truth; whole pages are boxes as large as their pages."""
    box, size = boxes.box.copy(), boxes.size.copy()
    for row, name in enumerate(names):
        page = (name, int(boxes.page[row]))
        own = bool(boxes.sized[row])
        known = (float(size[row, 0]), float(size[row, 1])) if own else side.sizes.get(page)
        side.beside += known is not None and not own and not boxes.whole[row]
        there = units.sizes.get(page)
        if known is not None and there is not None and there != known:
            _same_shape(page, there, known, units.source or "the truth", side.source)
        if known is None and not shares:
            known = there
            side.assumed += known is not None and side.sizes is not units.sizes and not boxes.whole[row]
        if known is not None:
            size[row] = known
        try:
            if not own and not shares and known is not None:
                _check_not_shares(boxes.box[row], known)
            box[row] = _one(box[row], bool(boxes.whole[row]), known, units.shares, shares, side)
        except ValueError as error:
            line = None if lines is None else lines[row]
            text = boxes.name(name, row)
            raise InputError(f"{text}: {error}", path=side.source, line=line, remedy=_REMEDY) from None
    return Boxes(boxes.page, box, size, units.shares)


def _check_not_shares(box: FloatArray, size: tuple[float, float]) -> None:
    """A box of at most 1 x 1 beside larger pages may be in shares, which the file as a whole is not."""
    if min(size) > 1 and (box <= 1).all():
        shape = f"{size[0]:g} x {size[1]:g}"
        raise ValueError(f"no coordinate is above 1 and it has no page_size, on a page of {shape}: shares or units?")


def _one(
    box: FloatArray, whole: bool, size: tuple[float, float] | None, to_shares: bool, shares: bool, side: _FileBoxes
) -> FloatArray:
    if whole and to_shares:
        return np.array([0.0, 0.0, 1.0, 1.0])
    if whole and size is None:
        raise ValueError("a whole page beside boxes in units of their own has no known size")
    if whole:
        assert size is not None
        return np.array([0.0, 0.0, *size])
    if not to_shares:
        return box
    if not shares and size is None:
        raise ValueError("the size of its page is not known")
    found = box if shares else box / np.tile(np.array(size, dtype=np.float64), 2)
    inside = np.clip(found, 0.0, 1.0)
    if ((inside[:2] == inside[2:]) & (found[:2] < found[2:])).any():
        shape = "" if size is None else f", which is {size[0]:g} x {size[1]:g}"
        raise ValueError(f"it is outside its page{shape}")
    side.cut += bool((inside != found).any())
    return np.asarray(inside, dtype=np.float64)


def _same_shape(page: Page, one: tuple[float, float], other: tuple[float, float], first: str, second: str) -> None:
    """Two sizes of one page: an error unless they are of one shape."""
    if abs(one[0] * other[1] / (one[1] * other[0]) - 1) <= SHAPE:
        return
    where = f"in {first}" if first == second else f"in {first}, and another in {second}"
    sizes = f"{one[0]:g} x {one[1]:g} and {other[0]:g} x {other[1]:g}"
    what = f"page {page[1] + 1} of {page[0]} has two sizes of different shapes, {sizes}, {where}"
    raise InputError(what, remedy="correct page_size; sizes of one shape are scaled")
