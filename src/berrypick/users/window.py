"""window: the reader also gets the text around a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from berrypick.data.boxes import Boxes
from berrypick.data.errors import UsageError
from berrypick.data.parameters import positive_share, zero_or_more
from berrypick.data.run import Ranking
from berrypick.users.base import ContextModel, ReaderContext, Slider


@dataclass(frozen=True)
class Window(ContextModel):
    """The reader, or the pipeline, also gets the text before and after a result; otherwise as classical.

    Effort: the length of the widened region. It ends where the document ends, if its length is known (from the
    documents or the collection).
    """

    depends_on: ClassVar[tuple[str, ...] | None] = ("lengths", "tokenizer")
    #: Each half comes with text around it.
    breaks: ClassVar[tuple[str, ...]] = ("split-span",)
    reads_areas: ClassVar[bool] = True
    slider: ClassVar[Slider | None] = (("before", "after"), (0, 30, 100, 300, 1000))

    before: float = zero_or_more(100, "number of characters, seconds or pages before")
    after: float = zero_or_more(100, "number of characters, seconds or pages after")
    share: float = positive_share(0.5, "minimum share of a span that must be covered")

    def regions(self, ranking: Ranking, context: ReaderContext) -> Ranking:
        assert ranking.start is not None and ranking.end is not None
        if ranking.boxes is not None:
            return self._on_pages(ranking, context)
        somewhere = ranking.start >= 0  # below 0: a passage that could not be located
        start = np.where(somewhere, np.maximum(ranking.start - self.before, 0), ranking.start)
        end = np.where(somewhere, ranking.end + self.after, ranking.end)
        if context.single_documents is not None:
            names = [ranking.documents[code] for code in ranking.document.tolist()]
            last = np.array([context.single_documents.lengths.get(name, np.inf) for name in names], dtype=np.float64)
            end = np.maximum(np.minimum(end, last), ranking.end)
        return replace(ranking, start=start, end=end)

    def _on_pages(self, ranking: Ranking, context: ReaderContext) -> Ranking:
        """What lies before and after a box, in pages, over the whole width; each page that it touches is a row."""
        if ranking.boxes is None or not ranking.boxes.shares:
            raise UsageError("user model window needs the sizes of pages: give page_size in the truth")
        if not self.before and not self.after:
            return ranking
        assert ranking.start is not None and ranking.end is not None
        lengths = {} if context.collection is None else context.collection.lengths
        rows: list[int] = []
        places: list[tuple[int, tuple[float, ...], list[float]]] = []
        for row in range(len(ranking)):
            top, bottom = float(ranking.start[row]), float(ranking.end[row])
            name = ranking.documents[int(ranking.document[row])]
            last = max(bottom, min(bottom + self.after, float(lengths.get(name, np.inf))))
            size = ranking.boxes.size[row].tolist()
            own = [(int(ranking.boxes.page[row]), tuple(ranking.boxes.box[row].tolist()))]
            around = [*_pages_between(max(top - self.before, 0.0), top), *own, *_pages_between(bottom, last)]
            rows += [row] * len(around)
            places += [(page, box, size) for page, box in around]
        boxes = replace(Boxes.of(places), shares=True)
        start, end = boxes.extent()
        return replace(ranking.rows(np.array(rows, dtype=np.int64)), boxes=boxes, start=start, end=end)


def _pages_between(start: float, end: float) -> list[tuple[int, tuple[float, ...]]]:
    """The parts of pages between two places along a document."""
    found: list[tuple[int, tuple[float, ...]]] = []
    for page in range(int(np.floor(start)), int(np.ceil(end))):
        top, bottom = max(start - page, 0.0), min(end - page, 1.0)
        if top < bottom:
            found.append((page, (0.0, top, 1.0, bottom)))
    return found
